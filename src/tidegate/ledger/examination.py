"""Whether a ledger is what it should be, told from its file alone; see ports.examination.

A look works on a copy, made by SQLite's own way to copy what others write to: it sees one moment,
and pins nobody's log. The copy is page by page, so a damaged page is damaged there too.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

from tidegate.core.errors import IntegrityError, NotReady
from tidegate.core.events import Recorded
from tidegate.ledger.chain import COLUMNS, Break, Stored, verify_chain
from tidegate.ledger.codec import recorded
from tidegate.ledger.faults import translated
from tidegate.ledger.folding import differences, fold, kept_rows, put_in_place
from tidegate.ledger.lock import WriteLock
from tidegate.ledger.migration import copy, load_steps, migrate
from tidegate.ledger.opening import FILE, LOCK, open_reader, open_writer, refuse_lost
from tidegate.ledger.read import words
from tidegate.ledger.sqlite import SqliteLedger
from tidegate.ledger.words import StoredWord, verify_words
from tidegate.ports.examination import Flaw

PAGES_SHOWN_MAX = 5
ROWS_SHOWN_MAX = 20
"""How many rows that differ are told one by one."""
_SHAPE = "select name, type, sql from sqlite_schema where sql is not null order by rowid"
_REMADE = ("trigger", "index", "view")
NO_TEXT = frozenset({"gate_digest", "environment_digest", "file_digest", "issue_digest"})
"""Digests of what is stored nowhere: they only tell whether something is the same."""
_OF_ARTIFACTS = frozenset({"digest"})
"""What an event that names an artifact's path calls the text of it."""
_DIGEST_LENGTH = 64
_EVENTS = f"select {', '.join(COLUMNS)} from event order by sequence"  # noqa: S608 - our own columns
_EVENTS_OF_RUN = f"select {', '.join(COLUMNS)} from event where run_id = ? order by sequence"  # noqa: S608 - as above


class SqliteExaminer:
    """See ports.examination.LedgerExaminer."""

    def copy(self, home: str, folder: str) -> None:
        """By SQLite's online backup, all pages in one step."""
        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        path = Path(home) / FILE
        refuse_lost(path)
        if not path.exists():
            raise NotReady(f"there is no ledger in {home}", hint="`tidegate run` makes one")
        with closing(open_reader(Path(home))) as connection, translated(path):
            copy(connection, target / FILE)

    def open(self, folder: str) -> SqliteLedger:
        """For reading only."""
        return SqliteLedger.open_read_only(Path(folder))

    def flaws(self, folder: str) -> Iterator[Flaw]:
        """Pages first: on what cannot be read nothing else can be said."""
        try:
            with _reading(folder) as connection:
                pages = tuple(_pages(connection))
                yield from pages
                if pages:
                    return
                yield from _guards(connection)
                yield from _chains(connection)
                yield from _rows(connection)
        except IntegrityError as error:
            yield Flaw(code="ledger-unreadable", where=FILE, message=error.message)

    def texts(self, folder: str) -> Mapping[str, str]:
        """Of all events, in order of sequence."""
        found: dict[str, str] = {}
        with _reading(folder) as connection:
            for each in _events(connection):
                kind: Any = type(each.entry.event)
                for name in _names_of_texts(kind):
                    digest = getattr(each.entry.event, name)
                    if digest and len(digest) == _DIGEST_LENGTH:
                        found.setdefault(digest, f"event {each.sequence} of run {each.run}")
        return found

    def rebuild(self, home: str) -> Sequence[str]:
        """Delete and insert, and compare once more before it is committed."""
        with _writing(home) as connection:
            connection.execute("begin immediate")
            try:
                changed = _rebuilt(connection)
                connection.execute("commit")
            except BaseException:
                connection.execute("rollback")
                raise
        return changed

    def restore_guards(self, home: str) -> Sequence[str]:
        """Each by the very statement that the schema has."""
        with _writing(home) as connection:
            missing = _missing(connection)
            for name in missing:
                connection.execute(_shape()[name][1])
        return missing


@contextmanager
def _reading(folder: str) -> Iterator[sqlite3.Connection]:
    path = Path(folder) / FILE
    with closing(open_reader(Path(folder))) as connection, translated(path):
        yield connection


@contextmanager
def _writing(home: str) -> Iterator[sqlite3.Connection]:
    """A connection that is alone with the ledger for as long as it is open."""
    lock = WriteLock(Path(home) / LOCK)
    try:
        with closing(open_writer(Path(home), lock)) as connection, translated(Path(home) / FILE):
            lock.acquire()
            yield connection
    finally:
        lock.close()


def _pages(connection: sqlite3.Connection) -> Iterator[Flaw]:
    found = connection.execute(f"pragma integrity_check({PAGES_SHOWN_MAX})").fetchall()
    for (said,) in found:
        if said != "ok":
            yield Flaw(code="ledger-pages", where=FILE, message=str(said).replace("\n", "; "))


