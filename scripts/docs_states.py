"""Write, or check, the reference page of the states of an attempt.

    python -m scripts.docs_states [--check]

Run it at the top of the project. The page is made from the table that the program moves attempts
by, whole, so nothing of it is edited by hand.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from scripts.reference_page import table, write
from tidegate.core.attempt import (
    BIRTHS,
    MEANING,
    RULED_TRANSITIONS,
    SUCCESSIONS,
    TERMINAL,
    TRANSITIONS,
    State,
)

PAGE = Path("docs/reference/states.md")
Table = Mapping[State, frozenset[State]]

_HEAD = """\
# The states of an attempt

This page is written by `scripts/docs_states.py` from `src/tidegate/core/attempt.py`; edit the code.

An attempt moves along the plain arrows. An arrow marked *new attempt* does not move it: it opens
another attempt, which is born in the state that the arrow leads to and names the old one. Read so,
the picture is the timeline of a lane and not of a single attempt.

"""

_TABLE = """
## The table

A state with a dot (●) is an end: its lease cannot be renewed, and what is written late is
quarantined. A state in *italics* is where a new attempt begins.

"""

_ADDITION = """
## The one addition

This row stands apart from the table, because it needs a ruling: blocked work is taken up again as
a new attempt. The policy rules so for a turn that was lost and for a check that could not be made
ready, in bounds; whatever else is blocked waits for a person.

"""


def page() -> str:
    """The page as the code has it now."""
    rows = (_row(state) for state in State)
    every = table(("state", "end", "meaning", "then"), rows)
    added = table(("state", "then"), _additions())
    return f"{_HEAD}{_diagram()}{_TABLE}{every}{_ADDITION}{added}"


def _diagram() -> str:
    arrows = (_arrow(state, after) for state, after in _moves(TRANSITIONS))
    added = _moves(RULED_TRANSITIONS)
    ruled = (f"    {old} --> {born}: new attempt, by a ruling" for old, born in added)
    ends = (f"    {state} --> [*]" for state in State if state in TERMINAL)
    lines = ["```mermaid", "stateDiagram-v2", f"    [*] --> {State.REQUESTED}"]
    return "\n".join([*lines, *arrows, *ruled, *ends, "```", ""])


def _moves(table: Table) -> Iterator[tuple[State, State]]:
    """The rows of a table, one pair at a time, in the order of the states."""
    for state in State:
        yield from ((state, after) for after in State if after in table.get(state, frozenset()))


def _arrow(state: State, after: State) -> str:
    return f"    {state} --> {after}{': new attempt' if (state, after) in SUCCESSIONS else ''}"


def _row(state: State) -> Sequence[str]:
    following = [_name(after) for before, after in _moves(TRANSITIONS) if before is state]
    end = "●" if state in TERMINAL else ""
    return (_name(state), end, MEANING[state], ", ".join(following) or "-")


def _name(state: State) -> str:
    return f"*`{state}`*" if state in BIRTHS else f"`{state}`"


def _additions() -> Iterator[Sequence[str]]:
    return ((_name(state), _name(born)) for state, born in _moves(RULED_TRANSITIONS))


def main(arguments: Sequence[str]) -> int:
    """Write the page, or with --check only say whether it is current; 1 where it is not."""
    return write(PAGE, page(), arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
