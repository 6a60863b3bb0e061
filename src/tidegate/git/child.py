"""Run one child process within a time limit, and leave nothing of it behind.

It has no terminal and a session of its own: so it can ask nobody anything, and is killed together
with all that it started. This module never decides what an exit code means.
"""

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from typing import NamedTuple

_AFTER_KILL_S = 5.0
"""How long the pipes of a killed child may stay open before they are given up."""


class Ended(NamedTuple):
    """How the child ended. `code` is negative for a signal, as in `subprocess`."""

    code: int
    stdout: bytes
    stderr: bytes
    timed_out: bool


class Streams(NamedTuple):
    """What goes in and where it comes out. Files are for what is too large to hold in memory."""

    stdin: bytes = b""
    stdin_path: str | None = None
    stdout_path: str | None = None
    stderr_to_stdout: bool = False
    keep_open: tuple[int, ...] = ()
    """Descriptors that the child inherits: a lock that shall be held for as long as it lives."""


def run(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: str | None,
    streams: Streams,
    timeout_s: float,
) -> Ended:
    """Run `argv` to its end. Raises OSError where it cannot be started."""
    with contextlib.ExitStack() as files:
        child = subprocess.Popen(
            argv,
            env=env,
            cwd=cwd,
            stdin=_opened(files, streams.stdin_path, os.O_RDONLY),
            stdout=_opened(files, streams.stdout_path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
            stderr=subprocess.STDOUT if streams.stderr_to_stdout else subprocess.PIPE,
            start_new_session=True,
            pass_fds=streams.keep_open,
        )
    return _to_the_end(child, None if streams.stdin_path else streams.stdin, timeout_s)


def _opened(files: contextlib.ExitStack, path: str | None, flags: int) -> int:
    if path is None:
        return subprocess.PIPE
    descriptor = os.open(path, flags | os.O_CLOEXEC, 0o600)
    files.callback(os.close, descriptor)
    return descriptor


def _to_the_end(child: subprocess.Popen[bytes], stdin: bytes | None, timeout_s: float) -> Ended:
    timed_out = False
    try:
        stdout, stderr = child.communicate(stdin, timeout=timeout_s)
    except subprocess.TimeoutExpired:
        timed_out = True
        stdout, stderr = _killed(child)
    finally:
        if child.returncode is None:
            _kill(child)
    return Ended(child.returncode, stdout or b"", stderr or b"", timed_out=timed_out)


def _killed(child: subprocess.Popen[bytes]) -> tuple[bytes, bytes]:
    """Kill it and take what it said. A descendant that left the session may hold the pipes."""
    _kill(child)
    try:
        return child.communicate(timeout=_AFTER_KILL_S)
    except subprocess.TimeoutExpired as expired:
        return expired.output or b"", expired.stderr or b""


def _kill(child: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
