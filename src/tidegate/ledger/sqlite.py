"""The ledger in one SQLite file.

One writer at a time, many readers, and nothing is acknowledged before it is on the disk.

Opening and reading rows load neither the codec nor the rules of writing; the first write, or the
first event that is read, does. A connection belongs to the process that opened it.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Self

from tidegate.core.errors import Refused
from tidegate.core.word import Spoken, Word
from tidegate.ledger import read
from tidegate.ledger.blobs import Blobs
from tidegate.ledger.faults import translated
from tidegate.ledger.identity import Identity
from tidegate.ledger.lock import WriteLock
from tidegate.ledger.opening import FILE, LOCK, open_reader, open_writer, prepare_folder
from tidegate.ports.ledger import Batch, Fence, Head, Row, Summary, WriteAhead

if TYPE_CHECKING:
    from tidegate.core.events import Recorded, RunStarted
    from tidegate.core.lease import Lease
    from tidegate.ledger.chain import Stored
    from tidegate.ledger.words import StoredWord
    from tidegate.ledger.writer import Writer

BLOBS = "blobs"


class SqliteLedger:
    """A ledger in a folder that holds nothing else: `ledger.db`, `ledger.lock`, `blobs/`."""

    def __init__(
        self, folder: Path, connection: sqlite3.Connection, turn: tuple[WriteLock, Identity] | None
    ) -> None:
        """`turn` is what a writer needs besides the connection; None where nothing is written."""
        self._path = folder / FILE
        self._connection = connection
        self._turn = turn
        self._blobs = Blobs(folder / BLOBS)
        self._process = os.getpid()
        self._writer: Writer | None = None

    @classmethod
    def open(cls, folder: Path) -> SqliteLedger:
        """Open the folder's ledger for writing; make it where there is none.

        Raises NotReady (network file system, not writable, a later version), IntegrityError (not
        a ledger, damaged), Unavailable (locked).
        """
        prepare_folder(folder)
        lock = WriteLock(folder / LOCK)
        try:
            connection = open_writer(folder, lock)
        except BaseException:
            lock.close()
            raise
        return cls(folder, connection, (lock, Identity(folder / FILE)))

    @classmethod
    def open_read_only(cls, folder: Path) -> SqliteLedger:
        """Open for reading commands: it cannot write, and shows no lease's token.

        Raises NotReady (no ledger, another version), IntegrityError (not a ledger).
        """
        return cls(folder, open_reader(folder), None)

    # --- writing ----------------------------------------------------------------------------

    def create_run(self, run: str, started: RunStarted, *, actor: str, utc: str) -> None:
        """Open a run with its first event."""
        self._writing().create_run(run, started, actor=actor, utc=utc)

    def take_over(self, run: str, *, holder: str, utc: str) -> Fence:
        """Raise the run's controller epoch by one."""
        return self._writing().take_over(run, holder=holder, utc=utc)

    def commit(self, fence: Fence, batch: Batch) -> Sequence[Recorded]:
        """Make a batch durable in one transaction and return it as recorded."""
        return self._writing().commit(fence, batch)

    def speak(self, issue: str, word: Word, *, reason: str, actor: str, utc: str) -> Spoken:
        """Record a standing word of the owner's."""
        return self._writing().speak(issue, word, reason=reason, actor=actor, utc=utc)

    def put_text(self, text: str) -> str:
        """Store a text beside the ledger, masked, and return the digest of what is stored."""
        from tidegate.ledger.masking import mask  # noqa: PLC0415 - as in `read`

        self._writing()
        return self._blobs.put(mask(text))

    def checkpoint(self) -> None:
        """Cut the log to nothing, for idle moments. It waits for no reader and no writer.

        `log_size_bytes` tells what came of it: a log that stays long is pinned by a reader.
        """
        self._writing().checkpoint()

    # --- reading ----------------------------------------------------------------------------

    def read(
        self, run: str, *, lane: str | None = None, after: int = 0, limit: int | None = None
    ) -> Iterator[Recorded]:
        """The run's events in order of sequence, or those of one lane."""
        from tidegate.ledger.codec import recorded  # noqa: PLC0415 - rows are read without it

        for row in self._stored(run, lane=lane, after=after, limit=limit):
            yield recorded(row)

    def stored(self, run: str) -> Iterator[Stored]:
        """The run's events as they are stored, for the verification of its chain."""
        return self._stored(run, lane=None, after=0, limit=None)

    def head(self, run: str) -> Head:
        """The end of the run's chain."""
        with self._reading() as connection:
            found = read.head(connection, run)
        if found is None:
            raise Refused(f"there is no run {run} in this ledger")
        return Head(sequence=found[0], hash=found[1])

    def lease(self, run: str, attempt: str) -> Lease:
        """The attempt's lease; without its token where this ledger is open for reading only."""
        with self._reading() as connection:
            return read.lease(connection, run, attempt, shows_token=self._turn is not None)

    def runs(self) -> Sequence[Row]:
        """All runs, newest last."""
        with self._reading() as connection:
            return read.runs(connection)

    def rows(self, table: str, run: str, *, lane: str | None = None) -> Sequence[Row]:
        """The projection's rows of one run: `read.TABLES` are those that are shown."""
        with self._reading() as connection:
            return read.rows(connection, table, run, lane=lane)

    def outcomes(self) -> Mapping[str, tuple[str, str]]:
        """Issue to (run, outcome) over all runs; the newest outcome wins."""
        with self._reading() as connection:
            return read.outcomes(connection)

    def standing_outcomes(self) -> Mapping[str, tuple[str, str]]:
        """The same, without those that an `open` of the owner's came after."""
        with self._reading() as connection:
            return read.standing_outcomes(connection)

    def unknown_receipts(self) -> Sequence[Row]:
        """The receipts of all runs whose outcome is unknown, oldest first."""
        with self._reading() as connection:
            return read.unknown_receipts(connection)

    def words(self) -> Sequence[Spoken]:
        """The owner's words, oldest first."""
        with self._reading() as connection:
            rows = read.words(connection)
        return [_spoken(row) for row in rows]

    def stored_words(self) -> Sequence[StoredWord]:
        """The owner's words as they are stored, for the verification of their chain."""
        from tidegate.ledger.words import StoredWord  # noqa: PLC0415 - as in `read`

        with self._reading() as connection:
            return [StoredWord._make(row) for row in read.words(connection)]

    def summary(self, run: str) -> Summary:
        """What one look at a run shows."""
        with self._reading() as connection:
            return read.summary(connection, run)

    def lane_line(self, run: str, lane: str) -> Row | None:
        """One lane's row with its current attempt's; None where there is no such lane."""
        with self._reading() as connection:
            return read.lane_line(connection, run, lane)

    def text(self, digest: str) -> str:
        """A stored text. Raises IntegrityError where it is gone or not what its name says."""
        return self._blobs.get(digest)

    def log_size_bytes(self) -> int:
        """The size of SQLite's log. Far beyond 4 MB means that a reader pins it."""
        try:
            return self._path.with_name(f"{FILE}-wal").stat().st_size
        except FileNotFoundError:
            return 0

    def write_ahead(self) -> WriteAhead:
        """The size of SQLite's log, and who is reading besides this process."""
        from tidegate.ledger.log_readers import readers  # noqa: PLC0415 - asked once in a while

        index = self._path.with_name(f"{FILE}-shm")
        return WriteAhead(size_bytes=self.log_size_bytes(), readers=readers(index))

    def close(self) -> None:
        """Let go of the file, with an empty log where nobody else uses it."""
        self._require_own_process()
        if self._turn is not None:
            self._writing().close()
        else:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- guards -----------------------------------------------------------------------------

    def _writing(self) -> Writer:
        self._require_own_process()
        if self._writer is None:
            if self._turn is None:
                raise Refused("this ledger is open for reading only")
            from tidegate.ledger.writer import Writer  # noqa: PLC0415 - as in `read`

            self._writer = Writer(self._connection, self._path, *self._turn)
        return self._writer

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        self._require_own_process()
        with translated(self._path):
            yield self._connection

    def _stored(
        self, run: str, *, lane: str | None, after: int, limit: int | None
    ) -> Iterator[Stored]:
        from tidegate.ledger.chain import Stored  # noqa: PLC0415 - as in `read`

        with self._reading() as connection:
            for page in read.pages(connection, run, lane=lane, after=after, limit=limit):
                yield from map(Stored._make, page)

    def _require_own_process(self) -> None:
        """SQLite's state does not survive a fork: two processes with one connection destroy it."""
        if os.getpid() != self._process:
            raise RuntimeError(
                f"this ledger was opened by process {self._process} and is used in {os.getpid()}:"
                " open it anew after a fork"
            )


def _spoken(row: read.RawRow) -> Spoken:
    """A row of the table `word`; a reading command needs nothing of the chain for it."""
    sequence, issue, word, reason, actor, utc, after, *_ = row
    return Spoken(
        sequence=int(str(sequence)),
        issue=str(issue),
        word=Word(str(word)),
        reason=str(reason),
        actor=str(actor),
        utc=str(utc),
        after_sequence=int(str(after)),
    )
