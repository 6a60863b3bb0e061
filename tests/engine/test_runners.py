"""Runners that do not do as they should, and what the engine makes of them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from tests.engine.scene import (
    agents,
    at,
    configured,
    freeze,
    outcomes,
    process,
    runs_in,
    scene,
    started,
    told,
    waits_for_room,
)
from tests.sim.builders import CANNOT_START, GOOD, HANGS, Deed
from tests.sim.faults import Odds
from tests.sim.plan import Plan
from tests.sim.world import World
from tidegate.core import events as e
from tidegate.core.values import Cause
from tidegate.engine.engine import Engine
from tidegate.engine.wish import Wish
from tidegate.verbs.standstill import waits_for

TURN = "/attempts/fix-build-1/turns/1"
FIRST_TURNS = "-build-1/turns/1"
LONG = Deed(work_s=300.0)


def test_a_runner_that_is_slow_to_begin_is_not_lost(tmp_path: Path) -> None:
    """Nobody holds its folder yet; only after `start_s` is it given up."""
    world = scene(tmp_path, fix=[GOOD])
    world.faults.start_delay_s = lambda: 4.0  # type: ignore[method-assign]  # the fault of this test
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed"}
    assert started(world, "/attempts/fix-build-") == 1
    assert not [each for each in told(world, e.TurnEnded) if each.how == "lost"]


def test_only_what_runs_the_set_up_has_time_for_it(tmp_path: Path) -> None:
    """A hanging push or removal is ended after `job_s`; the user's set-up has its own on top."""
    world = scene(tmp_path, fix=[GOOD])
    world.run_to_end()
    specs = [each.spec for each in world.host.processes if "/jobs/" in each.spec.folder]
    limits = {each.deadline_s for each in specs if "prepare" in each.folder}
    others = {each.deadline_s for each in specs if "prepare" not in each.folder}
    assert (limits, others) == ({1500.0}, {600.0})


def test_a_runner_that_begins_after_it_was_given_up_does_nothing(tmp_path: Path) -> None:
    """Its fence turns it away, another attempt works, and no replacement of its own is used up."""
    world = scene(tmp_path, fix=[GOOD])
    usual = world.faults.start_delay_s

    def slow() -> float:
        return 9.0 if world.host.processes[-1].spec.folder.endswith(TURN) else usual()

    world.faults.start_delay_s = slow  # type: ignore[method-assign]  # the fault of this test
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed"}
    assert world.builders.begun == {"fix": 1}
    lane = world.durable.lanes["fix"]
    assert (lane.replacements, lane.externals) == (0, 1)


def test_what_a_dead_runner_leaves_is_ended_before_anything_follows(tmp_path: Path) -> None:
    """Its agent lives on in the workspace: it is swept, harvested, and then replaced."""
    world = scene(tmp_path, fix=[LONG, GOOD])
    at(world, runs_in(world, TURN), lambda _: _orphan(world))
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed"}
    (lost,) = [each for each in told(world, e.TurnEnded) if each.how == "lost"]
    assert lost.attempt == "fix-build-1"
    assert [each.cause for each in told(world, e.Requested)][:2] == [None, Cause.OWN]


def test_what_many_dead_runners_leave_is_ended_in_one_go(tmp_path: Path) -> None:
    """Who takes over looks for all of it at once, also where it does not die at once."""
    names = ("a", "b", "c")
    world = scene(tmp_path, Plan(deeds={}, width=3), **{name: [LONG, GOOD] for name in names})
    asked: list[set[str]] = []
    sweep_all = world.host.sweep_all

    def swept(marks: Sequence[str]) -> Mapping[str, tuple[int, ...]]:
        asked.append({mark for mark in marks if FIRST_TURNS in mark})
        return sweep_all(marks)

    def befall(_: Engine) -> None:
        for each in agents(world):
            each.clings_until_s = world.timeline.now_s + 8
            world.host.kill_runner(each, with_agent=False)
        world.faults.crash_at = world.faults.calls + 1

    at(world, lambda _: len(agents(world)) == len(names), befall)
    world.host.sweep_all = swept  # type: ignore[method-assign]  # listens, and does the same
    world.run_to_end()
    assert outcomes(world) == dict.fromkeys(names, "landed")
    assert len(asked[0]) == len(names)
    assert len(asked) > 1
    assert all(later <= earlier for earlier, later in pairwise(asked))


def test_a_process_that_would_not_die_halts_the_run_by_its_number(tmp_path: Path) -> None:
    """Nothing follows it in its workspace; a person ends it, and the next run goes on."""
    world = scene(tmp_path, fix=[LONG, GOOD])

    def cling(_: Engine) -> None:
        found = process(world, TURN)
        assert found is not None
        found.clings_until_s = world.timeline.now_s + 120
        _orphan(world)

    at(world, runs_in(world, TURN), cling)
    result = world.live()
    assert result is not None
    assert result.exit_code == 3
    assert "would not die" in result.summary.note
    assert str(process(world, TURN).pid + 1) in result.summary.note  # type: ignore[union-attr]  # it began, so it has a process
    assert not [each for each in told(world, e.TurnEnded) if each.attempt == "fix-build-1"]
    world.timeline.pass_by(120)
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed"}


