"""The monitor: what it observes, when, and that it does each thing once."""

import shutil
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from tests.engine.scene import (
    at,
    die,
    freeze,
    outcomes,
    process,
    runs_in,
    scene,
    started,
    told,
)
from tests.sim.builders import GOOD, HANGS, Deed
from tests.sim.faults import SimulatedCrash
from tests.sim.world import World
from tidegate.core import events as e
from tidegate.core.liveness import Action, Classification
from tidegate.engine.engine import Engine
from tidegate.engine.quarantine import keep_apart

TURN = "fix-build-1/turns/1"
LONG = Deed(work_s=2000.0)
VAIN_TRIES = 3


def long_scene(folder: Path) -> World:
    """One builder at work for longer than several rounds of the monitor."""
    world = scene(folder, fix=[Deed(work_s=550.0)])
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed"}
    return world


def test_a_turn_is_observed_at_once_and_then_at_most_ten_minutes_apart(tmp_path: Path) -> None:
    """C171, C172: a look at the launch, then rounds with a bounded jitter."""
    world = long_scene(tmp_path)
    seen = [each for each in told(world, e.Observed) if each.attempt == "fix-build-1"]
    first = seen[0]
    assert (first.state, first.classification) == ("started", Classification.ACTIVE)
    assert first.active_s < 2.0
    for each in told(world, e.MonitorRan):
        assert 0.9 * 600 <= each.next_s <= 600


def test_rounds_are_not_in_step(tmp_path: Path) -> None:
    """C172: the interval is another each time, and the same when it is computed again."""
    world = scene(tmp_path, fix=[HANGS, HANGS])
    world.run_to_end()
    intervals = [each.next_s for each in told(world, e.MonitorRan)]
    assert len(set(intervals)) == len(intervals) > 1


def test_an_observation_has_the_five_fields(tmp_path: Path) -> None:
    """C174, C175, C176, C177, C178: state and deadline, class, progress, action and key, words."""
    world = scene(tmp_path, fix=[HANGS])
    freeze(world, TURN)
    at(world, lambda _: bool(told(world, e.InterventionClaimed)), observe_soon(world))
    world.run_to_end()
    stale = [each for each in told(world, e.Observed) if each.classification == "stale"]
    assert stale
    one = stale[0]
    assert (one.action, one.key) == (Action.STOP, "fix-build-1/1/missed_beats/stop")
    assert one.deadline_utc is not None
    assert one.lease_epoch == 1
    assert (one.not_working, one.next) == ("missed beats", "it is asked to end")


def observe_soon(world: World) -> Callable[[Engine], None]:
    """The next round is due now, and nobody minds."""

    def act(engine: Engine) -> None:
        engine.watch.round_due_s = world.durable.round_due_s = 0.0

    return act


def test_progress_is_commits_before_output(tmp_path: Path) -> None:
    """C179: what was committed since the last look is told first; output alone is only output."""
    world = scene(tmp_path, fix=[Deed(work_s=550.0, commits="early")])
    at(world, lambda _: bool(told(world, e.Checkpointed)), observe_soon(world))
    world.run_to_end()
    said = [each.changed for each in told(world, e.Observed) if each.attempt == "fix-build-1"]
    assert any("a commit" in each for each in said)


def test_a_claim_outlives_its_controller_and_is_not_taken_again(tmp_path: Path) -> None:
    """C184: whoever comes back finds the key taken and brings about what was claimed."""
    world = scene(tmp_path, fix=[HANGS, GOOD])
    freeze(world, TURN)
    at(world, lambda _: bool(told(world, e.InterventionClaimed)), die)
    assert world.live() is None
    world.run_to_end()
    claims = [each.key for each in told(world, e.InterventionClaimed)]
    assert claims == ["fix-build-1/1/missed_beats/stop", "fix-build-1/1/stop_ack_timeout/kill"]
    assert outcomes(world) == {"fix": "landed"}


