"""Watching that the open ledger is still the one that its name leads to.

Something that tidies up may remove a side file of a ledger in use. SQLite does not notice: this
process goes on, and every other one reads a damaged image. So writing stops at once, and what this
connection still sees is copied, since nobody else can see it any more.
"""

import os
import sqlite3
import time
from pathlib import Path

from tidegate.core.errors import IntegrityError
from tidegate.ledger.migration import copy
from tidegate.ledger.opening import RESCUED, SIDES

_SETTLED_NS = 1_000_000_000
"""A folder's time may be as coarse as a clock tick: only one that is older than this proves that
nothing has changed in the folder since."""


class Identity:
    """Which files a connection has open: a name that leads to another file is a loss."""

    def __init__(self, path: Path) -> None:
        """Take the files as they are now; SQLite must have opened them."""
        self._names = frozenset({path.name, *(path.name + side for side in SIDES)})
        self._folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._changed_ns = 0
        self._numbers = self._look()
        assert len(self._numbers) == len(self._names)

    def is_lost(self) -> bool:
        """True where the ledger or a side file was removed or put in place of the open one.

        Asked before every transaction, so it looks at the folder's time first, and at the files'
        numbers in the folder only when that has moved. The files themselves are never asked: a
        `stat` of the log makes Linux (6.13 on) write its time anew at the next commit, which
        costs a third of it.
        """
        changed_ns = os.fstat(self._folder).st_mtime_ns
        if changed_ns == self._changed_ns:
            return False
        is_lost = self._look() != self._numbers
        if not is_lost and time.time_ns() - changed_ns > _SETTLED_NS:
            self._changed_ns = changed_ns
        return is_lost

    def close(self) -> None:
        """Let go of the folder."""
        os.close(self._folder)

    def _look(self) -> frozenset[tuple[str, int]]:
        """The files' numbers. An open file's number is not given to another one."""
        with os.scandir(self._folder) as found:
            return frozenset(
                (each.name, each.inode()) for each in found if each.name in self._names
            )


def rescue(connection: sqlite3.Connection, path: Path) -> Path | None:
    """Copy what a connection still sees of a ledger whose files were taken away."""
    target = path.with_name(path.name + RESCUED)
    try:
        copy(connection, target)
    except (sqlite3.Error, OSError):
        return None
    return target


def loss(connection: sqlite3.Connection, path: Path) -> IntegrityError:
    """The error for lost files, after the rescue."""
    rescued = rescue(connection, path)
    where = f"all that was recorded is in {rescued}" if rescued else "no copy could be made"
    return IntegrityError(
        f"{path} or one of its side files was removed or replaced while it was in use: {where}",
        hint="end all Tidegate processes (agents go on), move ledger.db and its side files away,"
        " put the copy in their place and run again",
    )
