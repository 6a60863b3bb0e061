"""The queue, with the reason for each place, and what is added to it."""

import sys
from collections.abc import Iterator
from dataclasses import asdict

from tidegate.cli.output import clean, columns, complain, show_json, show_lines
from tidegate.core.errors import Misused
from tidegate.core.word import Word
from tidegate.verbs.explain import Explanation, explain, next_issues
from tidegate.verbs.explain import queue as queue_verb
from tidegate.verbs.house import House


def show_queue(house: House, folder: str, *, as_json: bool) -> None:
    """All issues in their order, each with the reason for its place."""
    lines = queue_verb(house, folder)
    if as_json:
        show_json(list(lines))
        return
    if not lines:
        show_lines("there are no issues: `tidegate add TITLE` writes one")
    show_lines(*columns([_cells(each) for each in lines]))


def _cells(each: Explanation) -> tuple[str, ...]:
    mark = ">" if each.is_next else " "
    notes = "".join(f" ({clean(note)})" for note in (each.note, _opened(each)) if note)
    return (mark, each.issue, f"{clean(each.reason)}{notes}", clean(each.title))


def _opened(each: Explanation) -> str:
    """That the owner opened it again; every other word is the reason itself."""
    if each.said is None or each.said.word != Word.OPEN:
        return ""
    return f"opened again: {each.said.reason}" if each.said.reason else "opened again"


def show_issue(house: House, folder: str, issue: str, *, as_json: bool) -> None:
    """One issue: why it does not move, or that it is next."""
    found = explain(house, folder, issue)
    if as_json:
        show_json(found)
    else:
        show_lines(*_issue_lines(found))


def _issue_lines(found: Explanation) -> Iterator[str]:
    place = "next" if found.is_next else f"place {found.place}"
    yield from columns([(f"{found.issue}:", clean(found.title))], gap=1)
    yield from columns([(f"{place}:", clean(found.reason))], gap=1)
    if found.stage:
        told = f"{found.stage} since {found.since}, waits for {found.waits_for}"
        yield from columns([(f"lane {found.lane}:", told)], gap=1)
    if found.note:
        yield f"note: {clean(found.note)}"
    if found.said is not None:
        said = found.said
        why = f": {clean(said.reason)}" if said.reason else ""
        yield f"{clean(said.actor)} said {said.word} at {said.utc}{why}"


def show_next(house: House, folder: str, count: int, *, as_json: bool) -> int:
    """What would be taken now, an id a line; the exit code, 1 where that is nothing."""
    found, reason = next_issues(house, folder, count)
    if as_json:
        show_json({"next": [_next(each) for each in found], "reason": reason})
    else:
        show_lines(*(each.issue for each in found))
    if not found:
        complain(clean(reason))
    return 0 if found else 1


def _next(each: Explanation) -> dict[str, object]:
    return {
        "issue": each.issue,
        "title": each.title,
        "reason": each.reason,
        "note": each.note,
        "said": asdict(each.said) if each.said is not None else None,
    }


def standard_input() -> str:
    """All of standard input as text. Raises Misused where it is none."""
    if sys.stdin is None:
        raise Misused("there is no standard input", hint="give the text itself after --text")
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        message = f"standard input is no UTF-8 text (byte {error.start})"
        raise Misused(message, hint="convert it first, for example with iconv") from None
