"""One batch on its way into the tables: the order of checks and writes that all backends share."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, assert_never

from tidegate.core.attempt import may_succeed
from tidegate.core.errors import IllegalTransition, Refused, VersionConflict
from tidegate.core.events import Entry, Recorded, Requested
from tidegate.core.lease import (
    Acquire,
    LeaseOperation,
    Release,
    Renew,
    acquire,
    release,
    renew,
    require_granted,
)
from tidegate.ledger.chain import Sealed, Unsealed, seal
from tidegate.ledger.projection import project
from tidegate.ledger.tables import Standing, Tables
from tidegate.ledger.writes import Insert, Write


class Draft(NamedTuple):
    """An entry that was admitted, masked and encoded before anything was locked."""

    entry: Entry
    kind: str
    body: str


class Recording:
    """Records drafts under lease operations. What it raises must undo all that was written.

    Lease operations come first, in their order, save that an entry which still carries the epoch
    before an operation is recorded before it: a tick may end one turn and open the next.
    """

    __slots__ = ("_run", "_standings", "_tables", "_versions", "_waiting")

    def __init__(
        self,
        tables: Tables,
        run: str,
        waiting: dict[str, list[LeaseOperation]],
        versions: dict[str, int],
    ) -> None:
        """`versions` are those of lanes that are known already."""
        self._tables = tables
        self._run = run
        self._waiting = waiting
        self._versions = versions
        self._standings: dict[str, Standing] = {}
        """Of attempts of which nothing was written since they were read."""

    def record(self, drafts: Sequence[Draft], sequence: int, previous: str) -> Sequence[Recorded]:
        """Record the drafts after the event of that hash, numbered on from `sequence`."""
        self._look_ahead(drafts)
        rows: list[Sealed] = []
        recorded: list[Recorded] = []
        for entry, kind, body in drafts:
            sequence += 1
            self._change_rows(sequence, entry)
            unsealed = _row(self._run, sequence, entry, kind, body, previous)
            digest = seal(unsealed)
            rows.append((*unsealed, digest))
            recorded.append(
                Recorded(
                    run=self._run,
                    sequence=sequence,
                    entry=entry,
                    previous_hash=previous,
                    hash=digest,
                )
            )
            previous = digest
        for attempt in list(self._waiting):
            self._operate(attempt, None)
        if rows:
            self._tables.append(rows)
        return recorded

    def _look_ahead(self, drafts: Sequence[Draft]) -> None:
        """Read at once what is asked of each lane and lease: a recovery changes a thousand."""
        if len(drafts) > 1:
            lanes = dict.fromkeys(draft.entry.lane for draft in drafts)
            unknown = [lane for lane in lanes if lane not in self._versions]
            self._versions.update(self._tables.versions(self._run, unknown))
        if len(self._waiting) > 1:
            self._standings.update(self._tables.standings(self._run, list(self._waiting)))

    def _change_rows(self, sequence: int, entry: Entry) -> None:
        self._count(entry)
        if entry.attempt in self._waiting:
            self._operate(entry.attempt, entry.epoch)
        if entry.attempt in self._standings:
            del self._standings[entry.attempt]
        if isinstance(entry.event, Requested) and entry.event.supersedes is not None:
            self._require_predecessor(entry.event, entry.event.supersedes)
        for write in project(self._run, sequence, entry):
            if not self._tables.apply(write, entry.epoch):
                raise self._refusal(write, entry)

    def _count(self, entry: Entry) -> None:
        """The lane's next version, or somebody else wrote first."""
        lane = entry.lane
        count = self._versions[lane]
        if entry.version != count + 1:
            raise VersionConflict(
                f"lane {lane!r} of run {self._run} is at version {count}: there is no place for"
                f" version {entry.version}",
                hint="read the lane again and decide anew",
            )
        self._versions[lane] = entry.version

    def _operate(self, attempt: str, epoch: int | None) -> None:
        """Apply the attempt's operations that lead to no later epoch than this; None: all."""
        waiting = self._waiting[attempt]
        while waiting and (epoch is None or _epoch_after(waiting[0]) <= epoch):
            self._apply(waiting.pop(0))
        if not waiting:
            del self._waiting[attempt]

    def _apply(self, operation: LeaseOperation) -> None:
        attempt = operation.attempt_id
        standing = self._standings.pop(attempt, None) or self._tables.standing(self._run, attempt)
        if standing is None:
            raise Refused(f"there is no attempt {attempt} in run {self._run}")
        match operation:
            case Acquire():
                self._tables.put_lease(acquire(standing.lease, operation, standing.state))
            case Renew():
                self._tables.put_lease(renew(standing.lease, operation, standing.state))
                if not self._tables.put_beat(operation):
                    raise Refused(
                        f"beat {operation.beat_sequence} of {operation.attempt_id} was counted"
                        " before: a lease is renewed only by a new beat"
                    )
            case Release():
                self._tables.put_lease(release(standing.lease, operation))
            case _:
                assert_never(operation)

    def _require_predecessor(self, event: Requested, supersedes: str) -> None:
        if supersedes in self._waiting:
            self._operate(supersedes, None)
        old = self._tables.standing(self._run, supersedes)
        if old is None or not may_succeed(old.state, event.born):
            where = old.state if old else "not there"
            raise IllegalTransition(
                f"{event.attempt} cannot be {event.born} in place of {supersedes}: it is {where}"
            )
        if old.lease.token is not None:
            raise IllegalTransition(
                f"{event.attempt} cannot take the place of {supersedes}: it holds its lease still",
                hint="whoever held it may be at work: it is given back or fenced first",
            )

    def _refusal(self, write: Write, entry: Entry) -> Refused:
        """Why a write met no row; StaleEpoch is raised at once."""
        table = write.statement.table
        if isinstance(write.statement, Insert):
            return IllegalTransition(f"{table} has this row already: {write.values[:3]}")
        if table != "attempt_fold" or entry.attempt is None:
            return IllegalTransition(f"{table} has no such row: {_keys(write)}")
        return _attempt_refusal(self._tables.standing(self._run, entry.attempt), entry)


