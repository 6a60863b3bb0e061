"""The runners of this host: the port's adapter for folders, locks, signals and pidfds.

Nothing is known here that is not in a turn's folder or in the kernel, except which processes a
wait listens to. So a controller that comes back, in another process, sees what the first one saw.
"""

import contextlib
import dataclasses
import errno
import json
import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

import msgspec

from tidegate.core.errors import Misused, refusal_of
from tidegate.ports.runners import (
    Absent,
    Beat,
    Exit,
    Over,
    RunnerSpec,
    Running,
    Sighting,
    Unheld,
)
from tidegate.runner import ending, files, lock, process_table, signals
from tidegate.runner.fork_client import Forkable, ForkServer
from tidegate.runner.requests import StopRequest, is_fenced, read_stop
from tidegate.runner.spec import encode_environment
from tidegate.runner.watch import Identity, Watch

PROGRAM = os.path.dirname(os.path.abspath(__file__))
"""The folder that is run: this one."""

_LOADER_VARIABLES = ("LD_LIBRARY_PATH",)
"""All that a runner's own environment holds: without it some Pythons do not start."""

BRIEFLY_S = 0.1
_BEATLESS_WAIT_MAX_S = 0.1

_T = TypeVar("_T")


class LocalRunners:
    """Starts runners on this machine and reports what it sees of them. Not for several threads."""

    def __init__(self, *, python: str = sys.executable, forkable: Forkable | None = None) -> None:
        """With `forkable`, runners of that program's command lines are forked and not started."""
        self._python = python
        self._command = (python, "-I", "-S", PROGRAM)
        self._forkable = forkable
        module = forkable.module if forkable else ""
        self._fork_server = ForkServer((*self._command, "--serve", module), _loader_variables())
        self._watch = Watch()
        self._beatless: set[str] = set()

    def start(self, spec: RunnerSpec) -> None:
        """Start a runner for this folder. A second start of the same folder changes nothing.

        Raises Unavailable where the folder or a process cannot be made, and Misused for what no
        process can be given.
        """
        _check(spec)
        try:
            os.makedirs(spec.folder, mode=0o700, exist_ok=True)
            is_ours = files.create(spec.folder, files.SPEC, _encode(spec), durable=spec.is_durable)
        except OSError as failure:
            raise refusal_of(
                failure.errno,
                f"the turn folder {spec.folder} cannot be made: {_name(failure)}",
                hint="make room or set its permissions right, then start again",
            ) from failure
        if is_ours:
            self._begin(spec)

    def look(self, folder: str) -> Sighting:
        """Say what is in a folder, without taking its lock and without waiting.

        A runner that is seen running for the first time is adopted: `wait` listens to it too.
        """
        # The lock first: an agent can write a record of its own end, but it cannot let go of the
        # lock, and its runner replaces what it wrote before it does.
        if lock.is_held(folder):
            return self._running(folder)
        # What no runner wrote is no record: whoever held the lock died without a word.
        if (ended := _record(folder, files.EXIT, Exit)) is not None:
            return Over(ended)
        if not files.exists(folder, files.SPEC):
            return Absent()
        return Unheld(_record(folder, files.BEAT, Beat))

    def begun_in(self, folder: str) -> str:
        """As its spec has it, which is written before the start and never again."""
        try:
            said = json.loads(files.read(folder, files.SPEC) or b"{}")
        except ValueError:
            return ""
        begun = said.get("folder") if isinstance(said, dict) else None
        return begun if isinstance(begun, str) else ""

    def request_stop(self, folder: str, *, epoch: int, reason: str) -> None:
        """Ask the runner to end its process: TERM, its grace, KILL, sweep. Idempotent.

        The runner is told by the kernel that the file is there, so nothing here needs its pid.
        Raises Unavailable where the request cannot be written.
        """
        standing = read_stop(folder, own_epoch=epoch - 1)
        if not files.exists(folder, files.SPEC) or (standing and standing.epoch >= epoch):
            return
        try:
            files.replace(folder, files.STOP, StopRequest(epoch, reason).encode(), durable=False)
        except OSError as failure:
            raise refusal_of(
                failure.errno,
                f"the request to stop cannot be written into {folder}: {_name(failure)}",
                hint="make room, or send the runner a SIGTERM: it means the same",
            ) from failure

    def kill(self, folder: str) -> None:
        """End the runner that holds this folder's lock, by force: a signal that nobody can hold up.

        Who it is the kernel says, and not a beat: a frozen runner may never have given one.
        """
        for process in process_table.holders(f"{folder}/{files.LOCK}"):
            process_table.send(process, signal.SIGKILL)

    def declare_lost(self, folder: str, *, epoch: int) -> bool:
        """Take the folder's lock, write `epoch` as its fence and let go; True if that was done.

        False when a runner holds the lock: it lives. After True no runner below `epoch` can begin.
        Raises Unavailable where that cannot be written.
        """
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            held = lock.try_take(folder)
            if held is None:
                return False
            try:
                if not is_fenced(folder, own_epoch=epoch - 1):
                    files.replace(folder, files.FENCE, b"%d\n" % epoch, durable=True)
            finally:
                os.close(held)
        except OSError as failure:
            raise refusal_of(
                failure.errno,
                f"the fence of {folder} cannot be written: {_name(failure)}",
                hint="make room, then try again; nothing may replace that turn before",
            ) from failure
        return True

    def survivors(self, marks: Sequence[str]) -> Mapping[str, tuple[int, ...]]:
        """Live processes of each of these marks, an entry for each, empty where there is none.

        What descends from a carrier counts with it, even if it has dropped the mark.
        """
        found = _living(marks)
        return {mark: tuple(sorted(p.pid for p in living)) for mark, living in found.items()}

    def sweep(self, mark: str, *, grace_s: float) -> tuple[int, ...]:
        """End every process that carries this mark; the pids that would not die.

        It waits for them: up to `grace_s`, and for what does not die then, up to KILL_MAX_S more;
        without a grace for BRIEFLY_S in all, since that is how a controller's tick asks.
        """
        told, leftovers = ending.end_all(
            lambda: _living([mark])[mark],
            grace_s=grace_s,
            kill_max_s=ending.KILL_MAX_S if grace_s else BRIEFLY_S,
            pause=time.sleep,
        )
        _reap(told)
        return leftovers

    def sweep_all(self, marks: Sequence[str]) -> Mapping[str, tuple[int, ...]]:
        """End every process that carries one of these marks; who would not die, of each mark.

        One look at all processes for all of them: for each by itself it took seconds where many
        runners had died at once.
        """
        if not marks:
            return {}
        told, leftovers = ending.end_all(
            lambda: [each for living in _living(marks).values() for each in living],
            grace_s=0.0,
            kill_max_s=BRIEFLY_S,
            pause=time.sleep,
        )
        _reap(told)
        left = self.survivors(marks) if leftovers else {}
        return {mark: left.get(mark, ()) for mark in marks}

    def wait(self, timeout_s: float) -> None:
        """Sleep until a runner this process started or adopted ends, or the time is over.

        It may end early, after `wake` or while a runner has not yet said who it is.
        """
        if self._beatless:
            timeout_s = min(timeout_s, _BEATLESS_WAIT_MAX_S)
            self._beatless.clear()
        self._watch.wait(timeout_s)

    def wake(self) -> None:
        """End the wait under way, or the next one. Safe in a signal handler and in a thread."""
        self._watch.wake()

    def listen_to(self, bell: int) -> None:
        """End waits also when this descriptor can be read."""
        self._watch.listen_to(bell)

    def stand_down(self) -> None:
        """End the process that stands by to start runners; a later start begins another."""
        self._fork_server.close()

    def close(self) -> None:
        """Let go of all descriptors; the runners go on."""
        self.stand_down()
        self._watch.close()

    def _running(self, folder: str) -> Running:
        content = files.read(folder, files.BEAT)
        # A beat of a runner that an older or newer Tidegate started may lack something: it is none.
        beat = None if content is None else _decode(content, Beat)
        if folder not in self._watch:
            identity = None if content is None else _decode(content, Identity)
            if identity is None:
                self._beatless.add(folder)
            else:
                self._watch.adopt(folder, identity)
        return Running(beat, files.exists(folder, files.STOPPING))

    def _begin(self, spec: RunnerSpec) -> None:
        """Start the program on a spec that is on disk. Raises Unavailable."""
        try:
            with _memory(encode_environment(spec.env)) as environment:
                self._begin_with(environment, spec)
        except OSError as failure:
            # Nothing was started, so the folder must be as it was: a later start has to count.
            with contextlib.suppress(OSError):
                os.unlink(f"{spec.folder}/{files.SPEC}")
            everyone = process_table.everyone().values()
            zombies = sum(process.is_zombie for process in everyone)
            raise refusal_of(
                failure.errno,
                f"no runner could be started with {self._python}: {_name(failure)}; there are "
                f"{len(everyone)} processes, {zombies} of them zombies",
                hint="start it again when there is room for a process; `ulimit -u` and the "
                "container's pids limit say how many there may be",
            ) from failure

    def _begin_with(self, environment: int, spec: RunnerSpec) -> None:
        spec_path = f"{spec.folder}/{files.SPEC}"
        if self._forkable is not None and self._forkable.is_meant_by(spec.argv):
            pidfd = self._fork_server.start(spec_path, environment)
            if pidfd is not None:
                self._watch.add(spec.folder, pidfd)
                return
        self._watch.add_child(spec.folder, self._spawn(environment, spec_path))

    def _spawn(self, environment: int, spec_path: str) -> int:
        log = f"{os.path.dirname(spec_path)}/{files.LOG}"
        return os.posix_spawn(
            self._python,
            [*self._command, spec_path],
            _loader_variables(),
            file_actions=[
                (os.POSIX_SPAWN_DUP2, environment, 0),
                (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_OPEN, 2, log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600),
            ],
            setsid=True,
            setsigmask=signals.everything(),
        )


