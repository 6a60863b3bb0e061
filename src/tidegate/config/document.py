"""One TOML file: its values, and the line on which each of them stands.

The standard reader tells the values and not the places. The places are found by handing it one
statement at a time, so that no second grammar of TOML exists here that could disagree.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tidegate.config.problem import Misconfigured, Problem
from tidegate.config.reading import read_text
from tidegate.core.records import record

SIZE_MAX_BYTES = 65_536

_PLACE = re.compile(r" \(at (?:line (?P<line>\d+), column \d+|end of document)\)$")
_CLOSING = ("]", "}", '"""', "'''")
"""One of these stands on the last line of any statement that has more than one line."""

KeyPath = tuple[str, ...]


@record
class Document:
    """A file that was read in full. `file` is its name as people are shown it."""

    file: str
    values: Mapping[str, Any]
    text: str

    def line_of(self, path: KeyPath) -> int:
        """The line that first sets this key, or anything below this table."""
        found = (s.line for s in statements(self.text) if s.path[: len(path)] == path)
        return next(found, 1)


@record
class Statement:
    """A table's header, or one key that a line sets. `path` is empty for what does not end."""

    line: int
    path: KeyPath
    is_header: bool = False


def read_document(path: Path, *, shown: str) -> Document:
    """Read one file.

    Raises FileNotFoundError where there is none, and Misconfigured where it cannot be read in
    full. An empty file is refused too: a full disk leaves such, and a person can delete it.
    """
    text = read_text(path, shown=shown, size_max=SIZE_MAX_BYTES)
    if not text.strip():
        fix = "write what you want to set, or delete the file"
        raise Misconfigured([Problem(file=shown, line=1, what="the file is empty", fix=fix)])
    try:
        return Document(file=shown, values=tomllib.loads(text), text=text)
    except (ValueError, RecursionError) as error:
        raise Misconfigured([_syntax_problem(shown, text, error)]) from None


def _syntax_problem(file: str, text: str, error: Exception) -> Problem:
    found = list(statements(text))
    doubled = _doubled(found)
    if doubled is not None:
        first, again = doubled
        what = f"`{'.'.join(again.path)}` is there twice, first in line {first.line}"
        return Problem(file=file, line=again.line, what=what, fix="remove one of the two")
    line, said = _said(error, found)
    what = f"this is not TOML: {said[:1].lower()}{said[1:]}"
    return Problem(file=file, line=line, what=what, fix="nothing of the file was used")


def _said(error: Exception, found: list[Statement]) -> tuple[int, str]:
    """The reader's own words, and the line. At the end it speaks of what is not finished."""
    if not isinstance(error, tomllib.TOMLDecodeError):
        return found[-1].line, "a number is too long, or too much nested"
    place = _PLACE.search(str(error))
    if place and place["line"]:
        return int(place["line"]), _PLACE.sub("", str(error))
    is_cut = not found[-1].path
    said = "what begins here has no end" if is_cut else _PLACE.sub("", str(error))
    return found[-1].line, said


def _doubled(found: list[Statement]) -> tuple[Statement, Statement] | None:
    seen: dict[tuple[KeyPath, bool], Statement] = {}
    for statement in (each for each in found if each.path):
        first = seen.setdefault((statement.path, statement.is_header), statement)
        if first is not statement:
            return first, statement
    return None


def statements(text: str) -> Iterator[Statement]:
    """Each header and each key of a text, in order. What is no TOML by itself has no path."""
    table: KeyPath = ()
    for line, source in _pieces(text):
        try:
            values = tomllib.loads(source)
        except (ValueError, RecursionError):
            yield Statement(line=line, path=())
            continue
        if source.lstrip().startswith("["):
            table = next(_leaves(values, headers=True))
            yield Statement(line=line, path=table, is_header=True)
        else:
            for path in _leaves(values, headers=False):
                yield Statement(line=line, path=table + path)


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """The source of each statement, with the number of its first line."""
    held: list[str] = []
    start = 1
    for number, line in enumerate(text.split("\n"), start=1):
        if not held and (not line.strip() or line.lstrip().startswith("#")):
            continue
        start = start if held else number
        held.append(line)
        if _may_end(held) and _is_whole("\n".join(held)):
            yield start, "\n".join(held)
            held = []
    if held:
        yield start, "\n".join(held)


def _may_end(held: list[str]) -> bool:
    return len(held) == 1 or any(mark in held[-1] for mark in _CLOSING)


def _is_whole(source: str) -> bool:
    try:
        tomllib.loads(source)
    except (ValueError, RecursionError):
        return False
    return True


def _leaves(values: Mapping[str, Any], *, headers: bool) -> Iterator[KeyPath]:
    """The paths of a parsed statement: to its values, or to the one table that it opens."""
    for key, value in values.items():
        inner = value[0] if headers and isinstance(value, list) else value
        if isinstance(inner, dict) and inner:
            yield from ((key, *rest) for rest in _leaves(inner, headers=headers))
        else:
            yield (key,)
