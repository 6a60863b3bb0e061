"""Take away the locks that a killed git of ours left on a branch of the user's.

In the user's repository a lock is left alone, stale or not, unless it is proved to be ours: nobody
had the branch locked when our git began, our git was killed at it, and the file is what that git
leaves. It says where we were moving the branch to, or nothing yet; it is no older than our own
journal; and nobody has it open, or touches it for a moment.
"""

import contextlib
import os
import stat
import time
from collections.abc import Iterable

from tidegate.git.locks import CLOCK_SLACK_S, open_files

SETTLED_S = 2.0
"""How long a lock has to have lain there. A git that is at work is done with it in milliseconds."""


def clear(paths: Iterable[str], new: str, *, since_s: float) -> bool:
    """Remove the locks of a branch that was to move to `new`; False where one is not ours.

    `since_s` is when we began with it, in wall time.
    """
    held = open_files()
    ours = [path for path in paths if _is_ours(path, new, since_s, held)]
    for path in ours:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
    return not any(os.path.lexists(path) for path in paths)


def _is_ours(path: str, new: str, since_s: float, held: frozenset[str]) -> bool:
    before = _seen(path)
    if before is None or os.path.realpath(path) in held:
        return False
    meant = b"" if os.path.basename(path) == "HEAD.lock" else f"{new}\n".encode()
    status, content = before
    is_one_of_ours = stat.S_ISREG(status.st_mode) and meant.startswith(content)
    if not is_one_of_ours or status.st_mtime + CLOCK_SLACK_S < since_s:
        return False
    time.sleep(max(0.0, min(SETTLED_S, status.st_mtime + SETTLED_S - time.time())))
    after = _seen(path)
    return after is not None and os.path.samestat(status, after[0]) and after[1] == content


def _seen(path: str) -> tuple[os.stat_result, bytes] | None:
    with contextlib.suppress(OSError):
        status = os.lstat(path)
        if stat.S_ISREG(status.st_mode):
            with open(path, "rb") as file:
                return status, file.read()
    return None
