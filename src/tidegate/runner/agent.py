"""The agent's process: started exactly as the spec says, and waited for.

It gets a session of its own, files for its output, the environment of its spec and nothing else of
the runner: no descriptor, no blocked signal, no shell in between.
"""

import errno
import os
import signal
import time
from collections.abc import Mapping

from tidegate.runner import files, process_table, signals
from tidegate.runner.spec import Call, Spec

_OUTPUT_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC

_REAP_MAX = 1000
"""How many ended children are collected in one go: a flood of them must not hold up a stop."""


class CannotStartError(Exception):
    """The command could not be started: the errno's name, the path, and what is wrong with it."""


class Outputs:
    """The descriptors of both output files.

    Their sizes are those of what the agent really wrote, whatever it does to the names.
    """

    __slots__ = ("stderr", "stdout")

    def __init__(self, folder: str) -> None:
        """Raises CannotStartError."""
        try:
            self.stdout = os.open(f"{folder}/{files.STDOUT}", _OUTPUT_FLAGS, 0o600)
            self.stderr = os.open(f"{folder}/{files.STDERR}", _OUTPUT_FLAGS, 0o600)
        except OSError as failure:
            what = f"the output files in {folder}"
            raise CannotStartError(_describe(failure, what)) from failure

    def sizes(self) -> tuple[int, int]:
        """Bytes of stdout and of stderr."""
        return os.fstat(self.stdout).st_size, os.fstat(self.stderr).st_size

    def sync(self) -> None:
        """Have the disk hold what is in them. Raises OSError."""
        for descriptor in (self.stdout, self.stderr):
            if os.fstat(descriptor).st_size:
                os.fsync(descriptor)


class Agent:
    """A started agent. `status` is what wait() said of it, None while it is not over."""

    __slots__ = (
        "ended_monotonic_s",
        "ended_s",
        "pid",
        "started_monotonic_s",
        "started_s",
        "status",
    )

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.status: int | None = None
        self.started_s = time.time()
        self.started_monotonic_s = time.monotonic()
        self.ended_s = self.started_s
        self.ended_monotonic_s = self.started_monotonic_s

    def reap(self) -> bool:
        """Collect every child that has ended; whether any child is left.

        This is the only place that waits, so no status can be taken from under it. Descendants
        whose parents ended are children too: where none is left, nothing of this turn is.
        """
        for _ in range(_REAP_MAX):
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                break
            if pid == self.pid:
                self.status = status
                self.ended_s, self.ended_monotonic_s = time.time(), time.monotonic()
        return True

    def signal_group(self, number: signal.Signals) -> None:
        """Signal the agent's process group. Once it has been reaped its number may be another's.

        Where the kernel forbids it, each member gets it that we may signal: what we may not must
        not keep us from the others, nor from the next step.
        """
        if self.status is not None:
            return
        try:
            os.killpg(self.pid, number)
        except ProcessLookupError:
            return
        except PermissionError:
            for process in process_table.everyone().values():
                if process.group == self.pid:
                    process_table.send(process, number)


def start(
    spec: Spec, environment: Mapping[bytes, bytes], outputs: Outputs, call: Call | None = None
) -> Agent:
    """Start the agent, or fork and call what does the same. Raises CannotStartError."""
    environment = {**environment, process_table.MARK.encode(): os.fsencode(spec.mark)}
    stdin = _open_stdin(spec.stdin_path)
    try:
        # posix_spawn cannot change folder, so the runner does, and goes back.
        _enter(spec.cwd)
        if call is not None:
            return Agent(_fork(call, spec.argv, environment, (stdin, outputs)))
        program = _locate(spec.argv[0], environment.get(b"PATH", os.fsencode(os.defpath)))
        return Agent(_spawn(program, spec.argv, environment, (stdin, outputs)))
    finally:
        os.chdir("/")
        os.close(stdin)


def _open_stdin(path: str | None) -> int:
    try:
        return os.open(path or os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as failure:
        raise CannotStartError(_describe(failure, f"the standard input {path}")) from failure


def _enter(cwd: str) -> None:
    try:
        os.chdir(cwd)
    except OSError as failure:
        raise CannotStartError(_describe(failure, f"the working directory {cwd}")) from failure


def _locate(name: str, search_path: bytes) -> bytes:
    """Find the program as a shell would, but on the agent's own PATH."""
    wanted = os.fsencode(name)
    if b"/" in wanted:
        return wanted
    candidates = [os.path.join(place, wanted) for place in search_path.split(b":")]
    present = [path for path in candidates if os.path.isfile(path)]
    if not present:
        where = os.fsdecode(search_path)
        raise CannotStartError(f"ENOENT: there is no program {name} on the agent's PATH ({where})")
    return next((path for path in present if os.access(path, os.X_OK)), present[0])


def _spawn(
    program: bytes,
    argv: tuple[str, ...],
    environment: Mapping[bytes, bytes],
    channels: tuple[int, Outputs],
) -> int:
    stdin, outputs = channels
    try:
        return os.posix_spawn(
            program,
            argv,
            environment,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, stdin, 0),
                (os.POSIX_SPAWN_DUP2, outputs.stdout, 1),
                (os.POSIX_SPAWN_DUP2, outputs.stderr, 2),
            ],
            setsid=True,
            setsigmask=[],
            setsigdef=signals.everything(),
        )
    except OSError as failure:
        raise CannotStartError(_why_not(failure, program, argv, environment)) from failure


def _fork(
    call: Call,
    argv: tuple[str, ...],
    environment: Mapping[bytes, bytes],
    channels: tuple[int, Outputs],
) -> int:
    from tidegate.runner import fork  # noqa: PLC0415 - the runner of an agent does without

    stdin, outputs = channels
    try:
        return fork.spawn(call, argv, environment, (stdin, outputs.stdout, outputs.stderr))
    except OSError as failure:
        raise CannotStartError(_describe(failure, "a fork of the runner")) from failure


def _why_not(
    failure: OSError, program: bytes, argv: tuple[str, ...], environment: Mapping[bytes, bytes]
) -> str:
    path = os.fsdecode(program)
    if failure.errno == errno.ENOENT and os.path.exists(program):
        return f"ENOENT: {path} is there, but not the interpreter that its first line names"
    if failure.errno == errno.E2BIG:
        size = sum(map(len, argv)) + sum(len(k) + len(v) for k, v in environment.items())
        return (
            f"E2BIG: the arguments and environment of {path} ({size} bytes) are more than one "
            "command may have: give long text on standard input or in a file"
        )
    return _describe(failure, path)


def _describe(failure: OSError, what: str) -> str:
    name = errno.errorcode.get(failure.errno or 0, "error")
    return f"{name}: {what}: {os.strerror(failure.errno or 0)}"
