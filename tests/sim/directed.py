"""Worlds made for one rule, where the dice of `seeds` bring about too seldom what it is for."""

from pathlib import Path
from random import Random

from tests.engine.scene import at
from tests.sim.builders import GOOD
from tests.sim.faults import Odds
from tests.sim.plan import Plan
from tests.sim.world import World
from tidegate.engine.engine import Engine

_DEEDS = dict.fromkeys("abcd", (GOOD,))


def offered_at_once(seed: int, folder: Path) -> World:
    """Four changes come to the queue together, and some checks are slow to begin."""
    plan = Plan(deeds=_DEEDS, width=4, odds=Odds(slow_start=0.3), calm_at_s=600.0)
    return World(plan, seed=seed, folder=folder)


def vetoed_when_ruled(seed: int, folder: Path) -> World:
    """The owner lets a change land, and takes that back while it waits for its turn."""
    world = World(Plan(deeds=_DEEDS, width=4, asks_owner=True), seed=seed, folder=folder)
    random = Random(seed)  # noqa: S311 - as in seeds
    owner = world.owner = world.new_owner(random, is_calm=lambda: True)
    at(world, _waiting, lambda engine: owner.say("veto", _waiting(engine)[0]))
    return world


def _waiting(engine: Engine) -> list[str]:
    """The lanes whose change was ruled on and has not begun to land."""
    lanes = engine.book.lanes.values()
    return [x.id for x in lanes if x.ruled_utc and x.landing is None and x.outcome is None]
