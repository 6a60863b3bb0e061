"""A terminal with a person at it: what is typed goes in, and what is shown is kept."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Sequence
from dataclasses import dataclass

from tests.cli.desk import LIMIT_S, TIDEGATE, Desk
from tests.waiting import let_pass, until
from tidegate.cli.signals import TWICE_S

_TAKE_TERMINAL = (
    "import fcntl, os, sys, termios; os.setsid(); fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "os.execv(sys.argv[1], sys.argv[1:])"
)
"""Makes the terminal on standard input the controlling one: Ctrl-C and a hang-up then signal."""


@dataclass(slots=True)
class Terminal:
    """One terminal, and the process that runs in it."""

    process: subprocess.Popen[bytes]
    end: int
    shown: bytes = b""

    @classmethod
    def running(
        cls,
        desk: Desk,
        *arguments: str,
        columns: int = 80,
        before: Sequence[str] = (),
        **env: str,
    ) -> "Terminal":
        """A command in a terminal of its own; it becomes the terminal's foreground.

        `before` stands before its words.
        """
        end, other = pty.openpty()
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = subprocess.Popen(
            (sys.executable, "-c", _TAKE_TERMINAL, *before, *TIDEGATE, *arguments),
            cwd=desk.repository,
            env=desk.environment({"TERM": "xterm-256color", **env}),
            stdin=other,
            stdout=other,
            stderr=other,
        )
        os.close(other)
        desk.started.append(process)
        return cls(process, end)

    def press(self, keys: str) -> None:
        """Type this, as fast as a person can."""
        os.write(self.end, keys.encode())
        let_pass(2 * TWICE_S)

    def sees(self, words: str) -> None:
        """Look on until this is on the screen."""
        until(lambda: words in self._look(), within_s=LIMIT_S)

    def close(self) -> None:
        """Close the window."""
        os.close(self.end)

    def code(self) -> int:
        """Look on to the end of the process; its exit code."""
        until(self._is_over, within_s=LIMIT_S)
        return self.process.wait(LIMIT_S)

    def _is_over(self) -> bool:
        """All was shown. The kernel says so with an error: no process has the terminal any more."""
        try:
            self._look()
        except OSError:
            return True
        return False

    @property
    def text(self) -> str:
        """All that was ever shown, with what moved the cursor."""
        return self.shown.decode()

    def _look(self) -> str:
        if select.select([self.end], [], [], 0.05)[0]:
            self.shown += os.read(self.end, 65_536)
        return self.shown.decode(errors="replace")
