"""toolz: what overlaps waits, an adjudicator refuses, a builder is killed, one mends its work."""

from acceptance.wanted import End, Package, Wanted, has, pytest, ruff

_CODE = ("toolz", "tlz")
_FOOTPRINT = ("toolz/**", "tlz/**")

_WANTED = (
    Wanted(
        id="001",
        title="Format functoolz.py",
        text="Let the formatter lay out toolz/functoolz.py, and no other file.",
        footprint=("toolz/functoolz.py",),
        proof=ruff("--select", "Q000", "toolz/functoolz.py"),
    ),
    Wanted(
        id="002",
        title="Modernise the syntax",
        text="Python 3.11 is the oldest that matters: drop what older ones needed (rules UP).",
        footprint=_FOOTPRINT,
        proof=ruff("--select", "UP", "--diff", *_CODE),
    ),
    Wanted(
        id="003",
        title="Sort the imports",
        text="Group and sort the imports of all modules and tests (rules I).",
        footprint=_FOOTPRINT,
        proof=ruff("--select", "I", *_CODE),
    ),
    Wanted(
        id="004",
        title="Write literals in place of calls",
        text="dict(a=1) is {'a': 1}, list(()) is []: see the rules C4.",
        footprint=_FOOTPRINT,
        proof=ruff("--select", "C4", "--unsafe-fixes", "--diff", *_CODE),
    ),
    Wanted(
        id="005",
        title="Drop what stands after a return",
        text="`else` after `return` is one indentation too many (rule RET505).",
        footprint=_FOOTPRINT,
        proof=ruff("--select", "RET505", *_CODE),
    ),
    Wanted(
        id="006",
        title="One kind of quotes in setup.py",
        text="Double ones, as in the rest of the project (rule Q000).",
        footprint=("setup.py",),
        proof=ruff("--select", "Q000", "setup.py"),
    ),
    Wanted(
        id="007",
        title="Say in the README what is needed",
        text="One sentence below the link to the documentation: Python 3.8 or newer, nothing else.",
        footprint=("README.rst",),
        proof=has("It needs Python 3.8 or newer", "README.rst"),
    ),
    Wanted(
        id="008",
        title="Ship the README and the list of authors",
        text="MANIFEST.in includes neither AUTHORS.md nor README.rst.",
        footprint=("MANIFEST.in",),
        proof=has("include AUTHORS.md README.rst", "MANIFEST.in"),
    ),
    Wanted(
        id="009",
        title="Make everything faster",
        text="Everything in toolz/sandbox and elsewhere could be faster.",
        footprint=("toolz/sandbox/**",),
        end=End.REFUSED,
    ),
    Wanted(
        id="010",
        title="Name countby as the others of its kind are named",
        text="The function is to be count_by; the old name has to go on working.",
        footprint=("toolz/recipes.py",),
        proof=has("def count_by(", "toolz/recipes.py"),
        fails=1,
        because="exit 2",
    ),
)

PACKAGE = Package(
    name="toolz",
    version="1.0.0",
    sha256="2c86e3d9a04798ac556793bced838816296a2f085017664e4995cb40a1047a02",
    tests=pytest("toolz"),
    wanted=_WANTED,
    has_adjudicator=True,
    builder_killed="007",
)
"""001 to 005 and 010 overlap and wait for each other; 006 to 008 have files of their own. 010's
builder forgets the old name at first, and has it from the finding.
"""
