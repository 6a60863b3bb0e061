"""The writing side of a ledger in SQLite: transactions, and rows as the shared rules want them.

A transaction begins behind the write lock and at once exclusive. What is raised inside undoes all
of it. Before it begins the open files must still be the ledger.
"""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from tidegate.core.attempt import State
from tidegate.core.errors import IntegrityError, Unavailable
from tidegate.core.events import Recorded, RunStarted
from tidegate.core.lease import Lease, Renew
from tidegate.core.word import Spoken, Word
from tidegate.ledger import append, words
from tidegate.ledger.chain import GENESIS, Sealed
from tidegate.ledger.faults import keep_open, translated, translation
from tidegate.ledger.identity import Identity, loss
from tidegate.ledger.lock import WriteLock
from tidegate.ledger.opening import BUSY_MAX_S, is_whole
from tidegate.ledger.statements import load
from tidegate.ledger.tables import RunEnd, Standing
from tidegate.ledger.writes import Update, Write
from tidegate.ports.ledger import Batch, Fence

_SQL = load("write")
_RUN_END = _SQL["run_end"]
_NEWEST_SEQUENCE = _SQL["newest_sequence"]
_RAISE = _SQL["raise_controller_epoch"]
_PLACES = 64
"""How many rows one statement asks for, where there are as many to ask for."""
_VERSIONS, _STANDINGS = (
    {places: _SQL[name].replace("(?)", ", ".join(["(?)"] * places)) for places in (1, _PLACES)}
    for name in ("versions", "standings")
)
_APPEND = _SQL["append"]
_WORDS_END = _SQL["words_end"]
_APPEND_WORD = _SQL["append_word"]
_PUT_LEASE = _SQL["put_lease"]
_PUT_BEAT = _SQL["put_beat"]
_STATES = {str(state): state for state in State}


_Made = TypeVar("_Made")


class Writer:
    """One process's right to write, as far as it has its turn."""

    def __init__(
        self, connection: sqlite3.Connection, path: Path, lock: WriteLock, identity: Identity
    ) -> None:
        self._connection = connection
        self._path = path
        self._lock = lock
        self._identity = identity
        self._tables = SqliteTables(connection)
        self._end: IntegrityError | None = None
        """Why nothing is written any more."""

    def create_run(self, run: str, started: RunStarted, *, actor: str, utc: str) -> None:
        """Open a run with its first event."""
        self._transact(lambda tables: append.create_run(tables, run, started, actor=actor, utc=utc))

    def take_over(self, run: str, *, holder: str, utc: str) -> Fence:
        """Raise the run's controller epoch by one."""
        return self._transact(lambda tables: append.take_over(tables, run, holder=holder, utc=utc))

    def commit(self, fence: Fence, batch: Batch) -> Sequence[Recorded]:
        """Record a batch."""
        drafts = append.drafts_of(batch)
        return self._transact(lambda tables: append.commit(tables, fence, drafts, batch.leases))

    def speak(self, issue: str, word: Word, *, reason: str, actor: str, utc: str) -> Spoken:
        """Record a word of the owner's."""
        return self._transact(
            lambda tables: words.speak(tables, issue, word, reason=reason, actor=actor, utc=utc)
        )

    def checkpoint(self) -> None:
        """Move the log into the file and cut it; where somebody is at work it stays."""
        if not self._lock.try_acquire():
            return
        try:
            self._require_files()
            with translated(self._path):
                self._connection.execute("pragma busy_timeout = 0")
                self._connection.execute("pragma wal_checkpoint(truncate)").fetchone()
                self._connection.execute(f"pragma busy_timeout = {int(BUSY_MAX_S * 1000)}")
            self._identity.note_log()
        except IntegrityError as error:
            self._end = error
            raise
        finally:
            self._lock.release()

    def close(self) -> None:
        """Close the connection, with an empty log where nobody else uses it."""
        try:
            if self._end is None and not self._identity.is_lost():
                with suppress(Unavailable):
                    self.checkpoint()
                self._tables.close()
                self._connection.close()
            else:
                keep_open(self._connection)
        except IntegrityError:
            keep_open(self._connection)
            raise
        finally:
            self._identity.close()
            self._lock.close()

    def _transact(self, work: Callable[["SqliteTables"], _Made]) -> _Made:
        """Do all of the work durably, or none of it."""
        self._lock.acquire()
        try:
            self._require_files()
            try:
                self._tables.begin()
                made = work(self._tables)
                self._tables.commit()
                self._identity.note_log()
            except BaseException as error:
                self._undo(error)
                raise
            return made
        finally:
            self._lock.release()

    def _undo(self, error: BaseException) -> None:
        """Leave no transaction open. SQLite ended it by itself where the disk is full."""
        with suppress(sqlite3.Error):
            if self._connection.in_transaction:
                self._connection.execute("rollback")
        if isinstance(error, sqlite3.Error):
            told = translation(error, self._path)
            if isinstance(told, IntegrityError):
                self._end = told
            raise told from error

    def _require_files(self) -> None:
        """Raise where the files are not ours any more; then this writer has ended for good."""
        if self._end is None and (self._identity.is_lost() or self._is_cut()):
            self._end = loss(self._connection, self._path)
        if self._end is not None:
            raise self._end

    def _is_cut(self) -> bool:
        """Whether the log was cut by somebody who is no checkpoint: then the ledger has holes."""
        return self._identity.has_shrunk() and not is_whole(self._path)


