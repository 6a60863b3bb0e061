"""The controller's side of the fork server: start it, ask it for runners, do without it."""

import contextlib
import os
import signal
import socket
from collections.abc import Mapping
from dataclasses import dataclass

from tidegate.runner import signals
from tidegate.runner.process_table import ROOM_FOR_A_MARK

ANSWER_MAX_S = 2.0
"""How long the server may take, since a tick waits for it. Its first answer comes when it has
imported what jobs need, after some 40 ms."""

_ANSWER_BYTES_MAX = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Forkable:
    """A program of ours that a fork server can have ready.

    `command` is how its command lines begin, MODULE the one whose `main` does what they would.
    """

    command: tuple[str, ...]
    module: str

    def is_meant_by(self, argv: tuple[str, ...]) -> bool:
        """Whether this command line is one of that program's."""
        return argv[: len(self.command)] == self.command


class ForkServer:
    """A fork server for one program. It is started when it is first asked, and again if it dies."""

    def __init__(self, argv: tuple[str, ...], environment: Mapping[str, str]) -> None:
        self._argv = argv
        self._environment = environment
        self._channel: socket.socket | None = None
        self._pid = 0

    def start(self, spec_path: str, environment: int) -> int | None:
        """Have a runner forked for this spec; its pidfd, None where there is no server to do it.

        A server that fails is killed, and a new one is asked. The old one may have begun all the
        same, which does no harm: whoever takes the folder's lock second begins nothing.
        """
        tries = 2 if self._channel is not None else 1
        for _ in range(tries):
            pidfd = self._ask(spec_path, environment)
            if pidfd is not None:
                return pidfd
            self.close()
        return None

    def _ask(self, spec_path: str, environment: int) -> int | None:
        try:
            channel = self._channel or self._begin()
            socket.send_fds(channel, [os.fsencode(spec_path)], [environment])
            _, pidfds, _, _ = socket.recv_fds(
                channel, _ANSWER_BYTES_MAX, 1, socket.MSG_CMSG_CLOEXEC
            )
        except OSError:
            return None
        return pidfds[0] if pidfds else None

    def close(self) -> None:
        """End the server. The runners go on."""
        if self._channel is None:
            return
        self._channel.close()
        self._channel = None
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)  # our own child, not reaped: nobody else has its pid
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self._pid, 0)

    def _begin(self) -> socket.socket:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with contextlib.ExitStack() as undo, theirs:
            undo.callback(ours.close)
            self._pid = os.posix_spawn(
                self._argv[0],
                self._argv,
                {**self._environment, **ROOM_FOR_A_MARK},
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, theirs.fileno(), 0),
                    (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                    (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
                ],
                setsid=True,
                setsigmask=signals.everything(),
            )
            undo.pop_all()
        ours.settimeout(ANSWER_MAX_S)
        self._channel = ours
        return ours
