"""Take away lock files that a killed git left behind, where what it worked on is ours.

In a workspace when its turn is over, since they would stop the next one, and in the hub, since they
would stop everything. What a living process may hold is left alone all the same. In the user's
repository no lock is ever touched.
"""

import contextlib
import math
import os
import time
from collections.abc import Iterator

from tidegate.git import plain

DEPTH_MAX = 32
"""How deep refs are looked through; git's own are never as deep."""
CLOCK_SLACK_S = 1.0
"""By how much a process must be younger than a lock that it surely does not hold."""
_SUFFIX = ".lock"
_START_FIELD = 20
"""The start time in a process's stat, counted from the bracket that ends its name."""


def clear(workspace: str) -> tuple[str, ...]:
    """Remove git's stale locks from the workspace; return their paths within its git folder.

    Raises Tampered where the git folder is not what git leaves.
    """
    with plain.folder(workspace) as root, plain.folder(".git", within=root) as git_fd:
        folders = ("refs", "worktrees", "modules")
        found = [
            *_listed(git_fd, "", 1),
            *(path for name in folders for path in _below(git_fd, name)),
        ]
        held = open_files() if found else frozenset()
        cleared = []
        for path in found:
            if os.path.realpath(os.path.join(workspace, ".git", path)) not in held:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(path, dir_fd=git_fd)
                cleared.append(path)
    return tuple(cleared)


def clear_hub(hub: str) -> tuple[str, ...]:
    """Remove the locks that no git at work on the hub can hold; return their paths within it."""
    cleared = []
    for path in stale_in_hub(hub):
        with plain.folder(hub) as hub_fd, contextlib.suppress(FileNotFoundError):
            os.unlink(path, dir_fd=hub_fd)
            cleared.append(path)
    return tuple(cleared)


def stale_in_hub(hub: str) -> tuple[str, ...]:
    """The locks that no git at work on the hub can hold, as paths within it.

    Git closes a ref's lock long before it is done with it, so that nobody has it open says nothing
    here. But a lock that is older than every such process is nobody's.
    """
    with plain.folder(hub) as hub_fd:
        found = [*_listed(hub_fd, "", 1), *_below(hub_fd, "refs"), *_below(hub_fd, "objects/pack")]
        oldest_s = _oldest_at_work_s(hub) if found else 0.0
        stale = []
        for path in found:
            with contextlib.suppress(FileNotFoundError):
                made_s = os.stat(path, dir_fd=hub_fd, follow_symlinks=False).st_mtime
                if made_s + CLOCK_SLACK_S < oldest_s:
                    stale.append(path)
    return tuple(stale)


def _oldest_at_work_s(hub: str) -> float:
    """When the oldest process that works on the hub was started, in wall time; never: infinity."""
    place = b"GIT_DIR=" + os.fsencode(hub)
    booted_s = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
    oldest_s = math.inf
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if place in _content(f"/proc/{pid}/environ").split(b"\0"):
                stat = _content(f"/proc/{pid}/stat")
                ticks = int(stat[stat.rindex(b")") :].split()[_START_FIELD])
                oldest_s = min(oldest_s, booted_s + ticks / os.sysconf("SC_CLK_TCK"))
    return oldest_s


def _content(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


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


def open_files() -> frozenset[str]:
    """Return the files that any process has open, as far as we may see."""
    found: set[str] = set()
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            for descriptor in os.listdir(f"/proc/{pid}/fd"):
                with contextlib.suppress(OSError):
                    found.add(os.readlink(f"/proc/{pid}/fd/{descriptor}"))
    return frozenset(found)
