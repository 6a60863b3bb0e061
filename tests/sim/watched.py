"""The ledger of a simulated world, seen by its witnesses."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from tidegate.core import events as e
from tidegate.ledger.memory import MemoryLedger
from tidegate.ports.ledger import Batch, Fence


class WatchedLedger:
    """A ledger whose acknowledged entries are witnessed at once."""

    def __init__(
        self, ledger: MemoryLedger, take: Callable[[str, Sequence[e.Recorded]], None]
    ) -> None:
        self._ledger = ledger
        self._take = take

    def commit(self, fence: Fence, batch: Batch) -> Sequence[e.Recorded]:
        """See ports.ledger.Ledger."""
        recorded = self._ledger.commit(fence, batch)
        self._take(fence.run, recorded)
        return recorded

    def create_run(self, run: str, started: e.RunStarted, *, actor: str, utc: str) -> None:
        """See ports.ledger.Ledger."""
        self._ledger.create_run(run, started, actor=actor, utc=utc)
        self._take(run, list(self._ledger.read(run)))

    def __getattr__(self, name: str) -> object:
        return getattr(self._ledger, name)


@contextmanager
def no_lock(_home: str) -> Iterator[None]:
    """There is only ever one controller at a time."""
    yield
