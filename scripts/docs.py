"""Write, or check, the parts of the pages that are derived from the code.

    python scripts/docs.py [--check]

Run it at the top of the project. A page asks for such a part with two comments, and what stands
between them is not edited by hand:

    <!-- generated: make-targets -->
    <!-- /generated -->

A new kind of part is one function here and one line in GENERATORS.
"""

import configparser
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path

from tidegate.core.attempt import (
    MEANING,
    RULED_TRANSITIONS,
    SUCCESSIONS,
    TRANSITIONS,
    State,
)
from tidegate.core.values import ArtifactStatus, Authorization, Independence, Worth

BLOCK = re.compile(
    r"(?P<open>^<!-- generated: (?P<name>[a-z-]+) -->\n).*?(?P<close>^<!-- /generated -->$)",
    re.MULTILINE | re.DOTALL,
)
TARGET = re.compile(r"^(?P<name>[a-z-]+):.*?## (?P<says>.+)$", re.MULTILINE)


def make_targets() -> str:
    """What one can ask of make, from the comments of the Makefile."""
    targets = TARGET.findall(Path("Makefile").read_text(encoding="utf-8"))
    return _table(("command", "what it does"), ((f"`make {name}`", says) for name, says in targets))


def floors() -> str:
    """The house, from the contract that CI checks, top floor first."""
    contracts = configparser.ConfigParser()
    contracts.read(".importlinter", encoding="utf-8")
    layers = contracts["importlinter:contract:floors"]["layers"].split("\n")
    rows = [line.strip() for line in layers if line.strip()]
    return "```\n" + "\n".join(rows) + "\n```\n"


def states() -> str:
    """The states of an attempt, what each means, and where it can go."""
    rows = ((f"`{state}`", MEANING[state], _next_states(state)) for state in State)
    return _table(("state", "meaning", "then"), rows)


def _next_states(state: State) -> str:
    """The states that can follow, in the table's order; a new attempt's birth in italics."""
    following = TRANSITIONS.get(state, frozenset()) | RULED_TRANSITIONS.get(state, frozenset())
    marked = (
        f"*{after}*" if (state, after) in SUCCESSIONS else str(after)
        for after in State
        if after in following
    )
    return ", ".join(marked) or "-"


def fields() -> str:
    """The closed list of values of each field that stands beside an attempt's state."""
    lists: Mapping[str, type[StrEnum]] = {
        "artifact status": ArtifactStatus,
        "independence": Independence,
        "content, evidence and readiness verdict": Worth,
        "authorization": Authorization,
    }
    rows = ((name, ", ".join(f"`{value}`" for value in values)) for name, values in lists.items())
    return _table(("field", "values"), rows)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = (head, ["---"] * len(head), *rows)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


GENERATORS: Mapping[str, Callable[[], str]] = {
    "make-targets": make_targets,
    "floors": floors,
    "states": states,
    "fields": fields,
}


def generated(text: str) -> str:
    """The page with each of its derived parts as the code has it now."""
    return BLOCK.sub(_filled, text)


def _filled(block: re.Match[str]) -> str:
    return block["open"] + GENERATORS[block["name"]]() + block["close"]


def pages() -> Sequence[Path]:
    """Every page of the project."""
    argv = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "*.md")
    listed = subprocess.run(argv, check=True, capture_output=True, text=True).stdout
    paths = (Path(name) for name in sorted(listed.split("\0")) if name)
    return [path for path in paths if path.is_file()]


def main(arguments: Sequence[str]) -> int:
    """Bring the pages up to date, or with --check only name those that are not; 1 where any is."""
    texts = {page: page.read_text(encoding="utf-8") for page in pages()}
    fresh = {page: generated(text) for page, text in texts.items()}
    stale = {page: text for page, text in fresh.items() if text != texts[page]}
    if "--check" in arguments:
        print("\n".join(f"{page}: run `make docs`" for page in stale))
        return 1 if stale else 0
    for page, text in stale.items():
        page.write_text(text, encoding="utf-8")
        print(f"wrote {page}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
