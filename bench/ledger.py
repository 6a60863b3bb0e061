"""The ledger's cost beside SQLite itself: what a transition costs, and what a look at a run costs.

The comparator writes the very same rows (events with their hashes, attempts with their columns)
into a ledger of the same schema, with the same pragmas and in transactions of the same size. Its
rows are made before the clock starts, and many are written by one `executemany`, so that nothing is
faster in Python with the standard library. Both sides take turns, round by round, on one disk.

    python bench/ledger.py [--rounds N] [--attempts N] [--folder PATH] [--json]

The ledger checks the controller's epoch, the lane's version, the state table and the lease's epoch,
encodes, hashes, projects, takes the write lock and looks after its files; the comparator does none
of it. Goals: at least 0.8 of SQLite at one transition a commit, 0.4 at a hundred.
"""

import argparse
import gc
import json
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tidegate.core import events as e
from tidegate.core.values import Outcome, Verdict
from tidegate.ledger.memory import MemoryLedger
from tidegate.ledger.projection import project
from tidegate.ledger.sqlite import SqliteLedger
from tidegate.ports.ledger import Batch, Fence, Ledger
from tidegate.testing.ledger_history import RUN, RUN_STARTED, UTC, History

LANES = 100
GOALS = {1: 0.8, 100: 0.4}
COMMITS = {1: 300, 10: 60, 100: 15}
SETTLED_S = 1.5
"""A ledger whose folder has changed within the last second looks at its files before each commit,
since that is how coarse a folder's time may be. A run lasts hours, and its ledger is older."""
SUMMARY_GOAL_MS = 30.0


@dataclass(frozen=True, slots=True)
class Rate:
    """Transitions a second of both sides, one pair a round."""

    group: int
    ours: tuple[float, ...]
    raw: tuple[float, ...]

    @property
    def ratio(self) -> float:
        """The median of the rounds' ratios: noise of the disk meets both sides of a round."""
        return statistics.median(o / r for o, r in zip(self.ours, self.raw, strict=True))


class Transitions:
    """An endless, lawful history: every lane's build is corrected and judged, over and over."""

    def __init__(self) -> None:
        self._history = History()
        self._count = 0

    def births(self) -> Iterator[tuple[e.Entry, ...]]:
        """One batch a lane: from its opening to its first judgement."""
        for number in range(LANES):
            lane = f"{number:03}"
            yield tuple(self._history.reviewed(lane, f"{lane}-build-1"))

    def batch(self, size: int) -> tuple[e.Entry, ...]:
        """The next transitions, each of another lane as long as there are others."""
        return tuple(self._next() for _ in range(size))

    def _next(self) -> e.Entry:
        number, place = divmod(self._count, LANES)
        self._count += 1
        lane, attempt = f"{place:03}", f"{place:03}-build-1"
        if number % 2:
            return self._history.judged(lane, attempt, Verdict.PASS)
        return self._history.corrected(lane, attempt, number)


def begin(ledger: Ledger, transitions: Transitions) -> Fence:
    """A run with its lanes, each judged once."""
    ledger.create_run(RUN, RUN_STARTED, actor="owner", utc=UTC)
    fence = ledger.take_over(RUN, holder="bench", utc=UTC)
    for entries in transitions.births():
        ledger.commit(fence, Batch(entries=entries))
    return fence


_Values = tuple[Any, ...]


class Raw:
    """SQLite with nothing around it, on a ledger's schema, writing rows that were made before."""

    def __init__(self, folder: Path) -> None:
        ledger = SqliteLedger.open(folder)
        begin(ledger, Transitions())
        ledger.close()
        self._shadow = MemoryLedger()
        self._transitions = Transitions()
        self._fence = begin(self._shadow, self._transitions)
        self._connection = sqlite3.connect(
            folder / "ledger.db", isolation_level=None, cached_statements=256
        )
        self._connection.execute("pragma journal_mode = wal")
        self._connection.execute("pragma synchronous = full")

    def prepare(self, commits: int, group: int) -> Callable[[], None]:
        """Make the rows of so many commits; what is returned writes them."""
        cursor = self._connection.cursor()
        execute, many = cursor.execute, cursor.executemany
        batches = [self._rows(group) for _ in range(commits)]

        def write() -> None:
            for events, updates in batches:
                execute("begin immediate")
                if len(events) == 1:  # `executemany` is for many
                    execute(_INSERT, events[0])
                    execute(updates[0][0], updates[0][1][0])
                else:
                    many(_INSERT, events)
                    for sql, values in updates:
                        many(sql, values)
                execute("commit")

        return write

    def _rows(self, group: int) -> tuple[list[_Values], list[tuple[str, list[_Values]]]]:
        recorded = self._shadow.commit(self._fence, Batch(entries=self._transitions.batch(group)))
        first = recorded[0].sequence
        stored: list[_Values] = [
            tuple(row) for row in self._shadow.stored(RUN) if row.sequence >= first
        ]
        updates: list[tuple[str, list[_Values]]] = []
        for each in recorded:
            for statement, values in project(RUN, each.sequence, each.entry):
                sql = statement.sql.partition(" and ? = coalesce")[0]
                if not updates or updates[-1][0] != sql:
                    updates.append((sql, []))
                updates[-1][1].append(values)
        return stored, updates


