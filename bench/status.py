"""`tidegate status --json` over a long history, beside a Python that does nothing.

Nearly all lanes of the history are over, as they are in a run that has gone on for days. The other
side is what any program in Python pays before its first line.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from bench import processes
from bench.figures import AT_MOST, Goal, Kind, Row, Table
from bench.world import World, make_world
from tidegate.core import events as e
from tidegate.core.values import Outcome
from tidegate.ledger.sqlite import SqliteLedger
from tidegate.ports.ledger import Batch
from tidegate.testing.ledger_history import RUN, RUN_STARTED, UTC, History

ATTEMPTS = 10_000
OPEN_LANES = 10
GOAL = Goal(AT_MOST, 150.0)

_LANES_A_COMMIT = 500
_LIMIT_S = 60.0


def measure(folder: Path, *, rounds: int, attempts: int = ATTEMPTS) -> Table:
    """Both sides in alternating rounds."""
    world = make_world(folder / "status", 0)
    fill(world.repository / ".git" / "tidegate", attempts)
    _require(world, attempts)
    pairs = [_round(world, is_ours_first=number % 2 == 0) for number in range(rounds)]
    return Table(
        name="status",
        title=f"`tidegate status --json` on {attempts:,} attempts, beside an idle Python",
        ours="tidegate",
        other="python -c pass",
        rows=(
            Row(
                what="from start to end",
                unit="ms",
                ours=[ours for ours, _ in pairs],
                other=[other for _, other in pairs],
                kind=Kind.DIFFERENCE,
                goal=GOAL,
            ),
        ),
    )


def fill(home: Path, attempts: int) -> None:
    """A ledger of one run with so many attempts, one a lane; the last few lanes are open."""
    ledger, history = SqliteLedger.open(home), History()
    try:
        ledger.create_run(RUN, RUN_STARTED, actor="bench", utc=UTC)
        fence = ledger.take_over(RUN, holder="bench", utc=UTC)
        for first in range(0, attempts, _LANES_A_COMMIT):
            numbers = range(first, min(attempts, first + _LANES_A_COMMIT))
            entries = tuple(
                entry
                for number in numbers
                for entry in _lane(history, number, is_open=number >= attempts - OPEN_LANES)
            )
            ledger.commit(fence, Batch(entries=entries))
    finally:
        ledger.close()


def _lane(history: History, number: int, *, is_open: bool) -> Iterator[e.Entry]:
    lane, attempt = f"{number:05}", f"{number:05}-build-1"
    if is_open:
        yield from history.reviewed(lane, attempt)
        return
    yield from history.begun(lane, attempt)
    yield history.ended(lane, e.Blocked(attempt=attempt, reason="stop"))
    yield history.entry(lane, e.LaneEnded(outcome=Outcome.STOPPED, reason="stop"))


def _require(world: World, attempts: int) -> None:
    said = json.loads(_status(world).stdout)
    if sum(said["attempts"].values()) != attempts or len(said["lanes"]) != OPEN_LANES:
        raise RuntimeError(f"status does not show the history: {said}")


def _round(world: World, *, is_ours_first: bool) -> tuple[float, float]:
    if is_ours_first:
        ours = _status(world)
        return 1000 * ours.wall_s, 1000 * _nothing(world).wall_s
    other = _nothing(world)
    return 1000 * _status(world).wall_s, 1000 * other.wall_s


def _status(world: World) -> processes.Cost:
    return _python(world, "-m", "tidegate", "status", "--json")


def _nothing(world: World) -> processes.Cost:
    return _python(world, "-c", "pass")


def _python(world: World, *arguments: str) -> processes.Cost:
    argv = (sys.executable, *arguments)
    return processes.run(argv, env=world.environment, cwd=world.repository, limit_s=_LIMIT_S)
