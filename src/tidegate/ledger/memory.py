"""A ledger in memory, with the very rules of the others: for simulated worlds and for folding.

It undoes a refused batch as a database does, and forgets everything at the end. It must never know
a rule that the other backends do not have.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from tidegate.core.digest import sha256_hex
from tidegate.core.errors import IntegrityError, Misused, Refused
from tidegate.core.events import Recorded, RunStarted
from tidegate.core.lease import Lease
from tidegate.core.values import DEFER, Role
from tidegate.core.word import Spoken, Word
from tidegate.ledger import append
from tidegate.ledger.blobs import content_of, require_digest, text_of
from tidegate.ledger.chain import Stored
from tidegate.ledger.codec import recorded
from tidegate.ledger.masking import mask
from tidegate.ledger.memory_tables import MemoryTables, line_columns, shown_attempt
from tidegate.ledger.projection import project
from tidegate.ledger.read import TABLES, current_lines
from tidegate.ledger.words import StoredWord, speak, spoken
from tidegate.ports.ledger import Batch, Fence, Head, Row, Summary, WriteAhead


class MemoryLedger:
    """One process's ledger."""

    def __init__(self) -> None:
        self._tables = MemoryTables()
        self._texts: dict[str, bytes] = {}

    @classmethod
    def folded(cls, events: Sequence[Recorded]) -> "MemoryLedger":
        """The rows that recorded events add up to; leases and heartbeats are no part of them."""
        ledger = cls()
        for each in events:
            for write in project(each.run, each.sequence, each.entry):
                if not ledger._tables.apply(write, None):
                    raise IntegrityError(
                        f"event {each.sequence} of run {each.run} does not follow from those before"
                    )
        return ledger

    # --- writing ----------------------------------------------------------------------------

    def create_run(self, run: str, started: RunStarted, *, actor: str, utc: str) -> None:
        """Open a run with its first event."""
        with self._transaction() as tables:
            append.create_run(tables, run, started, actor=actor, utc=utc)

    def take_over(self, run: str, *, holder: str, utc: str) -> Fence:
        """Raise the run's controller epoch by one."""
        with self._transaction() as tables:
            return append.take_over(tables, run, holder=holder, utc=utc)

    def commit(self, fence: Fence, batch: Batch) -> Sequence[Recorded]:
        """Record a batch, or nothing of it."""
        drafts = append.drafts_of(batch)
        with self._transaction() as tables:
            return append.commit(tables, fence, drafts, batch.leases)

    def speak(self, issue: str, word: Word, *, reason: str, actor: str, utc: str) -> Spoken:
        """Record a standing word of the owner's."""
        with self._transaction() as tables:
            return speak(tables, issue, word, reason=reason, actor=actor, utc=utc)

    def put_text(self, text: str) -> str:
        """Keep a text, masked."""
        content = content_of(mask(text))
        digest = sha256_hex(content)
        self._texts.setdefault(digest, content)
        return digest

    @contextmanager
    def _transaction(self) -> Iterator[MemoryTables]:
        self._tables.begin()
        try:
            yield self._tables
        except BaseException:
            self._tables.undo()
            raise

    # --- reading ----------------------------------------------------------------------------

    def read(
        self, run: str, *, lane: str | None = None, after: int = 0, limit: int | None = None
    ) -> Iterator[Recorded]:
        """The run's events in order of sequence, or those of one lane."""
        found = 0
        for row in self._tables.events(run):
            if found == limit:
                return
            if row.sequence > after and lane in (None, row.lane):
                found += 1
                yield recorded(row)

    def stored(self, run: str) -> Iterator[Stored]:
        """The run's events as they are kept."""
        return iter(self._tables.events(run))

    def head(self, run: str) -> Head:
        """The end of the run's chain."""
        events = self._tables.events(run)
        if not events:
            raise Refused(f"there is no run {run} in this ledger")
        return Head(sequence=events[-1].sequence, hash=events[-1].hash)

    def lease(self, run: str, attempt: str) -> Lease:
        """The attempt's lease."""
        return self._tables.lease(run, attempt)

    def runs(self) -> Sequence[Row]:
        """All runs, newest last."""
        return self._tables.rows("run")

    def rows(self, table: str, run: str, *, lane: str | None = None) -> Sequence[Row]:
        """The projection's rows of one run."""
        if table not in TABLES:
            raise Misused(f"the ledger shows no table {table!r}", hint=f"one of {TABLES}")
        found = self._tables.rows("attempt_fold" if table == "attempt" else table)
        chosen = [row for row in found if row["run_id"] == run and lane in (None, row.get("lane"))]
        if table == "finding":
            return [row for row in chosen if not self._is_of_judge(row)]
        if table != "attempt":
            return chosen
        return [shown_attempt(row, self._lease_of(row)) for row in chosen]

    def outcomes(self) -> Mapping[str, tuple[str, str]]:
        """Issue to (run, outcome) over all runs; the newest outcome wins."""
        ended = [row for row in self._tables.rows("lane") if row["outcome"] is not None]
        ended.sort(key=_ended_sequence)
        return {str(row["issue"]): (str(row["run_id"]), str(row["outcome"])) for row in ended}

    def standing_outcomes(self) -> Mapping[str, tuple[str, str]]:
        """The same, without those that an `open` of the owner's came after."""
        opened = {w.issue: w.after_sequence for w in self.words() if w.word is Word.OPEN}
        ended = [
            row
            for row in self._tables.rows("lane")
            if row["outcome"] is not None
            and _ended_sequence(row) > opened.get(str(row["issue"]), 0)
        ]
        ended.sort(key=_ended_sequence)
        return {str(row["issue"]): (str(row["run_id"]), str(row["outcome"])) for row in ended}

    def unknown_receipts(self) -> Sequence[Row]:
        """The receipts of all runs whose outcome is unknown, oldest first."""
        return [
            row
            for row in self._tables.rows("receipt")
            if row["outcome"] == "unknown" and row["settled_at"] and row["reconciled"] is None
        ]

    def words(self) -> Sequence[Spoken]:
        """The owner's words, oldest first."""
        return [spoken(row) for row in self.stored_words()]

    def stored_words(self) -> Sequence[StoredWord]:
        """The owner's words as they are kept."""
        return [StoredWord._make(row) for row in self._tables.words()]

    def summary(self, run: str) -> Summary:
        """What one look at a run shows."""
        lanes = self.rows("lane", run)
        ended = [str(row["outcome"]) for row in lanes if row["outcome"] is not None]
        attempts = [str(row["state"]) for row in self.rows("attempt", run)]
        still_open = [str(row["lane"]) for row in lanes if row["outcome"] is None]
        lines = [self.lane_line(run, lane) for lane in still_open]
        return Summary(
            outcomes={key: ended.count(key) for key in sorted(set(ended))},
            attempts={key: attempts.count(key) for key in sorted(set(attempts))},
            open_lanes=tuple(line for line in lines if line is not None),
        )

    def lane_line(self, run: str, lane: str) -> Row | None:
        """One lane's row with its current attempt's; None where there is no such lane."""
        found = next(iter(self.rows("lane", run, lane=lane)), None)
        if found is None:
            return None
        attempts = self.rows("attempt", run, lane=lane)
        fails = sum(row["counts"] == 1 for row in self.rows("finding", run, lane=lane))
        asked = self.rows("question", run, lane=lane)
        is_waiting = any(row["answer"] in (None, DEFER) for row in asked)
        told = {**found, "fails": fails, "is_waiting_for_owner": int(is_waiting)}
        lines = [{**told, **line_columns(row)} for row in attempts or [{}]]
        return current_lines(lines)[0]

    def text(self, digest: str) -> str:
        """A kept text."""
        require_digest(digest)
        content = self._texts.get(digest)
        if content is None:
            raise IntegrityError(f"the text {digest} is gone")
        return text_of(digest, content, where=digest)

    def write_ahead(self) -> WriteAhead:
        """It writes nothing ahead."""
        return WriteAhead()

    def close(self) -> None:
        """Nothing is held."""

    def _is_of_judge(self, row: Row) -> bool:
        judged = (row["run_id"], row["attempt_id"])
        return any(
            (attempt["run_id"], attempt["attempt_id"]) == judged and attempt["role"] != Role.BUILD
            for attempt in self._tables.rows("attempt_fold")
        )

    def _lease_of(self, row: Row) -> Lease | None:
        return self._tables.lease_or_none(str(row["run_id"]), str(row["attempt_id"]))


def _ended_sequence(row: Row) -> int:
    return int(str(row["ended_sequence"]))
