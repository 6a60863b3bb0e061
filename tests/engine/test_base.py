"""The base is checked before anything is spent."""

from pathlib import Path

from tests.engine.scene import at, outcomes, process, runs_in, scene, started, told
from tests.sim.builders import GOOD
from tests.sim.world import World
from tidegate.core import events as e
from tidegate.engine.engine import Engine
from tidegate.engine.wish import Wish

BASE_TURN = "/attempts/base/turns/"


def test_a_red_base_opens_nothing(tmp_path: Path) -> None:
    """No lane, no builder, no workspace left: exit code 3, with what the check said."""
    world = scene(tmp_path, fix=[GOOD])
    world.is_check_broken = True
    result = world.live()
    assert result is not None
    assert result.exit_code == 3
    assert "$ check\n" in result.summary.note
    assert not told(world, e.LaneOpened)
    assert not world.git.workspaces
    assert started(world, "fix") == 0


def test_a_base_check_that_was_killed_is_run_again(tmp_path: Path) -> None:
    """An end from outside is no verdict on the base."""
    world = scene(tmp_path, fix=[GOOD])
    at(world, runs_in(world, f"{BASE_TURN}1"), lambda _: _kill(world, f"{BASE_TURN}1"))
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed"}
    assert started(world, BASE_TURN) == 2


def test_a_base_check_whose_runner_died_is_run_again(tmp_path: Path) -> None:
    """So is an end without a word, once its process is gone too."""
    world = scene(tmp_path, fix=[GOOD])
    at(world, runs_in(world, f"{BASE_TURN}1"), lambda _: _orphan(world, f"{BASE_TURN}1"))
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed"}
    assert started(world, BASE_TURN) == 2


def test_a_base_check_that_is_always_killed_halts_and_can_be_tried_again(tmp_path: Path) -> None:
    """There is a limit to it; whoever mends what kills it runs again, with all tries left."""
    world = scene(tmp_path, fix=[GOOD])
    reckless = True

    def kill(_: Engine) -> None:
        found = process(world, BASE_TURN + str(started(world, BASE_TURN)))
        if reckless and found is not None:
            world.host.kill_agent(found)

    world.at_tick.append(kill)
    result = world.live()
    assert result is not None
    assert result.exit_code == 3
    assert "the check of the base could not be run" in result.summary.note
    assert started(world, BASE_TURN) == 4
    reckless = False
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed"}


def test_stopping_ends_the_check_of_the_base(tmp_path: Path) -> None:
    """Who asks twice to stop does not wait for a check, and no workspace is left."""
    world = scene(tmp_path, fix=[GOOD])
    wished = Wish.GO_ON

    def stop(_: Engine) -> None:
        nonlocal wished
        wished = Wish.STOP

    world.wish = lambda: wished
    at(world, runs_in(world, f"{BASE_TURN}1"), stop)
    world.live()
    assert not world.host.living
    assert not world.git.workspaces
    assert not told(world, e.BaseChecked)


def _kill(world: World, part: str) -> None:
    found = process(world, part)
    assert found is not None
    world.host.kill_agent(found)


def _orphan(world: World, part: str) -> None:
    found = process(world, part)
    assert found is not None
    world.host.kill_runner(found, with_agent=False)
