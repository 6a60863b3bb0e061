"""One controller a repository: a lock that dies with its holder, and says who that is.

Two runs over one queue would take the same issues, so the lock is the repository's and not the
run's. It is closed on exec: no agent and no runner inherits it, and none can keep it alive.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tidegate.core.errors import Refused
from tidegate.runner import files, lock, process_table

_FOLDER = "controller"
_READ_MAX_BYTES = 4096
_COMMAND_MAX = 200


@contextmanager
def controller_lock(home: str, *, holder: str) -> Iterator[None]:
    """Hold the repository's controller lock. Raises Refused, naming the holder, if it is held."""
    folder = f"{home}/{_FOLDER}"
    Path(folder).mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = lock.try_take(folder)
    if descriptor is None:
        raise _held(folder)
    try:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{holder}\n".encode(), 0)
        yield
        os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


def _held(folder: str) -> Refused:
    """Who really holds the lock: whoever the kernel names, whatever is written in it."""
    holders = process_table.holders(f"{folder}/{files.LOCK}")
    said = "; ".join(map(_described, holders))
    hint = "see `tidegate status`; it must end before another can begin"
    if holders:
        pids = " ".join(str(each.pid) for each in holders)
        hint += (
            f". Where it hangs, end it: kill {pids}; nothing is lost by"
            " that, agents go on, and `tidegate run` takes over"
        )
    return Refused(f"a controller runs already ({said or _written(folder)})", hint=hint)


def _described(process: process_table.Process) -> str:
    """A process by its number, its start and its command."""
    with Path("/proc/uptime").open(encoding="ascii") as file:
        up_s = float(file.read().split()[0])
    age_s = max(0.0, up_s - process.start_ticks / os.sysconf("SC_CLK_TCK"))
    start = datetime.now(UTC) - timedelta(seconds=age_s)
    try:
        words = Path(f"/proc/{process.pid}/cmdline").read_bytes().rstrip(b"\0").split(b"\0")
    except OSError:
        words = []
    command = " ".join(map(os.fsdecode, words))[:_COMMAND_MAX]
    return f"process {process.pid}, since {start:%Y-%m-%dT%H:%M:%SZ}: {command}"


def controller_holder(home: str) -> str | None:
    """Who holds the lock now, None where nobody does. It is not taken to find that out."""
    folder = f"{home}/{_FOLDER}"
    return _written(folder) if lock.is_held(folder) else None


def _written(folder: str) -> str:
    """The holder's own words. They are for people: only the lock says whether it lives."""
    try:
        content = Path(folder, files.LOCK).read_bytes()[:_READ_MAX_BYTES]
    except OSError:
        return "unknown"
    return content.decode(errors="replace").strip() or "starting"
