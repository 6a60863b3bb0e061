"""What a queue role prints, checked and never trusted: an order of ids, each with its reason.

    003 it blocks two others
    001

One id a line; what stands behind it is the reason that people are shown. Any fault of it means the
order that there would be without the role. An issue that it does not name is kept, behind those
that it does: to forget one is no fault, and decides nothing.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from tidegate.core.issue import Issue
from tidegate.core.records import record
from tidegate.core.text import printable

NOTE_MAX = 200
"""Characters of a reason that are kept."""
SHOWN_MAX = 40


@record
class Ranking:
    """The places that a role gave, from 0, with its reasons; both empty where it gave none."""

    rank: Mapping[str, int] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)


@record(kw_only=False)
class Fault:
    """Why what a role printed is no order."""

    reason: str


def question(issues: Iterable[Issue]) -> str:
    """What the role is asked: an object a line, in the order that there is without it."""
    return "".join(f"{json.dumps(_told(issue))}\n" for issue in issues)


def _told(issue: Issue) -> Mapping[str, object]:
    return {
        "id": issue.id,
        "title": issue.title,
        "priority": issue.priority,
        "needs": issue.needs,
        "footprint": issue.footprint,
        "labels": issue.labels,
    }


def ranking_of(output: str, issues: Sequence[Issue]) -> Ranking | Fault:
    """The order that an output gives to these issues, or why it gives none."""
    known = {issue.id for issue in issues}
    notes: dict[str, str] = {}
    for number, (name, note) in _lines(output):
        shown = printable(name)[:SHOWN_MAX]
        if name not in known:
            return Fault(f"line {number}: {shown!r} is no open issue")
        if name in notes:
            return Fault(f"line {number}: {shown!r} is there twice")
        notes[name] = printable(note)[:NOTE_MAX]
    if not notes:
        return Fault("it names no issue")
    rank = {name: place for place, name in enumerate(notes)}
    return Ranking(rank=rank, notes={name: note for name, note in notes.items() if note})


def _lines(output: str) -> Iterator[tuple[int, tuple[str, str]]]:
    for number, line in enumerate(output.splitlines(), start=1):
        name, *rest = line.split(maxsplit=1) or [""]
        if name:
            yield number, (name, rest[0].strip() if rest else "")
