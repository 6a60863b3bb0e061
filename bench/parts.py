"""The benchmarks by name, each with the sample size of a short run and of a long one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bench import (
    demo,
    ended,
    idle,
    lanes,
    ledger,
    queue,
    recovery,
    runner,
    scope,
    status,
    ticks,
    workspaces,
)
from bench.figures import AT_LEAST, AT_MOST, Goal, Kind, Row, Table

Measure = Callable[[Path], Table]


@dataclass(frozen=True, slots=True)
class Part:
    """`short` takes at most minutes. `long` is None where more rounds would say nothing more."""

    short: Measure | None
    long: Measure


def _ledger(folder: Path, *, rounds: int) -> Table:
    """The ledger's own benchmark, as a table."""
    rates = ledger.measure(folder, rounds)
    summary_ms = ledger.measure_summary(folder, status.ATTEMPTS, rounds)
    rows = [
        Row(
            what=f"{rate.group} transitions a commit",
            unit="transitions a second",
            ours=rate.ours,
            other=rate.raw,
            goal=Goal(AT_LEAST, ledger.GOALS[rate.group]) if rate.group in ledger.GOALS else None,
        )
        for rate in rates
    ]
    summary = Row(
        what=f"summary of {status.ATTEMPTS:,} attempts",
        unit="ms",
        ours=summary_ms,
        kind=Kind.OURS,
        goal=Goal(AT_MOST, ledger.SUMMARY_GOAL_MS),
    )
    return Table(
        name="ledger",
        title="Durable transitions, beside the same rows written with sqlite3 alone",
        ours="ledger",
        other="sqlite3",
        rows=(*rows, summary),
    )


PARTS: Mapping[str, Part] = {
    "ledger": Part(
        short=lambda folder: _ledger(folder, rounds=15),
        long=lambda folder: _ledger(folder, rounds=41),
    ),
    "runner": Part(
        short=lambda folder: runner.measure(folder, rounds=21),
        long=lambda folder: runner.measure(folder, rounds=101),
    ),
    "status": Part(
        short=lambda folder: status.measure(folder, rounds=11),
        long=lambda folder: status.measure(folder, rounds=41),
    ),
    "queue": Part(
        short=lambda folder: queue.measure(folder, rounds=7),
        long=lambda folder: queue.measure(folder, rounds=21),
    ),
    "lanes": Part(
        short=lambda folder: lanes.measure(folder, rounds=3),
        long=lambda folder: lanes.measure(folder, rounds=7),
    ),
    "lanes-check": Part(
        short=lambda folder: lanes.measure_check(folder, rounds=3),
        long=lambda folder: lanes.measure_check(folder, rounds=7),
    ),
    "tick": Part(
        short=lambda folder: ticks.measure(folder, rounds=1, lanes=lanes.LANES),
        long=lambda folder: ticks.measure(folder, rounds=5, lanes=lanes.LANES),
    ),
    "scope": Part(
        short=lambda folder: scope.measure(folder, rounds=7),
        long=lambda folder: scope.measure(folder, rounds=31),
    ),
    "workspaces": Part(
        short=lambda folder: workspaces.measure(folder, rounds=5),
        long=lambda folder: workspaces.measure(folder, rounds=15),
    ),
    "idle": Part(
        short=lambda folder: idle.measure(folder, seconds=20.0),
        long=lambda folder: idle.measure(folder, seconds=60.0),
    ),
    "idle-many": Part(
        short=lambda folder: idle.measure_many(folder, seconds=20.0, agents=20),
        long=lambda folder: idle.measure_many(folder, seconds=120.0, agents=100),
    ),
    "recovery": Part(
        short=lambda folder: recovery.measure(folder, attempts=20, rounds=3),
        long=lambda folder: recovery.measure(folder, attempts=1000, rounds=5),
    ),
    "ended": Part(
        short=lambda folder: ended.measure(folder, ended=1000, rounds=3),
        long=lambda folder: ended.measure(folder, ended=10_000, rounds=9),
    ),
    "demo": Part(
        short=lambda folder: demo.measure(folder, rounds=3),
        long=lambda folder: demo.measure(folder, rounds=7),
    ),
    "lanes-long": Part(short=None, long=lanes.measure_long),
}
