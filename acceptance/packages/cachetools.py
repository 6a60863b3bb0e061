"""cachetools: a flaky check, two rivals without a footprint, one that strays, one that cheats."""

from acceptance.wanted import Package, Wanted, has, pytest, ruff

_CODE = "src/cachetools"
_MODULE = "src/cachetools/__init__.py"

_WANTED = (
    Wanted(
        id="001",
        title="Say what the functions of keys.py do",
        text="They make keys: the first line of the module should say so.",
        proof=has("Functions that make keys", "src/cachetools/keys.py"),
    ),
    Wanted(
        id="002",
        title="Say of keys.py which decorators are meant",
        text="Those that memoize: in the first line of the module.",
        proof=has("decorators that memoize", "src/cachetools/keys.py"),
    ),
    Wanted(
        id="003",
        title="Let mru_cache say what to use in its place",
        text="The warning says that it is deprecated; it should name lru_cache, and be tested.",
        proof=("sh", "-c", "test -f tests/test_mru_said.py && grep -q 'use lru_' src/*/func.py"),
        fails=1,
        because="test_surface_changed",
    ),
    Wanted(
        id="004",
        title="Name the version in the documentation",
        text="docs/index.rst begins without a word of the version that it is about: 5.5.",
        footprint=("docs/**",),
        proof=has("This is the documentation of version 5.5", "docs/index.rst"),
        fails=1,
        because="out_of_scope",
    ),
    Wanted(
        id="005",
        title="Drop what stands after a return",
        text="`else` after `return` is one indentation too many (rule RET505).",
        footprint=(_MODULE,),
        proof=ruff("--select", "RET505", _MODULE),
    ),
    Wanted(
        id="006",
        title="Write literals in place of calls",
        text="dict() is {}: see the rule C408, in all modules.",
        footprint=("src/**",),
        proof=ruff("--select", "C408", _CODE),
    ),
    Wanted(
        id="007",
        title="Sort the slots",
        text="__slots__ in their natural order (rule RUF023).",
        footprint=(_MODULE,),
        proof=ruff("--select", "RUF023", _MODULE),
    ),
    Wanted(
        id="008",
        title="Let the tests assert",
        text="`assert a == b` shows more than assertEqual does (rule PT009), in all tests.",
        footprint=("tests/**",),
        proof=ruff("--select", "PT009", "tests"),
    ),
    Wanted(
        id="009",
        title="Sort the imports of the tests",
        text="Group and sort them (rules I).",
        footprint=("tests/*.py",),
        proof=ruff("--select", "I", "tests"),
    ),
    Wanted(
        id="010",
        title="Say in the README that it has no dependencies",
        text="One sentence at its end.",
        footprint=("README.rst",),
        proof=has("It depends on nothing", "README.rst"),
    ),
)

PACKAGE = Package(
    name="cachetools",
    version="5.5.0",
    sha256="2cc24fb4cbe39633fb7badd9db9ca6295d766d9c2995f245725a46715d050f2a",
    tests=f"PYTHONPATH=src {pytest('tests')}",
    wanted=_WANTED,
    rivals=frozenset({"001", "002"}),
    disputed="src/cachetools/keys.py",
    is_flaky=True,
)
"""001 and 002 are the first two and reserve nothing, so both begin at the base: whichever lands
second must be sent back once. 003 cheats at first and 004 strays at first; both hear of it.
"""
