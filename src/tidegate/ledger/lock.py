"""The turn to write: a `flock` on a side file, taken before SQLite's own lock.

The kernel queues those who wait, where SQLite's busy handler sleeps and can starve. The ledger's
own file is never opened here: closing it would drop the locks that SQLite holds on it.
"""

import fcntl
import os
import stat
from contextlib import suppress
from pathlib import Path

from tidegate.core.errors import NotReady, Unavailable

WAIT_MAX_S = 5.0
"""How long a writer waits for its turn. Transactions take milliseconds; who waits longer stands
behind a process that is stopped."""


class WriteLock:
    """Held by at most one writer of a ledger, in any process."""

    def __init__(self, path: Path, *, wait_max_s: float = WAIT_MAX_S) -> None:
        self._path = path
        self._wait_max_s = wait_max_s
        self._file = self._open()

    def _open(self) -> int:
        # Not to wait: a FIFO in its place would have whoever opens it wait for ever.
        flags = os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK
        descriptor = os.open(self._path, flags, 0o644)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise NotReady(f"{self._path} is no plain file", hint="move it away, and try again")
        return descriptor

    def acquire(self) -> None:
        """Take the lock. Raises Unavailable where it is not to be had in time."""
        if not self.try_acquire():
            self._queue()

    def try_acquire(self) -> bool:
        """Take the lock if nobody has it."""
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _queue(self) -> None:
        """Wait in the kernel's queue. A thread does, since `flock` knows no time limit.

        Whoever takes `settled` first decides: the thread that the lock is ours, or the caller
        that nobody waits any more; then the thread gives the lock back as soon as it gets it.
        """
        import threading  # noqa: PLC0415 - contention is rare

        settled, file = threading.Lock(), self._file

        def wait() -> None:
            fcntl.flock(file, fcntl.LOCK_EX)
            if not settled.acquire(blocking=False):
                os.close(file)

        waiter = threading.Thread(target=wait, daemon=True)
        waiter.start()
        waiter.join(self._wait_max_s)
        if settled.acquire(blocking=False):
            self._file = self._open()
            raise Unavailable(
                f"another process has been writing to the ledger for {self._wait_max_s:g} s"
                f" ({self._path} is locked)",
                hint="it may be stopped (state T in `ps`): continue or end it, then try again",
            )

    def release(self) -> None:
        """Let the next one write."""
        fcntl.flock(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Let go of the file."""
        with suppress(OSError):
            os.close(self._file)
