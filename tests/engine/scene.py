"""A calm simulated world for one story of the engine: what happens is what the test says.

world = scene(tmp_path, fix=[BAD, GOOD])
world.run_to_end()
assert outcomes(world) == {"fix": "landed"}
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from tests.sim.builders import Deed
from tests.sim.faults import SimulatedCrash
from tests.sim.plan import Plan
from tests.sim.process import Process
from tests.sim.world import World
from tidegate.core import events as e
from tidegate.engine.engine import Engine

Kind = TypeVar("Kind", bound=e.Event)


def scene(folder: Path, plan: Plan | None = None, **deeds: Sequence[Deed]) -> World:
    """A world with these issues, in which nothing goes wrong by itself."""
    return World(replace(plan or Plan(deeds={}), deeds=deeds), seed=1, folder=folder)


def configured(old: str, new: str) -> Plan:
    """The usual configuration with one line changed."""
    usual = Plan(deeds={})
    assert old in usual.configuration
    return replace(usual, configuration=usual.configuration.replace(old, new))


def outcomes(world: World) -> dict[str, str]:
    """How each lane ended; `open` where it has not."""
    lanes = world.durable.lanes
    return {name: str(lane.outcome or "open") for name, lane in lanes.items()}


def told(world: World, kind: type[Kind]) -> list[Kind]:
    """The events of one kind, in order."""
    return [each for each in world.events() if isinstance(each, kind)]


def agents(world: World) -> list[Process]:
    """Those of builders that live."""
    return [
        x for x in world.host.living if "-build-" in x.spec.folder and "/turns/" in x.spec.folder
    ]


def at(world: World, when: Callable[[Engine], object], act: Callable[[Engine], object]) -> None:
    """Do something once, after the first tick at which `when` holds."""
    done: list[bool] = []

    def watch(engine: Engine) -> None:
        if not done and when(engine):
            done.append(True)
            act(engine)

    world.at_tick.append(watch)


def waits_for_room(engine: Engine) -> bool:
    """Nothing is under way, and nothing starts: the disk has too little room."""
    return engine.disk_note is not None and not engine.running


def process(world: World, part: str) -> Process | None:
    """The newest process that lives in a folder whose path ends so."""
    living = [each for each in world.host.living if each.spec.folder.endswith(part)]
    return living[-1] if living else None


def runs_in(world: World, part: str) -> Callable[[Engine], bool]:
    """Tell whether a process lives in a folder whose path ends so."""
    return lambda _: process(world, part) is not None


def started(world: World, part: str) -> int:
    """How many processes were ever started in folders whose path holds this."""
    return sum(part in each.spec.folder for each in world.host.processes)


def die(_: Engine) -> None:
    """The controller is gone."""
    raise SimulatedCrash("now")


def freeze(world: World, part: str, seconds: float = 1e9) -> None:
    """Once a turn has begun, stop what lives in such a folder, runner and all, for so long."""

    def act(_: Engine) -> None:
        found = process(world, part)
        assert found is not None
        found.frozen_s = (world.timeline.now_s, world.timeline.now_s + seconds)

    at(world, lambda _: bool(told(world, e.TurnStarted)), act)
