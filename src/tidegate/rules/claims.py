"""What a builder's report claims of paths, held against the paths that it really changed.

A report may list them: a line ``CHANGED:`` or ``UNTOUCHED:`` (or a heading of that name), then one
list item a path, with words behind it or without. Nobody has to; who does is taken at their word.
Claiming a change that is not there weighs most: whoever reads the report believes it. Pure.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

REPORT_MISMATCH = "report_mismatch"
CLAIMS_MAX = 500
"""More than a person reads, and enough for any report."""

_HEAD = re.compile(r"[#* ]*(?P<name>CHANGED|CHANGES|UNTOUCHED|UNCHANGED)\b[ :*]*", re.IGNORECASE)
_ITEM = re.compile(r"\s*[-*+]\s+`?(?P<path>[^\s`:]+)`?")
_PATH = re.compile(r"[\w.@+-]+(?:/[\w.@+-]+)*")


@dataclass(frozen=True, slots=True)
class Claims:
    """The paths that a report says it changed, and those that it says it left alone."""

    changed: tuple[str, ...] = ()
    untouched: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A path of which the report says something else than the change does."""

    path: str
    detail: str


def read_claims(report: str) -> Claims:
    """The lists of a report, empty where it has none. What looks like no path is no claim."""
    found: dict[str, list[str]] = {"changed": [], "untouched": []}
    current: list[str] | None = None
    for line in report.splitlines():
        head, item = _HEAD.fullmatch(line), _ITEM.match(line)
        if head is not None:
            current = found["changed" if head["name"].upper() in _CHANGED else "untouched"]
        elif item is None:
            current = current if not line.strip() or line.startswith(" ") else None
        elif current is not None and len(current) < CLAIMS_MAX and _is_path(item["path"]):
            current.append(item["path"].removeprefix("./"))
    return Claims(tuple(found["changed"]), tuple(found["untouched"]))


_CHANGED = frozenset({"CHANGED", "CHANGES"})


def _is_path(word: str) -> bool:
    """A word with a slash or an ending: others are sentences that begin with a list's mark."""
    return _PATH.fullmatch(word) is not None and ("/" in word or "." in word.strip("."))


def mismatches(claims: Claims, changed: Collection[str]) -> Iterator[Mismatch]:
    """Where the claims and the change differ; `changed` are the paths of the whole change."""
    for path in claims.changed:
        if path not in changed:
            yield Mismatch(path, "the report says that it was changed, and it was not")
    for path in claims.untouched:
        if path in changed:
            yield Mismatch(path, "the report says that it was left alone, and it was changed")
