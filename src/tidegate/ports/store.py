"""Where artifacts get their final, immutable place."""

from typing import Protocol


class Store(Protocol):
    """Immutable files, named by whoever intends them before they are written."""

    def promote(self, path: str, text: str, *, digest: str) -> None:
        """Make `text` durable at `path` without overwriting.

        The order: write, sync, read back, hash, move, sync the folder. The same content there
        already is success; another one raises IntegrityError. A failed sync raises Unavailable
        and must end the process.
        """
        ...
