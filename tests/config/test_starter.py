"""What `tidegate init` writes says everything and changes nothing."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tidegate.config.detection import Detected, detect
from tidegate.config.keys import KEYS
from tidegate.config.load import Loaded, load
from tidegate.config.role import default_prompt
from tidegate.config.sections import Settings
from tidegate.config.starter import starter_files
from tidegate.core.policy import Policy

GUESSED = Detected(check="make test", why="Makefile has a target `test`", setup="npm ci")


def written(root: Path, files: Mapping[str, str]) -> Loaded:
    """Write the files as `init` would, and load them."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return load(root)


def uncommented(toml: str) -> Iterator[str]:
    """The starter with every default made a setting."""
    names = {key.name for key in KEYS.values()}
    is_inside = False
    for line in toml.splitlines():
        bare = line.removeprefix("# ")
        is_key = bare.partition(" = ")[0] in names
        yield bare if is_key or is_inside else line
        is_inside = (is_inside or (is_key and bare.endswith("["))) and bare != "]"


def test_the_starter_loads_and_means_the_defaults(tmp_path: Path) -> None:
    """A fresh set-up has no errors, and every value but the empty check is the default."""
    found = written(tmp_path, starter_files(Detected()))
    assert found.origins == {"check.command": "tidegate.toml"}
    assert (found.configuration.settings, found.configuration.policy) == (Settings(), Policy())
    assert found.configuration.roles["build"].prompt == default_prompt("build")


def test_the_starter_shows_every_key_with_its_default(tmp_path: Path) -> None:
    """Taking away all the comment marks sets every key, and still changes nothing."""
    files = dict(starter_files(Detected()))
    files["tidegate.toml"] = "\n".join(uncommented(files["tidegate.toml"]))
    found = written(tmp_path, files)
    assert set(found.origins) == set(KEYS)
    assert (found.configuration.settings, found.configuration.policy) == (Settings(), Policy())


def test_a_guess_is_written_with_its_reason(tmp_path: Path) -> None:
    """What was guessed is set, and says why."""
    files = starter_files(GUESSED)
    settings = written(tmp_path, files).configuration.settings
    assert (settings.check.command, settings.workspace.setup) == ("make test", "npm ci")
    text = " ".join(line.removeprefix("# ") for line in files["tidegate.toml"].splitlines())
    assert "Guessed, because Makefile has a target `test`." in text


def test_the_starter_is_read_comfortably() -> None:
    """No line is longer than a page is wide."""
    for text in starter_files(GUESSED).values():
        assert max(map(len, text.splitlines()), default=0) <= 100


@pytest.mark.parametrize(
    ("present", "after"),
    [
        ("", "tidegate.local.toml\n"),
        ("*.pyc\n", "*.pyc\ntidegate.local.toml\n"),
        ("*.pyc", "*.pyc\ntidegate.local.toml\n"),
        ("tidegate.local.toml\n", None),
    ],
)
def test_the_local_file_is_kept_out_of_git(present: str, after: str | None) -> None:
    """The present ignore file is kept, and gets its line once."""
    assert starter_files(Detected(gitignore=present)).get(".gitignore") == after


def test_the_files_are_those_of_a_set_up() -> None:
    """Configuration, a file for each role, and the folder for issues."""
    roles = {f".tidegate/roles/{role}.md" for role in ("adjudicate", "build", "verify")}
    names = {"tidegate.toml", ".tidegate/issues/.gitkeep", ".gitignore"}
    assert set(starter_files(Detected())) == names | roles


NPM = '{"scripts": {"test": "jest"}}'
NO_NPM = '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'
ROOTS: tuple[tuple[tuple[str, ...], dict[str, str], str, str], ...] = (
    ((), {}, "", ""),
    (("Makefile",), {"Makefile": "all:\n\ttrue\ntest: all\n\tx\n"}, "make test", ""),
    (("Makefile",), {"Makefile": ".PHONY: test\nTEST := 1\ntest-all:\n\nmytest:\n"}, "", ""),
    (("Makefile",), {"Makefile": "test := x\n"}, "", ""),
    (("Makefile", "go.mod"), {"Makefile": "check test:\n"}, "make test", ""),
    (
        ("pyproject.toml",),
        {"pyproject.toml": "[tool.pytest.ini_options]"},
        "python -m pytest -q",
        "",
    ),
    (("conftest.py",), {}, "python -m pytest -q", ""),
    (("setup.py", "tests"), {}, "python -m unittest discover -s tests -t .", ""),
    (("setup.py",), {}, "", ""),
    (("package.json", "package-lock.json"), {"package.json": NPM}, "npm test", "npm ci"),
    (
        ("package.json", "yarn.lock"),
        {"package.json": NPM},
        "yarn test",
        "yarn install --frozen-lockfile",
    ),
    (("package.json",), {"package.json": NPM}, "npm test", ""),
    (("package.json",), {"package.json": NO_NPM}, "", ""),
    (("package.json",), {"package.json": "[" * 100_000}, "", ""),
    (("package.json",), {"package.json": '{"scripts": ["test"]}'}, "", ""),
    (("Cargo.toml",), {}, "cargo test", ""),
    (("go.mod",), {}, "go test ./...", ""),
)


@pytest.mark.parametrize(("names", "texts", "check", "setup"), ROOTS)
def test_a_check_is_guessed_from_the_root(
    names: tuple[str, ...], texts: dict[str, str], check: str, setup: str
) -> None:
    """What the authors call `test` comes first, then what their tools are known by."""
    found = detect(names, texts)
    assert (found.check, found.setup) == (check, setup)
    assert bool(found.why) == bool(check)


def test_the_ignore_file_is_handed_on() -> None:
    """The guess carries the text that the starter adds to."""
    assert detect((), {".gitignore": "x\n"}).gitignore == "x\n"
