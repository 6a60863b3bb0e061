"""How a batch is recorded, whatever the backend.

A backend hands in its rows as `Tables`, inside a transaction that only one writer can have, and
undoes all of it when something is raised. This file knows no SQL.
"""

from collections.abc import Sequence
from dataclasses import replace

from tidegate.core.errors import Refused, StaleEpoch
from tidegate.core.events import NAMES, ControllerTookOver, Entry, Recorded, RunStarted
from tidegate.core.lease import LeaseOperation
from tidegate.ledger.admission import admit
from tidegate.ledger.chain import GENESIS
from tidegate.ledger.codec import encode
from tidegate.ledger.masking import mask, mask_event
from tidegate.ledger.recording import Draft, Recording
from tidegate.ledger.tables import RunEnd, Tables
from tidegate.ports.ledger import Batch, Fence


def draft(entry: Entry) -> Draft:
    """Check what can be checked without rows. Raises IllegalTransition."""
    admit(entry)
    return _draft(entry)


def _draft(entry: Entry) -> Draft:
    event = mask_event(entry.event)
    reason = mask(entry.reason) if entry.reason else ""
    if event is not entry.event or reason != entry.reason:
        entry = replace(entry, event=event, reason=reason)
    return Draft(entry, NAMES[type(event)], encode(event))


def create_run(
    tables: Tables, run: str, started: RunStarted, *, actor: str, utc: str
) -> Sequence[Recorded]:
    """Record the first event of a run."""
    end, sequence = tables.run_end(run, "")
    if end is not None:
        raise Refused(f"there is a run {run} already", hint="take another id")
    entry = Entry(
        lane="",
        version=1,
        attempt=None,
        epoch=0,
        event=started,
        actor=actor,
        previous=None,
        next=None,
        reason="",
        utc=utc,
    )
    return Recording(tables, run, {}, {"": 0}).record((_draft(entry),), sequence, GENESIS)


def take_over(tables: Tables, run: str, *, holder: str, utc: str) -> Fence:
    """Raise the controller epoch of a run."""
    end, _ = _require_run(tables, run, "")
    tables.raise_controller_epoch(run, holder=holder, utc=utc)
    return Fence(run=run, controller_epoch=end.controller_epoch + 1)


def commit(
    tables: Tables, fence: Fence, drafts: Sequence[Draft], leases: Sequence[LeaseOperation]
) -> Sequence[Recorded]:
    """Record a batch under a controller's fence."""
    lane = drafts[0].entry.lane if drafts else ""
    (epoch, digest, version), sequence = _require_run(tables, fence.run, lane)
    if epoch != fence.controller_epoch:
        raise StaleEpoch(
            f"the controller of run {fence.run} is at epoch {epoch}, not {fence.controller_epoch}",
            hint="another controller has taken over: this one must end",
            attempt=None,
            epoch=fence.controller_epoch,
            granted=epoch,
        )
    for each in drafts:
        event = each.entry.event
        if isinstance(event, ControllerTookOver) and event.controller_epoch != epoch:
            raise StaleEpoch(
                f"run {fence.run} was taken over under epoch {epoch}",
                attempt=None,
                epoch=event.controller_epoch,
                granted=epoch,
            )
    waiting = _by_attempt(fence.run, leases) if leases else {}
    recording = Recording(tables, fence.run, waiting, {lane: version})
    return recording.record(drafts, sequence, digest)


def drafts_of(batch: Batch) -> tuple[Draft, ...]:
    """The entries of a batch, each checked by itself. Called before anything is locked."""
    return tuple(map(draft, batch.entries))


def _require_run(tables: Tables, run: str, lane: str) -> tuple[RunEnd, int]:
    end, sequence = tables.run_end(run, lane)
    if end is None:
        raise Refused(f"there is no run {run} in this ledger")
    return end, sequence


def _by_attempt(run: str, leases: Sequence[LeaseOperation]) -> dict[str, list[LeaseOperation]]:
    waiting: dict[str, list[LeaseOperation]] = {}
    for operation in leases:
        if operation.run_id != run:
            raise Refused(f"a lease of run {operation.run_id} is no business of run {run}")
        waiting.setdefault(operation.attempt_id, []).append(operation)
    return waiting