def test_a_claim_is_brought_about_though_its_turn_beats_again(tmp_path: Path) -> None:
    """C184: the controller dies between claim and act, and the next one finds signs of life."""
    world = scene(tmp_path, fix=[HANGS, GOOD])
    freeze(world, TURN)
    ask = world.host.request_stop

    def crash(folder: str, *, epoch: int, reason: str) -> None:
        found = process(world, TURN)
        assert found is not None
        assert (found.spec.folder, epoch, reason) == (folder, 1, "missed_beats")
        found.frozen_s = (0.0, 0.0)
        world.host.request_stop = ask  # type: ignore[method-assign]  # the fault of this test
        raise SimulatedCrash("between claim and act")

    world.host.request_stop = crash  # type: ignore[method-assign]  # the fault of this test
    assert world.live() is None
    world.run_to_end()
    ends = [each.how for each in told(world, e.TurnEnded) if each.attempt == "fix-build-1"]
    assert ends == ["missed_beats"]
    assert [each.action for each in told(world, e.InterventionClaimed)] == [Action.STOP]


def test_what_force_does_not_end_is_not_hammered(tmp_path: Path) -> None:
    """G8: a runner that waits for a disk is given time between two tries, and costs no tick."""
    world = scene(tmp_path, fix=[HANGS, GOOD])
    freeze(world, TURN)
    tries: list[float] = []
    kill = world.host.kill

    def vain(folder: str) -> None:
        tries.append(world.timeline.now_s)
        if len(tries) == VAIN_TRIES:
            kill(folder)

    world.host.kill = vain  # type: ignore[method-assign]  # the fault of this test
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed"}
    assert len(tries) == VAIN_TRIES
    assert all(after - before >= 30 for before, after in pairwise(tries))


def test_a_full_disk_ends_nobody(tmp_path: Path) -> None:
    """G6: a runner that cannot write its sign of life is not dead for it."""
    world = scene(tmp_path, fix=[LONG])

    def fill(_: Engine) -> None:
        world.free_bytes = 0
        found = process(world, TURN)
        assert found is not None
        found.frozen_s = (world.timeline.now_s, world.timeline.now_s + 400)
        world.timeline.after(401, _empty)

    def _empty() -> None:
        world.free_bytes = 10**12

    at(world, lambda _: bool(told(world, e.TurnStarted)), fill)
    world.run_to_end()
    assert not told(world, e.InterventionClaimed)
    assert outcomes(world)["fix"] in {"landed", "stopped"}


def test_everything_that_is_open_is_recovered_once(tmp_path: Path) -> None:
    """G2-14, G2-16: one lives, one ended meanwhile, one died, one waits: one event for each."""
    world = scene(tmp_path, fix=[Deed(work_s=500.0)], quick=[GOOD], dies=[Deed(work_s=500.0)])
    at(world, runs_in(world, "dies-build-1/turns/1"), die)
    assert world.live() is None
    found = process(world, "dies-build-1/turns/1")
    assert found is not None
    world.host.kill_runner(found, with_agent=True)
    world.timeline.pass_by(60)
    world.run_to_end()
    by_outcome = {each.attempt: each.outcome for each in told(world, e.Recovered)}
    assert by_outcome["dies-build-1"] == "interrupted"
    assert len(by_outcome) == len(told(world, e.Recovered))
    assert set(by_outcome.values()) <= {"adopted", "finished", "interrupted", "waiting"}
    assert started(world, "/attempts/dies-build-") == 2
    assert set(outcomes(world).values()) == {"landed"}


def test_a_sleeping_machine_moves_the_deadlines(tmp_path: Path) -> None:
    """G2-12: eight hours of sleep in the middle of a turn cost it nothing, and are on record."""
    world = scene(tmp_path, fix=[Deed(work_s=500.0)])

    def sleep(_: Engine) -> None:
        world.timeline.slept_s += 8 * 3600

    at(world, lambda _: bool(told(world, e.TurnStarted)), sleep)
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed"}
    assert started(world, "/attempts/fix-build-") == 1
    (slept,) = [each for each in told(world, e.ClockReconciled) if each.trust == "suspended"]
    assert round(slept.suspended_s) == 8 * 3600
    assert not told(world, e.InterventionClaimed)


