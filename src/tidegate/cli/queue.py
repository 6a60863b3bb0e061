"""The queue, with the reason for each place, and what is added to it."""

import sys

from tidegate.cli.output import clean, columns, show_json, show_lines
from tidegate.core.errors import Misused
from tidegate.verbs.explain import explain as verb
from tidegate.verbs.house import House


def explain(house: House, folder: str, issue: str | None, *, as_json: bool) -> None:
    """The queue, with the reason for each place."""
    lines = verb(house, folder, issue)
    if as_json:
        show_json(list(lines))
        return
    if not lines:
        show_lines("there are no issues: `tidegate add TITLE` writes one")
    show_lines(
        *columns(
            [
                (">" if each.is_next else " ", each.issue, clean(each.reason), clean(each.title))
                for each in lines
            ]
        )
    )


def standard_input() -> str:
    """All of standard input as text. Raises Misused where it is none."""
    if sys.stdin is None:
        raise Misused("there is no standard input", hint="give the text itself after --text")
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        message = f"standard input is no UTF-8 text (byte {error.start})"
        raise Misused(message, hint="convert it first, for example with iconv") from None
