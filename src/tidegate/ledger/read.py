"""What is read from a ledger in SQLite.

Every question is one short statement that is read to its end at once: a reader that stays pins the
log, and the log then grows without end. It loads no codec, so that a reading command starts fast.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from tidegate.core.attempt import TERMINAL
from tidegate.core.errors import Misused
from tidegate.ledger.statements import load
from tidegate.ports.ledger import Row, Summary

if TYPE_CHECKING:
    from tidegate.core.lease import Lease

_SQL = load("read")
_OPEN_LINES = f"{_SQL['line']}\n{_SQL['line_if_open']}"
_LINES_OF_LANE = f"{_SQL['line']}\n{_SQL['line_of_lane']}"
_PAGE = 512
"""Events in one statement: what a reader holds at a time."""

TABLES = tuple(name.removeprefix("rows_") for name in sorted(_SQL) if name.startswith("rows_"))

RawRow = tuple[object, ...]


def pages(
    connection: sqlite3.Connection, run: str, *, lane: str | None, after: int, limit: int | None
) -> Iterator[Sequence[RawRow]]:
    """The event rows of a run or a lane, in parts, each read at once."""
    left = limit
    while left is None or left > 0:
        size = _PAGE if left is None else min(_PAGE, left)
        if lane is None:
            rows = connection.execute(_SQL["events"], (run, after, size)).fetchall()
        else:
            rows = connection.execute(_SQL["events_of_lane"], (run, after, lane, size)).fetchall()
        if rows:
            yield rows
            after = rows[-1][0]
        if len(rows) < size:
            return
        left = None if left is None else left - size


def head(connection: sqlite3.Connection, run: str) -> tuple[int, str] | None:
    """Sequence and hash of the run's newest event."""
    row: tuple[int, str] | None = connection.execute(_SQL["head"], (run,)).fetchone()
    return row


def lease(connection: sqlite3.Connection, run: str, attempt: str, *, shows_token: bool) -> Lease:
    """An attempt's lease. A reading command sees that there is a token, and not which."""
    from tidegate.core.lease import Lease  # noqa: PLC0415 - a tenth of a look that asks for none

    statement = _SQL["lease" if shows_token else "lease_shown"]
    row = connection.execute(statement, (run, attempt)).fetchone()
    if row is None:
        return Lease(run_id=run, attempt_id=attempt)
    epoch, owner, token, expiry = row
    return Lease(
        run_id=run, attempt_id=attempt, epoch=epoch, owner=owner, token=token, expiry_utc=expiry
    )


def runs(connection: sqlite3.Connection) -> Sequence[Row]:
    """All runs, oldest first."""
    return _as_rows(connection.execute(_SQL["runs"]))


def rows(
    connection: sqlite3.Connection, table: str, run: str, *, lane: str | None
) -> Sequence[Row]:
    """The rows of one run, in the order in which they were added."""
    if table not in TABLES:
        raise Misused(f"the ledger shows no table {table!r}", hint=f"one of {', '.join(TABLES)}")
    statement = _SQL[f"rows_{table}"]
    return _as_rows(connection.execute(statement, {"run": run, "lane": lane}))


def outcomes(connection: sqlite3.Connection) -> Mapping[str, tuple[str, str]]:
    """Issue to (run, outcome); the newest end wins."""
    ended = connection.execute(_SQL["outcomes"])
    return {issue: (run, outcome) for issue, run, outcome in ended}


def standing_outcomes(connection: sqlite3.Connection) -> Mapping[str, tuple[str, str]]:
    """The same, without those that an `open` of the owner's came after."""
    ended = connection.execute(_SQL["standing_outcomes"])
    return {issue: (run, outcome) for issue, run, outcome in ended}


def unknown_receipts(connection: sqlite3.Connection) -> Sequence[Row]:
    """The receipts of all runs whose outcome is unknown, oldest first."""
    return _as_rows(connection.execute(_SQL["unknown_receipts"]))


def words(connection: sqlite3.Connection) -> Sequence[RawRow]:
    """The owner's words, oldest first."""
    return connection.execute(_SQL["words"]).fetchall()


def summary(connection: sqlite3.Connection, run: str) -> Summary:
    """Counts, and the open lanes, all of one moment.

    It costs what is open, and two counts of what is over.
    """
    connection.execute("begin")
    try:
        return Summary(
            outcomes=dict(connection.execute(_SQL["lanes_by_outcome"], (run,)).fetchall()),
            attempts=dict(connection.execute(_SQL["attempts_by_state"], (run,)).fetchall()),
            open_lanes=current_lines(_as_rows(connection.execute(_OPEN_LINES, (run,)))),
        )
    finally:
        connection.execute("rollback")


def lane_line(connection: sqlite3.Connection, run: str, lane: str) -> Row | None:
    """One lane with its current attempt."""
    lines = current_lines(_as_rows(connection.execute(_LINES_OF_LANE, (run, lane))))
    return lines[0] if lines else None


def current_lines(rows: Sequence[Row]) -> Sequence[Row]:
    """One row a lane, of rows in the order of their attempts: that of the current attempt.

    That is the newest that is not over, else the newest: after its check a build is current again.
    """
    current: dict[object, Row] = {}
    for row in rows:
        shown = current.get(row["lane"])
        if shown is None or not _is_over(row) or _is_over(shown):
            current[row["lane"]] = row
    return tuple(current.values())


def _is_over(row: Row) -> bool:
    return row["state"] in TERMINAL


def _as_rows(cursor: sqlite3.Cursor) -> Sequence[Row]:
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
