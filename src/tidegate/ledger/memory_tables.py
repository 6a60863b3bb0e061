"""Rows in dictionaries: what a database does with the projection's writes, and how to undo it."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from tidegate.core.attempt import TERMINAL, State
from tidegate.core.lease import Lease, Renew, admits
from tidegate.ledger.chain import GENESIS, Sealed, Stored
from tidegate.ledger.schema import ATTEMPT, COLUMNS, KEYS
from tidegate.ledger.tables import RunEnd, Standing
from tidegate.ledger.writes import Insert, Update, Write
from tidegate.ports.ledger import Row

_Row = dict[str, object]
_Key = tuple[object, ...]


class MemoryTables:
    """Rows by key, in the order in which they were added."""

    def __init__(self) -> None:
        self._rows: dict[str, dict[_Key, _Row]] = {table: {} for table in COLUMNS}
        self._events: dict[str, list[Stored]] = {}
        self._versions: dict[tuple[str, str], int] = {}
        self._leases: dict[tuple[str, str], Lease] = {}
        self._sequence = 0
        self._words: list[tuple[object, ...]] = []
        self._undo: list[Callable[[], object]] = []

    # --- transactions -----------------------------------------------------------------------

    def begin(self) -> None:
        """What is done from here on can be undone."""
        self._undo.clear()

    def undo(self) -> None:
        """Undo it, the newest first."""
        while self._undo:
            self._undo.pop()()

    # --- as `Tables` ------------------------------------------------------------------------

    def run_end(self, run: str, lane: str) -> tuple[RunEnd | None, int]:
        """Where the run stands, if there is one, and the newest sequence of the whole ledger."""
        row = self._rows["run"].get((run,))
        if row is None:
            return None, self._sequence
        epoch, digest = int(str(row["controller_epoch"])), self._events[run][-1].hash
        return RunEnd(epoch, digest, self.version(run, lane)), self._sequence

    def raise_controller_epoch(self, run: str, *, holder: str, utc: str) -> None:
        """Add one to it, and say who did."""
        row = self._rows["run"][run,]
        epoch = int(str(row["controller_epoch"])) + 1
        self._change(
            row, {"controller_epoch": epoch, "controller": holder, "controller_since": utc}
        )

    def version(self, run: str, lane: str) -> int:
        """How many events the lane has."""
        return self._versions.get((run, lane), 0)

    def versions(self, run: str, lanes: Sequence[str]) -> Mapping[str, int]:
        """How many events each of the lanes has."""
        return {lane: self.version(run, lane) for lane in lanes}

    def standing(self, run: str, attempt: str) -> Standing | None:
        """Where an attempt stands; None where there is none."""
        row = self._rows["attempt_fold"].get((run, attempt))
        return None if row is None else Standing(State(str(row["state"])), self.lease(run, attempt))

    def standings(self, run: str, attempts: Sequence[str]) -> Mapping[str, Standing]:
        """Where each of the attempts stands that there are."""
        found = ((attempt, self.standing(run, attempt)) for attempt in attempts)
        return {attempt: standing for attempt, standing in found if standing is not None}

    def append(self, rows: Sequence[Sealed]) -> None:
        """Add events."""
        for row in map(Stored._make, rows):
            events, lane = self._events.setdefault(row.run_id, []), (row.run_id, row.lane)
            previous = self._sequence, self._versions.get(lane, 0)
            events.append(row)
            self._sequence, self._versions[lane] = row.sequence, row.version
            self._undo.append(partial(self._remove, events, lane, previous))

    def words_end(self) -> tuple[int, str, int]:
        """The last word's sequence and hash, and the newest event's sequence."""
        if not self._words:
            return 0, GENESIS, self._sequence
        return len(self._words), str(self._words[-1][-1]), self._sequence

    def append_word(self, row: tuple[object, ...]) -> None:
        """Add a word of the owner's."""
        self._words.append(row)
        self._undo.append(self._words.pop)

    def words(self) -> Sequence[tuple[object, ...]]:
        """The owner's words, oldest first."""
        return self._words

    def apply(self, write: Write, epoch: int | None) -> bool:
        """Whether the write met exactly one row; without an epoch no lease is asked."""
        statement, values = write
        if isinstance(statement, Insert):
            return self._insert(statement.table, dict(zip(statement.columns, values, strict=True)))
        row = self._found(statement, values, epoch)
        if row is None:
            return False
        self._change(row, dict(zip(statement.changes, values, strict=False)))
        return True

    def put_lease(self, lease: Lease) -> None:
        """Set the attempt's lease."""
        key = (lease.run_id, lease.attempt_id)
        old = self._leases.get(key)
        self._leases[key] = lease
        self._undo.append(lambda: self._restore(key, old))

    def put_beat(self, beat: Renew) -> bool:
        """Append a heartbeat with the attempt's state; False where it was counted before."""
        attempt = self._rows["attempt_fold"][beat.run_id, beat.attempt_id]
        row = {
            "run_id": beat.run_id,
            "attempt_id": beat.attempt_id,
            "epoch": beat.epoch,
            "beat_sequence": beat.beat_sequence,
            "lane": attempt["lane"],
            "beat_monotonic_s": beat.beat_monotonic_s,
            "last_completed_unit": beat.last_completed_unit,
            "state": attempt["state"],
            "controller_version": beat.controller_version,
            "utc": beat.now_utc,
        }
        return self._insert("heartbeat", row)

    # --- what the ledger reads --------------------------------------------------------------

    def events(self, run: str) -> Sequence[Stored]:
        """The run's events, oldest first."""
        return self._events.get(run, [])

    def rows(self, table: str) -> list[Row]:
        """Copies of all rows of a table."""
        return [dict(row) for row in self._rows[table].values()]

    def lease(self, run: str, attempt: str) -> Lease:
        """The attempt's lease; epoch 0 where none was ever granted."""
        return self._leases.get((run, attempt)) or Lease(run_id=run, attempt_id=attempt)

    def lease_or_none(self, run: str, attempt: str) -> Lease | None:
        """The attempt's lease; None where none was ever granted."""
        return self._leases.get((run, attempt))

    # --- rows -------------------------------------------------------------------------------

    def _insert(self, table: str, values: _Row) -> bool:
        row = {**dict.fromkeys(COLUMNS[table]), **values}
        key = tuple(row[name] for name in KEYS[table])
        rows = self._rows[table]
        if key in rows:
            return False
        rows[key] = row
        self._undo.append(lambda: rows.pop(key))
        return True

    def _found(self, statement: Update, values: Sequence[object], epoch: int | None) -> _Row | None:
        """The row that meets the update's conditions. Its key is among them."""
        wanted = dict(zip(statement.keys, values[len(statement.changes) :], strict=True))
        row = self._rows[statement.table].get(tuple(wanted[k] for k in KEYS[statement.table]))
        if row is None or any(row[name] != value for name, value in wanted.items()):
            return None
        if statement.is_live and State(str(row["state"])) in TERMINAL:
            return None
        if statement.is_fenced and epoch is not None:
            lease = self.lease(str(row["run_id"]), str(row["attempt_id"]))
            return row if admits(lease, epoch) else None
        return row

    def _change(self, row: _Row, changes: _Row) -> None:
        old = {name: row[name] for name in changes}
        row.update(changes)
        self._undo.append(lambda: row.update(old))

    def _remove(
        self, events: list[Stored], lane: tuple[str, str], previous: tuple[int, int]
    ) -> None:
        events.pop()
        self._sequence, self._versions[lane] = previous

    def _restore(self, key: tuple[str, str], lease: Lease | None) -> None:
        if lease is None:
            del self._leases[key]
        else:
            self._leases[key] = lease


def shown_attempt(row: Row, lease: Lease | None) -> Row:
    """An attempt as readers see it: seed 002's columns, and no token."""
    leased = {
        "owner": lease.owner if lease else None,
        "lease_token": "[held]" if lease and lease.token is not None else None,
        "lease_epoch": lease.epoch if lease else 0,
        "lease_expiry_utc": lease.expiry_utc if lease else None,
    }
    full = {**row, **leased}
    shown = {name: full[name] for name in ATTEMPT}
    return {**shown, **{name: row[name] for name in ("lane", "requested_at", "last_event_at")}}


def line_columns(attempt: Row) -> Row:
    """What a lane's line shows of an attempt as readers see it; an empty one shows nothing."""
    names = ("attempt_id", "actor_id", "role", "state", "authorization_status", "last_event_at")
    expiry = attempt.get("lease_expiry_utc")
    return {
        **{name: attempt.get(name) for name in names},
        "attempt_reason": attempt.get("reason"),
        "lease_epoch": None if expiry is None else attempt["lease_epoch"],
        "lease_expiry_utc": expiry,
    }
