"""What a builder's report claims of paths, held against the paths that it really changed.

A report may list them: a line ``CHANGED:`` or ``UNTOUCHED:``, then one list item a path. Nobody has
to; who does is taken at their word. Claiming a change that is not there weighs most: whoever reads
the report believes it.

Reports are prose, and lists of other things look alike. So an item that is nothing but a path is a
claim; one with words behind the path, or that may be a word, only where there is such a path. Pure.
"""

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

REPORT_MISMATCH = "report_mismatch"
CLAIMS_MAX = 500
"""More than a person reads, and enough for any report."""
PATH_CHARACTERS_MAX = 1024

_LABEL = re.compile(
    r"(?:#{1,6} +)?(?P<dress>\*\*|__)?(?P<name>CHANGED|UNTOUCHED)"
    r"(?:: *(?(dress)(?P=dress))|(?(dress)(?P=dress)|(?!)): *) *",
    re.IGNORECASE,
)
_TITLE = re.compile(r"(?P<name>CHANGED|CHANGES|UNTOUCHED|UNCHANGED):? *")
"""A line of its own in capitals, as older templates have it: whatever is listed may be prose."""
_ITEM = re.compile(
    r" *[-*+] +(?P<tick>`?)(?P<path>[^\s`:]+)(?P=tick)(?P<words> +[-\u2013\u2014] +.*|: +.*|:?) *"
)
_GOES_ON = re.compile(r"\s|\Z|[-*+] ")
"""A list goes on over empty lines, the further lines of an item, and items that are prose."""
_PATH = re.compile(r"[\w.@+-]+(?:/[\w.@+-]+)*")


class Claims(NamedTuple):
    """The paths that a report says it changed, and those that it says it left alone."""

    changed: tuple[str, ...] = ()
    untouched: tuple[str, ...] = ()
    uncertain: tuple[str, ...] = ()
    """Of both, what is a claim only where there is such a path."""


class Mismatch(NamedTuple):
    """A path of which the report says something else than the change does."""

    path: str
    detail: str


def read_claims(report: str) -> Claims:
    """The lists of a report, empty where it has none. What looks like no path is no claim."""
    found: dict[str, list[str]] = {"changed": [], "untouched": []}
    current: list[str] | None = None
    uncertain: dict[str, None] = {}
    is_title = False
    for line in (each.removesuffix("\r") for each in report.split("\n")):
        title, item = _TITLE.fullmatch(line), _ITEM.fullmatch(line)
        head = _LABEL.fullmatch(line) or title
        if head is not None:
            current = found["changed" if head["name"].upper() in _CHANGED else "untouched"]
            is_title = title is not None and ":" not in line
        elif item is None:
            current = current if _GOES_ON.match(line) else None
        elif current is not None and len(current) < CLAIMS_MAX and _is_path(item["path"]):
            path = item["path"].removeprefix("./")
            current.append(path)
            if is_title or item["words"] or not _looks_like_a_path(path):
                uncertain[path] = None
    return Claims(tuple(found["changed"]), tuple(found["untouched"]), tuple(uncertain))


_CHANGED = frozenset({"CHANGED", "CHANGES"})


def _is_path(word: str) -> bool:
    return len(word) <= PATH_CHARACTERS_MAX and _PATH.fullmatch(word) is not None


def _looks_like_a_path(word: str) -> bool:
    """It has a slash or an ending; others, such as `Makefile`, may be words."""
    return "/" in word or "." in word.strip(".")


def in_question(claims: Claims, changed: Collection[str]) -> tuple[str, ...]:
    """The paths of which somebody has to look whether they are there."""
    return tuple(
        path for path in claims.uncertain if path not in changed and ".." not in path.split("/")
    )


def mismatches(
    claims: Claims, changed: Collection[str], there: Collection[str] = ()
) -> Iterator[Mismatch]:
    """Where the claims and the change differ.

    `changed` are the paths of the whole change, `there` those of the ones in question that the tree
    has.
    """
    doubtful = {path for path in claims.uncertain if path not in changed and path not in there}
    for path in claims.changed:
        if path not in changed and path not in doubtful:
            yield Mismatch(path, "the report says that it was changed, and it was not")
    for path in claims.untouched:
        if path in changed:
            yield Mismatch(path, "the report says that it was left alone, and it was changed")
