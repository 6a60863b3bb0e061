"""From one TOML document to judged values by full key name, or to all that is wrong with it.

A wrong key never takes its neighbours with it, and never counts as absent: where there is a
problem there is no result.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from tidegate.config.document import Document
from tidegate.config.keys import KEYS, SECTIONS, Key, choices, shown
from tidegate.config.policy_keys import PLACED
from tidegate.config.problem import Misconfigured, Problem, closest

Entry = tuple[str, str, Any]
"""A section, a name and a value, as written."""

_ROLES = tuple(name[6:] for name in SECTIONS if name.startswith("roles."))


def validate(document: Document) -> Mapping[str, Any]:
    """Every key that the document sets, judged. Raises Misconfigured with all problems."""
    good: dict[str, Any] = {}
    problems: list[Problem] = []
    for section, table in _tables(document.values):
        if section not in SECTIONS:
            problems.append(_unknown_section(document, section, table))
        elif not isinstance(table, dict):
            problems.append(_no_table(document, section))
        else:
            for name, value in table.items():
                _take((section, name, value), document=document, good=good, problems=problems)
    if problems:
        raise Misconfigured(sorted(problems, key=lambda problem: problem.line))
    return good


def _tables(values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The sections by full name; `roles` holds one for each role."""
    for name, table in values.items():
        if name == "roles" and isinstance(table, dict):
            yield from ((f"roles.{role}", each) for role, each in table.items())
        else:
            yield name, table


def _take(
    entry: Entry, *, document: Document, good: dict[str, Any], problems: list[Problem]
) -> None:
    """Put one entry where it belongs: among the good values or among the problems."""
    section, name, value = entry
    key = KEYS.get(f"{section}.{name}")
    if key is None:
        problems.append(_unknown_key(document, section, name))
        return
    try:
        good[key.path] = key.judge(value)
    except ValueError as error:
        line = document.line_of(tuple(key.path.split(".")))
        problems.append(wrong_value(key, value, str(error), file=document.file, line=line))


def wrong_value(key: Key, value: Any, complaint: str, *, file: str, line: int) -> Problem:
    """A key that is known, with a value that will not do."""
    guess = closest(value, choices(key.type)) if isinstance(value, str) else None
    what = f"`{key.name} = {shown(value)}`"
    return Problem(file=file, line=line, what=what, fix=complaint, did_you_mean=guess)


def _unknown_key(document: Document, section: str, name: str) -> Problem:
    line = document.line_of((*section.split("."), name))
    what = f"[{section}] has no key `{shown(name)[1:-1]}`"
    fix, guess = elsewhere(section, name), None
    if not fix:
        known = [key.name for key in KEYS.values() if key.section == section]
        guess = closest(name, known)
        fix = f"it has {', '.join(known)}"
    return Problem(file=document.file, line=line, what=what, fix=fix, did_you_mean=guess)


def elsewhere(section: str, name: str) -> str:
    """Where a key of that name really is, in words; empty where there is none."""
    placed = PLACED.get(f"{section}.{name}")
    homes = [placed] if placed else [key.path for key in KEYS.values() if key.name == name]
    written = (f"`{path.rpartition('.')[2]}` in [{path.rpartition('.')[0]}]" for path in homes)
    return f"it is {' or '.join(written)}" if homes else ""


def _unknown_section(document: Document, section: str, table: Any) -> Problem:
    line = document.line_of(tuple(section.split(".")))
    name = shown(section)[1:-1]
    if section.startswith("roles."):
        what, fix = f"there is no role `{name[6:]}`", f"there is {', '.join(_ROLES)}"
        guess = closest(section[6:], _ROLES)
    elif isinstance(table, dict):
        what, fix = f"there is no section [{name}]", f"there are {', '.join(SECTIONS)}"
        guess = closest(section, SECTIONS)
    else:
        what, guess = f"`{name}` stands outside of any section", None
        fix = elsewhere("", section) or "put it below the [section] that it belongs to"
    return Problem(file=document.file, line=line, what=what, fix=fix, did_you_mean=guess)


def _no_table(document: Document, section: str) -> Problem:
    line = document.line_of(tuple(section.split(".")))
    what, fix = f"`{section}` is a section", f"write [{section}] and its keys below it"
    return Problem(file=document.file, line=line, what=what, fix=fix)