def test_a_frozen_controller_holds_back_when_it_wakes(tmp_path: Path) -> None:
    """G2-11: stopped for three leases with its agent alive, it ends nobody."""
    world = scene(tmp_path, fix=[Deed(work_s=550.0)])
    at(world, lambda _: bool(told(world, e.TurnStarted)), lambda _: world.timeline.pass_by(360))
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed"}
    assert started(world, "/attempts/fix-build-") == 1
    assert not told(world, e.InterventionClaimed)


def test_clocks_in_doubt_advance_nothing_for_a_heartbeat(tmp_path: Path) -> None:
    """C069, C165, C185: it is inconclusive, a decision says so, and then it goes on."""
    world = scene(tmp_path, fix=[GOOD])

    def lie(_: Engine) -> None:
        world.timeline.lie_s = 1000.0

    at(world, lambda _: bool(told(world, e.TurnStarted)), lie)
    world.run_to_end()
    trusts = [str(each.trust) for each in told(world, e.ClockReconciled)]
    assert trusts == ["trusted", "untrusted", "trusted"]
    (decided,) = told(world, e.Decided)
    assert (decided.condition, decided.severity) == ("monitor_inconclusive", "high")
    assert outcomes(world) == {"fix": "landed"}


def test_what_comes_late_is_known_also_where_a_controller_died_at_the_end(tmp_path: Path) -> None:
    """C075: it dies between the record of an end and the taking, which the next one makes up."""
    world = scene(tmp_path, fix=[GOOD])

    def die_before(engine: Engine) -> None:
        folder = Path(engine.setup.places.turn("fix-build-1", 1))
        (folder / "staging").mkdir(parents=True, exist_ok=True)
        shutil.rmtree(folder / "taken", ignore_errors=True)
        raise SimulatedCrash("between record and taking")

    def write_late(engine: Engine) -> None:
        staging = Path(engine.setup.places.turn("fix-build-1", 1), "staging")
        assert not staging.exists()
        staging.mkdir()
        (staging / "report.md").write_text("VERDICT: PASS\n", encoding="utf-8")

    at(world, lambda _: bool(told(world, e.TurnEnded)), die_before)
    assert world.live() is None
    at(world, lambda _: True, write_late)
    world.run_to_end()
    assert len(told(world, e.Quarantined)) == 1


def test_what_came_late_and_went_again_stops_nobody(tmp_path: Path) -> None:
    """C075: whoever writes late may take it away before it is moved; the run goes on."""
    world = scene(tmp_path, fix=[GOOD])

    def come_and_go(engine: Engine) -> None:
        late = Path(engine.setup.places.turn("fix-build-1", 1), "staging", "report.md")
        late.parent.mkdir(parents=True, exist_ok=True)
        late.write_text("VERDICT: PASS\n", encoding="utf-8")
        lane = engine.book.lanes["fix"]
        keep_apart(engine, lane, lane.attempts["fix-build-1"])
        engine.book.flush()
        late.unlink()

    at(world, lambda _: bool(told(world, e.Materialized)), come_and_go)
    world.run_to_end()
    assert world.deaths == 0
    assert len(told(world, e.Quarantined)) == 1
    assert outcomes(world) == {"fix": "landed"}


def test_what_comes_late_is_kept_apart(tmp_path: Path) -> None:
    """C075, C090: a report that appears after its turn was over is recorded and moved."""
    world = scene(tmp_path, fix=[GOOD])

    def write_late(engine: Engine) -> None:
        place = Path(engine.setup.places.turn("fix-build-1", 1), "staging")
        place.mkdir(parents=True, exist_ok=True)
        (place / "report.md").write_text("VERDICT: PASS\n", encoding="utf-8")

    at(world, lambda _: bool(told(world, e.Materialized)), write_late)
    world.run_to_end()
    (late,) = told(world, e.Quarantined)
    assert (late.attempt, late.turn) == ("fix-build-1", 1)
    assert Path(late.path).read_text(encoding="utf-8") == "VERDICT: PASS\n"
    assert outcomes(world) == {"fix": "landed"}