def frozen(folder: Path, seconds: float) -> World:
    """The world in which the first builder, runner and all, is stopped for so long."""
    world = scene(folder, fix=[LONG])
    freeze(world, TURN, seconds)
    world.run_to_end()
    return world


def test_a_runner_that_is_silent_for_a_while_keeps_its_turn(tmp_path: Path) -> None:
    """Two signs of life may be missing: it is slow, and not dead."""
    world = frozen(tmp_path, 70)
    assert outcomes(world) == {"fix": "landed"}
    assert started(world, "/attempts/fix-build-") == 1
    assert not told(world, e.InterventionClaimed)


def test_a_runner_that_thaws_in_time_is_stopped_by_its_own_hand(tmp_path: Path) -> None:
    """C116, C117, G4: two beats missed, a request to end, and it hears it within 30 s."""
    world = frozen(tmp_path, 100)
    assert [each.action for each in told(world, e.InterventionClaimed)] == ["stop"]
    assert [each.reason for each in told(world, e.Stopped)] == ["missed_beats"]
    assert outcomes(world) == {"fix": "landed"}
    assert started(world, "/attempts/fix-build-") == 2


def test_a_runner_that_does_not_hear_is_ended_by_force_and_replaced_once(tmp_path: Path) -> None:
    """C118: no acknowledgment within 30 s is `stop_ack_timeout`: fenced, and then one other."""
    world = frozen(tmp_path, 100_000)
    claims = [(each.action, each.lapse) for each in told(world, e.InterventionClaimed)]
    assert claims == [("stop", "missed_beats"), ("kill", "stop_ack_timeout")]
    assert [each.reason for each in told(world, e.Stale)] == ["missed_beats"]
    assert [each.reason for each in told(world, e.Stopped)] == ["stop_ack_timeout"]
    assert outcomes(world) == {"fix": "landed"}
    assert started(world, "/attempts/fix-build-") == 2


def test_a_builder_that_hangs_is_replaced_once(tmp_path: Path) -> None:
    """Its deadline ends it; a second one that hangs ends the lane."""
    result = scene(tmp_path, fix=[HANGS]).run_to_end()
    (stopped,) = result.summary.stopped
    assert stopped.reason == "deadline, 2 times"


def test_a_missing_agent_halts_and_burns_nothing(tmp_path: Path) -> None:
    """One start that fails tells it; the lane stays open, and goes on when the agent is there."""
    world = scene(tmp_path, fix=[GOOD])
    at(world, runs_in(world, "fix-build-1-prepare-0"), lambda _: _hide_agent(world))
    result = world.live()
    assert result is not None
    assert (result.exit_code, result.summary.note) == (
        3,
        "'agent' is not on PATH; mend that, then `tidegate run` goes on",
    )
    assert outcomes(world) == {"fix": "open"}
    assert len(told(world, e.Requested)) == 1
    world.builders.problem = None
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed"}


def test_an_agent_that_cannot_start_now_and_then_is_tried_again(tmp_path: Path) -> None:
    """Nobody's fault: it has a limit of its own and uses up no replacement."""
    world = scene(tmp_path, fix=[CANNOT_START, CANNOT_START, GOOD])
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed"}
    lane = world.durable.lanes["fix"]
    assert (lane.replacements, lane.externals) == (0, 2)


def test_a_drain_starts_nothing_and_loses_nothing(tmp_path: Path) -> None:
    """What runs comes to its end; the rest is there for the next controller."""
    world = scene(tmp_path, Plan(deeds={}, width=1), one=[GOOD], two=[GOOD])
    wished = Wish.GO_ON

    def drain(_: Engine) -> None:
        nonlocal wished
        wished = Wish.DRAIN

    world.wish = lambda: wished
    at(world, runs_in(world, "one-build-1/turns/1"), drain)
    result = world.live()
    assert result is not None
    assert result.exit_code == 130
    assert not world.host.living
    assert outcomes(world) == {"one": "open"}
    assert told(world, e.Materialized)
    wished = Wish.GO_ON
    world.run_to_end()
    assert outcomes(world) == {"one": "landed", "two": "landed"}


def test_little_room_starts_nothing_and_ends_nothing(tmp_path: Path) -> None:
    """G4-07: below the floor no turn is opened, and the workspace under way is made all the same.

    The run waits, and goes on when there is room, under the same controller.
    """
    world = scene(tmp_path, fix=[GOOD])
    at(world, runs_in(world, "fix-build-1-prepare-0"), lambda _: _fill_disk(world))
    at(world, waits_for_room, lambda engine: _make_room(world, engine))
    world.live()
    assert world.deaths == 0
    assert outcomes(world) == {"fix": "landed"}


