"""Landing and delivery: once, in order, and never given up half way."""

import itertools
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.engine.scene import at, outcomes, process, runs_in, scene, started, told
from tests.sim.builders import BAD, FOR_EVER_S, GOOD, Deed
from tests.sim.plan import Plan
from tests.sim.process import Script
from tests.sim.repositories import HUB_TARGET
from tests.sim.world import World
from tidegate.core import events as e
from tidegate.core.requests import OBSOLETE
from tidegate.engine import upkeep
from tidegate.engine.engine import RETRY_FACTOR, Engine
from tidegate.ports.git import (
    DeliverWork,
    HarvestWork,
    MergeWork,
    MoveWork,
    PackWork,
    Work,
    WorkFailed,
)

JOB_MAX_S = 4.0
"""What a simulated job takes at most, from its start to when it is heard."""


def many(folder: Path, deeds: Sequence[Deed], count: int, *, width: int = 2) -> World:
    """A calm world with so many issues that are all alike."""
    issues: dict[str, Sequence[Deed]] = {f"issue-{number:02}": deeds for number in range(count)}
    return World(Plan(deeds=issues, width=width), seed=1, folder=folder)


def target_of(world: World) -> str:
    """What the hub's target is at."""
    return world.git.hub[HUB_TARGET(str(world.ledger.runs()[-1]["run_id"]))]


def broken(world: World, kind: type[Work], *, after_effect: bool, times: int) -> None:
    """Let the first jobs of a kind fail, before or after they had their effect."""
    left = times
    act = world.git._act

    def acting(work: Work) -> object:
        nonlocal left
        if not isinstance(work, kind) or left == 0:
            return act(work)
        left -= 1
        if after_effect:
            act(work)
        return WorkFailed(reason="disk", message="no space left")

    world.git._act = acting  # type: ignore[method-assign, assignment]  # the fault of this test


def test_a_landing_whose_end_was_not_heard_has_happened_once(tmp_path: Path) -> None:
    """The target moved and the job failed to say so: it is asked again and not merged again."""
    world = scene(tmp_path, fix=[GOOD])
    broken(world, MoveWork, after_effect=True, times=1)
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed"}
    (landed,) = told(world, e.Landed)
    assert landed.commit == target_of(world)
    assert len(told(world, e.LandingIntended)) == 1


def test_a_job_that_failed_is_tried_again_after_a_pause(tmp_path: Path) -> None:
    """A short trouble does not use up the tries; the pauses grow, and end nobody's wait early."""
    world = scene(tmp_path, fix=[GOOD])
    broken(world, MergeWork, after_effect=False, times=2)
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed"}
    begun_s = [each.begun_s for each in world.host.processes if "-merge-" in each.spec.folder]
    first_s, second_s = (later - begun for begun, later in itertools.pairwise(begun_s))
    assert world.engine is not None
    retry_s = world.engine.setup.policy.deadlines.retry_s
    assert retry_s <= first_s < retry_s + JOB_MAX_S
    assert retry_s * RETRY_FACTOR <= second_s < retry_s * RETRY_FACTOR + JOB_MAX_S


def test_a_job_that_was_killed_says_so(tmp_path: Path) -> None:
    """Whoever reads why a lane was held up is told that it was nobody's mistake."""
    world = scene(tmp_path, fix=[GOOD])
    part = "build-1-prepare-0"

    def kill(_: Engine) -> None:
        found = process(world, part)
        assert found is not None
        world.host.kill_agent(found)

    at(world, runs_in(world, part), kill)
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed"}
    assert [each.reason for each in told(world, e.JobFailed)] == ["killed"]


def test_nobody_waits_for_a_try_that_will_not_come(tmp_path: Path) -> None:
    """With the last failure all is said: the run halts at once."""
    world = scene(tmp_path, fix=[GOOD])
    broken(world, MoveWork, after_effect=False, times=4)
    result = world.live()
    assert result is not None
    last_s = max(each.begun_s for each in world.host.processes if "-land-" in each.spec.folder)
    assert world.timeline.now_s < last_s + JOB_MAX_S


def test_a_landing_is_never_given_up(tmp_path: Path) -> None:
    """It may have happened, so the run halts and says why; the next one finds out."""
    world = scene(tmp_path, fix=[GOOD])
    broken(world, MoveWork, after_effect=True, times=4)
    result = world.live()
    assert result is not None
    assert result.exit_code == 3
    assert "the landing of fix fails" in result.summary.note
    assert outcomes(world) == {"fix": "open"}
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed"}
    assert len(told(world, e.LandingIntended)) == 1


