"""Who keeps SQLite's log from being cut: the processes that are reading just now.

A read transaction holds a lock on one of five bytes of the log's index. The kernel lists the locks
of all processes, so they are told without a descriptor of the ledger's files.
"""

from collections.abc import Iterator
from pathlib import Path

_MARKS = range(123, 128)
"""Where SQLite's index keeps the locks of readers."""
_START = 21
"""The place of a process's start in its /proc/PID/stat, counted from 0."""
_LOCKS = Path("/proc/locks")


def readers(index: Path, locks: Path = _LOCKS) -> tuple[str, ...]:
    """The processes that hold a reader's mark, the one that is up longest first, in words."""
    try:
        inode = index.stat().st_ino
        lines = locks.read_text(encoding="ascii").splitlines()
    except OSError:
        return ()
    holders = {holder for line in lines for holder in _reader(line, inode)}
    known = [(started, pid, name) for pid in holders for started, name in _process(pid)]
    return tuple(f"process {pid} ({name})" for _, pid, name in sorted(known))


def _reader(line: str, inode: int) -> Iterator[int]:
    """`1: POSIX  ADVISORY  READ 4711 08:01:131074 124 124`: a holder, or nobody."""
    _, kind, *rest = line.split()
    if kind != "POSIX" or len(rest) != len(("ADVISORY", "READ", "pid", "file", "first", "last")):
        return
    _, mode, pid, file, first, _ = rest
    if mode == "READ" and file.rpartition(":")[2] == str(inode) and int(first) in _MARKS:
        yield int(pid)


def _process(pid: int) -> Iterator[tuple[int, str]]:
    """When it started, in the kernel's ticks, and its name; nothing where it has ended."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return
    name, _, rest = stat.partition("(")[2].rpartition(")")
    yield int(rest.split()[_START - 2]), name
