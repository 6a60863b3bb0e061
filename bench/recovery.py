"""How soon a controller that comes back has taken up all that was open when it was killed.

A real run with so many real agents at work at once, each in a workspace under a runner. Its
controller is ended by SIGKILL; then some agents end and some runners are killed while nobody looks;
then `tidegate run` is started again. From the start of that process it is measured when the ledger
holds the first recovery, and when it holds one for each open attempt: read by another process from
the ledger itself, a thousand times a second.
"""

import contextlib
import json
import os
import select
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from bench.figures import AT_MOST, Goal, Kind, Row, Table
from bench.world import AGENT, WIDTH, World, lane, make_world, start_run

FIRST_GOAL, LAST_GOAL = Goal(AT_MOST, 300.0), Goal(AT_MOST, 1000.0)
_STEP_S = 0.001
_AGENT_LOOK_S = 3.0
_BEGIN_LIMIT_S = 1800.0
_RECOVER_LIMIT_S = 60.0
_ENDED_SHARE, _KILLED_SHARE = 4, 10
"""One in so many has ended, or was killed with its runner, by the time the controller is back."""
_HOW = (
    "From the start of the process to the ledger's commit, seen by another process. In the last "
    f"round one agent in {_ENDED_SHARE} had ended, and one runner in {_KILLED_SHARE} was killed, "
    "while nobody looked."
)
_WORK = (
    "touch {home}/began-$TIDEGATE_LANE; while test ! -e {home}/end-$TIDEGATE_LANE; do sleep 3; done"
)
_STARTED = "select count(*) from turn where started_at is not null and ended_at is null"


def measure(folder: Path, *, attempts: int, rounds: int) -> Table:
    """Kill it and take it up again, time after time, with all of its agents at work."""
    world = _world(folder / "recovery", attempts)
    firsts_ms, lasts_ms = [], []
    process = start_run(world)
    try:
        _wait(lambda: _count(world, _STARTED) >= attempts, _BEGIN_LIMIT_S)
        for number in range(rounds):
            _kill(process)
            if number == rounds - 1:
                _befall(world, attempts)
            process, first_ms, last_ms = _take_up(world, attempts)
            firsts_ms.append(first_ms)
            lasts_ms.append(last_ms)
    finally:
        _kill(process)
        _end_all(world)
    return Table(
        name="recovery",
        title=f"A run of {attempts:,} open attempts, taken up again after kill -9",
        ours="tidegate",
        other="-",
        rows=(
            Row(
                what="first recovery",
                unit="ms",
                ours=firsts_ms,
                kind=Kind.OURS,
                goal=FIRST_GOAL,
            ),
            Row(what="last recovery", unit="ms", ours=lasts_ms, kind=Kind.OURS, goal=LAST_GOAL),
        ),
        notes=(_HOW,),
    )


def _world(home: Path, attempts: int) -> World:
    world = make_world(home, attempts)
    settings = world.repository / "tidegate.toml"
    text = settings.read_text(encoding="utf-8").replace(AGENT, _WORK.format(home=home))
    settings.write_text(text.replace(f"width = {WIDTH}", f"width = {attempts}"), encoding="utf-8")
    return world


def _kill(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


def _take_up(world: World, attempts: int) -> tuple[subprocess.Popen[bytes], float, float]:
    """Start it again; when the first recovery was on record, and when all were."""
    with contextlib.closing(_ledger(world)) as ledger:
        before = ledger.execute("select max(controller_epoch) from run").fetchone()[0]
        began_s = time.perf_counter()
        process = start_run(world)
        seen = f"select count(*) from recovery where controller_epoch > {before}"  # noqa: S608 - a number of our own

        def count() -> int:
            return int(ledger.execute(seen).fetchone()[0])

        _wait(lambda: count() > 0, _RECOVER_LIMIT_S)
        first_ms = 1000 * (time.perf_counter() - began_s)
        _wait(lambda: count() >= attempts, _RECOVER_LIMIT_S)
        return process, first_ms, 1000 * (time.perf_counter() - began_s)


def _befall(world: World, attempts: int) -> None:
    """Some agents come to their end, and some runners die with theirs."""
    for number in range(_ENDED_SHARE, attempts + 1, _ENDED_SHARE):
        (world.home / f"end-{lane(number)}").touch()
    beats = sorted(world.repository.glob(".git/tidegate/runs/*/attempts/*/turns/1/beat.json"))
    for beat in beats[1::_KILLED_SHARE]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(json.loads(beat.read_text())["runner_pid"]), signal.SIGKILL)
    _pause(2 * _AGENT_LOOK_S)


def _end_all(world: World) -> None:
    """End what still works: by its runner, which ends its own."""
    for beat in world.repository.glob(".git/tidegate/runs/*/attempts/*/turns/*/beat.json"):
        with contextlib.suppress(ProcessLookupError, ValueError):
            os.kill(int(json.loads(beat.read_text())["runner_pid"]), signal.SIGTERM)


def _ledger(world: World) -> sqlite3.Connection:
    path = world.repository / ".git" / "tidegate" / "ledger.db"
    return sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=_RECOVER_LIMIT_S)


def _count(world: World, statement: str) -> int:
    try:
        with contextlib.closing(_ledger(world)) as ledger:
            return int(ledger.execute(statement).fetchone()[0])
    except sqlite3.OperationalError:  # not there yet
        return 0


def _wait(is_so: Callable[[], bool], limit_s: float) -> None:
    until_s = time.monotonic() + limit_s
    while not is_so():
        if time.monotonic() > until_s:
            raise RuntimeError("the run does not get there")
        _pause(_STEP_S)


def _pause(seconds: float) -> None:
    select.select([], [], [], seconds)
