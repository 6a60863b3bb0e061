"""A lease: a time-bound right to act for an attempt, with a number that only grows.

The number (epoch) is what protects; the time only says when somebody may ask whether the holder
is dead. A write is checked against the epoch *as granted*, never against the highest one seen,
which would admit a stale write. An expired lease is never revived.
"""

from dataclasses import field

from tidegate.core.attempt import TERMINAL, State
from tidegate.core.errors import Refused, StaleEpoch
from tidegate.core.records import record


@record
class Lease:
    """`token` is None where the lease is not held; the epoch of the last grant stays."""

    run_id: str
    attempt_id: str
    epoch: int = 0
    owner: str = ""
    token: str | None = field(default=None, repr=False)
    expiry_utc: str = ""


@record
class Acquire:
    """Take an unheld or expired lease: epoch + 1, a fresh token, an owner, an expiry."""

    run_id: str
    attempt_id: str
    owner: str
    token: str = field(repr=False)
    now_utc: str
    expiry_utc: str
    previous_epoch: int
    """The epoch the caller read. Another one in the ledger means that somebody was faster."""


@record
class Renew:
    """Extend a held lease because its runner gave a new beat. It appends a heartbeat."""

    run_id: str
    attempt_id: str
    owner: str
    token: str = field(repr=False)
    epoch: int
    now_utc: str
    expiry_utc: str
    beat_sequence: int
    beat_monotonic_s: float
    last_completed_unit: str
    controller_version: str


@record
class Release:
    """Give a lease back at a turn's end, or take it from a holder that is proved dead.

    `fence` adds one to the epoch, so that nothing the old holder still sends is accepted.
    """

    run_id: str
    attempt_id: str
    epoch: int
    fence: bool


LeaseOperation = Acquire | Renew | Release


def acquire(lease: Lease, wish: Acquire, state: State) -> Lease:
    """The lease after the wish. Refused where it is held and unexpired, or the attempt is over."""
    if wish.previous_epoch != lease.epoch:
        raise _stale(
            lease,
            wish.previous_epoch,
            f"lease of {lease.attempt_id} is at epoch {lease.epoch}, not {wish.previous_epoch}",
        )
    if state in TERMINAL:
        raise Refused(f"attempt {lease.attempt_id} is {state}: it takes no lease")
    if lease.token is not None and lease.expiry_utc > wish.now_utc:
        raise Refused(f"lease of {lease.attempt_id} is held by {lease.owner}")
    return Lease(
        run_id=lease.run_id,
        attempt_id=lease.attempt_id,
        epoch=lease.epoch + 1,
        owner=wish.owner,
        token=wish.token,
        expiry_utc=wish.expiry_utc,
    )


def renew(lease: Lease, wish: Renew, state: State) -> Lease:
    """The lease after a renewal: same owner, token and epoch, not terminal, not expired."""
    if (wish.epoch, wish.token, wish.owner) != (lease.epoch, lease.token, lease.owner):
        raise _stale(
            lease, wish.epoch, f"lease of {lease.attempt_id} is not the one that is renewed"
        )
    if state in TERMINAL:
        raise Refused(f"attempt {lease.attempt_id} is {state}: its lease cannot be renewed")
    if lease.expiry_utc <= wish.now_utc:
        raise _stale(
            lease, wish.epoch, f"lease of {lease.attempt_id} expired at {lease.expiry_utc}"
        )
    return Lease(
        run_id=lease.run_id,
        attempt_id=lease.attempt_id,
        epoch=lease.epoch,
        owner=lease.owner,
        token=lease.token,
        expiry_utc=wish.expiry_utc,
    )


def release(lease: Lease, wish: Release) -> Lease:
    """The lease after its end: the right is gone, the number stays, and so does who had it last."""
    if wish.epoch != lease.epoch:
        raise _stale(
            lease,
            wish.epoch,
            f"lease of {lease.attempt_id} is at epoch {lease.epoch}, not {wish.epoch}",
        )
    return Lease(
        run_id=lease.run_id,
        attempt_id=lease.attempt_id,
        epoch=lease.epoch + int(wish.fence),
        owner=lease.owner,
        expiry_utc=lease.expiry_utc,
    )


def admits(lease: Lease, epoch: int) -> bool:
    """Whether a write that carries this epoch may be recorded: it must be the one granted last.

    Not the highest one seen: a stale write that comes before the new holder's first would pass.
    The ledger asks this in the statement that writes; whether the lease has run out since is not
    asked, for until somebody else is granted it nobody else acts.
    """
    return epoch == lease.epoch


def require_granted(lease: Lease, epoch: int) -> None:
    """Raise StaleEpoch where a write under this epoch may not be recorded."""
    if not admits(lease, epoch):
        raise _stale(
            lease,
            epoch,
            f"the lease of {lease.attempt_id} was granted at epoch {lease.epoch},"
            f" and the entry carries {epoch}",
            hint="what it tells comes from a holder that was fenced",
        )


def _stale(lease: Lease, epoch: int, message: str, hint: str = "") -> StaleEpoch:
    return StaleEpoch(
        message, hint=hint, attempt=lease.attempt_id, epoch=epoch, granted=lease.epoch
    )
