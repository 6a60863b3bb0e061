"""One controller a repository: a lock that dies with its holder, and says who that is.

Two runs over one queue would take the same issues, so the lock is the repository's and not the
run's. It is closed on exec: no agent and no runner inherits it, and none can keep it alive.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tidegate.core.errors import Refused
from tidegate.runner import files, lock

_FOLDER = "controller"
_READ_MAX_BYTES = 4096


@contextmanager
def controller_lock(home: str, *, holder: str) -> Iterator[None]:
    """Hold the repository's controller lock. Raises Refused, naming the holder, if it is held."""
    folder = f"{home}/{_FOLDER}"
    Path(folder).mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = lock.try_take(folder)
    if descriptor is None:
        raise Refused(
            f"a controller runs already ({_written(folder)})",
            hint="see `tidegate status`; it must end before another can begin",
        )
    try:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{holder}\n".encode(), 0)
        yield
        os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


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
