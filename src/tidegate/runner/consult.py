"""A command that is asked and answers at once, in a process group that ends with the question.

It is no agent and has no turn: nothing is recorded of it, and nothing depends on it. So it needs no
runner of its own, only what keeps it from holding anybody up: a time limit, a limit on its output,
and the end of its whole process group, whatever came of it.
"""

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO, Any

from tidegate.core.text import printable
from tidegate.ports.consult import Answer

_CHUNK_BYTES = 65_536
_COMPLAINT_MAX_BYTES = 4_096
"""How much of standard error is kept: its end, where the cause stands."""
_SHOWN_MAX = 200


def consult(
    command: str,
    question: str,
    *,
    folder: str,
    environment: Mapping[str, str],
    limit_s: float,
    bytes_max: int,
) -> Answer:
    """Ask a shell command. See `tidegate.ports.consult`."""
    try:
        process = subprocess.Popen(
            ("/bin/sh", "-c", command),
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        return Answer(fault=f"it cannot be started ({error.strerror})")
    talk = _Talk(process, question.encode(), bytes_max)
    try:
        fault = talk.carry_on(time.monotonic() + limit_s, limit_s)
    finally:
        _end_group(process)
    return talk.answer() if fault is None else Answer(fault=fault, complaint=talk.complaint)


@dataclass(slots=True)
class _Talk:
    """One question and what comes back, read side by side so that no full pipe stops either."""

    process: "subprocess.Popen[bytes]"
    left: bytes
    bytes_max: int
    said: bytearray = field(default_factory=bytearray)
    complained: bytearray = field(default_factory=bytearray)

    def carry_on(self, until_s: float, limit_s: float) -> str | None:
        """Go on until the command has ended; why it is given up, None where it ended by itself.

        It is over when its first process is: what that left behind could hold the pipes for ever.
        It is not reaped here, so that its group cannot become another's.
        """
        over = os.pidfd_open(self.process.pid)
        try:
            with selectors.DefaultSelector() as selector:
                selector.register(over, selectors.EVENT_READ)
                for stream, event in self._streams():
                    os.set_blocking(stream.fileno(), False)
                    selector.register(stream, event)
                return self._carry_on(selector, over, until_s, limit_s)
        finally:
            os.close(over)

    def _carry_on(
        self, selector: selectors.BaseSelector, over: int, until_s: float, limit_s: float
    ) -> str | None:
        while True:
            left_s = until_s - time.monotonic()
            ready = selector.select(left_s) if left_s > 0 else []
            if not ready:
                return f"it took longer than {limit_s:g} s"
            for key, _ in ready:
                if not isinstance(key.fileobj, int) and not self._serve(key.fileobj):
                    selector.unregister(key.fileobj)
            if len(self.said) > self.bytes_max:
                return f"it printed more than {self.bytes_max} bytes"
            if [key.fd for key, _ in ready] == [over]:
                return None  # it has ended, and no pipe holds anything of it

    def _streams(self) -> tuple[tuple[IO[bytes], int], ...]:
        process = self.process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        return (
            (process.stdin, selectors.EVENT_WRITE),
            (process.stdout, selectors.EVENT_READ),
            (process.stderr, selectors.EVENT_READ),
        )

    def _serve(self, stream: Any) -> bool:
        """Write or read what can be; False where the stream is done with."""
        if stream is self.process.stdin:
            return self._write(stream)
        chunk = os.read(stream.fileno(), _CHUNK_BYTES)
        if stream is self.process.stdout:
            self.said += chunk
        else:
            self.complained += chunk
            del self.complained[:-_COMPLAINT_MAX_BYTES]
        return bool(chunk)

    def _write(self, stream: Any) -> bool:
        """A command may answer without having read the question to its end."""
        try:
            self.left = self.left[os.write(stream.fileno(), self.left) :]
        except BrokenPipeError:
            self.left = b""
        if not self.left:
            with suppress(BrokenPipeError):
                stream.close()
        return bool(self.left)

    def answer(self) -> Answer:
        """What it said, once it has ended."""
        code, complaint = self.process.returncode, self.complaint
        if code:
            last = (complaint.splitlines() or [""])[-1]
            told = f": {printable(last)[:_SHOWN_MAX]}" if last else ""
            fault = f"it ended with {_named(code)}{told}"
            return Answer(fault=fault, code=code, complaint=complaint)
        try:
            return Answer(text=self.said.decode(), code=code, complaint=complaint)
        except UnicodeDecodeError as error:
            fault = f"byte {error.start} of what it printed is not UTF-8"
            return Answer(fault=fault, code=code, complaint=complaint)

    @property
    def complaint(self) -> str:
        """What stands on standard error by now."""
        return self.complained.decode(errors="replace").strip()


def _named(code: int) -> str:
    return f"code {code}" if code > 0 else f"signal {-code}"


def _end_group(process: "subprocess.Popen[bytes]") -> None:
    """Nothing of the group stays. The group is there until its leader is reaped, or empties."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with suppress(OSError):
                stream.close()
