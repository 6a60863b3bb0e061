"""The hash chain: one a run, each event bound to the one before it, so that an edit is seen.

A chain alone cannot show that its end was cut off; give `verify_chain` the head that was written
down elsewhere (a landing's trailer, a package) and it does. It reads rows as they are stored and
never through the codec: bytes that were hashed are the bytes that are hashed again. To do the same
without this program: the hash is the sha256 of the row's columns before `hash`, as a JSON list
without spaces.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

import msgspec

from tidegate.core.digest import sha256_hex
from tidegate.core.records import record
from tidegate.ports.ledger import Head

GENESIS = "0" * 64
"""What the first event of a run has in place of a predecessor's hash."""

_to_json = msgspec.json.Encoder().encode


class Stored(NamedTuple):
    """An event as its row has it; the order of the columns is part of the hash."""

    sequence: int
    run_id: str
    lane: str
    version: int
    attempt: str | None
    epoch: int
    kind: str
    body: str
    actor: str
    previous_state: str | None
    next_state: str | None
    reason: str
    utc: str
    previous_hash: str
    hash: str


COLUMNS = Stored._fields

Unsealed = tuple[
    int, str, str, int, str | None, int, str, str, str, str | None, str | None, str, str, str
]
"""A row without its hash."""

Sealed = tuple[
    int, str, str, int, str | None, int, str, str, str, str | None, str | None, str, str, str, str
]
"""A row with it, as it is written."""


def seal(row: Unsealed) -> str:
    """The hash of a row."""
    return digest_of(row)


def digest_of(columns: Sequence[object]) -> str:
    """The sha256 of columns as a JSON list without spaces."""
    return sha256_hex(_to_json(columns))


class HasStored(Protocol):
    """A ledger that shows its events as they are stored."""

    def stored(self, run: str) -> Iterator[Stored]:
        """The run's rows in order of sequence."""
        ...


@record
class Break:
    """The first place where a run's chain does not hold."""

    sequence: int
    reason: str


def verify_chain(ledger: HasStored, run: str, *, head: Head | None = None) -> Break | None:
    """The first broken link of a run, or None. `head` is an end that was written down before."""
    previous, versions, is_reached = GENESIS, dict[str, int](), head is None
    last = 0
    for row in ledger.stored(run):
        reason = _fault(row, previous, versions)
        if reason is not None:
            return Break(sequence=row.sequence, reason=reason)
        if head is not None and row.sequence == head.sequence:
            if row.hash != head.hash:
                return Break(sequence=row.sequence, reason="not the event that was written down")
            is_reached = True
        previous, last = row.hash, row.sequence
    if not is_reached:
        return Break(sequence=last, reason="cut off: the end that was written down is gone")
    return None


def _fault(row: Stored, previous: str, versions: dict[str, int]) -> str | None:
    """What is wrong with a row that follows `previous`; counts its lane's version."""
    if row.previous_hash != previous:
        return "does not follow the event before it"
    if seal(row[:-1]) != row.hash:
        return "was changed after it was recorded"
    versions[row.lane] = versions.get(row.lane, 0) + 1
    if row.version != versions[row.lane]:
        return f"is version {row.version} of lane {row.lane!r}, not {versions[row.lane]}"
    return None
