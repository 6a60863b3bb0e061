"""Walk a workspace's files before git does, for what would make git wait or look elsewhere.

Git opens ignore and attribute files without asking what they are, and looks into every folder that
seems to be a repository; a pipe in either place stops it for good. This walk opens nothing.
"""

import os
from typing import NamedTuple

from tidegate.git.plain import Tampered

ENTRIES_MAX = 10_000_000
"""Files, ignored ones included, that a workspace may hold before it counts as tampered."""
NESTED_MAX = 1000
"""Repositories inside the workspace; beyond that they cannot be named to git one by one."""

_READ_BY_GIT = frozenset((".gitignore", ".gitattributes", ".gitmodules"))
_LINK_IGNORED = frozenset((".gitignore", ".gitattributes"))
"""Git refuses to follow a link of these names, so one is harmless."""


class Survey(NamedTuple):
    """`nested` are the folders, relative to the root, that have a `.git` of their own."""

    nested: tuple[str, ...]
    has_attributes: bool
    """Some file says how others are converted between the disk and the repository."""

    def below(self, folder: str) -> "Survey":
        """Return the same as seen from a folder of the root."""
        inner = [path for path in self.nested if path.startswith(f"{folder}/")]
        return Survey(tuple(path[len(folder) + 1 :] for path in inner), self.has_attributes)


def survey(root: str) -> Survey:
    """Walk everything below `root` except its own git folder. Raises Tampered for a trap."""
    nested: list[str] = []
    has_attributes = False
    folders = [""]
    entries_left = ENTRIES_MAX
    while folders:
        prefix = folders.pop()
        for entry in _entries(root, prefix):
            entries_left -= 1
            if entry.name == ".git":
                nested.append(prefix.rstrip("/"))
            elif entry.is_dir(follow_symlinks=False):
                folders.append(f"{prefix}{entry.name}/")
            elif entry.name in _READ_BY_GIT:
                _check(entry, prefix)
                has_attributes |= entry.name == ".gitattributes"
        if entries_left < 0:
            raise Tampered("too_many", prefix or ".", f"there are more than {ENTRIES_MAX} files")
    inner = sorted(path for path in nested if path)
    if len(inner) > NESTED_MAX:
        raise Tampered("too_many", inner[0], f"there are more than {NESTED_MAX} repositories")
    return Survey(tuple(inner), has_attributes)


def _entries(root: str, prefix: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(os.path.join(root, prefix)) as entries:
            return list(entries)
    except OSError as error:
        raise Tampered("unreadable", prefix or ".", f"cannot be read ({error.strerror})") from error


def _check(entry: os.DirEntry[str], prefix: str) -> None:
    harmless = entry.name in _LINK_IGNORED and entry.is_symlink()
    if not harmless and not entry.is_file(follow_symlinks=False):
        raise Tampered("not_a_file", f"{prefix}{entry.name}", "is no plain file")