def _reap(pids: Iterable[int]) -> None:
    """A controller that is process 1 of its container inherits a dead runner's orphans."""
    for pid in pids:
        with contextlib.suppress(ChildProcessError):
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG)


def _loader_variables() -> dict[str, str]:
    return {name: os.environ[name] for name in _LOADER_VARIABLES if name in os.environ}


@contextlib.contextmanager
def _memory(content: bytes) -> Iterator[int]:
    """A descriptor to read this from: in memory and never in a file, of any size."""
    descriptor = os.memfd_create("environment")
    try:
        with open(descriptor, "wb", closefd=False) as file:
            file.write(content)
        os.lseek(descriptor, 0, os.SEEK_SET)
        yield descriptor
    finally:
        os.close(descriptor)


def _living(marks: Sequence[str]) -> dict[str, list[process_table.Process]]:
    """The live processes of each mark.

    The table is not read in one instant, and a process may slip through between two forks. So a
    mark that nobody seems to carry is looked for once more.
    """
    found: dict[str, list[process_table.Process]] = {mark: [] for mark in marks}
    for _ in range(2):
        table = process_table.everyone()
        unseen = [mark for mark, living in found.items() if not living]
        for mark, pids in process_table.carriers(table, unseen).items():
            found[mark] = process_table.living(table, pids)
    return found


