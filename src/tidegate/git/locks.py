"""Take away lock files that a killed git left in a workspace: they would stop its next turn.

Only in a workspace, which is ours, and only when its turn is over; a lock that some process still
has open is left alone all the same. In the user's repository no lock is ever touched.
"""

import contextlib
import os
from collections.abc import Iterator

from tidegate.git import plain

DEPTH_MAX = 32
"""How deep refs are looked through; git's own are never as deep."""
_SUFFIX = ".lock"


def clear(workspace: str) -> tuple[str, ...]:
    """Remove git's stale locks from the workspace; return their paths within its git folder.

    Raises Tampered where the git folder is not what git leaves.
    """
    with plain.folder(workspace) as root, plain.folder(".git", within=root) as git_fd:
        found = [*_listed(git_fd, "", 1), *_below(git_fd, "refs"), *_below(git_fd, "worktrees")]
        held = _open_files() if found else frozenset()
        cleared = []
        for path in found:
            if os.path.realpath(os.path.join(workspace, ".git", path)) not in held:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(path, dir_fd=git_fd)
                cleared.append(path)
    return tuple(cleared)


def _below(git_fd: int, name: str) -> Iterator[str]:
    if plain.exists(name, within=git_fd):
        with plain.folder(name, within=git_fd) as descriptor:
            yield from _listed(descriptor, f"{name}/", DEPTH_MAX)


def _listed(folder: int, prefix: str, depth_left: int) -> Iterator[str]:
    """Yield the plain files that are locks by their name, following no link."""
    with os.scandir(folder) as entries:
        listed = list(entries)
    for entry in listed:
        if entry.name.endswith(_SUFFIX) and entry.is_file(follow_symlinks=False):
            yield f"{prefix}{entry.name}"
        elif depth_left > 1 and entry.is_dir(follow_symlinks=False):
            with plain.folder(entry.name, within=folder) as inner:
                yield from _listed(inner, f"{prefix}{entry.name}/", depth_left - 1)


def _open_files() -> frozenset[str]:
    """Return the files that any process has open, as far as we may see."""
    found: set[str] = set()
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            for descriptor in os.listdir(f"/proc/{pid}/fd"):
                with contextlib.suppress(OSError):
                    found.add(os.readlink(f"/proc/{pid}/fd/{descriptor}"))
    return frozenset(found)
