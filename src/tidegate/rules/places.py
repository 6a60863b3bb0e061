"""Where tests lie: which files a test runner collects, told by their paths alone.

Conventions are what can be known without running anything: of pytest and unittest, jest, vitest and
mocha, go, cargo, JUnit, minitest and RSpec. A file that no runner finds by its name but that lies
in a folder of tests is something that tests stand on: a helper, or data.
"""

import re
from enum import StrEnum


class Language(StrEnum):
    """How a file's tests are told."""

    PYTHON = "python"
    SCRIPT = "script"
    """JavaScript and TypeScript."""
    GO = "go"
    RUST = "rust"
    JVM = "jvm"
    """Java, Kotlin, Groovy and Scala."""
    RUBY = "ruby"
    OTHER = "other"


_ENDINGS = {
    **dict.fromkeys(("py", "pyi", "pyx"), Language.PYTHON),
    **dict.fromkeys(
        ("js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte"), Language.SCRIPT
    ),
    "go": Language.GO,
    "rs": Language.RUST,
    **dict.fromkeys(("java", "kt", "kts", "groovy", "scala"), Language.JVM),
    "rb": Language.RUBY,
    **dict.fromkeys(
        (
            "c",
            "cc",
            "cpp",
            "cs",
            "cxx",
            "dart",
            "ex",
            "exs",
            "feature",
            "fs",
            "h",
            "hs",
            "jl",
            "lua",
        ),
        Language.OTHER,
    ),
    **dict.fromkeys(("php", "pl", "r", "sh", "bash", "bats", "swift", "t", "zig"), Language.OTHER),
}

_TEST_FOLDER = re.compile(
    r"tests?|spec|__tests__|__mocks__|e2e|testdata|(?:.*[a-z0-9])?Tests?|.+[._-][Tt]ests?|tests?[._-].+"
)
_HIDDEN = {
    Language.PYTHON: re.compile(r"\..+|build|CVS|_darcs|dist|node_modules|venv|.+\.egg|\{arch\}"),
    Language.GO: re.compile(r"[._].*|testdata|vendor"),
    Language.SCRIPT: re.compile(r"node_modules"),
}
"""Folders that runners do not look into."""
_PLATFORM = re.compile(
    r"_(?:aix|android|darwin|dragonfly|freebsd|illumos|ios|js|linux|netbsd|openbsd|plan9|solaris"
    r"|wasip1|windows|386|amd64|arm|arm64|loong64|mips\w*|ppc64\w*|riscv64|s390x|wasm)_test\.go$"
)
"""An ending by which a file of Go is built for one system or kind of processor only."""
_SNAPSHOT = re.compile(
    r"""(?:.*/)?(?:
        (?:__snapshots__|__image_snapshots__|snapshots|goldens?|cassettes|testdata)/.+
        | [^/]*\.(?:snap|ambr|golden|approved|snapshot)(?:\.[^/]*)?
        | [^/]*[._-](?:approved|golden|snapshot|expected)\.[^/]+
    )""",
    re.VERBOSE,
)

_COLLECTED: dict[Language, tuple[tuple[str, re.Pattern[str]], ...]] = {
    Language.PYTHON: (
        ("pytest", re.compile(r"test_.*\.py|.*_test\.py")),
        ("unittest", re.compile(r"test.*\.py")),
    ),
    Language.SCRIPT: (("name", re.compile(r".+[.](?:test|spec|cy|e2e)[.](?:[cm]?[jt]sx?)")),),
    Language.GO: (("name", re.compile(r"(?![._]).+_test\.go")),),
    Language.JVM: (
        (
            "name",
            re.compile(
                r"(?:Test.*|.*(?:Tests?|TestCase|IT|ITCase|Spec))\.(?:java|kts?|groovy|scala)"
            ),
        ),
    ),
    Language.RUBY: (("name", re.compile(r".+_(?:spec|test)\.rb|test_.+\.rb")),),
    Language.OTHER: (
        (
            "name",
            re.compile(
                r"(?:.*[a-z0-9_-])?Tests?\.[a-z]+|tests?[._-].*|.*[_-]tests?\.[a-z]+|.*\.(?:bats|t)"
            ),
        ),
    ),
}
_CRATE = re.compile(r"(?:.*/)?tests/(?:[^/]+|[^/]+/main)\.rs")
"""What cargo builds as tests of their own; files further below are parts of others, or nothing."""


def language(path: str) -> Language | None:
    """The language of a file of code, or None where it is none that is known."""
    _, dot, ending = path.rpartition("/")[2].rpartition(".")
    return _ENDINGS.get(ending) if dot else None


def collectors(path: str) -> frozenset[str]:
    """Who collects the tests of a file by its path: kinds of runners; empty where nobody does."""
    told, name = language(path), path.rpartition("/")[2]
    folders = path.split("/")[:-1]
    if told is None or (told in _HIDDEN and any(map(_HIDDEN[told].fullmatch, folders))):
        return frozenset()
    kinds = {kind for kind, pattern in _COLLECTED.get(told, ()) if pattern.fullmatch(name)}
    if told is Language.SCRIPT and "__tests__" in folders:
        kinds.add("name")
    if told in _BY_FOLDER and test_root(path) is not None:
        kinds.add("folder")
    return frozenset(kinds)


_BY_FOLDER = (Language.SCRIPT, Language.RUST)


def test_root(path: str) -> str | None:
    """The outermost folder of tests that a path lies in, with its own path; None outside of any."""
    folders = [] if _PROSE.fullmatch(path) else path.split("/")[:-1]
    for number, folder in enumerate(folders, start=1):
        if _TEST_FOLDER.fullmatch(folder):
            return "/".join(folders[:number])
    return None


def may_take_over(old: str, new: str, *, kinds: frozenset[str]) -> bool:
    """Whether a test of `old` that was collected by `kinds` still is, once it stands in `new`.

    A runner may be pointed at a folder of tests: what leaves it may be found no more.
    """
    root = test_root(old)
    if _PLATFORM.findall(old) != _PLATFORM.findall(new):
        return False
    if _CRATE.fullmatch(old) and not _CRATE.fullmatch(new):
        return False
    return kinds <= collectors(new) and (root is None or new.startswith(f"{root}/"))


_PROSE = re.compile(r"(?:.*/)?(?:docs?|spec)/(?:[^/]+/)*[^/]+\.(?:md|rst|adoc|tex)")
"""Folders that are called after what they specify, or document."""


def is_snapshot(path: str) -> bool:
    """Whether a file holds what tests expect, as a tool wrote it down."""
    return _SNAPSHOT.fullmatch(path) is not None and language(path) in (None, Language.OTHER)


def is_test_data(path: str) -> bool:
    """Whether a file is no code and lies among tests."""
    name = path.rpartition("/")[2]
    return language(path) is None and test_root(path) is not None and not name.startswith("README")