def _attempt_refusal(standing: Standing | None, entry: Entry) -> Refused:
    """Why the attempt's row was not changed. Raises StaleEpoch where that is it."""
    if standing is None:
        return IllegalTransition(f"there is no attempt {entry.attempt} in lane {entry.lane!r}")
    require_granted(standing.lease, entry.epoch)
    if entry.previous is not None and standing.state is not entry.previous:
        return IllegalTransition(
            f"{entry.attempt} is {standing.state}, not {entry.previous}",
            hint="read the lane again and decide anew",
        )
    return IllegalTransition(
        f"{entry.attempt} of lane {entry.lane!r} is {standing.state}: nothing of it changes"
    )


def _keys(write: Write) -> Mapping[str, object]:
    keys = () if isinstance(write.statement, Insert) else write.statement.keys
    return dict(zip(keys, write.values[-len(keys) :], strict=True))


def _epoch_after(operation: LeaseOperation) -> int:
    match operation:
        case Acquire(previous_epoch=epoch):
            return epoch + 1
        case Renew(epoch=epoch):
            return epoch
        case Release(epoch=epoch, fence=fence):
            return epoch + int(fence)
        case _:
            assert_never(operation)


def _row(
    run: str, sequence: int, entry: Entry, kind: str, body: str, previous_hash: str
) -> Unsealed:
    previous, following = entry.previous, entry.next
    return (
        sequence,
        run,
        entry.lane,
        entry.version,
        entry.attempt,
        entry.epoch,
        kind,
        body,
        entry.actor,
        None if previous is None else str(previous),
        None if following is None else str(following),
        entry.reason,
        entry.utc,
        previous_hash,
    )
