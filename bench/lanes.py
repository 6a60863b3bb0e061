"""Whole runs through the command line, beside a plain shell script that does the same by hand.

The script, `plain_lanes.sh`, starts the same runners for the same steps; the table says how many
each side started. A round is one run of each, in a new repository, and counts only if every lane
has landed with its change on both sides.
"""

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench import processes
from bench.figures import AT_MOST, Goal, Kind, Row, Table
from bench.starts import runners_started
from bench.world import (
    AGENT,
    CHECK,
    CHECK_S,
    SLOW_CHECK,
    SOURCE,
    WIDTH,
    World,
    expected_files,
    files_at,
    make_world,
)
from tidegate.core.events import Event
from tidegate.ledger.sqlite import SqliteLedger

LANES = 50
LANES_LONG = 5000
GOAL = Goal(AT_MOST, 1.5)
GOAL_LONG = Goal(AT_MOST, 1.3)
GOAL_CHECK_MS = Goal(AT_MOST, 250.0)

SCRIPT = Path(__file__).with_name("plain_lanes.sh")
RUNNER = SOURCE / "tidegate" / "runner"
BY_HAND = "refs/heads/by-hand"
_LIMIT_A_LANE_S = 30.0


@dataclass(frozen=True, slots=True)
class Run:
    """What one run of so many lanes took, and how many runners it started."""

    lanes: int
    cost: processes.Cost
    runners: int

    @property
    def wall_ms(self) -> float:
        """Milliseconds on the clock for a lane."""
        return 1000 * self.cost.wall_s / self.lanes

    @property
    def runner_ms(self) -> float:
        """Milliseconds on the clock for a runner that was started."""
        return 1000 * self.cost.wall_s / self.runners

    @property
    def cpu_ms(self) -> float:
        """Milliseconds of processor time for a lane."""
        return 1000 * self.cost.cpu_s / self.lanes


def product(home: Path, lanes: int, *, check: str = CHECK) -> Run:
    """`tidegate run` in a new repository."""
    world = make_world(home, lanes, check=check)
    cost = processes.run(
        (sys.executable, "-m", "tidegate", "run", "--json"),
        env=world.environment,
        cwd=world.repository,
        limit_s=_LIMIT_A_LANE_S * lanes,
    )
    _require(world, lanes, json.loads(cost.stdout)["target"]["ref"])
    return Run(lanes, cost, runners_started(_events(world)))


def by_hand(home: Path, lanes: int, *, check: str = CHECK) -> Run:
    """The same with the script."""
    world, work = make_world(home, lanes, check=check), home / "work"
    told = {
        "REPOSITORY": str(world.repository),
        "WORK": str(work),
        "PYTHON": sys.executable,
        "RUNNER": str(RUNNER),
        "AGENT": AGENT,
        "CHECK": check,
    }
    cost = processes.run(
        ("sh", str(SCRIPT), "run", str(lanes), str(WIDTH)),
        env={**world.environment, **told},
        cwd=home,
        limit_s=_LIMIT_A_LANE_S * lanes,
    )
    _require(world, lanes, BY_HAND)
    return Run(lanes, cost, sum(1 for _ in (work / "turns").glob("*/spec.json")))


def _require(world: World, lanes: int, ref: str) -> None:
    found, expected = files_at(world, ref), expected_files(lanes)
    if found != expected:
        wrong = sorted(name for name in expected if found.get(name) != expected[name])
        raise RuntimeError(f"{ref} is not what it must be after {lanes} lanes: {wrong}")


def _events(world: World) -> Sequence[Event]:
    ledger = SqliteLedger.open_read_only(world.repository / ".git" / "tidegate")
    try:
        run = str(ledger.runs()[-1]["run_id"])
        return [recorded.entry.event for recorded in ledger.read(run)]
    finally:
        ledger.close()


def alternating(
    folder: Path, rounds: int, first: Callable[[Path], Run], second: Callable[[Path], Run]
) -> tuple[Sequence[Run], Sequence[Run]]:
    """Both sides, round by round, each going first in every other round."""
    pairs: list[tuple[Run, Run]] = []
    for number in range(rounds):
        places = folder / f"{number}-a", folder / f"{number}-b"
        if number % 2 == 0:
            ours = first(places[0])
            pairs.append((ours, second(places[1])))
        else:
            other = second(places[1])
            pairs.append((first(places[0]), other))
    return [ours for ours, _ in pairs], [other for _, other in pairs]


def measure(folder: Path, *, rounds: int, lanes: int = LANES) -> Table:
    """Runs of `lanes` lanes, beside the script."""
    ours, other = alternating(
        folder, rounds, lambda home: product(home, lanes), lambda home: by_hand(home, lanes)
    )
    return Table(
        name="lanes",
        title=f"{lanes} lanes, {WIDTH} at a time, a shell agent, through the command line",
        ours="tidegate run",
        other="by hand",
        rows=(
            Row(
                what="a lane, on the clock",
                unit="ms",
                ours=[run.wall_ms for run in ours],
                other=[run.wall_ms for run in other],
                goal=GOAL,
            ),
            Row(
                what="a lane, processor time",
                unit="ms",
                ours=[run.cpu_ms for run in ours],
                other=[run.cpu_ms for run in other],
            ),
            Row(
                what="runners started",
                unit="a lane",
                ours=[run.runners / lanes for run in ours],
                other=[run.runners / lanes for run in other],
            ),
            Row(
                what="a runner, on the clock",
                unit="ms",
                ours=[run.runner_ms for run in ours],
                other=[run.runner_ms for run in other],
            ),
        ),
    )


def measure_check(folder: Path, *, rounds: int, lanes: int = LANES) -> Table:
    """Runs whose check takes a moment: the landing queue must not wait for it at each lane."""
    ours, other = alternating(
        folder,
        rounds,
        lambda home: product(home, lanes, check=SLOW_CHECK),
        lambda home: by_hand(home, lanes, check=SLOW_CHECK),
    )
    return Table(
        name="lanes-check",
        title=f"{lanes} lanes whose check takes {CHECK_S} s, {WIDTH} at a time",
        ours="tidegate run",
        other="by hand",
        rows=(
            Row(
                what="a lane, on the clock",
                unit="ms",
                ours=[run.wall_ms for run in ours],
                other=[run.wall_ms for run in other],
                kind=Kind.OURS,
                goal=GOAL_CHECK_MS,
            ),
        ),
    )


def measure_long(folder: Path, *, lanes: int = LANES_LONG) -> Table:
    """What a lane costs in a run of many, beside one in a run of few, both ours.

    A run of few is made before the one of many and another after it, since hours may lie between.
    """
    before = product(folder / "before", LANES)
    many = product(folder / "many", lanes)
    after = product(folder / "after", LANES)
    few = (before, after)
    return Table(
        name="lanes-long",
        title=f"A lane in a run of {lanes:,} lanes, beside one in runs of {LANES} before and after",
        ours=f"{lanes:,} lanes",
        other=f"{LANES} lanes",
        rows=(
            Row(
                what="a lane, on the clock",
                unit="ms",
                ours=[many.wall_ms] * len(few),
                other=[run.wall_ms for run in few],
                goal=GOAL_LONG,
            ),
            Row(
                what="a lane, processor time",
                unit="ms",
                ours=[many.cpu_ms] * len(few),
                other=[run.cpu_ms for run in few],
            ),
            Row(
                what="runners started",
                unit="a lane",
                ours=[many.runners / many.lanes] * len(few),
                other=[run.runners / run.lanes for run in few],
                kind=Kind.OURS,
            ),
        ),
    )
