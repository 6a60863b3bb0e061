"""A durable drain at random moments: nothing begins in it, whoever carries the run, and it ends."""

from pathlib import Path
from random import Random

import pytest

from tests.sim.seeds import world_of
from tests.sim.world import World
from tidegate.core import events as e

SEEDS = 30


def drained(seed: int, folder: Path) -> World:
    """The world of a seed, with somebody who drains its run time and again."""
    world = world_of(seed, folder)
    world.maintenance = world.new_maintenance(Random(f"drains of {seed}"))  # noqa: S311 - as in seeds
    return world


@pytest.mark.parametrize("seed", range(SEEDS))
def test_a_drained_run_begins_nothing_and_ends_once_it_is_lifted(seed: int, tmp_path: Path) -> None:
    """D23, D25, D26: the rules of `safety` hold in each world, with controllers that die in it."""
    world = drained(seed, tmp_path)
    world.run_to_end()


def _restarts_in_drains(world: World) -> int:
    """How many controllers began while the run was drained."""
    is_drained, found = False, 0
    for event in world.events():
        is_drained = isinstance(event, e.DrainAsked) or (
            is_drained and not isinstance(event, e.DrainLifted)
        )
        found += is_drained and isinstance(event, e.ControllerTookOver)
    return found


def test_drains_strike_and_outlive_controllers(tmp_path: Path) -> None:
    """A fault that never happens proves nothing: of these few worlds some are drained for long."""
    drains = restarts = 0
    for seed in range(8):
        folder = tmp_path / str(seed)
        folder.mkdir()
        world = drained(seed, folder)
        world.run_to_end()
        drains, restarts = drains + world.durable.drains, restarts + _restarts_in_drains(world)
    assert (drains >= 5, restarts >= 2) == (True, True), (drains, restarts)
