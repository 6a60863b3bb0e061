"""Tell the story of one seed: ``PYTHONPATH=src python -m tests.sim.replay SEED``."""

import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.sim.seeds import world_of
from tests.sim.world import World


def main(seed: int) -> int:
    """Print what happened in the world and in the ledger, in order; 1 where a rule was broken."""
    with tempfile.TemporaryDirectory() as folder:
        world = world_of(seed, Path(folder))
        _say(world, f"{world.plan}")
        _listen(world, folder)
        try:
            result = world.run_to_end()
        except Exception:  # noqa: BLE001 - whatever it was, the reader wants to see it
            _say(world, traceback.format_exc())
            return 1
    _say(world, f"{result}")
    return 0


def _listen(world: World, folder: str) -> None:
    def tell(name: str, show: Callable[..., str], owner: object) -> None:
        called = getattr(owner, name)

        def told(*args: Any, **kwargs: Any) -> Any:
            _say(world, show(*args, **kwargs).replace(folder, ""))
            return called(*args, **kwargs)

        setattr(owner, name, told)

    tell("asked", lambda spec: f"asked   {spec.folder}", world.eyes)
    tell("begun", lambda process, _: f"begins  {process.spec.folder}", world.eyes)
    tell("_record", lambda process, end: f"ends    {process.spec.folder} {end}", world.host)
    tell("befall", lambda name, process: f"{name:7} {process.spec.folder}", world.faults)
    tell("_died", lambda why: f"died    {why!r}", world)
    tell("sweep", lambda mark, **_: f"sweep   {mark}", world.host)
    tell("declare_lost", lambda where, **_: f"lost    {where}", world.host)
    tell("_take", lambda _, new: "\n".join(f"    {each.entry.event}" for each in new), world)


def _say(world: World, text: str) -> None:
    sys.stdout.write(f"{world.timeline.now_s:9.3f} {text}\n")


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
