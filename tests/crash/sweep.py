"""Kill an operation at each of its durable calls, recover it, and count what came of it."""

import random
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.crash.injection import DURABLE, Ended, Point, Tracer, environment
from tests.crash.operation import FAULT, Facts, Operation

SEED = 20260101
"""Which points are taken where not all are."""
_FIRED_PERCENT_MIN = 75


@dataclass(slots=True, kw_only=True)
class Tally:
    """What a sweep came to. `lost`, `doubled` and `broken` tell each case, with its point."""

    operation: str
    whose: str
    is_timed: bool = False
    points: int = 0
    killed_at: int = 0
    fired: int = 0
    recovered: int = 0
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def wrong(self) -> list[str]:
        """Everything that must not be."""
        return [*self.lost, *self.doubled, *self.broken]

    @property
    def is_proved(self) -> bool:
        """Every fault fired, everything went on, and nothing is wrong.

        Where the calls depend on time a run may be over before a late one: most must have fired.
        """
        enough = self.killed_at * (_FIRED_PERCENT_MIN if self.is_timed else 100) // 100
        return enough <= self.fired and self.recovered == self.killed_at > 0 and not self.wrong

    def said(self) -> str:
        """One line for a test's output."""
        part = "all" if self.killed_at >= self.points else f"{self.killed_at} (seed {SEED}) of"
        return f"{self.operation}, {self.whose}: {part} {self.points} points"


class Stage:
    """A folder in which an operation begins the same way each time."""

    def __init__(
        self, operation: Operation, folder: Path, mutant: str = "", *, place: Path | None = None
    ) -> None:
        self.operation = operation
        self.place = place or folder / "place"
        self._seed = folder / "seed"
        home = folder / "home"
        home.mkdir(parents=True)
        env = environment(home) | dict(operation.variables(self.place))
        self.tracer = Tracer(folder / "trace", env)
        self._mutant = mutant
        begun = self.tracer.plain(operation.command("begin", self.place))
        assert begun.code == 0, begun.err
        self._copy(self.place, self._seed)
        self.work = operation.command("work", self.place, mutant)

    def fresh(self) -> None:
        """Put the folder back to where the operation begins."""
        shutil.rmtree(self.place)
        self._copy(self._seed, self.place)

    def recover(self) -> Ended:
        """What the next controller does."""
        return self.tracer.plain(self.operation.command("recover", self.place, self._mutant))

    def undisturbed(self) -> Facts:
        """What there is where nothing is interrupted, and nothing is wrong with the product."""
        self.fresh()
        ended = self.tracer.plain(self.operation.command("work", self.place))
        assert ended.code == 0, ended.err
        return self.operation.facts(self.place)

    @staticmethod
    def _copy(source: Path, target: Path) -> None:
        subprocess.run(["cp", "-a", str(source), str(target)], check=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrong:
    """A mutant, and the calls at which it is killed: the last first, where most is at stake."""

    mutant: str
    calls: tuple[str, ...] = DURABLE

    def suspects(self, points: Sequence[Point]) -> list[Point]:
        """The points to try, in that order."""
        return [point for point in reversed(points) if point.call in self.calls]


def sweep(
    operation: Operation,
    folder: Path,
    *,
    of_git: bool = False,
    cap: int | None,
    wrong: Wrong | None = None,
) -> Tally:
    """Kill our own process, or its gits, at all points or at `cap` of them.

    Of a product that is wrong one fault is enough: there it ends with the first that is found.
    """
    began_s = time.monotonic()
    stage = Stage(operation, folder, wrong.mutant if wrong else "")
    expected = stage.undisturbed()
    stage.fresh()
    points = (stage.tracer.git_points if of_git else stage.tracer.points)(stage.work)
    chosen = wrong.suspects(points) if wrong else picked(points, cap)
    tally = Tally(
        operation=operation.name,
        whose="git" if of_git else "ours",
        is_timed=operation.is_timed,
        points=len(points),
        killed_at=len(chosen),
    )
    for point in chosen:
        _kill_at(stage, point, expected, tally)
        if wrong and tally.wrong:
            break
    if cap is None and not (of_git or wrong or operation.is_timed):
        _require_no_more(stage, points)
    tally.seconds = time.monotonic() - began_s
    return tally


def picked(points: Sequence[Point], cap: int | None) -> list[Point]:
    """All of them, or so many, spread at random in the same way each time; the last is in it."""
    if cap is None or cap >= len(points):
        return list(points)
    numbers = random.Random(SEED).sample(range(len(points) - 1), cap - 1)  # noqa: S311 - a sample
    return [points[number] for number in (*sorted(numbers), len(points) - 1)]


def _kill_at(stage: Stage, point: Point, expected: Facts, tally: Tally) -> None:
    stage.fresh()
    ended = stage.tracer.killed(stage.work, point)
    tally.fired += ended.fired
    judge(stage, point, ended.acknowledged, expected, tally)


def judge(
    stage: Stage, point: Point, acknowledged: Sequence[str], expected: Facts, tally: Tally
) -> None:
    """Look at what an interruption left, recover it, and look again."""
    for found in stage.operation.lost(stage.place, acknowledged):
        (tally.broken if found.startswith(FAULT) else tally.lost).append(f"{point}: {found}")
    recovery = stage.recover()
    tally.recovered += recovery.code == 0
    if recovery.code:
        tally.broken.append(f"{point}: it does not go on: {recovery.err.strip()}")
        return
    for kind, found in differences(expected, stage.operation.facts(stage.place)):
        getattr(tally, kind).append(f"{point}: {found}")


def differences(expected: Facts, found: Facts) -> Iterator[tuple[str, str]]:
    """What is too few, too many, or must not be at all."""
    yield from (("lost", fact) for fact in (expected - found).elements())
    for fact in (found - expected).elements():
        yield ("broken" if fact.startswith(FAULT) else "doubled"), fact


def _require_no_more(stage: Stage, points: Sequence[Point]) -> None:
    """See that there was no further call to be killed at: the operation ends, and nothing fires."""
    for call in {point.call for point in points}:
        last = max(point.nth for point in points if point.call == call)
        stage.fresh()
        ended = stage.tracer.killed(stage.work, Point(call=call, nth=last + 1))
        assert (ended.code, ended.fired) == (0, False), f"{call} {last + 1}: {ended.err}"
