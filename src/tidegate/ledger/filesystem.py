"""Which file system a path is on.

A ledger on a network file system loses data: its locks and its shared memory work on one machine
only.
"""

import os
from pathlib import Path

from tidegate.core.errors import NotReady

_MOUNTS = Path("/proc/self/mountinfo")

NETWORK = frozenset({
    "9p", "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "gfs2", "glusterfs", "gpfs", "lustre",
    "ncpfs", "nfs", "nfs4", "ocfs2", "orangefs", "smb3", "smbfs",
    "fuse.ceph", "fuse.cephfs", "fuse.davfs", "fuse.davfs2", "fuse.gcsfuse", "fuse.glusterfs",
    "fuse.goofys", "fuse.juicefs", "fuse.mfs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs",
})  # fmt: skip
"""The names of the mount table tell what the numbers of statfs do not: all of FUSE is one number
there, and only some of it is a network."""


def require_local(folder: Path) -> None:
    """Raise NotReady where the folder is on a network file system."""
    try:
        mounts = _MOUNTS.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return  # no Linux: `run` is refused there for its own reasons
    kind = file_system_of(os.path.realpath(folder), mounts)
    if kind in NETWORK:
        raise NotReady(
            f"the ledger cannot be kept in {folder}: that is a network file system ({kind})",
            hint="clone the repository onto a local disk; SQLite's locks hold on one machine only",
        )


def file_system_of(path: str, mounts: str) -> str:
    """The type of the file system that a real path is on; empty where no mount matches.

    Of several mounts on one place the last hides the others.
    """
    best, kind = "", ""
    for line in mounts.splitlines():
        before, separator, after = line.partition(" - ")
        fields = before.split(" ")
        if not separator or len(fields) <= _PLACE:
            continue
        place = _unescaped(fields[_PLACE])
        if len(place) >= len(best) and _is_below(path, place):
            best, kind = place, after.partition(" ")[0]
    return kind


_PLACE = 4
"""The column of the mount point."""


def _is_below(path: str, place: str) -> bool:
    return path == place or path.startswith(place if place.endswith("/") else f"{place}/")


def _unescaped(place: str) -> str:
    r"""The mount table writes blanks, tabs, newlines and backslashes as in ``\040``."""
    for code in ("040", "011", "012", "134"):
        place = place.replace(f"\\{code}", chr(int(code, 8)))
    return place
