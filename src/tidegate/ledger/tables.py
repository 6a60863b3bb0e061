"""What a backend must be able to do with rows, inside one transaction; every rule is elsewhere."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from tidegate.core.attempt import State
from tidegate.core.lease import Lease, Renew
from tidegate.ledger.chain import Sealed
from tidegate.ledger.writes import Write


class Standing(NamedTuple):
    """An attempt's state and its lease."""

    state: State
    lease: Lease


class RunEnd(NamedTuple):
    """Where a run stands, with the version of the lane that was asked for."""

    controller_epoch: int
    hash: str
    version: int


class Tables(Protocol):
    """Rows, and nothing else. Every method is called inside one exclusive transaction."""

    def run_end(self, run: str, lane: str) -> tuple[RunEnd | None, int]:
        """Where the run stands, if there is one, and the newest sequence of the whole ledger."""
        ...

    def versions(self, run: str, lanes: Sequence[str]) -> Mapping[str, int]:
        """How many events each of the lanes has."""
        ...

    def standing(self, run: str, attempt: str) -> Standing | None:
        """Where an attempt stands; None where there is none."""
        ...

    def standings(self, run: str, attempts: Sequence[str]) -> Mapping[str, Standing]:
        """Where each of the attempts stands that there are."""
        ...

    def append(self, rows: Sequence[Sealed]) -> None:
        """Add events."""
        ...

    def apply(self, write: Write, epoch: int) -> bool:
        """Whether the write met exactly one row; `epoch` is for a fenced one."""
        ...

    def put_lease(self, lease: Lease) -> None:
        """Set the attempt's lease."""
        ...

    def put_beat(self, beat: Renew) -> bool:
        """Append a heartbeat with the attempt's state; False where it was counted before."""
        ...

    def words_end(self) -> tuple[int, str, int]:
        """The last word's sequence and hash, and the newest event's sequence."""
        ...

    def append_word(self, row: tuple[object, ...]) -> None:
        """Add a word of the owner's."""
        ...

    def raise_controller_epoch(self, run: str, *, holder: str, utc: str) -> None:
        """Add one to it, and say who did."""
        ...
