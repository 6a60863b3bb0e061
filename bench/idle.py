"""What a controller costs while its only agent works for a long time, which is nearly always.

The agent sleeps. What the controller's own threads were given of a processor is read from the
kernel in nanoseconds, and its memory at the end; its children, the agent's runner and the process
that stands by to fork jobs, have a row of their own.
"""

import contextlib
import select
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.figures import AT_MOST, Goal, Kind, Row, Table
from bench.world import AGENT, WIDTH, World, lane, make_world, start_run

CPU_GOAL = Goal(AT_MOST, 0.1)
"""Percent of one core."""
MANY_CPU_GOAL = Goal(AT_MOST, 0.5)
"""Percent of one core, with a hundred agents at work."""
MEMORY_GOAL = Goal(AT_MOST, 30.0)
"""MB."""
_BEGIN_LIMIT_S, _END_LIMIT_S = 60.0, 60.0
_SETTLE_S = 3.0
_TAKE_S = 0.05
"""What the start itself costs is over by then."""
_STEP_S = 0.05


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a process was given so far, and what it holds."""

    cpu_s: float
    memory_mb: float


def measure_many(folder: Path, *, seconds: float, agents: int) -> Table:
    """One run with so many agents at work, watched for so long."""
    world = make_world(folder / "idle-many", agents)
    settings = world.repository / "tidegate.toml"
    text = settings.read_text(encoding="utf-8").replace(f"width = {WIDTH}", f"width = {agents}")
    work = f"touch {world.home}/began-$TIDEGATE_LANE; exec sleep 3600"
    settings.write_text(text.replace(AGENT, work), encoding="utf-8")
    with _running(world) as process:
        for number in range(1, agents + 1):
            _until_there(world.home / f"began-{lane(number)}")
        _pause(_SETTLE_S + _TAKE_S * agents)
        first, events_first = _seen(process.pid), _events(world)
        _pause(seconds)
        last, events = _seen(process.pid), _events(world) - events_first
    share = 100 * (last.cpu_s - first.cpu_s) / seconds
    return Table(
        name="idle-many",
        title=f"A controller whose {agents} agents work for a long time",
        ours="tidegate",
        other="-",
        rows=(
            _row("processor time of the controller", "% of a core", share, MANY_CPU_GOAL),
            _row("memory of the controller (VmRSS)", "MB", last.memory_mb, None),
            _row("events recorded meanwhile", "events", events, None),
        ),
        notes=(f"Watched for {seconds:g} s; leases are renewed once in 60 s.",),
    )


def _events(world: World) -> int:
    path = world.repository / ".git" / "tidegate" / "ledger.db"
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as ledger:
        return int(ledger.execute("select count(*) from event").fetchone()[0])


def measure(folder: Path, *, seconds: float) -> Table:
    """One run whose only lane waits for its agent, watched for so long."""
    world = make_world(folder / "idle", 1)
    began = world.home / "began"
    settings = world.repository / "tidegate.toml"
    text = settings.read_text(encoding="utf-8")
    settings.write_text(text.replace(AGENT, f"touch {began}; exec sleep 3600"), encoding="utf-8")
    with _running(world) as process:
        _until_there(began)
        _pause(_SETTLE_S)
        first, others_first = _seen(process.pid), _children(process.pid)
        _pause(seconds)
        last, others_last = _seen(process.pid), _children(process.pid)
    share = 100 * (last.cpu_s - first.cpu_s) / seconds
    others = 100 * (others_last.cpu_s - others_first.cpu_s) / seconds
    return Table(
        name="idle",
        title="A controller whose only agent works for a long time",
        ours="tidegate",
        other="-",
        rows=(
            _row("processor time of the controller", "% of a core", share, CPU_GOAL),
            _row("memory of the controller (VmRSS)", "MB", last.memory_mb, MEMORY_GOAL),
            _row("processor time of its other processes", "% of a core", others, None),
            _row("memory of its other processes (VmRSS)", "MB", others_last.memory_mb, None),
        ),
        notes=(f"Watched for {seconds:g} s.",),
    )


def _row(what: str, unit: str, value: float, goal: Goal | None) -> Row:
    return Row(what=what, unit=unit, ours=[value], kind=Kind.OURS, goal=goal)


@contextlib.contextmanager
def _running(world: World) -> Iterator[subprocess.Popen[bytes]]:
    """A run, stopped with its agent at the end."""
    process = start_run(world)
    try:
        yield process
    finally:
        for _ in range(2):  # the first lets what works come to its end, the second stops it
            process.send_signal(signal.SIGINT)
            _pause(1.0)
        process.wait(_END_LIMIT_S)


def _until_there(path: Path) -> None:
    limit_s = time.monotonic() + _BEGIN_LIMIT_S
    while not path.exists():
        if time.monotonic() > limit_s:
            raise RuntimeError("the agent did not begin")
        _pause(_STEP_S)


def _pause(seconds: float) -> None:
    select.select([], [], [], seconds)


def _seen(pid: int) -> _Seen:
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    cpu_ns = sum(int(task.read_text(encoding="ascii").split()[0]) for task in tasks)
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    memory_kb = next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS"))
    return _Seen(cpu_ns / 1e9, int(memory_kb) * 1024 / 1e6)


def _children(pid: int) -> _Seen:
    """Its direct children together: the agent itself is not among them."""
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    seen = [_seen(int(child)) for child in found if Path(f"/proc/{child}").exists()]
    return _Seen(sum(each.cpu_s for each in seen), sum(each.memory_mb for each in seen))