def test_a_drain_waits_for_no_room(tmp_path: Path) -> None:
    """A run that is to begin nothing ends below the floor, and says what a person must mend."""
    world = scene(tmp_path, fix=[GOOD])
    wish = [Wish.GO_ON]
    world.wish = lambda: wish[0]
    at(world, runs_in(world, "fix-build-1-prepare-0"), lambda _: _fill_disk(world))
    at(world, waits_for_room, lambda _: wish.__setitem__(0, Wish.DRAIN))
    result = world.live()
    assert result is not None
    assert result.exit_code == 130
    assert "[disk] floor_bytes" in result.summary.note
    assert outcomes(world) == {"fix": "open"}


def test_it_waits_between_two_lanes_as_well_and_says_so(tmp_path: Path) -> None:
    """G4-07: nothing is open and an issue is left: the run waits, and who looks on reads why."""
    world = scene(tmp_path, Plan(deeds={}, width=1), one=[GOOD], two=[GOOD])
    at(world, lambda _: told(world, e.LaneEnded), lambda _: _fill_disk(world))
    at(
        world,
        lambda engine: waits_for_room(engine) and not engine.book.lanes,
        lambda engine: _make_room(world, engine, of="two"),
    )
    world.live()
    assert outcomes(world) == {"one": "landed", "two": "landed"}


def test_a_run_that_has_nothing_left_needs_no_room(tmp_path: Path) -> None:
    """Its last issue has landed below the floor: it is over, and nothing has to be mended."""
    world = scene(tmp_path, fix=[GOOD])
    at(world, lambda _: told(world, e.LandingIntended), lambda _: _fill_disk(world))
    result = world.live()
    assert result is not None
    assert (result.exit_code, world.is_ended) == (0, True)


def test_a_turn_that_was_granted_waits_for_room_as_well(tmp_path: Path) -> None:
    """Its controller died before it could start it, and now the disk is full."""
    world = scene(tmp_path, fix=[GOOD])
    usual = world.faults.may_spawn

    def may_spawn() -> bool:
        return usual() and not told(world, e.TurnOpened)

    world.faults.may_spawn = may_spawn  # type: ignore[method-assign]  # the fault of this test
    assert world.live() is None
    world.faults.may_spawn = usual  # type: ignore[method-assign]  # the fault of this test
    _fill_disk(world)
    at(world, waits_for_room, lambda engine: _make_room(world, engine))
    assert world.live() is not None
    assert outcomes(world) == {"fix": "landed"}


def test_a_full_host_ends_the_controller_and_no_agent(tmp_path: Path) -> None:
    """A runner that cannot be started is started by the next controller."""
    plan = Plan(deeds={}, odds=Odds(no_process=0.5), calm_at_s=200.0, deaths_max=50)
    world = scene(tmp_path, plan, fix=[GOOD])
    world.run_to_end()
    assert world.faults.counts["no_process"] > 0
    assert outcomes(world) == {"fix": "landed"}


def test_polling_is_slow_where_nothing_is_looked_for(tmp_path: Path) -> None:
    """Once a builder has its first commit it is looked at once in a beat and not more often."""
    plan = configured("checkpoint_look_s = 20", "checkpoint_look_s = 2")
    world = scene(tmp_path, plan, fix=[Deed(work_s=500.0, commits="early")])
    world.run_to_end()
    beats = 500 / (40 / 3)
    looks = 0.2 * 500 / 2
    assert world.waits < beats + looks + 60


def test_many_builders_are_looked_at_no_more_often_in_all(tmp_path: Path) -> None:
    """Ten looks a second at most are for first commits, so that a hundred cost as one does."""
    waits = []
    for names in ("a", "abcd"):
        folder = tmp_path / names
        folder.mkdir()
        plan = replace(configured("checkpoint_look_s = 20", "checkpoint_look_s = 0.1"), width=4)
        world = scene(folder, plan, **{name: [Deed(work_s=80.0)] for name in names})
        world.run_to_end()
        waits.append(world.waits)
    assert waits[0] > 500
    assert waits[1] < waits[0] / 2, waits


def _orphan(world: World) -> None:
    found = process(world, TURN)
    assert found is not None
    world.host.kill_runner(found, with_agent=False)


def _hide_agent(world: World) -> None:
    world.builders.problem = "'agent' is not on PATH"


def _fill_disk(world: World) -> None:
    world.free_bytes = 1000


def _make_room(world: World, engine: Engine, of: str = "fix") -> None:
    """There is room again; meanwhile nobody was started, and who looks on was told why."""
    assert started(world, f"/attempts/{of}-build-") == 0
    assert "[disk] floor_bytes" in waits_for(engine)
    world.free_bytes = 10**12
