"""Facts about the project itself: what its pages promise, what it pins, what it may never do."""

import ast
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PYPROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
PROJECT = tomllib.loads(PYPROJECT)["project"]
VAGUE = {"base", "common", "data", "handler", "info", "manager", "misc", "service"}
VAGUE |= {"helper", "helpers", "util", "utils"}
OPENS_THE_WORLD = {"open", "print", "input", "exec", "eval", "__import__"}

in_own_environment = pytest.mark.skipif(
    Path(sys.prefix) != ROOT / ".venv", reason="it is about the environment that make makes"
)

Function = ast.FunctionDef | ast.AsyncFunctionDef


def sources(folder: str) -> Sequence[Path]:
    """Every Python file below a folder of the project."""
    return sorted((ROOT / folder).rglob("*.py"))


def place(path: Path, node: ast.stmt | ast.expr) -> str:
    """Where something stands, as an editor understands it."""
    return f"{path.relative_to(ROOT)}:{node.lineno}"


def pins() -> dict[str, str]:
    """The version of each package that constraints.txt names."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = (line.split("==") for line in lines if line and not line.startswith("#"))
    return {canonicalize_name(name): version for name, version in pinned}


def needed() -> Iterator[str]:
    """Every package that the project and its tools need, however indirectly."""
    names = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["dev"]]
    waiting = [Requirement(name) for name in names]
    seen: set[str] = set()
    while waiting:
        wanted = waiting.pop()
        name = canonicalize_name(wanted.name)
        if name in seen or (wanted.marker and not wanted.marker.evaluate({"extra": ""})):
            continue
        seen.add(name)
        yield name
        waiting.extend(Requirement(further) for further in metadata.requires(name) or ())


def nodes(folder: str) -> Iterator[tuple[Path, ast.AST]]:
    """Everything in the code below a folder, with its file."""
    for path in sources(folder):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            yield path, node


def test_every_test_states_its_fact() -> None:
    """Each test function has a docstring."""
    silent = [
        f"{place(path, node)}: {node.name}"
        for path, node in nodes("tests")
        if isinstance(node, Function) and node.name.startswith("test_")
        if not ast.get_docstring(node)
    ]
    assert silent == []


def test_no_name_is_vague() -> None:
    """No module is called by a word that says nothing, such as helper or manager."""
    vague = [path for path in sources("src") if {path.stem, path.parent.name} & VAGUE]
    assert vague == []


def test_the_core_opens_nothing() -> None:
    """The core calls no built-in function that reaches outside.

    But for records, whose constructing and copying is compiled from the names of their fields, as
    the standard library does it for its own.
    """
    calls = [
        (place(path, node).partition(":")[0], node.id)
        for path, node in nodes("src/tidegate/core")
        if isinstance(node, ast.Name) and node.id in OPENS_THE_WORLD
    ]
    assert calls == [("src/tidegate/core/records.py", "exec")]


def test_a_suppressed_warning_carries_its_reason() -> None:
    """Behind each noqa and each type: ignore stands a code, and behind that a reason."""
    bare = re.compile(r"#\s*(noqa|type: ignore)(?!(: [A-Z0-9, ]+|\[[a-z, -]+\])\s+(- |# )\S)")
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for folder in ("src", "scripts", "tests")
        for path in sources(folder)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if bare.search(line) and "re.compile" not in line
    ]
    assert found == []


def test_every_ignored_lint_rule_has_a_reason() -> None:
    """Beside each rule that is switched off stands why, for the project and for single folders."""
    start, end = PYPROJECT.index("\nignore = ["), PYPROJECT.index("[tool.ruff.lint.pydocstyle]")
    ignored = [
        line for line in PYPROJECT[start:end].splitlines() if re.search(r'"[A-Z]+\d*"', line)
    ]
    assert ignored
    assert [line for line in ignored if not re.fullmatch(r' +"[A-Z]+\d*", +# \S.*', line)] == []


@pytest.mark.parametrize(
    ("file", "banned"),
    [
        ("src/tidegate/engine/x.py", True),
        ("src/tidegate/verbs/x.py", True),
        ("tests/engine/test_x.py", True),
        ("src/tidegate/bootstrap.py", False),
        ("src/tidegate/ledger/x.py", False),
        ("src/tidegate/agents/deep/x.py", False),
    ],
)
def test_only_the_edge_reads_the_clock(file: str, *, banned: bool) -> None:
    """The linter refuses a look at the clock everywhere but in the adapters."""
    argv = (sys.executable, "-m", "ruff", "check", "--select=TID251", f"--stdin-filename={file}")
    code = "import time\n\nnow = time.time()\n"
    done = subprocess.run(
        (*argv, "-"), check=False, capture_output=True, text=True, cwd=ROOT, input=code
    )
    assert done.returncode == (1 if banned else 0), done.stdout + done.stderr


def test_pins_are_exact_and_name_no_host() -> None:
    """Each line of constraints.txt is a name and one version: no address, no option, no range."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = [line for line in lines if not line.startswith("#")]
    assert pinned == sorted(pinned, key=str.lower)
    assert [line for line in pinned if not re.fullmatch(r"[\w.-]+==[\w.]+", line)] == []


@in_own_environment
def test_everything_needed_is_pinned() -> None:
    """What the project and its tools need is in constraints.txt, and nothing else is."""
    assert sorted(needed()) == sorted(pins())


@in_own_environment
def test_what_is_installed_is_what_is_pinned() -> None:
    """The environment that make and CI use has each package at its pinned version."""
    assert {name: metadata.version(name) for name in pins()} == pins()


def test_the_pages_name_targets_that_exist() -> None:
    """Each `make something` on a page is a target of the Makefile."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    named = set(re.findall(r"(?:`|^ {4}|^\$ )make ([a-z][a-z-]+)", text, re.MULTILINE))
    assert named <= targets


@in_own_environment
def test_a_wheel_has_everything_the_program_reads(tmp_path: Path) -> None:
    """Every file of the package is in what gets installed: queries, roles, templates, py.typed."""
    wheel = _build_wheel(tmp_path)
    names = set(zipfile.ZipFile(wheel).namelist())
    files = (path for path in (ROOT / "src" / "tidegate").rglob("*") if path.is_file())
    kept = {str(path.relative_to(ROOT / "src")) for path in files if path.suffix != ".pyc"}
    assert "tidegate/py.typed" in kept
    assert sorted(kept - names) == []
    assert any(name.endswith("licenses/LICENSE") for name in names)


def _build_wheel(folder: Path) -> Path:
    """A wheel of a copy: a build leaves files beside its source."""
    archive = folder / "source"
    archive.mkdir()
    for name in ("pyproject.toml", "LICENSE", "README.md", "src"):
        subprocess.run(("cp", "-r", ROOT / name, archive), check=True)
    build = "import setuptools.build_meta, sys; setuptools.build_meta.build_wheel(sys.argv[1])"
    argv = (sys.executable, "-c", build, folder)
    subprocess.run(argv, check=True, capture_output=True, cwd=archive)
    return next(folder.glob("*.whl"))
