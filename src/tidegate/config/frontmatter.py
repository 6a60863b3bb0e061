"""The block of keys between two `---` lines at the top of a Markdown file, and the text below it.

It is read with PyYAML, and not by code of our own: people write quotes, flow lists, comments and
folded text there as every other tool lets them, and a reader of half of YAML would take what it
does not know for something else, silently. Only YAML's syntax is used. What a word means is for
the reader of the key to say, so that a title `yes`, a need `007` or a date stay the text they are.

No tag, no anchor's meaning and no object is ever built, and what follows the block is never
looked into: fences, markers and verdicts in it are text.
"""

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tidegate.config.problem import Misconfigured, Problem
from tidegate.core.records import record
from tidegate.core.text import first_unsafe, named

if TYPE_CHECKING:
    import yaml

SIZE_MAX_CHARACTERS = 65_536
"""For the block alone; the text below it may be as long as the file."""

_FENCE = "---"
_COMMENT = re.compile(r"[ \t]+#")
_QUOTE = 'put the whole value between "quotes"'


@record
class Scalar:
    """One value as its text, with its line.

    `commented` says that YAML dropped a comment behind it: of ``Fix #3`` only ``Fix`` is left.
    """

    text: str
    line: int
    commented: bool = False


Value = Scalar | tuple[Scalar, ...]


@record
class Entry:
    """One key with the line that it stands on. A list is a tuple."""

    name: str
    line: int
    value: Value


@record
class Page:
    """A file in its two parts. `entries` is None where it has no block of keys at all."""

    file: str
    entries: Mapping[str, Entry] | None
    body: str
    body_line: int


def read_page(text: str, *, file: str) -> Page:
    """Take a file's text apart; `file` is its name in errors. Raises Misconfigured."""
    first, _, rest = text.partition("\n")
    if first.rstrip() != _FENCE:
        return Page(file=file, entries=None, body=text, body_line=1)
    end, after = _closing_fence(rest)
    if end is None:
        raise _endless(rest, file)
    block = rest[:end]
    entries = dict(_entries(block, file=file))
    return Page(file=file, entries=entries, body=rest[after:], body_line=block.count("\n") + 3)


def _endless(rest: str, file: str) -> Misconfigured:
    what, fix = "the block of keys has no end", "close it with a line `---`"
    if len(rest) > SIZE_MAX_CHARACTERS:
        what = f"{what} in its first {SIZE_MAX_CHARACTERS} characters"
        fix = f"{fix}, or make it shorter"
    return _refusal(file, 1, what, fix)


def _closing_fence(rest: str) -> tuple[int | None, int]:
    """Where the block ends and where the text begins, looked for in the bounded part only."""
    place = 0
    while place < min(len(rest), SIZE_MAX_CHARACTERS):
        line_end = rest.find("\n", place)
        stop = len(rest) if line_end < 0 else line_end
        if rest[place:stop].rstrip() == _FENCE:
            return place, min(stop + 1, len(rest))
        place = stop + 1
    return None, 0


def _entries(block: str, *, file: str) -> Iterator[tuple[str, Entry]]:
    unsafe = first_unsafe(block, keep="\n\t")
    if unsafe is not None:
        line = block.count("\n", 0, unsafe) + 2
        raise _refusal(file, line, f"there is the character {named(block[unsafe])}", "take it out")
    seen: dict[str, Entry] = {}
    for key, value in _pairs(_composed(block, file=file), file=file):
        entry = Entry(name=key.value, line=_line(key), value=_value(key, value, block, file))
        first = seen.setdefault(entry.name, entry)
        if first is not entry:
            what = f"`{entry.name}` is there twice, first in line {first.line}"
            raise _refusal(file, entry.line, what, "remove one of the two")
        yield entry.name, entry


def _composed(block: str, *, file: str) -> "yaml.Node | None":
    import yaml  # noqa: PLC0415 - 15 ms that a command without front matter need not wait for

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        node: yaml.Node | None = yaml.compose(block, Loader=loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        said = getattr(error, "problem", None) or "it cannot be read"
        line = mark.line + 2 if mark else 2
        what, fix = f"this is not YAML: {said}", f"if in doubt, {_QUOTE}"
        raise _refusal(file, line, what, fix) from None
    except RecursionError:
        what, fix = "the keys are nested too deeply", "write plain keys and lists"
        raise _refusal(file, 2, what, fix) from None
    return node


def _pairs(node: Any, *, file: str) -> Iterator[tuple[Any, Any]]:
    """The keys and values of the block's one mapping, as nodes."""
    if node is None:
        return
    if node.id != "mapping":
        raise _refusal(file, _line(node), "there must be keys here", "write `key: value` lines")
    for key, value in node.value:
        if key.id != "scalar":
            raise _refusal(file, _line(key), "a key must be a word", "write `key: value` lines")
        yield key, value


def _value(key: Any, node: Any, block: str, file: str) -> Value:
    if node.id == "scalar":
        return _scalar(key, node, block, file)
    if node.id == "sequence" and all(each.id == "scalar" for each in node.value):
        return tuple(_scalar(key, each, block, file) for each in node.value)
    what = f"`{key.value}` holds keys of its own"
    raise _refusal(
        file, _line(node), what, f"write a plain value or a list; if it is text, {_QUOTE}"
    )


def _scalar(key: Any, node: Any, block: str, file: str) -> Scalar:
    if node.tag.startswith("!"):
        what = f"`{key.value}`: YAML takes `{node.tag}` for a tag and not for text"
        raise _refusal(file, _line(node), what, _QUOTE)
    commented = not node.style and _comment_follows(node, block)
    return Scalar(text=node.value, line=_line(node), commented=commented)


def _comment_follows(node: Any, block: str) -> bool:
    place = int(node.end_mark.index)
    return _COMMENT.match(block, place) is not None


def _line(node: Any) -> int:
    return int(node.start_mark.line) + 2


def _refusal(file: str, line: int, what: str, fix: str) -> Misconfigured:
    return Misconfigured([Problem(file=file, line=line, what=what, fix=fix)])
