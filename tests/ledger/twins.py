"""Two ledgers that are told the same, in SQLite and in memory, and must answer the same."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from tidegate.core.errors import StaleEpoch, TidegateError
from tidegate.core.events import Recorded
from tidegate.ledger import append
from tidegate.ledger.chain import verify_chain
from tidegate.ledger.memory import MemoryLedger
from tidegate.ledger.read import TABLES
from tidegate.ledger.sqlite import SqliteLedger
from tidegate.ledger.tables import Tables
from tidegate.ports.ledger import Batch, Fence, Ledger

LEASED = ("owner", "lease_token", "lease_epoch", "lease_expiry_utc")
"""What an attempt shows of its lease, which is no part of the fold."""
SIDES = ("ledger.db", "ledger.db-wal")
"""What is on the disk when a process is killed; the index beside them is made anew."""


_MEMORY = Path("/dev/shm")
"""A kill loses nothing that was written, synced or not: a disk would only make it slow."""


class Interrupted(Exception):
    """A writer ends in the middle of its transaction."""


class Twins:
    """Both ledgers, and the folders that crashes left behind."""

    def __init__(self) -> None:
        self._root = Path(
            tempfile.mkdtemp(prefix="twins-", dir=_MEMORY if _MEMORY.is_dir() else None)
        )
        self._lives = 0
        self.sqlite = SqliteLedger.open(self._root / "0")
        self.memory = MemoryLedger()
        self.texts: set[str] = set()

    # --- what is done to both ---------------------------------------------------------------

    def tell(self, act: Callable[[Ledger], object]) -> object:
        """Do it to both: the answer of both, or the refusal."""
        one, two = _answer(act, self.sqlite), _answer(act, self.memory)
        assert one == two
        return one

    def put_text(self, text: str) -> None:
        """Store a text in both."""
        digest = self.tell(lambda ledger: ledger.put_text(text))
        assert isinstance(digest, str)
        self.texts.add(digest)

    # --- what is done to the one in a file --------------------------------------------------

    def reopen(self) -> None:
        """Close it in order and open it again."""
        folder = self._folder
        self.sqlite.close()
        self.sqlite = SqliteLedger.open(folder)

    def crash(self) -> None:
        """Go on with what is on the disk now, as if its process were killed here."""
        old, found = self.sqlite, self._on_disk()
        self.sqlite = SqliteLedger.open(found)
        old.close()

    def crash_within(self, fence: Fence, batch: Batch) -> bool:
        """Be killed when all of a commit was done but its end; False where it is refused."""
        found: list[Path] = []

        def work(tables: Tables) -> None:
            append.commit(tables, fence, append.drafts_of(batch), batch.leases)
            found.append(self._on_disk())
            raise Interrupted

        with suppress(Interrupted, TidegateError):
            self.sqlite._writing()._transact(work)
        if found:
            old, self.sqlite = self.sqlite, SqliteLedger.open(found[0])
            old.close()
        return bool(found)

    def _on_disk(self) -> Path:
        """The files as they are, in another folder: locks and what is unwritten stay behind."""
        old = self._folder
        self._lives += 1
        new = self._folder
        new.mkdir()
        for side in SIDES:
            if (old / side).exists():
                shutil.copyfile(old / side, new / side)
        if (old / "blobs").exists():
            shutil.copytree(old / "blobs", new / "blobs")
        return new

    @property
    def _folder(self) -> Path:
        return self._root / str(self._lives)

    # --- what both must show ----------------------------------------------------------------

    def compare(self) -> None:
        """Everything that can be read of both, and that it follows from the events."""
        runs = [str(row["run_id"]) for row in self.memory.runs()]
        for question in (*_of_all(), *(each for run in runs for each in _of_run(run))):
            assert question(self.sqlite) == question(self.memory)
        for run in runs:
            events = list(self.sqlite.read(run))
            self._compare_lanes(run, events)
            assert verify_chain(self.sqlite, run) is None
            assert derived(MemoryLedger.folded(events), run) == derived(self.sqlite, run)
        for digest in self.texts:
            assert self.sqlite.text(digest) == self.memory.text(digest)

    def _compare_lanes(self, run: str, events: list[Recorded]) -> None:
        for lane in {each.entry.lane for each in events}:
            assert self.sqlite.lane_line(run, lane) == self.memory.lane_line(run, lane)
            assert list(self.sqlite.read(run, lane=lane)) == list(self.memory.read(run, lane=lane))
        for attempt in {each.entry.attempt for each in events if each.entry.attempt}:
            assert self.sqlite.lease(run, attempt) == self.memory.lease(run, attempt)

    def close(self) -> None:
        """Leave nothing behind."""
        self.sqlite.close()
        shutil.rmtree(self._root)


_Question = Callable[[SqliteLedger | MemoryLedger], object]


def _of_all() -> Iterator[_Question]:
    yield lambda ledger: list(ledger.runs())
    yield lambda ledger: ledger.outcomes()
    yield lambda ledger: ledger.standing_outcomes()
    yield lambda ledger: list(ledger.stored_words())


def _of_run(run: str) -> Iterator[_Question]:
    yield lambda ledger: list(ledger.read(run))
    yield lambda ledger: list(ledger.stored(run))
    yield lambda ledger: ledger.head(run)
    yield lambda ledger: ledger.summary(run)
    for table in TABLES:
        yield lambda ledger, table=table: list(ledger.rows(table, run))  # type: ignore[misc]  # the loop's own value, bound at once


def derived(ledger: Ledger, run: str) -> list[object]:
    """The rows that follow from events alone; a take-over is known only once it is recorded."""
    tables = [table for table in TABLES if table != "heartbeat"]
    return [
        [
            {name: value for name, value in row.items() if name not in LEASED}
            for row in ledger.rows(table, run)
        ]
        for table in tables
    ]


def _answer(act: Callable[[Ledger], object], ledger: Ledger) -> object:
    try:
        return act(ledger)
    except StaleEpoch as refused:
        return StaleEpoch, str(refused), refused.attempt, refused.epoch, refused.granted
    except TidegateError as refused:
        return type(refused), str(refused)
