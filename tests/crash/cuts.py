"""Cut the power while an operation is at work, and right after what it acknowledged last."""

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.crash.injection import Point
from tests.crash.operation import Operation
from tests.crash.power import disk
from tests.crash.sweep import SEED, Stage, Tally, judge

LAST = Point(call="end", nth=1)
"""The cut comes when the operation has acknowledged all of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """Where the power goes."""

    kind: str
    count: int
    mutant: str = ""


def cut(operation: Operation, folder: Path, how: Cut) -> Tally:
    """Cut so often: the first time after the end, then at calls that are picked by the seed."""
    began_s = time.monotonic()
    tally = Tally(operation=operation.name, whose=f"power on {how.kind}")
    with disk(how.kind, folder / "disk") as power:
        stage = Stage(operation, folder, how.mutant, place=power.mount / "place")
        expected = stage.undisturbed()
        stage.fresh()
        points = stage.tracer.points(stage.work)
        chosen = _picked(points, how.count)
        tally.points, tally.killed_at = len(points) + 1, len(chosen)
        for point in chosen:
            stage.fresh()
            power.settle()
            ended = (
                stage.tracer.plain(stage.work)
                if point is LAST
                else stage.tracer.killed(stage.work, point)
            )
            power.cut()
            tally.fired += ended.fired or point is LAST
            judge(stage, point, ended.acknowledged, expected, tally)
    tally.seconds = time.monotonic() - began_s
    return tally


def _picked(points: Sequence[Point], count: int) -> list[Point]:
    chosen = random.Random(SEED).sample(points, min(count - 1, len(points)))  # noqa: S311 - a sample
    return [LAST, *chosen]
