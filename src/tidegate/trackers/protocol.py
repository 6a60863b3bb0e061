"""The lines that a tracker's command reads and writes. Pure.

A request is one line of JSON, and so is each issue and each answer. All that comes back is what
other people wrote: titles must be harmless to show, ids must do as names of files and branches, and
a text is carried along unread.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from typing import Any

from tidegate.config.problem import Misconfigured, Problem, closest
from tidegate.core.errors import Misused
from tidegate.core.issue import Issue
from tidegate.core.names import fold
from tidegate.core.text import first_unsafe, printable
from tidegate.trackers.issue_file import (
    PRIORITY_MAX,
    digest_of,
    normal_pattern,
    title_complaint,
)

KEYS: Mapping[str, str] = {
    "id": "The name that your tracker has for it. Each issue needs one.",
    "title": "What is wanted, in one line. Each issue needs one.",
    "text": "What is wanted, at length. Without it nothing.",
    "footprint": "A list of patterns: the paths that the change is expected to touch.",
    "priority": "A whole number; the higher goes first. Without it 0.",
    "needs": "A list of the ids of issues that must have landed before.",
    "labels": "A list of words of your own.",
}

ANSWER = "the tracker's answer"
ID_MAX = 64
TEXT_MAX = 8_388_608
SHOWN_MAX = 40
_ID = re.compile(r"[A-Za-z0-9#][A-Za-z0-9._#-]*")
_ID_FIX = f"use letters, digits and `._-#`, at most {ID_MAX} of them, such as ABC-12 or #12"

Fields = Mapping[str, Any]


def encoded(fields: Fields) -> bytes:
    """One line of JSON. What is None is left out."""
    said = {name: value for name, value in fields.items() if value is not None}
    return json.dumps(said).encode() + b"\n"


def decoded(line: str) -> Fields | None:
    """The object that a line holds, None where it holds none."""
    try:
        found = json.loads(line, object_pairs_hook=_each_once)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _each_once(pairs: Sequence[tuple[str, Any]]) -> Fields:
    """An object, where no key is said twice: nobody could tell which of the two is meant."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError
    return found


def answer_in(output: bytes) -> Fields | None:
    """The one answer in an output: an object that says whether it is `ok`."""
    lines = [line for line in output.decode(errors="replace").splitlines() if line.strip()]
    found = decoded(lines[0]) if len(lines) == 1 else None
    return found if found is not None and isinstance(found.get("ok"), bool) else None


def error_in(answer: Fields) -> str:
    """Why a tracker said no, on one line."""
    said = answer.get("error")
    return " ".join(said.split()) if isinstance(said, str) and said.strip() else "it gave no reason"


def id_complaint(name: str) -> str | None:
    """Why a name will not do as an issue's id, None where it will."""
    is_plain = _ID.fullmatch(name) and len(name) <= ID_MAX and ".." not in name
    if is_plain and not name.lower().endswith((".", ".lock")):
        return None
    return f"`{printable(name)[:SHOWN_MAX]}` cannot be the name of a file and of a branch"


def issues_in(output: bytes) -> Sequence[Issue]:
    """The issues that an output lists, by id. Raises Misconfigured with all that is wrong."""
    problems: list[Problem] = []
    found: dict[str, tuple[int, Issue]] = {}
    for number, line in enumerate(_text(output).split("\n"), start=1):
        if not line.strip():
            continue
        issue = _Line(number, problems).issue(line)
        first = found.setdefault(fold(issue.id), (number, issue)) if issue else None
        if first and first[0] != number:
            _Line(number, problems).refuse(
                f"it has the id of line {first[0]}", "an id is one issue's alone, whatever its case"
            )
    if not problems:
        found = {name: (number, _spelled(each, found)) for name, (number, each) in found.items()}
        problems.extend(_circle(found))
    if problems:
        raise Misconfigured(problems)
    return tuple(sorted((issue for _, issue in found.values()), key=lambda each: each.id))


def _spelled(issue: Issue, found: Mapping[str, tuple[int, Issue]]) -> Issue:
    """The issue with its needs as the ids of those are written: case tells none apart."""
    needs = (found[fold(need)][1].id if fold(need) in found else need for need in issue.needs)
    return replace(issue, needs=tuple(dict.fromkeys(needs)))


def _text(output: bytes) -> str:
    try:
        return output.decode()
    except UnicodeDecodeError as error:
        line = output.count(b"\n", 0, error.start) + 1
        what = f"byte {error.start} is not UTF-8"
        problem = Problem(file=ANSWER, line=line, what=what, fix="print UTF-8")
        raise Misconfigured([problem]) from None


