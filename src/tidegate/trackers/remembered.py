"""What issue files said when they were last read, so that three thousand need not be read again.

An entry counts for one file only: the one with the same inode, size and times. A file that was
changed a moment before it was read is not remembered at all, since a second change in the same tick
of the clock would not be seen. What is here can be thrown away at any time, and nothing is missed
where it cannot be written.
"""

import os
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from tidegate import __version__
from tidegate.core.issue import Issue

FORMAT = 1
"""Raised whenever the same file would be read as another issue."""
YOUNG_NS = 2_000_000_000
"""Within so long of its last change a file is not remembered: clocks of disks are coarse."""
TEXT_MAX = 65_536
"""Longer texts are not kept twice."""

Stamp = tuple[int, int, int, int]
"""Inode, size, time of change, time of change of the inode: the same for the same content."""


class Remembered(msgspec.Struct, array_like=True, frozen=True):
    """An issue as it was read. `needs` has the numbers as they were written, and their lines."""

    stamp: Stamp
    issue: Issue
    needs: tuple[tuple[str, int], ...]


class _File(msgspec.Struct, array_like=True):
    version: str
    folder: str
    entries: dict[str, Remembered]


_VERSION = f"{__version__}/{FORMAT}"


def stamp_of(found: os.stat_result) -> Stamp:
    """What tells one content of a file from another."""
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def recall(path: Path, folder: str) -> Mapping[str, Remembered]:
    """What is remembered of a folder's files, by name; nothing where that cannot be told."""
    try:
        if not path.is_file():
            return {}  # a FIFO there would have everybody wait
        kept = msgspec.msgpack.decode(path.read_bytes(), type=_File)
    except (OSError, msgspec.MsgspecError):
        return {}
    return kept.entries if (kept.version, kept.folder) == (_VERSION, folder) else {}


def remember(path: Path, folder: str, entries: Mapping[str, Remembered]) -> None:
    """Keep it, by rename. Only in a place that is there and is this user's."""
    young_ns = time.time_ns() - YOUNG_NS
    kept = {
        name: each
        for name, each in entries.items()
        if max(each.stamp[2:]) < young_ns and len(each.issue.text) <= TEXT_MAX
    }
    content = msgspec.msgpack.encode(_File(version=_VERSION, folder=folder, entries=kept))
    staged = path.with_name(f".{path.name}.{os.getpid()}")
    with suppress(OSError):
        if path.parent.stat().st_uid == os.geteuid():
            staged.write_bytes(content)
            staged.replace(path)
