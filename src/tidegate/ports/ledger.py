"""What the rest of the program may ask of a ledger: append, read, and a few derived rows.

A ledger decides nothing. It makes a batch durable or refuses it whole, and it checks what no
caller can be trusted to: the controller's epoch, the lane's version, the expected state, and the
lease's epoch as granted, all in the transaction that writes. Time is always a parameter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from tidegate.core.records import record

if TYPE_CHECKING:  # the events are a quarter of what `status` takes, and it needs none of them
    from tidegate.core.events import Entry, Recorded, RunStarted
    from tidegate.core.lease import Lease, LeaseOperation
    from tidegate.core.word import Spoken, Word


@record
class Fence:
    """A controller's right to write to one run: it holds while no later one has taken over."""

    run: str
    controller_epoch: int


@record
class Batch:
    """What one tick decided: recorded together or not at all, lease operations first."""

    entries: tuple[Entry, ...] = ()
    leases: tuple[LeaseOperation, ...] = ()


@record
class Head:
    """The end of a run's chain: written into each landing, since no chain shows its own cut."""

    sequence: int
    hash: str


@record
class WriteAhead:
    """The log that a ledger writes before its file, and who keeps it from being cut just now.

    `readers` are processes in words, the one that is up longest first.
    """

    size_bytes: int = 0
    readers: tuple[str, ...] = ()

    @property
    def is_alarming(self) -> bool:
        """Far beyond what it is cut at: somebody has been reading without an end."""
        return self.size_bytes > WRITE_AHEAD_ALARM_BYTES


WRITE_AHEAD_ALARM_BYTES = 64_000_000

Row = Mapping[str, object]


@record
class Summary:
    """A run at a glance.

    A line of `open_lanes` is a lane's row with its newest attempt's, and `fails`, those that count.
    """

    outcomes: Mapping[str, int]
    attempts: Mapping[str, int]
    open_lanes: Sequence[Row]


class Ledger(Protocol):
    """One append-only record with the rows derived from it."""

    def create_run(self, run: str, started: RunStarted, *, actor: str, utc: str) -> None:
        """Open a run with its first event. Refused where the id is taken."""
        ...

    def take_over(self, run: str, *, holder: str, utc: str) -> Fence:
        """Raise the run's controller epoch by one. All earlier fences are dead from here on."""
        ...

    def commit(self, fence: Fence, batch: Batch) -> Sequence[Recorded]:
        """Make a batch durable in one transaction and return it as recorded.

        Raises StaleEpoch (controller or lease), VersionConflict (lane version), IllegalTransition
        (not in the table, or the attempt is in another state), Unavailable (disk full, locked).
        Nothing of a refused batch stays.
        """
        ...

    def read(
        self, run: str, *, lane: str | None = None, after: int = 0, limit: int | None = None
    ) -> Iterator[Recorded]:
        """The run's events in order of sequence, or those of one lane; `after` is a sequence."""
        ...

    def head(self, run: str) -> Head:
        """The end of the run's chain."""
        ...

    def lease(self, run: str, attempt: str) -> Lease:
        """The attempt's lease; epoch 0 where none was ever granted."""
        ...

    def runs(self) -> Sequence[Row]:
        """All runs, newest last: run_id, playbook, target, ref, base, started_at, ended_at."""
        ...

    def rows(self, table: str, run: str, *, lane: str | None = None) -> Sequence[Row]:
        """The rows of one run in a table of the projection: attempt, turn, lane, finding ….

        The tables and their columns are those of the ledger's first migration.
        """
        ...

    def summary(self, run: str) -> Summary:
        """What `status` shows, without reading the rows of lanes and attempts that are over."""
        ...

    def lane_line(self, run: str, lane: str) -> Row | None:
        """One lane's row joined with its newest attempt's, None where there is no such lane."""
        ...

    def outcomes(self) -> Mapping[str, tuple[str, str]]:
        """Issue to (run, outcome) over all runs; the newest outcome wins."""
        ...

    def standing_outcomes(self) -> Mapping[str, tuple[str, str]]:
        """The same, without those that are older than the owner's last `open` on the issue."""
        ...

    def unknown_receipts(self) -> Sequence[Row]:
        """The receipts of all runs that ended as nobody knows how, and were not reconciled."""
        ...

    def speak(self, issue: str, word: Word, *, reason: str, actor: str, utc: str) -> Spoken:
        """Record a standing word of the owner's, its reason masked. It is of no run."""
        ...

    def words(self) -> Sequence[Spoken]:
        """All that the owner ever said, oldest first."""
        ...

    def put_text(self, text: str) -> str:
        """Store a text beside the ledger, secrets masked; the sha256 of what is stored."""
        ...

    def text(self, digest: str) -> str:
        """A stored text. Raises IntegrityError where it is gone or is not what its name says."""
        ...

    def write_ahead(self) -> WriteAhead:
        """How long its log is, and who is reading."""
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...