class SqliteTables:
    """Rows in SQLite. Only `append` writes through it, inside a transaction."""

    __slots__ = ("_cursor", "_execute")

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._cursor = connection.cursor()
        self._execute = self._cursor.execute

    def begin(self) -> None:
        """Begin a transaction that nobody else can write beside."""
        self._execute("begin immediate")

    def commit(self) -> None:
        """Make it durable."""
        self._execute("commit")

    def close(self) -> None:
        """Let go of the last statement, without which the connection would stay half open."""
        self._cursor.close()

    def run_end(self, run: str, lane: str) -> tuple[RunEnd | None, int]:
        """Where the run stands, if there is one, and the newest sequence of the whole ledger."""
        row = self._execute(_RUN_END, (lane, run)).fetchone()
        if row is None:
            return None, self._execute(_NEWEST_SEQUENCE).fetchone()[0] or 0
        epoch, sequence, digest, version = row
        return RunEnd(epoch, digest, version or 0), sequence

    def words_end(self) -> tuple[int, str, int]:
        """The last word's sequence and hash, and the newest event's sequence."""
        sequence, digest, newest = self._execute(_WORDS_END).fetchone()
        return sequence, digest or GENESIS, newest

    def append_word(self, row: tuple[object, ...]) -> None:
        """Add a word of the owner's."""
        self._execute(_APPEND_WORD, row)

    def raise_controller_epoch(self, run: str, *, holder: str, utc: str) -> None:
        """Add one to it, and say who did."""
        self._execute(_RAISE, (holder, utc, run))

    def versions(self, run: str, lanes: Sequence[str]) -> Mapping[str, int]:
        """How many events each of the lanes has."""
        return dict(self._asked(_VERSIONS, run, lanes))

    def standing(self, run: str, attempt: str) -> Standing | None:
        """Where an attempt stands; None where there is none."""
        return self.standings(run, (attempt,)).get(attempt)

    def standings(self, run: str, attempts: Sequence[str]) -> Mapping[str, Standing]:
        """Where each of the attempts stands that there are."""
        found = {}
        for attempt, state, epoch, owner, token, expiry in self._asked(_STANDINGS, run, attempts):
            lease = Lease(
                run_id=run,
                attempt_id=attempt,
                epoch=epoch,
                owner=owner,
                token=token,
                expiry_utc=expiry,
            )
            found[attempt] = Standing(_STATES[state], lease)
        return found

    def _asked(
        self, statements: Mapping[int, str], run: str, keys: Sequence[str]
    ) -> Iterator[tuple[Any, ...]]:
        """The rows for the keys, with one statement for many of them."""
        whole = len(keys) // _PLACES * _PLACES
        for start in range(0, whole, _PLACES):
            asked = (*keys[start : start + _PLACES], run)
            yield from self._execute(statements[_PLACES], asked).fetchall()
        for key in keys[whole:]:
            yield from self._execute(statements[1], (key, run)).fetchall()

    def append(self, rows: Sequence[Sealed]) -> None:
        """Add events."""
        if len(rows) == 1:
            self._execute(_APPEND, rows[0])
        else:
            self._cursor.executemany(_APPEND, rows)

    def apply(self, write: Write, epoch: int) -> bool:
        """Whether the write met exactly one row."""
        statement, values = write
        if isinstance(statement, Update) and statement.is_fenced:
            values = (*values, epoch)
        return self._execute(statement.sql, values).rowcount == 1

    def put_lease(self, lease: Lease) -> None:
        """Set the attempt's lease."""
        key = (lease.run_id, lease.attempt_id)
        self._execute(_PUT_LEASE, (*key, lease.epoch, lease.owner, lease.token, lease.expiry_utc))

    def put_beat(self, beat: Renew) -> bool:
        """Append a heartbeat with the attempt's state; False where it was counted before."""
        values = (
            beat.epoch,
            beat.beat_sequence,
            beat.beat_monotonic_s,
            beat.last_completed_unit,
            beat.controller_version,
            beat.now_utc,
            beat.run_id,
            beat.attempt_id,
        )
        return self._execute(_PUT_BEAT, values).rowcount == 1
