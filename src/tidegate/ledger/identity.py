"""Watching that the open ledger is still the one that its name leads to.

Something that tidies up may remove a side file of a ledger in use. SQLite does not notice: this
process goes on, and every other one reads a damaged image. So writing stops at once, and what this
connection still sees is copied, since nobody else can see it any more.
"""

import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

from tidegate.core.errors import IntegrityError
from tidegate.ledger.migration import copy
from tidegate.ledger.opening import RESCUED, SIDES, is_whole

_SETTLED_NS = 1_000_000_000
"""A folder's time may be as coarse as a clock tick: only one that is older than this proves that
nothing has changed in the folder since."""

_STATX_SIZE, _SIZE_PLACE = 0x200, 5
"""What `statx` is asked for, and which eight bytes of its answer are that."""


class Identity:
    """Which files a connection has open: a name that leads to another file is a loss."""

    def __init__(self, path: Path) -> None:
        """Take the files as they are now; SQLite must have opened them."""
        self._names = frozenset({path.name, *(path.name + side for side in SIDES)})
        self._folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._log_length = length_asker(self._folder, path.name + SIDES[0])
        self._log_bytes = self._log_length()
        self._changed_ns = 0
        self._numbers = self._look()
        assert len(self._numbers) == len(self._names)

    def is_lost(self) -> bool:
        """True where the ledger or a side file was removed or put in place of the open one.

        Asked before every transaction, so it looks at the folder's time first, and at the files'
        numbers in the folder only when that has moved. The files' times are never asked: a
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

    def has_shrunk(self) -> bool:
        """True where the log is shorter than it was when it was noted last.

        A checkpoint of somebody else's may have cut it, which is no harm: see `opening.is_whole`.
        """
        before = self._log_bytes
        self.note_log()
        return self._log_bytes < before

    def note_log(self) -> None:
        """Take the log's length as it is now."""
        self._log_bytes = self._log_length()

    def close(self) -> None:
        """Let go of the folder."""
        os.close(self._folder)

    def _look(self) -> frozenset[tuple[str, int]]:
        """The files' numbers. An open file's number is not given to another one."""
        with os.scandir(self._folder) as found:
            return frozenset(
                (each.name, each.inode()) for each in found if each.name in self._names
            )


def length_asker(folder: int, name: str) -> Callable[[], int]:
    """What tells the length of a file in an open folder, 0 where it is not there.

    It asks the kernel for nothing else: Python's own `stat` asks for times as well. And it opens
    nothing, for SQLite alone opens what is the ledger's.
    """
    import ctypes  # noqa: PLC0415 - only a process that writes asks

    statx = ctypes.CDLL(None).statx
    answer = (ctypes.c_uint64 * 32)()
    encoded = os.fsencode(name)

    def length() -> int:
        failed: int = statx(folder, encoded, 0, _STATX_SIZE, answer)
        return 0 if failed else int(answer[_SIZE_PLACE])

    return length


def rescue(connection: sqlite3.Connection, path: Path) -> Path | None:
    """Copy what a connection still sees of a ledger whose files were taken away.

    What was cut away it sees as far as it has it in memory: a copy with holes is none.
    """
    target = path.with_name(path.name + RESCUED)
    try:
        copy(connection, target)
    except (sqlite3.Error, OSError):
        return None
    if is_whole(target, is_alone=True):
        return target
    target.unlink(missing_ok=True)
    return None


def loss(connection: sqlite3.Connection, path: Path) -> IntegrityError:
    """The error for lost files, after the rescue."""
    rescued = rescue(connection, path)
    what = f"{path} or one of its side files was removed or replaced or cut while it was in use"
    if rescued is None:
        return IntegrityError(
            f"{what}: no copy could be made",
            hint="end all Tidegate processes (agents go on), copy the folder away as it is;"
            " `tidegate fsck` says what is left",
        )
    return IntegrityError(
        f"{what}: all that was recorded is in {rescued}",
        hint="end all Tidegate processes (agents go on), move ledger.db and its side files away,"
        " put the copy in their place and run again",
    )
