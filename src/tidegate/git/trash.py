"""Remove folders whose contents nobody vouches for: at once out of sight, then piece by piece.

A workspace is renamed into the trash, which is instant, and emptied there. No link is ever
followed. Every folder that is met is first moved up to the top of the trash, so depth costs
nothing, and a removal that was killed goes on with whatever lies there.
"""

import contextlib
import os
import stat
from collections.abc import Iterator
from typing import NamedTuple

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
NAMES_MAX = 1_000_000
"""How many names are tried for a folder in the trash before something must be wrong."""
FAILURES_MAX = 100
"""How many failures are told one by one."""


class Emptied(NamedTuple):
    """What a removal did. `failures` are paths that are still there, each with the reason."""

    removed: int
    failures: tuple[str, ...]


def set_aside(path: str, folder: str) -> str | None:
    """Move whatever is at `path` into `folder` under a free name; None where there is nothing.

    Both must be on one file system. Nothing in it is looked at, and it can be moved back.
    """
    if not os.path.lexists(path):
        return None
    for number in range(NAMES_MAX):
        if not os.path.lexists(path):
            return None
        os.makedirs(folder, exist_ok=True)
        target = os.path.join(folder, f"{os.path.basename(path)}.{number}")
        if os.path.lexists(target):
            continue
        # Either end may vanish under our hands: another removal takes an empty trash away.
        with contextlib.suppress(FileNotFoundError):
            os.rename(path, target)
            return target
    raise AssertionError(f"{NAMES_MAX} folders of one name in {folder}")


def remove(path: str, trash: str) -> Emptied:
    """Take `path` away and empty the trash. Doing it again, or after a kill, finishes the work."""
    set_aside(path, trash)
    return empty(trash)


def clear(path: str) -> None:
    """Remove one folder of our own making, at its place. Raises OSError if something stays."""
    if os.path.lexists(path):
        outcome = remove(path, f"{path}.trash")
        if outcome.failures:
            raise OSError(f"cannot be removed: {outcome.failures[0]}")
        os.rmdir(f"{path}.trash")


def empty(trash: str) -> Emptied:
    """Delete everything in the trash. What cannot be deleted is told and does not stop the rest."""
    if not os.path.isdir(trash):
        return Emptied(0, ())
    top = os.open(trash, _FOLDER)
    try:
        emptying = _Emptying(trash, top)
        emptying.run()
        return Emptied(emptying.removed, tuple(emptying.failures[:FAILURES_MAX]))
    finally:
        os.close(top)


class _Emptying:
    """One pass over the trash, which stays flat: folders inside folders are moved up into it."""

    def __init__(self, trash: str, top: int) -> None:
        self._trash = trash
        self._top = top
        self._number = 0
        self.removed = 0
        self.failures: list[str] = []

    def run(self) -> None:
        waiting = os.listdir(self._top)
        while waiting:
            name = waiting.pop()
            with self._telling(name):
                waiting += self._take_apart(name)

    def _take_apart(self, name: str) -> list[str]:
        """Remove one entry of the trash; return the folders that were in it, now moved up."""
        if not stat.S_ISDIR(os.lstat(name, dir_fd=self._top).st_mode):
            os.unlink(name, dir_fd=self._top)
            self.removed += 1
            return []
        moved: list[str] = []
        descriptor = self._opened(name)
        try:
            for entry in _listed(descriptor):
                with self._telling(f"{name}/{entry.name}"):
                    moved += self._take_out(entry, descriptor)
        finally:
            os.close(descriptor)
        os.rmdir(name, dir_fd=self._top)
        self.removed += 1
        return moved

    def _take_out(self, entry: os.DirEntry[str], folder: int) -> list[str]:
        if not entry.is_dir(follow_symlinks=False):
            os.unlink(entry.name, dir_fd=folder)
            self.removed += 1
            return []
        target = self._free_name()
        os.chmod(entry.name, stat.S_IRWXU, dir_fd=folder)
        os.rename(entry.name, target, src_dir_fd=folder, dst_dir_fd=self._top)
        return [target]

    def _opened(self, name: str) -> int:
        """Open a folder of the trash so that it can be emptied, whatever its mode was."""
        os.chmod(name, stat.S_IRWXU, dir_fd=self._top)
        return os.open(name, _FOLDER, dir_fd=self._top)

    def _free_name(self) -> str:
        for _ in range(NAMES_MAX):
            self._number += 1
            name = f"{os.getpid()}.{self._number}"
            if not os.path.lexists(os.path.join(self._trash, name)):
                return name
        raise AssertionError(f"{NAMES_MAX} folders of ours in {self._trash}")

    @contextlib.contextmanager
    def _telling(self, name: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            path = os.fsencode(f"{self._trash}/{name}").decode("utf-8", "backslashreplace")
            self.failures.append(f"{path}: {error.strerror}")


def _listed(folder: int) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return list(entries)
