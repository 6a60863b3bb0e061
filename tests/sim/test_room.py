"""A run that finds no room for what it must record waits until there is room (G4-07)."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.engine.scene import agents, at
from tests.engine.test_unknown import reply_to, say
from tests.sim.builders import GOOD
from tests.sim.faults import Odds
from tests.sim.plan import Plan
from tests.sim.world import World
from tidegate.core import events as e
from tidegate.engine.wish import Wish
from tidegate.ports.inbox import Request
from tidegate.verbs.start import RunWish

SEEDS = range(6)
PLAN = Plan(
    deeds={f"{number:03}": (GOOD,) for number in range(3)},
    odds=Odds(refusal=0.5),
    calm_at_s=400.0,
)


def begun(plan: Plan, *, seed: int, folder: Path) -> World:
    """A world whose controller was killed when two agents were at work."""
    world = World(replace(plan, odds=Odds()), seed=seed, folder=folder)
    at(world, lambda _: len(agents(world)) == 2, lambda _: _kill_next(world))
    assert world.live() is None
    return world


def _kill_next(world: World) -> None:
    world.faults.crash_at = world.faults.calls + 1


@pytest.mark.parametrize("seed", SEEDS)
def test_one_controller_waits_for_room_and_goes_on(seed: int, tmp_path: Path) -> None:
    """G4-07: writes that find no room end no controller; all issues land, each once."""
    world = begun(PLAN, seed=seed, folder=tmp_path)
    world.faults.run_out_of_room(0.5)
    result = world.run_to_end()
    assert world.faults.counts["refusal"] >= 3
    assert world.deaths == 1, "only the one that was killed"
    assert [each.issue for each in result.summary.landed] == sorted(PLAN.deeds)


def test_who_leaves_a_waiting_controller_is_told_what_is_missing(tmp_path: Path) -> None:
    """G4-07: exit 130 as after any interrupt; nobody is stopped, and the run is open."""
    world = begun(PLAN, seed=0, folder=tmp_path)
    world.faults.run_out_of_room(1.0)
    wishes = iter([Wish.GO_ON, Wish.DRAIN, Wish.DETACH])
    world.wish = lambda: next(wishes)
    result = world.live()
    assert result is not None
    assert (result.exit_code, next(wishes, None)) == (130, None)
    assert "no space left" in result.summary.note
    assert not world.is_ended


def test_a_wait_is_told_once_and_its_end_too(tmp_path: Path) -> None:
    """G4-07: however often it is tried, a person reads one line, and one more when it goes on."""
    world = begun(PLAN, seed=1, folder=tmp_path)
    has_no_room_for(world, 20)
    world.told.clear()
    world.live()
    for words in ("paused: ", "there is room again", "is taken up again"):
        assert sum(words in line for line in world.told) == 1, world.told
    assert world.is_ended


def has_no_room_for(world: World, wishes: int, act: Callable[[], object] = lambda: None) -> None:
    """Nothing finds room until so many wishes were asked for; half-way something is done."""
    world.faults.run_out_of_room(1.0)
    asked = 0

    def wish() -> Wish:
        nonlocal asked
        asked += 1
        if asked == wishes // 2:
            act()
        if asked == wishes:
            world.faults.stop()
        return Wish.GO_ON

    world.wish = wish


def test_a_stop_that_is_said_in_a_wait_is_heard_after_it(tmp_path: Path) -> None:
    """G4-07: it was said to this very process, whose epoch has grown by its tries."""
    world = begun(PLAN, seed=0, folder=tmp_path)
    requests: list[Request] = []
    stop = lambda: requests.append(say(world, "drain", reason=""))  # noqa: E731 - one word
    at(world, lambda _: True, lambda _: has_no_room_for(world, 20, stop))
    world.live()
    assert reply_to(world, requests[0]).is_done
    assert len(world.events(e.LaneOpened)) == 2, "the third issue was not taken"


def test_a_stop_that_was_heard_outlives_a_wait(tmp_path: Path) -> None:
    """G4-07: who was told that nothing more starts need not say it again."""
    world = begun(PLAN, seed=0, folder=tmp_path)
    at(world, lambda _: True, lambda _: say(world, "drain", reason=""))
    at(world, lambda _: world.inbox.replies, lambda _: has_no_room_for(world, 20))
    world.live()
    assert world.told.count("there is room again") == 1
    assert len(world.events(e.LaneOpened)) == 2, "the third issue was not taken"


def test_a_stop_asks_the_agents_while_there_is_no_room(tmp_path: Path) -> None:
    """G4-07: a second Ctrl-C says that the agents are stopped: they are asked as far as one can."""
    world = begun(PLAN, seed=0, folder=tmp_path)
    assert agents(world)
    world.faults.run_out_of_room(1.0, of="ledger.")
    wishes = [Wish.GO_ON, Wish.STOP]
    world.wish = lambda: wishes.pop(0) if len(wishes) > 1 else Wish.STOP
    world.timeline.after(100.0, world.faults.stop)
    result = world.live()
    assert result is not None
    assert result.exit_code == 130
    assert not agents(world)


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
