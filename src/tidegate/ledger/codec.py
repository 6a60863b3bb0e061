"""Events to bodies and back, by kind. A body is JSON, so that it can be read in any SQL shell.

Keys that this version does not know are kept in the ledger and ignored here. A kind that it does
not know is an error: nothing may be folded past an event that is not understood.
"""

from typing import Any

import msgspec

from tidegate.core.attempt import State
from tidegate.core.errors import IntegrityError
from tidegate.core.events import KINDS, Entry, Event, Recorded
from tidegate.ledger.chain import Stored

_encode = msgspec.json.Encoder(order="deterministic").encode
_decoders: dict[str, msgspec.json.Decoder[Any]] = {}


def encode(event: Event) -> str:
    """The body of an event; the same event has the same body."""
    return _encode(event).decode()


def decode(kind: str, body: str) -> Event:
    """The event of a body. Raises IntegrityError where kind or body is not understood."""
    try:
        event: Event = _decoder(kind).decode(body)
    except msgspec.MsgspecError as error:
        raise IntegrityError(
            f"the body of an event of kind {kind} cannot be read ({error})",
            hint="keep the file as it is: nothing was written; `tidegate fsck` says what else",
        ) from error
    return event


def recorded(row: Stored) -> Recorded:
    """A stored row as the rest of the program knows it."""
    entry = Entry(
        lane=row.lane,
        version=row.version,
        attempt=row.attempt,
        epoch=row.epoch,
        event=decode(row.kind, row.body),
        actor=row.actor,
        previous=None if row.previous_state is None else State(row.previous_state),
        next=None if row.next_state is None else State(row.next_state),
        reason=row.reason,
        utc=row.utc,
    )
    return Recorded(
        run=row.run_id,
        sequence=row.sequence,
        entry=entry,
        previous_hash=row.previous_hash,
        hash=row.hash,
    )


def _decoder(kind: str) -> msgspec.json.Decoder[Any]:
    found = _decoders.get(kind)
    if found is None:
        if kind not in KINDS:
            raise IntegrityError(
                f"the ledger holds an event of the unknown kind {kind!r}",
                hint="a newer Tidegate wrote it: use that version, or upgrade this one",
            )
        found = _decoders[kind] = msgspec.json.Decoder(KINDS[kind])
    return found
