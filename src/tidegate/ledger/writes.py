"""What the projection asks of a backend: add one row, or change exactly one.

A statement is made once, at import, with its SQL; a write is a statement and its values. A backend
without SQL reads the same names. A write that does not meet exactly one row refuses its batch.
"""

from dataclasses import dataclass
from typing import NamedTuple

from tidegate.core.attempt import TERMINAL

FENCE = (
    "? = coalesce((select epoch from lease where lease.run_id = attempt_fold.run_id"
    " and lease.attempt_id = attempt_fold.attempt_id), 0)"
)
LIVE = f"state not in ({', '.join(repr(str(state)) for state in sorted(TERMINAL))})"


@dataclass(frozen=True, slots=True, eq=False)
class Insert:
    """Add a row that is not there yet; columns that are not named stay empty."""

    table: str
    columns: tuple[str, ...]
    sql: str


@dataclass(frozen=True, slots=True, eq=False)
class Update:
    """Change `changes` in the row where `keys` have the values that follow them.

    `is_fenced`: the attempt's lease must be at the entry's epoch, which comes last among the
    parameters. `is_live`: the attempt must not be over, since nothing of an ended one changes.
    """

    table: str
    changes: tuple[str, ...]
    keys: tuple[str, ...]
    is_fenced: bool
    is_live: bool
    sql: str


class Write(NamedTuple):
    """A statement with its values: the changes' first, then the keys'."""

    statement: Insert | Update
    values: tuple[object, ...]


Writes = tuple[Write, ...]


def insert(table: str, columns: tuple[str, ...]) -> Insert:
    """An insert that adds nothing where the row's key is taken."""
    names, places = ", ".join(columns), ", ".join("?" * len(columns))
    sql = f"insert into {table} ({names}) values ({places}) on conflict do nothing"  # noqa: S608 - names of our own tables and columns, never values
    return Insert(table, columns, sql)


def update(
    table: str,
    changes: tuple[str, ...],
    keys: tuple[str, ...],
    *,
    is_fenced: bool = False,
    is_live: bool = False,
) -> Update:
    """A conditional update."""
    conditions = [f"{key} = ?" for key in keys]
    conditions += [LIVE] if is_live else []
    conditions += [FENCE] if is_fenced else []
    changed = ", ".join(f"{column} = ?" for column in changes)
    sql = f"update {table} set {changed} where {' and '.join(conditions)}"  # noqa: S608 - names of our own tables and columns, never values
    return Update(table, changes, keys, is_fenced, is_live, sql)
