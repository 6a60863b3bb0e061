"""A durable drain, story by story: what goes on in it, and what does not."""

from pathlib import Path

import pytest

from tests.engine.scene import at, outcomes, runs_in, scene, told
from tests.engine.test_unknown import reply_to, say
from tests.sim.builders import GOOD
from tests.sim.judges import BUILDS
from tests.sim.plan import Plan
from tests.sim.world import World
from tidegate.core import events as e
from tidegate.core.values import Role
from tidegate.engine.engine import Engine

BEGINNINGS = (e.LaneOpened, e.Requested, e.Reserved, e.Dispatched, e.TurnOpened, e.LandingIntended)


def drained_at(world: World, part: str) -> None:
    """Drain the run once a process lives in a folder whose path ends so."""

    def drain(_: Engine) -> None:
        say(world, "drain_run", reason="an upgrade")

    at(world, runs_in(world, part), drain)


def since_the_drain(world: World) -> list[e.Event]:
    """What was recorded after it."""
    events = world.events()
    (asked,) = [n for n, each in enumerate(events) if isinstance(each, e.DrainAsked)]
    return events[asked + 1 :]


@pytest.mark.parametrize("part", ["one-build-1/turns/1", "one-check-1/turns/1", "base/turns/1"])
def test_a_drained_run_ends_with_1_and_stays_open_however_often_it_is_started(
    tmp_path: Path, part: str
) -> None:
    """D23: it records what ends, begins nothing, and says since when and by whom."""
    world = scene(tmp_path, one=[GOOD], two=[GOOD])
    drained_at(world, part)
    for _ in range(3):
        result = world.live()
        assert result is not None
        assert (result.exit_code, world.is_ended) == (1, False)
        assert "is drained since" in result.summary.note
        assert "by owner (an upgrade): `tidegate undrain` lifts it" in result.summary.note
    assert [each for each in since_the_drain(world) if isinstance(each, BEGINNINGS)] == []
    say(world, "undrain_run")
    assert world.run_to_end().exit_code == 0
    assert outcomes(world) == {"one": "landed", "two": "landed"}


def test_a_pass_is_ruled_and_queued_in_a_drain(tmp_path: Path) -> None:
    """D25: the check that was under way comes to its PASS, and the lane stands in the queue."""
    world = scene(tmp_path, Plan(deeds={}, verifies=True), fix=[GOOD])
    drained_at(world, "fix-verify-1/turns/1")
    world.live()
    rulings = [each for each in since_the_drain(world) if isinstance(each, e.Ruled)]
    assert [each.ruling for each in rulings] == ["land"]
    assert world.durable.lanes["fix"].is_queued
    assert told(world, e.LandingIntended) == []


def test_a_landing_under_way_finishes_in_a_drain(tmp_path: Path) -> None:
    """D26: and no other starts, though one stands behind it."""
    world = scene(tmp_path, one=[GOOD], two=[GOOD])

    def drain(_: Engine) -> None:
        say(world, "drain_run")

    at(world, lambda _: told(world, e.LandingIntended), drain)
    world.live()
    assert [len(told(world, kind)) for kind in (e.LandingIntended, e.Landed)] == [1, 1]


def test_a_late_adjudication_is_stored_and_not_asked_for_twice(tmp_path: Path) -> None:
    """D27: what it says is kept, unreserved; after the drain the lane is built by it."""
    plan = Plan(deeds={}, adjudicates=True, words={Role.ADJUDICATE: {"fix": [BUILDS]}})
    world = scene(tmp_path, plan, fix=[GOOD])
    drained_at(world, "fix-adjudicate-1/turns/1")
    world.live()
    assert [type(each) for each in since_the_drain(world) if isinstance(each, e.Adjudicated)]
    assert world.durable.lanes["fix"].reserved is None
    say(world, "undrain_run")
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed"}
    assert len(told(world, e.Adjudicated)) == 1


def test_a_drain_is_refused_twice_and_lifted_once(tmp_path: Path) -> None:
    """Each word is a fact or is refused; nothing is recorded for a refusal."""
    world = scene(tmp_path, fix=[GOOD])
    drained_at(world, "fix-build-1/turns/1")
    world.live()
    again = say(world, "drain_run")
    world.live()
    assert "is drained already" in reply_to(world, again).message
    first, second = say(world, "undrain_run"), say(world, "undrain_run", again="yes")
    world.run_to_end()
    assert len(told(world, e.DrainAsked)) == len(told(world, e.DrainLifted)) == 1
    assert (reply_to(world, first).is_done, reply_to(world, second).is_done) == (True, False)


def test_a_drained_run_is_abandoned_as_any_other(tmp_path: Path) -> None:
    """`--anew` ends it, and the run that begins is not drained."""
    world = scene(tmp_path, fix=[GOOD])
    drained_at(world, "fix-build-1/turns/1")
    world.live()
    first = str(world.ledger.runs()[-1]["run_id"])
    world.anew = True
    world.live()
    rows = {str(row["run_id"]): row for row in world.ledger.runs()}
    assert rows[first]["ended_at"]
    assert outcomes(world) == {"fix": "landed"}