def _check(spec: RunnerSpec) -> None:
    """Refuse what no process can be given. Raises Misused."""
    if not spec.argv:
        raise Misused("a runner needs a command", hint="give at least the program's name")
    texts = (spec.folder, spec.cwd, spec.mark, spec.stdin_path or "", *spec.argv)
    if any("\0" in text for text in (*texts, *spec.env, *spec.env.values())):
        raise Misused(
            f"the spec of {spec.folder} has a zero byte in a text",
            hint="no argument, path or variable can hold one: give such text in a file",
        )
    wrong = [name for name in spec.env if not name or "=" in name]
    if wrong:
        raise Misused(f"{wrong[0]!r} cannot name a variable", hint="correct [env] in the settings")


def _encode(spec: RunnerSpec) -> bytes:
    """The spec as it is written: all of it but the environment."""
    # json and not msgspec: a path that is not UTF-8 is a text with lone surrogates here.
    fields = {f.name: getattr(spec, f.name) for f in dataclasses.fields(spec) if f.name != "env"}
    return json.dumps(fields, indent=1).encode() + b"\n"


def _record(folder: str, name: str, kind: type[_T]) -> _T | None:
    content = files.read(folder, name)
    return None if content is None else _decode(content, kind)


def _decode(content: bytes, kind: type[_T]) -> _T | None:
    try:
        return msgspec.json.decode(content, type=kind)
    except msgspec.DecodeError:
        return None


def _name(failure: OSError) -> str:
    name = errno.errorcode.get(failure.errno or 0, "error")
    return f"{name} ({failure.strerror})"
