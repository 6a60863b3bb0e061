"""The rows that a ledger's events add up to, held against the rows that it has, and put in place.

Two things stand outside the fold: leases and heartbeats as a whole, and of a run who controls it
now. A controller raises that epoch before it records that it did, so the row may be ahead of the
events, and must never be taken back.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from tidegate.core.errors import IntegrityError
from tidegate.core.events import Recorded
from tidegate.ledger.memory_tables import MemoryTables
from tidegate.ledger.projection import project
from tidegate.ledger.schema import COLUMNS, KEYS
from tidegate.ports.examination import Flaw
from tidegate.ports.ledger import Row

TABLES = tuple(table for table in COLUMNS if table != "heartbeat")
"""Every table whose rows follow from events."""
_AHEAD = ("controller_epoch", "controller", "controller_since")

Key = tuple[object, ...]
Rows = Mapping[str, Mapping[Key, Row]]


class Folded(NamedTuple):
    """What events add up to, and the last epoch that each attempt's events carry."""

    rows: Rows
    epochs: Mapping[tuple[str, str], int]


def fold(events: Iterable[Recorded]) -> Folded:
    """All runs' rows. Raises IntegrityError where an event does not follow from those before."""
    tables, epochs = MemoryTables(), dict[tuple[str, str], int]()
    for each in events:
        tables.begin()
        if each.entry.attempt is not None:
            epochs[each.run, each.entry.attempt] = each.entry.epoch
        for write in project(each.run, each.sequence, each.entry):
            if not tables.apply(write, None):
                raise IntegrityError(
                    f"event {each.sequence} of run {each.run} does not follow from those before",
                    hint="restore the ledger from a backup",
                )
    return Folded({table: _keyed(table, tables.rows(table)) for table in TABLES}, epochs)


def kept_rows(connection: sqlite3.Connection) -> Rows:
    """The rows as the ledger has them."""
    found = {}
    for table in TABLES:
        cursor = connection.execute(f"select * from {table} order by rowid")  # noqa: S608 - our own tables
        names = [column[0] for column in cursor.description]
        found[table] = _keyed(table, [dict(zip(names, row, strict=True)) for row in cursor])
    return found


def differences(wanted: Rows, kept: Rows) -> Iterator[Flaw]:
    """Rows that are missing, rows that no event has made, and rows that say something else."""
    for table in TABLES:
        for key, row in wanted[table].items():
            where = f"{table} {'/'.join(map(str, key))}"
            have = kept[table].get(key)
            if have is None:
                yield Flaw(code="row-missing", where=where, message=f"the row {where} is gone")
            elif other := _other(table, row, have):
                message = f"the row {where} says another {', '.join(other)} than its events"
                yield Flaw(code="row-differs", where=where, message=message)
        for key in kept[table].keys() - wanted[table].keys():
            where = f"{table} {'/'.join(map(str, key))}"
            yield Flaw(code="row-extra", where=where, message=f"no event has made the row {where}")


def put_in_place(connection: sqlite3.Connection, table: str, wanted: Rows, kept: Rows) -> None:
    """Replace all rows of a table, in the order in which events made them."""
    connection.execute(f"delete from {table}")  # noqa: S608 - one of our own tables
    places = ", ".join("?" * len(COLUMNS[table]))
    names = ", ".join(COLUMNS[table])
    rows = (_not_behind(table, row, kept[table].get(key)) for key, row in wanted[table].items())
    connection.executemany(
        f"insert into {table} ({names}) values ({places})",  # noqa: S608 - our own names
        [[row[name] for name in COLUMNS[table]] for row in rows],
    )


def _keyed(table: str, rows: Iterable[Row]) -> Mapping[Key, Row]:
    return {tuple(row[name] for name in KEYS[table]): row for row in rows}


def _other(table: str, wanted: Row, have: Row) -> list[str]:
    compared = wanted.keys() | have.keys()
    if table == "run" and _is_ahead(wanted, have):
        compared -= set(_AHEAD)
    return sorted(name for name in compared if wanted.get(name) != have.get(name))


def _is_ahead(wanted: Row, have: Row) -> bool:
    return int(str(have["controller_epoch"])) > int(str(wanted["controller_epoch"]))


def _not_behind(table: str, wanted: Row, have: Row | None) -> Row:
    if table != "run" or have is None or not _is_ahead(wanted, have):
        return wanted
    return {**wanted, **{name: have[name] for name in _AHEAD}}
