"""A run that finds no room for what it must record waits until there is room (G4-07)."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.sim.builders import GOOD
from tests.sim.faults import Odds
from tests.sim.plan import Plan
from tests.sim.world import World
from tidegate.core import events as e
from tidegate.core.errors import NoRoom
from tidegate.engine.wish import Wish
from tidegate.verbs.start import RunWish

SEEDS = range(6)
PLAN = Plan(
    deeds={f"{number:03}": (GOOD,) for number in range(3)},
    odds=Odds(refusal=0.5),
    calm_at_s=400.0,
)


def begun(plan: Plan, *, seed: int, folder: Path) -> World:
    """A world whose run had room while it began, and has seldom any from then on."""
    world = World(replace(plan, odds=Odds()), seed=seed, folder=folder)
    world.faults.crash_at = 120
    world.live()
    assert world.ledger.runs()
    return world


@pytest.mark.parametrize("seed", SEEDS)
def test_one_controller_waits_for_room_and_goes_on(seed: int, tmp_path: Path) -> None:
    """G4-07: writes that find no room end no controller; all issues land, each once."""
    world = begun(PLAN, seed=seed, folder=tmp_path)
    world.faults.run_out_of_room(0.5)
    result = world.run_to_end()
    assert world.faults.counts["refusal"] >= 3
    assert world.deaths == 1, "only the one that was killed"
    assert [each.issue for each in result.summary.landed] == sorted(PLAN.deeds)


def test_what_was_refused_is_raised_where_somebody_leaves(tmp_path: Path) -> None:
    """G4-07: who asks a waiting controller to leave is told what was refused."""
    world = begun(PLAN, seed=0, folder=tmp_path)
    world.faults.run_out_of_room(1.0)
    wishes = iter([Wish.GO_ON, Wish.DRAIN, Wish.DETACH])
    world.wish = lambda: next(wishes)
    world.live()
    assert (world.deaths, next(wishes, None)) == (2, None)
    assert isinstance(world.died_of, NoRoom)


@pytest.mark.parametrize("seed", SEEDS)
def test_lanes_that_were_opened_before_a_wait_count(seed: int, tmp_path: Path) -> None:
    """G4-07: with `--max 1` one lane is opened, however often the controller had to wait."""
    plan = replace(PLAN, wish=RunWish(opened_max=1))
    world = World(replace(plan, odds=Odds()), seed=seed, folder=tmp_path)
    world.at_tick.append(lambda _: world.faults.run_out_of_room(0.3))
    result = world.live()
    assert result is not None
    assert world.faults.counts["refusal"] >= 3
    assert sum(isinstance(event, e.LaneOpened) for event in world.events()) == 1


@pytest.mark.parametrize("seed", SEEDS)
def test_a_run_is_begun_anew_once(seed: int, tmp_path: Path) -> None:
    """G4-07: `--anew` ends the run that was open and begins one other, whenever room is missing."""
    world = begun(PLAN, seed=seed, folder=tmp_path)
    world.anew = True
    world.faults.run_out_of_room(0.2)
    world.run_to_end()
    assert len(world.ledger.runs()) == 2
