"""How long somebody who has just installed it waits for the demo's first landed change.

A real repository, real processes, real git. The clock starts with the command and stops with the
line that tells of the first landing.
"""

import subprocess
import sys
import time
from pathlib import Path

from bench.figures import AT_MOST, Goal, Kind, Row, Table
from bench.world import World, make_world

GOAL = Goal(AT_MOST, 3.0)
"""Seconds."""
_LANDED = b"landed as "


def measure(folder: Path, *, rounds: int) -> Table:
    """So many demos, each to its end."""
    world = make_world(folder / "demo", 0)
    taken = [_round(world) for _ in range(rounds)]
    return Table(
        name="demo",
        title="`tidegate demo`, from the command to what it shows",
        ours="tidegate",
        other="-",
        rows=(
            Row(
                what="to the first landed change",
                unit="s",
                ours=[first_s for first_s, _ in taken],
                kind=Kind.OURS,
                goal=GOAL,
            ),
            Row(what="to its end", unit="s", ours=[end_s for _, end_s in taken], kind=Kind.OURS),
        ),
    )


def _round(world: World) -> tuple[float, float]:
    """When the first change had landed, and when all was over."""
    start_s, first_s = time.perf_counter(), None
    process = subprocess.Popen(
        (sys.executable, "-m", "tidegate", "demo"),
        cwd=world.home,
        env=world.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    with process.stderr:
        for line in process.stderr:
            if first_s is None and _LANDED in line:
                first_s = time.perf_counter() - start_s
    process.wait()
    if first_s is None:
        raise RuntimeError("nothing landed in the demo")
    return first_s, time.perf_counter() - start_s