_INSERT = "insert into event values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


class Ours:
    """The ledger as the engine uses it."""

    def __init__(self, folder: Path) -> None:
        self._transitions = Transitions()
        self._ledger = SqliteLedger.open(folder)
        self._fence = begin(self._ledger, self._transitions)

    def prepare(self, commits: int, group: int) -> Callable[[], None]:
        """Make the entries of so many commits; what is returned commits them."""
        commit, fence = self._ledger.commit, self._fence
        batches = [Batch(entries=self._transitions.batch(group)) for _ in range(commits)]

        def write() -> None:
            for batch in batches:
                commit(fence, batch)

        return write


def measure(folder: Path, rounds: int) -> list[Rate]:
    """Both sides, round by round, each going first in every other round."""
    ours, raw = Ours(folder / "ours"), Raw(folder / "raw")
    time.sleep(SETTLED_S)
    rates = []
    for group, commits in COMMITS.items():
        pairs = [_round(ours, raw, commits, group, ours_first=n % 2 == 0) for n in range(rounds)]
        rates.append(Rate(group, tuple(o for o, _ in pairs), tuple(r for _, r in pairs)))
    return rates


def _round(
    ours: Ours, raw: Raw, commits: int, group: int, *, ours_first: bool
) -> tuple[float, float]:
    ours_write, raw_write = ours.prepare(commits, group), raw.prepare(commits, group)
    order = [ours_write, raw_write] if ours_first else [raw_write, ours_write]
    taken = {write: _seconds(write) for write in order}
    done = commits * group
    return done / taken[ours_write], done / taken[raw_write]


def _seconds(work: Callable[[], object]) -> float:
    gc.collect()
    gc.disable()
    try:
        start = time.perf_counter()
        work()
        return time.perf_counter() - start
    finally:
        gc.enable()


def measure_summary(folder: Path, attempts: int, rounds: int) -> tuple[float, ...]:
    """Milliseconds for a summary of a run with so many attempts, nearly all of them over."""
    ledger, transitions = SqliteLedger.open(folder / "summary"), Transitions()
    fence, history = begin(ledger, transitions), History()
    lanes = [f"x{number}" for number in range(attempts - LANES)]
    for first in range(0, len(lanes), 500):
        entries = [each for lane in lanes[first : first + 500] for each in _ended(history, lane)]
        ledger.commit(fence, Batch(entries=tuple(entries)))
    ledger.close()
    reader = SqliteLedger.open_read_only(folder / "summary")
    taken = tuple(1000 * _seconds(lambda: reader.summary(RUN)) for _ in range(rounds))
    reader.close()
    return taken


def _ended(history: History, lane: str) -> Iterator[e.Entry]:
    attempt = f"{lane}-build-1"
    yield from history.begun(lane, attempt)
    yield history.ended(lane, e.Blocked(attempt=attempt, reason="stop"))
    yield history.entry(lane, e.LaneEnded(outcome=Outcome.STOPPED, reason="stop"))


def as_json(rates: Sequence[Rate], summary_ms: Sequence[float], attempts: int) -> str:
    """All that was measured."""
    return json.dumps(
        {
            "commits": [
                {
                    "transitions_a_commit": rate.group,
                    "ratio": round(rate.ratio, 3),
                    "goal": GOALS.get(rate.group),
                    "ours_per_s": [round(each) for each in rate.ours],
                    "sqlite_per_s": [round(each) for each in rate.raw],
                }
                for rate in rates
            ],
            "summary": {
                "attempts": attempts,
                "median_ms": round(statistics.median(summary_ms), 2),
                "goal_ms": SUMMARY_GOAL_MS,
            },
        }
    )


def show(rates: Sequence[Rate], summary_ms: Sequence[float], attempts: int) -> None:
    """The same as a table."""
    print(f"{'a commit':>9} {'ledger /s':>11} {'sqlite /s':>11} {'ratio':>6} {'min..max':>13} goal")
    for rate in rates:
        each = [o / r for o, r in zip(rate.ours, rate.raw, strict=True)]
        ours, raw = statistics.median(rate.ours), statistics.median(rate.raw)
        spread = f"{min(each):.2f}..{max(each):.2f}"
        goal = GOALS.get(rate.group, "")
        print(
            f"{rate.group:>9} {ours:>11,.0f} {raw:>11,.0f} {rate.ratio:>6.2f} {spread:>13} {goal}"
        )
    median = statistics.median(summary_ms)
    print(f"summary of {attempts:,} attempts: {median:.1f} ms (goal {SUMMARY_GOAL_MS:.0f})")


def main(arguments: Sequence[str]) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="the ledger beside SQLite itself")
    parser.add_argument("--rounds", type=int, default=41)
    parser.add_argument("--attempts", type=int, default=10_000)
    parser.add_argument("--folder", type=Path, default=None, help="where to write; default: TMPDIR")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
        rates = measure(Path(folder), chosen.rounds)
        summary_ms = measure_summary(Path(folder), chosen.attempts, chosen.rounds)
    if chosen.json:
        print(as_json(rates, summary_ms, chosen.attempts))
    else:
        show(rates, summary_ms, chosen.attempts)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
