"""What may be asked of a ledger and of a hub that are doubted, and of copies of them.

Places are homes: the folder `tidegate` of a repository, or a copy that is laid out like one. Only
`rebuild`, `restore_guards`, `point` and `clear_locks` change anything, and whoever asks for them
holds the controller's lock.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from tidegate.core.records import record

if TYPE_CHECKING:
    from tidegate.ports.ledger import Ledger


@record
class Flaw:
    """Something in a ledger that contradicts itself. `code` is one of a closed list of names."""

    code: str
    where: str
    message: str


class LedgerExaminer(Protocol):
    """Looks at a ledger's file as a whole."""

    def copy(self, home: str, folder: str) -> None:
        """Write what the ledger holds at one moment into a folder, whoever writes meanwhile.

        Raises NotReady where there is none, IntegrityError where it cannot be read.
        """
        ...

    def open(self, folder: str) -> Ledger:
        """A ledger that nobody writes to, for reading. Raises IntegrityError."""
        ...

    def flaws(self, folder: str) -> Iterator[Flaw]:
        """What is wrong with it: pages, guards, chains, and rows that do not follow from events.

        The first of each kind comes first, and is not held back for the rest.
        """
        ...

    def texts(self, folder: str) -> Mapping[str, str]:
        """The digest of each stored text that an event names, and where it is named first."""
        ...

    def rebuild(self, home: str) -> Sequence[str]:
        """Make all rows anew from the events, in one transaction; the tables that were changed.

        Raises IntegrityError, and changes nothing, where the events themselves are in doubt.
        """
        ...

    def restore_guards(self, home: str) -> Sequence[str]:
        """Put back the triggers, indexes and views that are missing; their names."""
        ...


class HubExaminer(Protocol):
    """Looks at a hub as a whole."""

    def refs(self, home: str) -> Mapping[str, str]:
        """Every ref with its object. Raises where git cannot list them."""
        ...

    def flaw(self, home: str) -> str:
        """What git says is wrong with what refs lead to; empty where nothing is."""
        ...

    def absent(self, home: str, commits: Collection[str]) -> frozenset[str]:
        """Those that are not in the hub."""
        ...

    def unreachable(self, home: str, commits: Collection[str]) -> frozenset[str]:
        """Those in the hub that no ref leads to."""
        ...

    def is_before(self, home: str, old: str, new: str) -> bool:
        """True where `old` is `new` or comes before it."""
        ...

    def point(self, home: str, ref: str, commit: str, *, old: str | None) -> None:
        """Move a ref durably, by compare-and-swap; `old` None: it must not be there."""
        ...

    def locks(self, home: str) -> Sequence[str]:
        """Lock files that no git at work can hold: they stop everything."""
        ...

    def clear_locks(self, home: str) -> Sequence[str]:
        """Remove those."""
        ...

    def copy(self, home: str, target: str, refs: Mapping[str, str]) -> Mapping[str, str]:
        """Make a hub in another home, whole by itself, with everything that refs lead to.

        `refs` stand there as they are given, whatever they are here; the refs of the copy.
        """
        ...


@record
class Examiner:
    """Both, as the composition root hands them in."""

    ledger: LedgerExaminer
    hub: HubExaminer