def test_what_may_be_lost_halts_the_run(tmp_path: Path) -> None:
    """Exit 5, and no lane is stopped for it; the next run goes on once that is mended."""
    world = scene(tmp_path, one=[GOOD], two=[GOOD])
    act = world.git._act
    damaged = WorkFailed(reason="hub_damaged", message="the hub lacks x", is_integrity=True)
    world.git._act = lambda work: damaged if isinstance(work, HarvestWork) else act(work)  # type: ignore[method-assign]  # the fault of this test
    result = world.live()
    assert result is not None
    assert (result.exit_code, "the hub lacks x" in result.summary.note) == (5, True)
    world.git._act = act  # type: ignore[method-assign]  # mended
    world.run_to_end()
    assert outcomes(world) == {"one": "landed", "two": "landed"}


def test_a_target_that_was_moved_under_a_landing_is_not_overwritten(tmp_path: Path) -> None:
    """Nothing moves; the change is merged and intended anew, and lands when the target is back."""
    world = scene(tmp_path, fix=[GOOD])
    base = world.repositories.repository.head or ""

    def move(_: Engine) -> None:
        git = world.git
        strange = git.commit({"strange": "1"}, (base,), "strange")
        git.hub[next(iter(git.hub))] = strange
        at(world, lambda _: told(world, e.LandingRefused), put_back)

    def put_back(_: Engine) -> None:
        world.git.hub[next(iter(world.git.hub))] = base

    at(world, lambda _: told(world, e.LandingIntended), move)
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed"}
    assert len(told(world, e.LandingRefused)) == 1
    assert len(told(world, e.LandingIntended)) == 2


def test_a_target_that_stays_elsewhere_stops_the_lane(tmp_path: Path) -> None:
    """After some tries a person has to look; what is there now is named."""
    world = scene(tmp_path, fix=[GOOD])
    base = world.repositories.repository.head or ""
    strange = world.git.commit({"strange": "1"}, (base,), "strange")
    world.git.is_moved = True
    at(
        world,
        lambda _: told(world, e.LandingIntended),
        lambda _: world.git.hub.update(dict.fromkeys(world.git.hub, strange)),
    )
    result = world.run_to_end()
    (stopped,) = result.summary.stopped
    assert stopped.reason == f"landing: the target is at {strange}, which this run did not land"
    assert target_of(world) == strange


def test_lanes_that_are_ready_together_land_one_after_the_other(tmp_path: Path) -> None:
    """Also where the clock on the wall is put back in between: a landing in flight stays first."""
    world = scene(tmp_path, one=[GOOD], two=[GOOD])

    def put_back(_: Engine) -> None:
        world.timeline.wall_offset_s -= 3600

    at(world, lambda _: told(world, e.LandingIntended), put_back)
    world.run_to_end()
    assert outcomes(world) == {"one": "landed", "two": "landed"}
    assert [each.lane for each in _landing_entries(world)][::2] == [
        each.lane for each in _landing_entries(world)
    ][1::2]


def test_quick_builders_do_not_outrun_the_landing(tmp_path: Path) -> None:
    """A lane keeps its slot until it is over, so nothing piles up behind the head of the queue."""
    quick = Deed(work_s=0.1)
    world = many(tmp_path, [quick], 12)
    open_at_once: list[int] = []
    world.at_tick.append(lambda engine: open_at_once.append(_open_lanes(engine)))
    world.run_to_end()
    assert max(open_at_once) == world.plan.width
    assert set(outcomes(world).values()) == {"landed"}


def test_a_change_is_merged_and_checked_once(tmp_path: Path) -> None:
    """Behind the head it is merged onto what is about to land, and checked at the head only."""
    world = many(tmp_path, [GOOD], 6)
    world.run_to_end()
    assert len(told(world, e.CandidateMade)) == len(told(world, e.Landed)) == 6
    assert (started(world, "-check-1/turns/"), started(world, "-check-2")) == (6, 0)


def test_nobody_is_stopped_because_others_were_quicker(tmp_path: Path) -> None:
    """All change one file, and each resolves every conflict that it is told of: all land."""
    world = many(tmp_path, [Deed(shares=True)] * 6, 16, width=8)
    world.run_to_end()
    assert set(outcomes(world).values()) == {"landed"}
    assert max(lane.conflicts for lane in world.durable.lanes.values()) == 2


