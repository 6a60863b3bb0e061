"""What every command that only looks begins with."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # as in `verbs.house`
    from collections.abc import Iterator

    from tidegate.ports.ledger import Ledger
    from tidegate.ports.repository import Repository
    from tidegate.verbs.house import House


@contextmanager
def reading(house: House, folder: str) -> Iterator[tuple[Repository, Ledger | None]]:
    """The repository and its ledger, opened for reading only and let go at once."""
    repository = house.repositories.find(folder)
    ledger = house.open_ledger_read_only(repository)
    try:
        yield repository, ledger
    finally:
        if ledger is not None:
            ledger.close()
