"""Ask a command one question and hear it to its end, within a time and a size.

It has a session of its own, so it can ask nobody anything, and whatever it started in its group is
ended with it. What the answer means is nobody's business here.
"""

import contextlib
import os
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

STDERR_MAX_BYTES = 4096
"""How much of what it said on standard error is kept: the end, where the cause is."""
_CHUNK_BYTES = 65_536


@dataclass(slots=True)
class Said:
    """What it said. `code` is None where it was ended, and `cut` says why."""

    code: int | None = None
    cut: str = ""
    stdout: bytearray = field(default_factory=bytearray)
    stderr: bytes = b""


def ask(
    command: str,
    request: bytes,
    *,
    env: Mapping[str, str],
    cwd: str,
    timeout_s: float,
    output_max_bytes: int,
) -> Said:
    """Run a shell command on a request. Raises OSError where it cannot be started."""
    with tempfile.TemporaryFile() as file:
        file.write(request)
        file.seek(0)
        child = subprocess.Popen(
            ("/bin/sh", "-c", command),
            stdin=file,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=env,
            cwd=cwd,
            start_new_session=True,
        )
    said = Said()
    try:
        _listen(child, said, time.monotonic() + timeout_s, output_max_bytes)
        if said.cut == "time":
            said.cut = f"it did not end within {timeout_s:g} s and was ended"
    finally:
        _end(child)
    said.code = child.returncode if not said.cut else None
    return said


def _listen(child: subprocess.Popen[bytes], said: Said, limit_s: float, size_max: int) -> None:
    """Hear it until it ends, until the time is over, or until it has said too much."""
    assert child.stdout is not None
    assert child.stderr is not None
    end = os.pidfd_open(child.pid)
    try:
        with selectors.DefaultSelector() as selector:
            for descriptor in (child.stdout.fileno(), child.stderr.fileno(), end):
                os.set_blocking(descriptor, False)
                selector.register(descriptor, selectors.EVENT_READ)
            while not said.cut:
                ready = selector.select(max(0.0, limit_s - time.monotonic()))
                for key, _ in ready:
                    if key.fd != end and not _hear(child, said, key.fd):
                        selector.unregister(key.fd)
                if len(said.stdout) > size_max:
                    said.cut = f"it said more than {size_max} bytes and was ended"
                elif any(key.fd == end for key, _ in ready):
                    return _hear_the_rest(child, said)
                elif time.monotonic() >= limit_s:
                    said.cut = "time"
    finally:
        os.close(end)


def _hear(child: subprocess.Popen[bytes], said: Said, descriptor: int) -> bool:
    """Take one chunk; False where there will be no more."""
    try:
        chunk = os.read(descriptor, _CHUNK_BYTES)
    except BlockingIOError:
        return True
    if child.stdout is not None and descriptor == child.stdout.fileno():
        said.stdout += chunk
    else:
        said.stderr = (said.stderr + chunk)[-STDERR_MAX_BYTES:]
    return bool(chunk)


def _hear_the_rest(child: subprocess.Popen[bytes], said: Said) -> None:
    """What stands in the pipes when it has ended. What left its group may hold them open."""
    for stream in (child.stdout, child.stderr):
        assert stream is not None
        with contextlib.suppress(BlockingIOError):
            while chunk := os.read(stream.fileno(), _CHUNK_BYTES):
                if stream is child.stdout:
                    said.stdout += chunk
                else:
                    said.stderr = (said.stderr + chunk)[-STDERR_MAX_BYTES:]


def _end(child: subprocess.Popen[bytes]) -> None:
    """End its whole group; before it is reaped, so that nobody else has its number."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    for stream in (child.stdout, child.stderr):
        if stream is not None:
            stream.close()
