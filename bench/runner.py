"""One runner, beside a Python that does nothing: how much memory it holds, and how long it takes.

Every running agent pays for one of these. Memory is read from the kernel while the runner waits for
an agent that sleeps; time is taken from the request to start until the record of the end was read,
as the engine would, with an agent that does nothing.
"""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from bench.figures import AT_MOST, Goal, Kind, Row, Table
from tidegate.ports.runners import Over, RunnerSpec, Running
from tidegate.runner.local import LocalRunners

WALL_GOAL = Goal(AT_MOST, 40.0)
MEMORY_GOAL = Goal(AT_MOST, 12.0)
MEMORY_ROUNDS = 5

_BARE = (sys.executable, "-I", "-S", "-c")
_LIMIT_S = 60.0
_LOOK_S = 0.05


def measure(folder: Path, *, rounds: int) -> Table:
    """Time in alternating rounds, then memory."""
    runners = LocalRunners()
    try:
        pairs = [_times(runners, folder, number) for number in range(rounds)]
        sizes = [_sizes(runners, folder, number) for number in range(MEMORY_ROUNDS)]
    finally:
        runners.close()
    return Table(
        name="runner",
        title="One runner, beside a bare Python that does nothing",
        ours="runner",
        other="python -I -S",
        rows=(
            Row(
                what="from start to recorded end of `true`",
                unit="ms",
                ours=[ours for ours, _ in pairs],
                other=[other for _, other in pairs],
                kind=Kind.OURS,
                goal=WALL_GOAL,
            ),
            Row(
                what="resident while its agent works",
                unit="MB",
                ours=[ours for ours, _ in sizes],
                other=[other for _, other in sizes],
                kind=Kind.OURS,
                goal=MEMORY_GOAL,
            ),
        ),
    )


def _times(runners: LocalRunners, folder: Path, number: int) -> tuple[float, float]:
    """Milliseconds of both sides, each going first in every other round."""
    spec = _spec(folder / f"time-{number}", ("true",))
    if number % 2 == 0:
        ours = _runner_ms(runners, spec)
        return ours, _bare_ms()
    other = _bare_ms()
    return _runner_ms(runners, spec), other


def _runner_ms(runners: LocalRunners, spec: RunnerSpec) -> float:
    start = time.perf_counter()
    runners.start(spec)
    _wait_for_end(runners, spec.folder)
    return 1000 * (time.perf_counter() - start)


def _bare_ms() -> float:
    start = time.perf_counter()
    pid = os.posix_spawn(sys.executable, [*_BARE, "pass"], os.environ)
    os.waitpid(pid, 0)
    return 1000 * (time.perf_counter() - start)


def _sizes(runners: LocalRunners, folder: Path, number: int) -> tuple[float, float]:
    """Megabytes of both sides."""
    spec = _spec(folder / f"memory-{number}", ("sleep", "600"))
    runners.start(spec)
    ours = _resident_mb(_runner_pid(runners, spec.folder))
    runners.request_stop(spec.folder, epoch=1, reason="measured")
    _wait_for_end(runners, spec.folder)
    waiting = (*_BARE, "print(flush=True); input()")
    with subprocess.Popen(waiting, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as bare:
        assert bare.stdout is not None
        bare.stdout.readline()  # it is up, and reads its input from now on
        other = _resident_mb(bare.pid)
        bare.communicate(b"\n")
    return ours, other


def _spec(folder: Path, argv: Sequence[str]) -> RunnerSpec:
    return RunnerSpec(
        folder=str(folder),
        epoch=1,
        argv=tuple(argv),
        env={"PATH": os.environ["PATH"]},
        cwd="/",
        mark=folder.name,
        deadline_s=_LIMIT_S,
        output_max_bytes=1_000_000,
        grace_s=5.0,
        beat_s=20.0,
    )


def _wait_for_end(runners: LocalRunners, folder: str) -> None:
    limit = time.monotonic() + _LIMIT_S
    while not isinstance(runners.look(folder), Over):
        if time.monotonic() > limit:
            raise RuntimeError(f"the runner of {folder} does not end")
        runners.wait(1.0)


def _runner_pid(runners: LocalRunners, folder: str) -> int:
    """The pid that the runner tells in its first beat, once its agent is at work."""
    limit = time.monotonic() + _LIMIT_S
    while time.monotonic() < limit:
        seen = runners.look(folder)
        if isinstance(seen, Running) and seen.beat is not None:
            return seen.beat.runner_pid
        runners.wait(_LOOK_S)
    raise RuntimeError(f"the runner of {folder} has no beat")


def _resident_mb(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024 / 1e6
    raise RuntimeError(f"process {pid} has no resident memory")
