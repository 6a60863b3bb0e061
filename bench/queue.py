"""The queue with three thousand issues: `next`, `explain`, and what comes before a run begins.

Each issue names its own paths and needs another, as those of a long run do. Four lanes are open
beside them, whose footprints have to be compared. The other side is `tidegate --version`: what any
command of the program pays before it does anything.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench import processes
from bench.figures import AT_MOST, Goal, Kind, Row, Table
from bench.world import World, make_world
from tidegate.ledger.sqlite import SqliteLedger
from tidegate.ports.ledger import Batch
from tidegate.testing.ledger_history import RUN, RUN_STARTED, UTC, History

ISSUES = 3_000
OPEN_LANES = 4
LOOK_GOAL = Goal(AT_MOST, 100.0)
START_GOAL = Goal(AT_MOST, 1000.0)
MEMORY = "issues.cache"

_LIMIT_S = 120.0
_YOUNG_S = "2.5"
"""Files that are younger are not remembered."""


@dataclass(frozen=True, slots=True)
class _Look:
    """A command that is measured, and what is done before each round of it."""

    what: str
    words: tuple[str, ...]
    world: World
    goal: Goal | None
    before: Callable[[], None] = lambda: None


def measure(folder: Path, *, rounds: int, issues: int = ISSUES) -> Table:
    """All commands in alternating rounds with the program's own start."""
    busy, idle = (_world(folder / name, issues) for name in ("busy", "idle"))
    _open_lanes(_home(busy))
    SqliteLedger.open(_home(idle)).close()
    memory = _home(busy) / MEMORY
    last = f"{issues:05}"
    looks = (
        _Look("`next`", ("next",), busy, LOOK_GOAL),
        _Look("`explain` of the last", ("explain", last), busy, LOOK_GOAL),
        _Look("`queue`, all of them", ("queue",), busy, None),
        _Look("`next`, every file new", ("next",), busy, None, memory.unlink),
        _Look("`run --dry-run`", ("run", "--dry-run", "--json"), idle, START_GOAL),
    )
    _run(busy, "sleep", _YOUNG_S)
    for world in (busy, idle):
        _require(world, issues)
    return Table(
        name="queue",
        title=f"A queue of {issues:,} issues, beside the start of the program",
        ours="tidegate",
        other="tidegate --version",
        rows=tuple(_row(look, rounds) for look in looks),
    )


def _row(look: _Look, rounds: int) -> Row:
    pairs = [_round(look, is_ours_first=number % 2 == 0) for number in range(rounds)]
    return Row(
        what=look.what,
        unit="ms",
        ours=[ours for ours, _ in pairs],
        other=[other for _, other in pairs],
        kind=Kind.DIFFERENCE,
        goal=look.goal,
    )


def _round(look: _Look, *, is_ours_first: bool) -> tuple[float, float]:
    def ours() -> float:
        look.before()
        return 1000 * _tidegate(look.world, *look.words).wall_s

    def other() -> float:
        return 1000 * _tidegate(look.world, "--version").wall_s

    if is_ours_first:
        return ours(), other()
    first = other()
    return ours(), first


def _world(home: Path, issues: int) -> World:
    world = make_world(home, 0)
    for number in range(1, issues + 1):
        path = world.repository / ".tidegate" / "issues" / f"{number:05}-change-a-part.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        need = f"needs: [{number - 1:05}]\n" if number % 3 == 0 else ""
        keys = f"footprint:\n  - lib/part-{number}/**\n  - checks/test_{number}.py\n{need}"
        text = "What is wanted, in a few words more. " * 20
        title = f"title: Change part {number}\npriority: {number % 5}\n"
        path.write_text(f"---\n{title}{keys}---\n\n{text}\n", encoding="utf-8")
    return world


def _open_lanes(home: Path) -> None:
    """A run with a few lanes that are not over."""
    ledger, history = SqliteLedger.open(home), History()
    try:
        ledger.create_run(RUN, RUN_STARTED, actor="bench", utc=UTC)
        fence = ledger.take_over(RUN, holder="bench", utc=UTC)
        for number in range(OPEN_LANES):
            entries = tuple(history.reviewed(f"{number:05}x", f"{number:05}x-build-1"))
            ledger.commit(fence, Batch(entries=entries))
    finally:
        ledger.close()


def _require(world: World, issues: int) -> None:
    """Every issue is shown, and from here on every file is remembered."""
    shown = _tidegate(world, "queue", "--no-json").stdout
    if len(shown.splitlines()) != issues or not (_home(world) / MEMORY).exists():
        raise RuntimeError(f"the queue does not show its issues: {shown[:500]}")


def _home(world: World) -> Path:
    return world.repository / ".git" / "tidegate"


def _tidegate(world: World, *words: str) -> processes.Cost:
    return _run(world, sys.executable, "-m", "tidegate", *words)


def _run(world: World, *argv: str) -> processes.Cost:
    return processes.run(argv, env=world.environment, cwd=world.repository, limit_s=_LIMIT_S)
