"""Bringing a ledger's schema to this program's version: one numbered file a step.

A step and its number are one transaction, so that no ledger is ever between two versions. Before
the first step the whole ledger is copied beside it. Version 0 is an empty file.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from tidegate.core.errors import IntegrityError
from tidegate.core.records import record
from tidegate.ledger.faults import is_of_the_disk
from tidegate.ledger.statements import FOLDER

APPLICATION_ID = 0x54_47_4C_31
"""Tells a ledger from any other SQLite file (`TGL1` in its header)."""


@record
class Step:
    """The change that leads from version `number - 1` to `number`."""

    number: int
    name: str
    sql: str


@cache
def load_steps(folder: Path = FOLDER / "migrations") -> tuple[Step, ...]:
    """The steps of a folder in their order; each is `NNNN_name.sql`."""
    steps = []
    for path in sorted(folder.glob("*.sql")):
        number, _, name = path.stem.partition("_")
        steps.append(Step(number=int(number), name=name, sql=path.read_text(encoding="utf-8")))
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))
    return tuple(steps)


def migrate(connection: sqlite3.Connection, path: Path, steps: Sequence[Step]) -> None:
    """Apply the steps that are missing. The caller holds the write lock.

    Raises IntegrityError where a step does not fit: then the ledger is as it was before it.
    """
    version = version_of(connection)
    missing = [step for step in steps if step.number > version]
    if missing and version > 0:
        copy(connection, path.with_name(f"{path.name}.v{version}"))
    for step in missing if version > 0 else _at_once(missing):
        _apply(connection, path, step)


def _at_once(steps: Sequence[Step]) -> Iterator[Step]:
    """All that a new ledger needs as one step: nobody may see it at an earlier version."""
    if steps:
        sql = "\n".join(step.sql for step in steps)
        yield replace(steps[-1], sql=sql)


def version_of(connection: sqlite3.Connection) -> int:
    """The number of the newest step that was applied."""
    return int(connection.execute("pragma user_version").fetchone()[0])


def copy(connection: sqlite3.Connection, target: Path) -> None:
    """Write all that a connection sees into a file of its own, by rename."""
    staged = target.with_name(f"{target.name}.new")
    staged.unlink(missing_ok=True)
    written = sqlite3.connect(staged)
    try:
        connection.backup(written)
    finally:
        written.close()
    staged.replace(target)


def _apply(connection: sqlite3.Connection, path: Path, step: Step) -> None:
    connection.execute("begin immediate")
    try:
        for statement in _statements(step.sql):
            connection.execute(statement)
        connection.execute(f"pragma application_id = {APPLICATION_ID}")
        connection.execute(f"pragma user_version = {step.number}")
        connection.execute("commit")
    except sqlite3.Error as error:
        if connection.in_transaction:
            connection.execute("rollback")
        if is_of_the_disk(error):
            raise  # no word of the schema: whoever opens the ledger tells what it is
        raise IntegrityError(
            f"{path} is at version {step.number - 1}, and the step to version {step.number}"
            f" ({step.name}) does not fit it: {error}",
            hint="somebody changed its schema by hand; a copy from before is beside it"
            f" ({path.name}.v{step.number - 1}). It was left as it was",
        ) from error


def _statements(sql: str) -> Iterator[str]:
    """The statements of a file; SQLite itself says where one is complete."""
    pending = ""
    for line in sql.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""
