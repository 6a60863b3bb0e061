"""What chunks of seeds came to, kept in a file: a survey of hours goes on where it was ended.

A line is one chunk, under the name of what was surveyed: of another commit's nothing is taken. A
chunk in which a rule was broken is not kept, so that it is told again. Without a file nothing is
kept.
"""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.sim.survey import Survey
from tidegate.core.attempt import State


class Kept:
    """The chunks of one subject, by their first seeds; `spent_s` is what they took, on the wall."""

    def __init__(self, path: Path | None, *, subject: str) -> None:
        self._path = path
        self._subject = subject
        self.spent_s = 0.0
        self.chunks: dict[int, Survey] = {}
        lines = path.read_text(encoding="utf-8").splitlines() if path and path.exists() else []
        for said in filter(None, map(_read, lines)):
            if said["subject"] == subject:
                self.spent_s += said["spent_s"]
                self.chunks[said["first"]] = _survey(said)

    def add(self, first: int, survey: Survey, *, spent_s: float) -> None:
        """Keep a chunk that ended so much later than the one before it."""
        self.spent_s += spent_s
        if self._path is None or survey.failures:
            return
        said = {
            "subject": self._subject,
            "first": first,
            "spent_s": spent_s,
            "seeds": survey.seeds,
            "moves": sorted([old or "", new] for old, new in survey.moves),
            "faults": survey.faults,
            "deaths": survey.deaths,
            "ticks": survey.ticks,
        }
        with self._path.open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps(said)}\n")


def _read(line: str) -> dict[str, Any] | None:
    """None for half a line, which whoever was killed has left."""
    try:
        said: dict[str, Any] = json.loads(line)
    except ValueError:
        return None
    return said


def _survey(said: Mapping[str, Any]) -> Survey:
    return Survey(
        seeds=said["seeds"],
        moves={(State(old) if old else None, State(new)) for old, new in said["moves"]},
        faults=Counter(said["faults"]),
        deaths=said["deaths"],
        ticks=said["ticks"],
    )