@cache
def _shape() -> Mapping[str, tuple[str, str]]:
    """What this version's schema consists of: name to type and statement."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as fresh:
        migrate(fresh, Path(":memory:"), load_steps())
        return {name: (kind, sql) for name, kind, sql in fresh.execute(_SHAPE)}


def _missing(connection: sqlite3.Connection) -> list[str]:
    there = {name for name, _, _ in connection.execute(_SHAPE)}
    return [name for name, (kind, _) in _shape().items() if name not in there and kind in _REMADE]


def _guards(connection: sqlite3.Connection) -> Iterator[Flaw]:
    there = {name: (kind, sql) for name, kind, sql in connection.execute(_SHAPE)}
    for name in _missing(connection):
        kind = _shape()[name][0]
        yield Flaw(code="guard-missing", where=name, message=f"the {kind} {name} is gone")
    for name, wanted in _shape().items():
        if (name in there or wanted[0] not in _REMADE) and there.get(name) != wanted:
            message = f"the {wanted[0]} {name} is not as this version has it"
            yield Flaw(code="schema-differs", where=name, message=message)
    for name in sorted(there.keys() - _shape().keys()):
        yield Flaw(
            code="schema-differs", where=name, message=f"the {there[name][0]} {name} is not ours"
        )


class _StoredEvents:
    """A connection's events, as the verification of a chain wants them."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def runs(self) -> list[str]:
        """Every run that has an event, whether or not it has a row."""
        ordered = "select run_id from event group by run_id order by min(sequence)"
        return [run for (run,) in self._connection.execute(ordered).fetchall()]

    def stored(self, run: str) -> Iterator[Stored]:
        """Those of a run, in order of sequence."""
        return map(Stored._make, self._connection.execute(_EVENTS_OF_RUN, (run,)))

    def breaks(self) -> Iterator[tuple[str, Break]]:
        """The first broken link of each run that has one."""
        for run in self.runs():
            broken = verify_chain(self, run)
            if broken is not None:
                yield run, broken


def _chains(connection: sqlite3.Connection) -> Iterator[Flaw]:
    for run, broken in _StoredEvents(connection).breaks():
        message = f"event {broken.sequence} of run {run} {broken.reason}"
        yield Flaw(code="chain-broken", where=f"run {run}", message=message)
    said = verify_words(map(StoredWord._make, words(connection)))
    if said is not None:
        message = f"word {said.sequence} {said.reason}"
        yield Flaw(code="words-broken", where="words", message=message)


def _events(connection: sqlite3.Connection) -> Iterator[Recorded]:
    """All events of all runs, in order of sequence, each understood. Raises IntegrityError."""
    for row in connection.execute(_EVENTS):
        yield recorded(Stored._make(row))


@cache
def _names_of_texts(event: Any) -> tuple[str, ...]:
    """The fields of a class of events that are the digests of stored texts."""
    names = tuple(each.name for each in fields(event))
    ours = tuple(each for each in names if each.endswith("_digest") and each not in NO_TEXT)
    return (*ours, *(_OF_ARTIFACTS & set(names))) if "path" in names else ours


def _rows(connection: sqlite3.Connection) -> Iterator[Flaw]:
    """Rows that do not follow from the events, both directions; leases at another epoch."""
    try:
        folded = fold(_events(connection))
    except IntegrityError as error:
        yield Flaw(code="fold-stuck", where="events", message=error.message)
        return
    found = list(differences(folded.rows, kept_rows(connection)))
    yield from found[:ROWS_SHOWN_MAX]
    if len(found) > ROWS_SHOWN_MAX:
        rest = f"{len(found) - ROWS_SHOWN_MAX} more rows differ"
        yield Flaw(code=found[-1].code, where="rows", message=rest)
    yield from _leases(connection, folded.epochs)


def _leases(
    connection: sqlite3.Connection, epochs: Mapping[tuple[str, str], int]
) -> Iterator[Flaw]:
    rows = connection.execute("select run_id, attempt_id, epoch from lease").fetchall()
    held = {(run, attempt): epoch for run, attempt, epoch in rows}
    for (run, attempt), granted in sorted(epochs.items()):
        epoch = held.get((run, attempt), 0)
        if epoch != granted:
            message = f"the lease of {attempt} is at epoch {epoch}, its events at {granted}"
            yield Flaw(code="lease-differs", where=f"run {run}, {attempt}", message=message)


def _rebuilt(connection: sqlite3.Connection) -> list[str]:
    """The tables whose rows were made anew. Raises IntegrityError where events are in doubt."""
    for run, broken in _StoredEvents(connection).breaks():
        raise IntegrityError(
            f"event {broken.sequence} of run {run} {broken.reason}: no row is made from it",
            hint="restore the ledger from a backup",
        )
    wanted, kept = fold(_events(connection)).rows, kept_rows(connection)
    changed = sorted({each.where.partition(" ")[0] for each in differences(wanted, kept)})
    for table in changed:
        put_in_place(connection, table, wanted, kept)
    for left in differences(wanted, kept_rows(connection)):
        raise IntegrityError(f"also after it was made anew, {left.message}")
    return changed
