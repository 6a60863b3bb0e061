"""Write, or check, the reference page of the events.

    python -m scripts.docs_events [--check]

Run it at the top of the project. The page is made from the classes that the ledger records, whole,
so nothing of it is edited by hand.
"""

import inspect
import sys
import types
import typing
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from scripts.reference_page import table, write
from tidegate.core.events import KINDS, LaneEvent, RunEvent

PAGE = Path("docs/reference/events.md")

_HEAD = """\
# Events

This page is written by `scripts/docs_events.py` from `src/tidegate/core/events.py`; edit the code.

`tidegate events` prints the events of a run in order, one JSON object a line:

    tidegate events --run 20260314-0915 --kind landed --kind lane_ended
    tidegate events --follow --after 120

Events are never changed or removed. A later version may add kinds and fields: pass over what you do
not know. What looked like a secret was masked before it was recorded, as `[masked:…]`.

## A line

"""

_LINE = (
    ("`sequence`", "number", "its place in the ledger, ever growing; what `--after` takes"),
    ("`run`", "text", "the run's id"),
    ("`kind`", "text", "which of those below"),
    ("`lane`", "text", "the lane's id; empty for an event of the run itself"),
    ("`version`", "number", "its place among the lane's own events, from 1"),
    ("`attempt`", "text or null", "the attempt that it is about"),
    ("`epoch`", "number", "of the attempt's lease, as last granted; 0 where there was none"),
    ("`actor`", "text", "who recorded it"),
    ("`previous`", "text or null", "the attempt's [state](states.md) before, where it moved"),
    ("`next`", "text or null", "its state after"),
    ("`reason`", "text", "why it moved, in a word"),
    ("`utc`", "text", "when, in ISO 8601"),
    ("`body`", "object", "the fields of its kind"),
    ("`previous_hash`", "text", "the hash of the event before it in the run"),
    ("`hash`", "text", "over all of it and `previous_hash`, in hexadecimal digits"),
)

_BODIES = """
A `digest` is the sha256 of a text beside the ledger (`tidegate show` prints them); commits and
trees are git's own ids.
"""

_WORDS: dict[Any, str] = {str: "text", int: "number", float: "number", bool: "true or false"}


def page() -> str:
    """The page as the code has it now."""
    line = table(("field", "type", "meaning"), _LINE)
    run = "".join(map(_kind, typing.get_args(RunEvent)))
    lane = "".join(map(_kind, typing.get_args(LaneEvent)))
    return f"{_HEAD}{line}{_BODIES}\n## Of the run\n{run}\n## Of a lane\n{lane}"


def _kind(event: type) -> str:
    name = next(kind for kind, each in KINDS.items() if each is event)
    first, _, _ = inspect.cleandoc(event.__doc__ or "").partition("\n")
    return f"\n### `{name}`\n\n{first}\n\n{table(('field', 'type'), _fields(event))}"


def _fields(event: type) -> Iterator[Sequence[str]]:
    hints = typing.get_type_hints(event)
    return ((f"`{each.name}`", words(hints[each.name])) for each in fields(event))


def words(kind: Any) -> str:
    """A type as a reader of JSON sees it."""
    if kind in _WORDS:
        return _WORDS[kind]
    if isinstance(kind, types.UnionType):
        inner = [each for each in typing.get_args(kind) if each is not types.NoneType]
        return " or ".join([*map(words, inner), "null"])
    if typing.get_origin(kind) is tuple:
        return f"list of {words(typing.get_args(kind)[0])}s"
    if issubclass(kind, StrEnum):
        return ", ".join(f"`{each}`" for each in kind)
    assert is_dataclass(kind), kind
    return "object"


def main(arguments: Sequence[str]) -> int:
    """Write the page, or with --check only say whether it is current; 1 where it is not."""
    return write(PAGE, page(), arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
