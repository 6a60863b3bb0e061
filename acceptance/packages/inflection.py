"""inflection: a submodule, a large file, a controller that is killed, one that never passes.

The submodule `words` and the large file `corpus.txt` are made here, with a test that reads both.
"""

from acceptance.wanted import End, Package, Wanted, has, pytest, ruff

_MODULE = "inflection/__init__.py"

_WANTED = (
    Wanted(
        id="001",
        title="Modernise the syntax",
        text="Python 3.11 is the oldest that matters: drop what older ones needed (rules UP).",
        footprint=("inflection/**",),
        proof=ruff("--select", "UP", "--diff", _MODULE),
    ),
    Wanted(
        id="002",
        title="Drop what stands after a return",
        text="`else` after `return` is one indentation too many (rule RET505).",
        footprint=(_MODULE,),
        proof=ruff("--select", "RET505", _MODULE),
    ),
    Wanted(
        id="003",
        title="One kind of quotes in setup.py",
        text="Double ones (rule Q000).",
        footprint=("setup.py",),
        proof=ruff("--select", "Q000", "setup.py"),
    ),
    Wanted(
        id="004",
        title="One import a line in the documentation's settings",
        text="See the rule E401.",
        footprint=("docs/*.py",),
        proof=ruff("--select", "E401", "docs/conf.py"),
    ),
    Wanted(
        id="005",
        title="Let the plural of person be persons",
        text="It is what the lawyers write. The tests know another plural.",
        footprint=("inflection/*.py",),
        fails=3,
        because="exit 1",
        end=End.STOPPED,
    ),
    Wanted(
        id="006",
        title="Add the word tidegate to the corpus",
        text="corpus.txt is a large file: it is kept outside of git, under a filter.",
        footprint=("corpus.txt",),
        proof=has("tidegate tidegates", "corpus.txt"),
    ),
    Wanted(
        id="007",
        title="Add the sheep to the words",
        text="words is a submodule; irregular.txt in it lacks the sheep.",
        footprint=("words",),
        proof=has("sheep sheep", "words/irregular.txt"),
    ),
    Wanted(
        id="008",
        title="Ship the corpus",
        text="MANIFEST.in does not include corpus.txt.",
        footprint=("MANIFEST.in",),
        proof=has("include corpus.txt", "MANIFEST.in"),
    ),
    Wanted(
        id="009",
        title="Say in the README what is needed",
        text="One sentence at its end: Python 3.5 or newer, nothing else.",
        footprint=("README.rst",),
        proof=has("It needs Python 3.5 or newer", "README.rst"),
    ),
    Wanted(
        id="010",
        title="Begin each docstring on its first line",
        text="See the rule D212.",
        footprint=("inflection/",),
        proof=ruff("--select", "D212", _MODULE),
    ),
)

PACKAGE = Package(
    name="inflection",
    version="0.5.1",
    sha256="1a29730d366e996aaacffb2f1f1cb9593dc38e2ddd30c91250c6dde09ea9b417",
    tests=pytest("."),
    wanted=_WANTED,
    has_parts=True,
    controller_killed="003",
    taken_later="007",
)
"""001, 002, 005 and 010 want one file; the controller dies while 003 is at work, which
waits until the next controller has landed something and begun 007.
"""
