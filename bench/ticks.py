"""How long the ticks of a run take. It runs the engine in a process of its own and times them.

    python -m bench.ticks

It runs over the repository of the current folder, prints the milliseconds of each tick as JSON, and
ends as the run did. The product knows nothing of it: the clock and the eyes that the run is given
are ours.
"""

import json
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bench import processes
from bench.figures import AT_MOST, Goal, Kind, Row, Table
from bench.world import SOURCE, WIDTH, make_world
from tidegate.bootstrap import build_house
from tidegate.engine.engine import Engine
from tidegate.engine.wish import Wish
from tidegate.ports.clock import Clock, Reading
from tidegate.verbs.eyes import Eyes
from tidegate.verbs.run import RunResult, run
from tidegate.verbs.start import RunWish

GOAL = Goal(AT_MOST, 250.0)
_LIMIT_A_LANE_S = 30.0


def measure(folder: Path, *, rounds: int, lanes: int) -> Table:
    """The ticks of whole runs."""
    runs = [_ticks_ms(folder / f"ticks-{number}", lanes) for number in range(rounds)]
    return Table(
        name="tick",
        title=f"The ticks of a run of {lanes:,} lanes, {WIDTH} at a time",
        ours="tidegate",
        other="",
        rows=(
            _row("median tick", "ms", [statistics.median(ticks) for ticks in runs]),
            _row("99th percentile", "ms", [percentile(ticks, 99) for ticks in runs], goal=GOAL),
            _row("longest tick", "ms", [max(ticks) for ticks in runs]),
            _row("ticks", "a lane", [len(ticks) / lanes for ticks in runs]),
            _row("all ticks", "ms a lane", [sum(ticks) / lanes for ticks in runs]),
        ),
    )


def _row(what: str, unit: str, values: Sequence[float], *, goal: Goal | None = None) -> Row:
    return Row(what=what, unit=unit, ours=values, kind=Kind.OURS, goal=goal)


def percentile(values: Sequence[float], percent: int) -> float:
    """The value that so many percent do not exceed."""
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


def _ticks_ms(home: Path, lanes: int) -> Sequence[float]:
    world = make_world(home, lanes)
    done = processes.run(
        (sys.executable, "-m", "bench.ticks"),
        env={**world.environment, "PYTHONPATH": f"{SOURCE}:{SOURCE.parent}"},
        cwd=world.repository,
        limit_s=_LIMIT_A_LANE_S * lanes,
    )
    ticks: list[float] = json.loads(done.stdout)
    return ticks


class Stopwatch:
    """Stands between the loop and its clock and eyes.

    The loop reads the clock just before each tick and shows the run just after it.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._start = 0.0
        self.ticks_ms: list[float] = []

    def now(self) -> Reading:
        """The time, as the clock has it; a tick begins."""
        reading = self._clock.now()
        self._start = time.perf_counter()
        return reading

    def state(self, engine: Engine) -> None:
        """A tick is over."""
        del engine
        self.ticks_ms.append(1000 * (time.perf_counter() - self._start))


def run_timed(folder: Path) -> tuple[RunResult, Sequence[float]]:
    """Run over the repository of a folder; the result, and the milliseconds of each tick."""
    house = build_house()
    watch = Stopwatch(house.clock)
    eyes = Eyes(recorded=lambda _: None, state=watch.state, wish=lambda: Wish.GO_ON)
    result = run(replace(house, clock=watch), str(folder), RunWish(), eyes)
    return result, watch.ticks_ms


def main() -> int:
    """Run, and print the ticks."""
    result, ticks = run_timed(Path.cwd())
    print(json.dumps([round(each, 3) for each in ticks]))
    return result.exit_code


if __name__ == "__main__":
    sys.exit(main())
