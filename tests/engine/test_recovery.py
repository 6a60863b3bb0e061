"""A controller that dies, anywhere, and another one that goes on."""

from pathlib import Path

import pytest

from tests.engine.scene import at, outcomes, runs_in, scene, started, told
from tests.sim.builders import GOOD, Deed
from tests.sim.faults import SimulatedCrash
from tests.sim.world import World
from tidegate.core import events as e
from tidegate.engine.engine import Engine

CALLS_MAX = 1000
"""More than the calls of ports, before and after each, in the life of one lane."""
EARLY = Deed(commits="early")


def die_at(folder: Path, call: int) -> World:
    """The world of one lane whose controller dies at one call of a port, and lives again."""
    folder.mkdir()
    world = scene(folder, fix=[EARLY])
    world.faults.crash_at = call
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed"}
    assert started(world, "/attempts/fix-build-1/turns/") == 1
    assert len(told(world, e.LandingIntended)) == 1
    return world


@pytest.mark.slow
@pytest.mark.parametrize("offset", range(4))
def test_a_crash_at_a_call_of_a_port_costs_nothing(tmp_path: Path, offset: int) -> None:
    """Before or after a call here and there: the builder runs once, its change lands once."""
    for call in range(1 + 7 * offset, CALLS_MAX, 28):
        world = die_at(tmp_path / f"{call}", call)
        if world.deaths == 0:
            return
    pytest.fail("the life of a lane has more calls than were tried")


@pytest.mark.slow
def test_a_crash_at_any_call_of_a_port_costs_nothing(tmp_path: Path) -> None:
    """The same at every call, until there is none left to die at."""
    for call in range(1, CALLS_MAX):
        if die_at(tmp_path / f"{call}", call).deaths == 0:
            return
    pytest.fail("the life of a lane has more calls than were tried")


def test_a_builder_is_adopted_and_not_started_again(tmp_path: Path) -> None:
    """It works on while no controller is there, past its lease, and is granted a new one."""
    world = scene(tmp_path, fix=[Deed(work_s=500.0)])
    at(world, runs_in(world, "fix-build-1/turns/1"), _die)
    assert world.live() is None
    world.timeline.pass_by(300)
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed"}
    assert started(world, "/fix-build-1/turns/") == 1
    (again,) = told(world, e.Regranted)
    assert (again.attempt, again.epoch) == ("fix-build-1", 2)


def test_an_end_that_nobody_saw_is_heard_later(tmp_path: Path) -> None:
    """A builder that ends while no controller is there has ended all the same."""
    world = scene(tmp_path, fix=[GOOD])
    at(world, runs_in(world, "fix-build-1/turns/1"), _die)
    assert world.live() is None
    world.timeline.pass_by(3000)
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed"}
    assert started(world, "/attempts/fix-build-") == 1


def test_a_beat_that_was_counted_before_a_restart_is_not_counted_again(tmp_path: Path) -> None:
    """A controller that comes back within one beat renews from the next one and does not fail."""
    world = scene(tmp_path, fix=[Deed(work_s=500.0)])
    at(world, lambda _: _renewals(world), _die)
    assert world.live() is None
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed"}
    beats = [row["beat_sequence"] for row in _renewals(world)]
    assert len(beats) == len(set(beats)) > 3


def test_every_turn_keeps_its_lease(tmp_path: Path) -> None:
    """Beats are counted anew in each turn: a long second turn is renewed like the first one."""
    world = scene(tmp_path, fix=[Deed(writes="bad", work_s=400.0), Deed(work_s=400.0)])
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed"}
    assert not told(world, e.Regranted)
    assert {row["epoch"] for row in _renewals(world)} == {1, 2}
    assert world.durable.lanes["fix"].attempts["fix-build-1"].epoch == 2


def test_a_controller_that_was_replaced_can_do_nothing(tmp_path: Path) -> None:
    """What it decides is refused as a whole, so it starts nothing and ends."""
    world = scene(tmp_path, fix=[GOOD])
    at(world, runs_in(world, "base/turns/1"), lambda _: world._usurp())
    assert world.live() is None
    assert not told(world, e.LaneOpened)
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed"}


def _die(_: Engine) -> None:
    raise SimulatedCrash("by the test")


def _renewals(world: World) -> list[dict[str, object]]:
    run = str(world.ledger.runs()[-1]["run_id"])
    rows = world.ledger.rows("heartbeat", run, lane="fix")
    return [dict(row) for row in rows if row["attempt_id"] == "fix-build-1"]
