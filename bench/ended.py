"""Whether a tick costs more where much has ended: a run of one live agent, beside one with a past.

Both are real runs whose only agent is at work. Into the ledger of one so many ended lanes, each
with an attempt, were written before its controller was started again. Ticks are timed as in
`bench.ticks`, with nothing to do in them but to look.

    python -m bench.ended

takes up the run of the current folder, makes so many ticks, leaves, and prints their milliseconds.
"""

import contextlib
import json
import os
import select
import signal
import sqlite3
import statistics
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from bench import processes
from bench.figures import AT_MOST, Goal, Row, Table
from bench.ticks import Stopwatch
from bench.world import AGENT, SOURCE, World, make_world, start_run
from tidegate.bootstrap import build_house
from tidegate.core import events as e
from tidegate.core.values import Outcome
from tidegate.engine.engine import Engine
from tidegate.engine.wish import Wish
from tidegate.ledger.sqlite import SqliteLedger
from tidegate.ports.ledger import Batch
from tidegate.testing.ledger_history import History
from tidegate.verbs.eyes import Eyes
from tidegate.verbs.run import run
from tidegate.verbs.start import RunWish

GOAL = Goal(AT_MOST, 1.1)
TICKS = 120
"""How many are made; the first few take up the run."""
_WARM = 20
_A_COMMIT = 200
_LIMIT_S = 120.0
_STEP_S = 0.05


def measure(folder: Path, *, ended: int, rounds: int) -> Table:
    """Ticks with and without a past, in alternating rounds."""
    with _standing(folder / "past", ended) as past, _standing(folder / "new", 0) as new:
        ours: list[float] = []
        other: list[float] = []
        for number in range(rounds):
            for world, found in _order((past, ours), (new, other), is_turned=number % 2 == 1):
                found.append(statistics.median(_ticks_ms(world)))
    return Table(
        name="ended",
        title=f"A tick of a run in which {ended:,} attempts have ended, and of one without",
        ours="with a past",
        other="without",
        rows=(Row(what="median tick", unit="ms", ours=ours, other=other, goal=GOAL),),
        notes=(f"{TICKS - _WARM} ticks a round, each of a run with one agent at work.",),
    )


def _order(
    one: tuple[World, list[float]], other: tuple[World, list[float]], *, is_turned: bool
) -> Sequence[tuple[World, list[float]]]:
    return (other, one) if is_turned else (one, other)


@contextlib.contextmanager
def _standing(home: Path, ended: int) -> Iterator[World]:
    """A run whose agent is at work and whose controller is gone; its agent is ended at last."""
    world = make_world(home, 1)
    settings = world.repository / "tidegate.toml"
    text = settings.read_text(encoding="utf-8").replace(AGENT, "exec sleep 3600")
    settings.write_text(f"{text}[deadlines]\nheartbeat_s = 0.3\nmissed_beats_max = 50\n")
    process = start_run(world)
    _until_started(world)
    process.kill()
    process.wait()
    _write_past(world, ended)
    try:
        yield world
    finally:
        for turn in world.repository.glob(".git/tidegate/runs/*/attempts/*-build-1/turns/1"):
            beat = json.loads((turn / "beat.json").read_text())
            os.kill(int(beat["runner_pid"]), signal.SIGTERM)


def _until_started(world: World) -> None:
    path = world.repository / ".git" / "tidegate" / "ledger.db"
    for _ in range(int(_LIMIT_S / _STEP_S)):
        select.select([], [], [], _STEP_S)
        with contextlib.suppress(sqlite3.OperationalError):
            ledger = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
            started = ledger.execute("select count(started_at) from turn").fetchone()[0]
            ledger.close()
            if started:
                return
    raise RuntimeError("the agent did not begin")


def _write_past(world: World, ended: int) -> None:
    """Record lanes that were opened, built and ended, as the run's controller would have."""
    ledger = SqliteLedger.open(world.repository / ".git" / "tidegate")
    name = str(ledger.runs()[-1]["run_id"])
    fence = ledger.take_over(name, holder="bench", utc="2026-01-01T00:00:00.000Z")
    history = History(name)
    for first in range(0, ended, _A_COMMIT):
        numbers = range(first, min(first + _A_COMMIT, ended))
        entries = tuple(entry for number in numbers for entry in _lane(history, f"past-{number}"))
        ledger.commit(fence, Batch(entries=entries))
    ledger.close()


def _lane(history: History, lane: str) -> Iterator[e.Entry]:
    attempt = f"{lane}-build-1"
    yield from history.begun(lane, attempt)
    yield history.ended(lane, e.Failed(attempt=attempt, reason="not_started", detail=""))
    yield history.entry(lane, e.WorkspaceRemoved(attempt=attempt))
    yield history.entry(lane, e.LaneEnded(outcome=Outcome.STOPPED, reason="it was long ago"))


def _ticks_ms(world: World) -> Sequence[float]:
    done = processes.run(
        (sys.executable, "-m", "bench.ended"),
        env={**world.environment, "PYTHONPATH": f"{SOURCE}:{SOURCE.parent}"},
        cwd=world.repository,
        limit_s=_LIMIT_S,
    )
    ticks: list[float] = json.loads(done.stdout)
    return ticks


def main() -> int:
    """Take the run up, make so many ticks, and leave."""
    house = build_house()
    watch = Stopwatch(house.clock)

    def wish() -> Wish:
        return Wish.DETACH if len(watch.ticks_ms) >= TICKS else Wish.GO_ON

    def state(engine: Engine) -> None:
        watch.state(engine)

    eyes = Eyes(recorded=lambda _: None, state=state, wish=wish)
    run(replace(house, clock=watch), str(Path.cwd()), RunWish(), eyes)
    print(json.dumps([round(each, 4) for each in watch.ticks_ms[_WARM:]]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
