"""Worlds made for one rule, where the dice of `seeds` bring about too seldom what it is for."""

from pathlib import Path
from random import Random

from tests.sim.builders import GOOD
from tests.sim.faults import Odds
from tests.sim.plan import Plan
from tests.sim.world import World
from tidegate.engine.engine import Engine

_DEEDS = dict.fromkeys("abcd", (GOOD,))


def offered_at_once(seed: int, folder: Path) -> World:
    """Four changes come to the queue together, and some checks are slow to begin."""
    odds = Odds(slow_start=0.3)
    plan = Plan(deeds=_DEEDS, width=4, odds=odds, calm_at_s=1e9)
    return World(plan, seed=seed, folder=folder)


def vetoed_when_ruled(seed: int, folder: Path) -> World:
    """The owner lets a change land, and takes that back while it waits for its turn."""
    world = World(Plan(deeds=_DEEDS, width=4, asks_owner=True), seed=seed, folder=folder)
    random = Random(seed)  # noqa: S311 - as in seeds
    owner = world.owner = world.new_owner(random, is_calm=lambda: True)
    vetoed: set[str] = set()

    def veto(engine: Engine) -> None:
        for lane in engine.book.lanes.values():
            if lane.ruled_utc and lane.landing is None and lane.outcome is None and not vetoed:
                vetoed.add(lane.id)
                owner.say("veto", lane.id)

    world.at_tick.append(veto)
    return world
