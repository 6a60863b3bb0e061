"""The package, the five changes that are wanted of it, and what must become of each."""

from dataclasses import dataclass

NAME = "toolz"
VERSION = "1.0.0"
SHA256 = "2c86e3d9a04798ac556793bced838816296a2f085017664e4995cb40a1047a02"
"""Of the source distribution: what is run here is what was looked at when it was pinned."""

CHECK = "python -m pytest -q -p no:randomly -p no:cacheprovider toolz"

_RUFF = ("ruff", "check", "--isolated", "--no-cache", "--target-version", "py311", "--quiet")
_FILES = ("toolz", "tlz")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """One issue. `proof` is a command that fails on the base and passes where the change is in."""

    id: str
    title: str
    text: str
    footprint: tuple[str, ...]
    proof: tuple[str, ...] | None


WANTED = (
    Wanted(
        id="001",
        title="Format functoolz.py",
        text="Let the formatter lay out toolz/functoolz.py, and no other file.",
        footprint=("toolz/functoolz.py",),
        proof=(*_RUFF, "--select", "Q000", "toolz/functoolz.py"),
    ),
    Wanted(
        id="002",
        title="Modernise the syntax",
        text="Python 3.11 is the oldest that matters: drop what older ones needed (rules UP).",
        footprint=("toolz/**", "tlz/**"),
        proof=(*_RUFF, "--select", "UP", "--diff", *_FILES),
    ),
    Wanted(
        id="003",
        title="Sort the imports",
        text="Group and sort the imports of all modules and tests (rules I).",
        footprint=("toolz/**", "tlz/**"),
        proof=(*_RUFF, "--select", "I", *_FILES),
    ),
    Wanted(
        id="004",
        title="Write literals in place of calls",
        text="dict(a=1) is {'a': 1}, list(()) is []: see the rules C4.",
        footprint=("toolz/**", "tlz/**"),
        proof=(*_RUFF, "--select", "C4", "--unsafe-fixes", "--diff", *_FILES),
    ),
    Wanted(
        id="005",
        title="Simplify the conditions",
        text="`not (a == b)` reads as `a != b`, and so on: let the rules SIM do all they can.",
        footprint=("toolz/**", "tlz/**"),
        proof=None,
    ),
)
"""001 and 002 change the same lines of one file and start from the same commit, being the first
two at a width of two: whichever lands second must be sent back once. 003 changes that file too, a
few lines above. 005 cannot pass: a test of the package has a class that defines `==` and not `!=`.
"""

WIDTH = 2
FAILS_MAX = 3
LANDED = frozenset(wanted.id for wanted in WANTED if wanted.proof)
STOPPED = frozenset(wanted.id for wanted in WANTED if not wanted.proof)
RIVALS = frozenset({"001", "002"})
DISPUTED = "toolz/functoolz.py"
BROKEN_TEST = "test_factory"
