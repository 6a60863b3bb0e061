"""Standard error as a run writes to it: it is never waited for, and its loss changes nothing.

A terminal can be stopped by Ctrl-S, a pipe's reader can sleep, and either can go away while a run
goes on for hours. So a write that would block is kept for later, in bounds, and one that fails is
dropped. It must never raise.
"""

import os
import select
import stat
from contextlib import suppress
from typing import TextIO

PENDING_MAX_BYTES = 65_536
CLOSE_WAIT_MS = 500
"""How long the end of a run waits for a slow reader to take the last lines."""


class Outlet:
    """A text stream for progress. `stream` is None where the process was started without one."""

    def __init__(self, stream: TextIO | None) -> None:
        self.encoding = "utf-8"
        self._descriptor, self._is_own = -1, False
        self._is_terminal = False
        self._pending = b""
        if stream is not None:
            with suppress(OSError, ValueError):
                self.encoding = stream.encoding
                self._descriptor, self._is_own = _unblocked(stream.fileno())
                self._is_terminal = os.isatty(self._descriptor)

    def isatty(self) -> bool:
        """A person can look on."""
        return self._is_terminal

    def write(self, text: str) -> int:
        """Take a text whole, or drop it whole where too much waits already."""
        content = text.encode(self.encoding, errors="backslashreplace")
        if len(self._pending) + len(content) <= PENDING_MAX_BYTES:
            self._pending += content
        return len(text)

    def flush(self) -> None:
        """Give away what is taken now."""
        while self._pending and self._descriptor >= 0:
            try:
                written = self._write_some()
            except BlockingIOError:
                return
            except OSError:
                self._let_go()  # it is lost for good: a terminal that hung up, a closed pipe
                return
            if not written:
                return
            self._pending = self._pending[written:]

    def _write_some(self) -> int:
        """Write what fits; 0 where nothing does."""
        if not self._is_own and not _is_writable(self._descriptor, 0):
            return 0
        return os.write(self._descriptor, self._pending[: select.PIPE_BUF])

    def close(self) -> None:
        """Give a slow reader a moment for the rest."""
        self.flush()
        if (
            self._pending
            and self._descriptor >= 0
            and _is_writable(self._descriptor, CLOSE_WAIT_MS)
        ):
            self.flush()
        self._let_go()

    def _let_go(self) -> None:
        if self._is_own:
            os.close(self._descriptor)
        self._descriptor, self._is_own = -1, False


def _unblocked(descriptor: int) -> tuple[int, bool]:
    """A descriptor of our own that never blocks, or the same one where none can be had.

    O_NONBLOCK belongs to the open file: set on the descriptor that we were given, it would change
    the terminal of the shell, too. Opening the terminal or the pipe anew gives another open file.
    """
    mode = os.fstat(descriptor).st_mode
    if not (stat.S_ISCHR(mode) or stat.S_ISFIFO(mode)):
        return descriptor, False
    flags = os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    try:
        return os.open(f"/proc/self/fd/{descriptor}", flags), True
    except OSError:
        return descriptor, False


def _is_writable(descriptor: int, within_ms: int) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT)
    with suppress(OSError):
        return bool(poll.poll(within_ms))
    return False
