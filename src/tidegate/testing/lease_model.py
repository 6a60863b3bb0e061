"""The lease as a machine of states that can be searched to its end, moved by the ledger's own code.

Three workers and two leases under one clock. A worker is what it could ever do to a lease: from
its grant on it may send a renewal, a write and a release at any time, for ever, since it cannot
know that it was fenced; and whoever read an epoch may ask to be granted the next one. All of it is
in the air from then on, and each message arrives whenever the search says: early, late, never or
again. A pause is a late arrival, a crash is none, and a worker that comes back is one whose old
messages still arrive: none of them is a step of its own. (tests/testing holds this against a model
in which workers read, send, crash and come back step by step.)

Each step calls `tidegate.core.lease`; nothing of its rules is written down here. What must be true
of a step is, in words that do not use them.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from tidegate.core import lease as production
from tidegate.core.attempt import State
from tidegate.core.errors import Refused
from tidegate.core.lease import Acquire, Lease, Release, Renew
from tidegate.core.records import record

WORKERS = 3
TICKS = 2
"""How long a lease lasts: two, so that there is a renewal before the end and one at it."""
NOBODY = -1
FENCE = -2
"""Stands for the worker of an epoch that a fence began: nobody holds it."""
_NOW = 3


class Key(NamedTuple):
    """One lease, and what happened to it that no rule is shown.

    `holder` and `left` (ticks) are those of a held lease. `accepted` is the epoch of the newest
    write that was recorded; `grants` has each epoch that was begun, with the worker that got it.
    """

    epoch: int = 0
    holder: int = NOBODY
    left: int = 0
    accepted: int = 0
    grants: tuple[tuple[int, int], ...] = ()

    @property
    def newest(self) -> int:
        """The highest epoch that was ever begun."""
        return max((epoch for epoch, _ in self.grants), default=0)


class Message(NamedTuple):
    """What arrives: `epoch` is the one that it carries, or that the asking worker had read."""

    kind: str
    worker: int
    epoch: int


Keys = tuple[Key, ...]


@record
class Rules:
    """What decides. `admits` is also told the highest epoch among recorded writes."""

    acquire: Callable[[Lease, Acquire, State], Lease]
    renew: Callable[[Lease, Renew, State], Lease]
    release: Callable[[Lease, Release], Lease]
    admits: Callable[[Lease, int, int], bool]


def rules_in_use() -> Rules:
    """The functions that the ledger calls, looked up now."""
    return Rules(
        acquire=production.acquire,
        renew=production.renew,
        release=production.release,
        admits=lambda lease, epoch, _: production.admits(lease, epoch),
    )


def in_the_air(key: Key, workers: int) -> Iterator[Message]:
    """All that may arrive at a lease by now."""
    for epoch in range(key.newest + 1):
        for worker in range(workers):
            yield Message("acquire", worker, epoch)
    for epoch, worker in key.grants:
        yield Message("write", worker, epoch)
        yield Message("fence", worker, epoch)
        if worker != FENCE:
            yield Message("renew", worker, epoch)
            yield Message("release", worker, epoch)


def arrive(rules: Rules, key: Key, message: Message) -> Key | None:
    """The lease after a message; None where it is refused."""
    try:
        return _arrive(rules, key, message)
    except Refused:
        return None


def _arrive(rules: Rules, key: Key, message: Message) -> Key | None:
    lease = _lease(key)
    match message.kind:
        case "write":
            is_admitted = rules.admits(lease, message.epoch, key.accepted)
            return key._replace(accepted=message.epoch) if is_admitted else None
        case "renew":
            return _key(rules.renew(lease, _renewal(message), State.STARTED), key)
        case "acquire":
            granted = rules.acquire(lease, _wish(message), State.STARTED)
            return _key(granted, key, begun=message.worker)
        case kind:
            is_fence = kind == "fence"
            wish = Release(run_id="", attempt_id="", epoch=message.epoch, fence=is_fence)
            return _key(rules.release(lease, wish), key, begun=FENCE if is_fence else None)


def tick(key: Key) -> Key:
    """The lease when the clock has gone on; it does so for all leases at once."""
    return key._replace(left=max(key.left - 1, 0))


# --- leases as core has them: only the time and the token need a name ---------------------------


def _lease(key: Key) -> Lease:
    is_held = key.holder != NOBODY
    return Lease(
        run_id="",
        attempt_id="",
        epoch=key.epoch,
        owner=str(key.holder) if is_held else "",
        token=_token(key.holder, key.epoch) if is_held else None,
        expiry_utc=str(_NOW + key.left),
    )


def _key(lease: Lease, old: Key, *, begun: int | None = None) -> Key:
    """A lease that nobody holds is one, whoever had it and whenever it would have run out."""
    is_held = lease.token is not None
    return Key(
        epoch=lease.epoch,
        holder=int(lease.owner) if is_held else NOBODY,
        left=int(lease.expiry_utc) - _NOW if is_held else 0,
        accepted=old.accepted,
        grants=old.grants if begun is None else (*old.grants, (lease.epoch, begun)),
    )


def _token(worker: int, epoch: int) -> str:
    return f"{worker}:{epoch}"


def _wish(message: Message) -> Acquire:
    return Acquire(
        run_id="",
        attempt_id="",
        owner=str(message.worker),
        token=_token(message.worker, message.epoch + 1),
        now_utc=str(_NOW),
        expiry_utc=str(_NOW + TICKS),
        previous_epoch=message.epoch,
    )


def _renewal(message: Message) -> Renew:
    return Renew(
        run_id="",
        attempt_id="",
        owner=str(message.worker),
        token=_token(message.worker, message.epoch),
        epoch=message.epoch,
        now_utc=str(_NOW),
        expiry_utc=str(_NOW + TICKS),
        beat_sequence=0,
        beat_monotonic_s=0.0,
        last_completed_unit="",
        controller_version="",
    )


# --- what must be true of a step, whatever the rules --------------------------------------------


Judge = Callable[[Key, Message, Key | None], str | None]
"""What is wrong with what became of a message (None: it was refused); None where all is well."""


def fault(old: Key, message: Message, new: Key | None) -> str | None:
    """Everything that must be true."""
    wrong = _FAULTS[message.kind](old, message, new)
    if wrong is None and new is not None and new.epoch < old.epoch:
        return "an epoch went back"
    return wrong


def _fault_of_grant(old: Key, message: Message, new: Key | None) -> str | None:
    is_free = old.holder == NOBODY or old.left == 0
    if new is None:
        is_due = is_free and message.epoch == old.newest
        return "a lease that is free or has run out was not granted" if is_due else None
    if not is_free:
        return "a lease was granted that another holds"
    if message.epoch != old.newest:
        return "a lease was granted on an old reading"
    if any(epoch == new.epoch for epoch, _ in old.grants):
        return "two were granted the same epoch"
    return None if new.epoch > old.newest else "a grant did not raise the epoch"


def _fault_of_renewal(old: Key, message: Message, new: Key | None) -> str | None:
    is_holders = (old.holder, old.newest) == (message.worker, message.epoch)
    if new is None:
        is_due = is_holders and old.left > 0
        return "its holder could not renew a lease that had not run out" if is_due else None
    if not is_holders:
        return "a lease was renewed by one that does not hold it"
    if old.left == 0:
        return "a lease that had run out was revived"
    same = (new.epoch, new.holder) == (old.epoch, old.holder)
    return None if same else "a renewal changed the epoch or the holder"


def _fault_of_write(old: Key, message: Message, new: Key | None) -> str | None:
    if new is None:
        is_due = message.epoch == old.newest
        return "a write under the granted epoch was refused" if is_due else None
    if (wrong := disorder(old, message, new)) is not None:
        return wrong
    return None if message.epoch == old.newest else "a write below the granted epoch was recorded"


def disorder(old: Key, message: Message, new: Key | None) -> str | None:
    """Only that recorded writes are in the order of their epochs: less than what must be true."""
    is_late = message.kind == "write" and new is not None and message.epoch < old.accepted
    return "a write was recorded after one of a later epoch" if is_late else None


def _fault_of_release(old: Key, message: Message, new: Key | None) -> str | None:
    if new is None:
        is_due = message.epoch == old.newest
        return "a lease could not be given back" if is_due else None
    if message.epoch != old.newest:
        return "a lease was taken from a holder by a message of an older epoch"
    if new.holder != NOBODY:
        return "a lease is held after its end"
    has_raised = new.epoch > old.newest if message.kind == "fence" else new.epoch == old.epoch
    return None if has_raised else "a fence did not raise the epoch, or a release did"


_FAULTS: dict[str, Judge] = {
    "acquire": _fault_of_grant,
    "renew": _fault_of_renewal,
    "write": _fault_of_write,
    "release": _fault_of_release,
    "fence": _fault_of_release,
}
