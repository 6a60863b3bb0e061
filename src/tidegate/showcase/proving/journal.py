"""The agents' own journal: what each process wrote of itself, in the order of the writing."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from tidegate.core.records import record


@record
class Note:
    """One line. `at_s` is monotonic; `more` is what only some kinds of lines have."""

    what: str
    attempt: str
    turn: int
    lane: str
    role: str
    at_s: float
    more: Mapping[str, object]

    @property
    def of(self) -> tuple[str, int]:
        """The turn that wrote it."""
        return (self.attempt, self.turn)


def read_journal(path: Path) -> Sequence[Note]:
    """All lines. The last one may be half there while somebody writes it, and is left out."""
    if not path.exists():
        return ()
    whole, _, _ = path.read_text(encoding="utf-8").rpartition("\n")
    return [_note(json.loads(line)) for line in whole.splitlines()]


def _note(line: dict[str, object]) -> Note:
    known = ("what", "attempt", "turn", "lane", "role", "at_s")
    return Note(
        what=str(line["what"]),
        attempt=str(line["attempt"]),
        turn=int(str(line["turn"])),
        lane=str(line["lane"]),
        role=str(line["role"]),
        at_s=float(str(line["at_s"])),
        more={name: value for name, value in line.items() if name not in known},
    )