def test_the_next_change_is_made_ready_while_the_head_is_checked(tmp_path: Path) -> None:
    """Its workspace stands before the one ahead of it has landed; its check begins afterwards."""
    world = many(tmp_path, [GOOD], 2)
    world.run_to_end()
    at_s = {
        (recorded.entry.lane, type(recorded.entry.event), recorded.entry.attempt): recorded.sequence
        for recorded in world.ledger.read(str(world.ledger.runs()[-1]["run_id"]))
    }
    landed = at_s["issue-00", e.Landed, "issue-00-build-1"]
    assert at_s["issue-01", e.WorkspaceReady, "issue-01-check-1"] < landed
    assert landed < at_s["issue-01", e.TurnOpened, "issue-01-check-1"]


def test_what_was_made_ready_behind_a_change_that_failed_is_dropped(tmp_path: Path) -> None:
    """It is merged anew onto what really is the target: nothing of the failed change lands."""
    world = scene(tmp_path, one=[BAD, GOOD], two=[GOOD])
    world.run_to_end()
    assert outcomes(world) == {"one": "landed", "two": "landed"}
    dropped = [each.attempt for each in told(world, e.Failed) if each.reason == OBSOLETE]
    assert dropped == ["two-check-1"]
    assert [each.attempt for each in told(world, e.Landed)] == ["two-build-1", "one-build-1"]
    assert world.durable.lanes["two"].externals == 0


def test_a_change_that_does_not_merge_ahead_of_its_turn_is_not_sent_back_for_it(
    tmp_path: Path,
) -> None:
    """What it conflicts with may never land. It is heard of once, when it is its turn."""
    world = scene(tmp_path, one=[Deed(writes="bad", shares=True), GOOD], two=[Deed(shares=True)])
    world.run_to_end()
    assert outcomes(world) == {"one": "landed", "two": "landed"}
    landed = [each.attempt for each in told(world, e.Landed)]
    assert landed[0] == "two-build-1"
    assert all(each.attempt != "two-build-1" for each in told(world, e.Conflicted))


def _open_lanes(engine: Engine) -> int:
    return sum(lane.outcome is None for lane in engine.book.lanes.values())


def test_the_hub_is_packed_from_time_to_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the start and after so many harvests; one that fails harms nobody and is not hurried."""
    monkeypatch.setattr(upkeep, "HARVESTS_A_PACK", 3)
    world = many(tmp_path, [GOOD], 7)
    broken(world, PackWork, after_effect=False, times=1)
    world.run_to_end()
    assert set(outcomes(world).values()) == {"landed"}
    assert [started(world, f"jobs/pack-{number}") for number in range(4)] == [1, 1, 1, 0]


def test_a_pack_keeps_nobody_waiting(tmp_path: Path) -> None:
    """Where all else is done it is stopped: a large hub may take half an hour."""
    world = scene(tmp_path, fix=[GOOD])
    script = world.git.script

    def slow(folder: str) -> Script:
        if isinstance(world.git.works[folder], PackWork):
            yield FOR_EVER_S
        return (yield from script(folder))

    world.git.script = slow  # type: ignore[method-assign]  # the fault of this test
    world.run_to_end()
    assert started(world, "jobs/pack-0") == 1
    assert world.timeline.now_s < 3600


def test_a_delivery_waits_for_a_dirty_checkout(tmp_path: Path) -> None:
    """What landed is safe in the hub; the run says what is in the way and is not over."""
    world = scene(tmp_path, fix=[GOOD])
    world.git.checkout.dirt = "there are uncommitted changes"
    result = world.live()
    assert result is not None
    assert "there are uncommitted changes" in result.summary.note
    assert outcomes(world) == {"fix": "landed"}
    assert len(told(world, e.DeliveryIntended)) == 1
    world.git.checkout.dirt = None
    world.run_to_end()
    assert target_of(world) in world.git.checkout.refs.values()


def test_a_delivery_that_fails_by_itself_is_made_again(tmp_path: Path) -> None:
    """Nobody has to do anything: it is offered again, under a receipt of its own."""
    world = scene(tmp_path, fix=[GOOD])
    broken(world, DeliverWork, after_effect=False, times=2)
    result = world.live()
    assert result is not None
    assert result.exit_code == 0
    assert target_of(world) in world.git.checkout.refs.values()
    told_of = [(each.receipt[-1], each.outcome) for each in told(world, e.DeliverySettled)]
    assert told_of == [("1", "failed"), ("2", "failed"), ("3", "delivered")]


def _landing_entries(world: World) -> list[e.Entry]:
    run = str(world.ledger.runs()[-1]["run_id"])
    entries = [recorded.entry for recorded in world.ledger.read(run)]
    return [each for each in entries if isinstance(each.event, e.LandingIntended | e.Landed)]