class _Line:
    """One line of the list: what it says, and what is wrong with it."""

    def __init__(self, number: int, problems: list[Problem]) -> None:
        self._number = number
        self._problems = problems
        self._before = len(problems)

    def refuse(self, what: str, fix: str, guess: str | None = None) -> None:
        """Note a problem and go on, so that one look tells all of a list."""
        self._problems.append(
            Problem(file=ANSWER, line=self._number, what=what, fix=fix, did_you_mean=guess)
        )

    def issue(self, line: str) -> Issue | None:
        """The issue, or None where the line will not do."""
        fields = decoded(line)
        if fields is None:
            what = "it is no JSON object with each key once"
            self.refuse(what, "print one object a line and nothing else")
            return None
        for name in fields:
            if name not in KEYS:
                what = f"an issue has no key `{printable(name)[:SHOWN_MAX]}`"
                self.refuse(what, f"it has {', '.join(KEYS)}", closest(name, KEYS))
        made = self._made(fields)
        return made if len(self._problems) == self._before else None

    def _made(self, fields: Fields) -> Issue:
        name, title = self._one(fields, "id"), self._one(fields, "title").strip()
        text = self._one(fields, "text", required=False).replace("\r\n", "\n").strip("\n")
        footprint = tuple(map(self._pattern, self._list(fields, "footprint")))
        self._judge("id", id_complaint(name), _ID_FIX)
        self._judge("title", title_complaint(title), "")
        self._judge("text", _text_complaint(text), "an issue is text")
        needs, labels = self._list(fields, "needs"), self._list(fields, "labels")
        for need in needs:
            self._judge("needs", id_complaint(need), _ID_FIX)
        for label in labels:
            wrong = not label.strip() or first_unsafe(label) is not None
            what = f"`{printable(label)[:SHOWN_MAX]}` is no label" if wrong else None
            self._judge("labels", what, "write a word")
        return Issue(
            id=name,
            title=title,
            text=text,
            footprint=footprint,
            priority=self._priority(fields),
            needs=needs,
            labels=labels,
            digest=digest_of(name, title, text=text, footprint=footprint),
        )

    def _judge(self, name: str, complaint: str | None, fix: str) -> None:
        """Note a complaint. Where it brings its own remedy after a colon, that one counts."""
        if complaint is not None:
            what, _, own = complaint.partition(": ")
            self.refuse(f"`{name}`: {what}", fix or own)

    def _one(self, fields: Fields, name: str, *, required: bool = True) -> str:
        value = fields.get(name, None if required else "")
        if isinstance(value, str):
            return value
        if name not in fields:
            self.refuse(f"there is no `{name}`", "each issue needs one")
        else:
            self.refuse(f"`{name}` must be a text", 'write it between quotes, such as "12"')
        return "1"

    def _list(self, fields: Fields, name: str) -> tuple[str, ...]:
        value = fields.get(name, [])
        if isinstance(value, list) and all(isinstance(each, str) for each in value):
            return tuple(value)
        self.refuse(f"`{name}` must be a list of texts", 'write ["one", "two"]')
        return ()

    def _priority(self, fields: Fields) -> int:
        value = fields.get("priority", 0)
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= PRIORITY_MAX:
            return value
        self.refuse("`priority` must be a whole number", f"at most {PRIORITY_MAX}, or leave it out")
        return 0

    def _pattern(self, pattern: str) -> str:
        try:
            return normal_pattern(pattern)
        except Misused as error:
            self.refuse(f"`footprint`: {error.message}", error.hint or "take it out")
            return pattern


def _text_complaint(text: str) -> str | None:
    if "\0" in text:
        return "there is a NUL character"
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        return "it holds half a character"
    return f"it has {size} bytes, and {TEXT_MAX} is the limit" if size > TEXT_MAX else None


def _circle(found: Mapping[str, tuple[int, Issue]]) -> Iterator[Problem]:
    """Issues that wait for each other. An id that is not listed may have landed before."""
    graph: dict[str, Sequence[str]] = {issue.id: issue.needs for _, issue in found.values()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        ring: Sequence[str] = error.args[1]
        what = f"`needs`: a circle, {' <- '.join(ring)}"
        line = found[fold(ring[0])][0]
        fix = "none of them could ever begin; take one need out"
        yield Problem(file=ANSWER, line=line, what=what, fix=fix)


Mask = Callable[[str], str]
"""Takes the secrets out of a text."""
