"""Guess, from the names at the root of a repository, which command proves a change.

A guess and no more: it is written into the starter file with its reason, for a person to read. It
looks at nothing but what it is handed, and runs nothing.
"""

import json
import re
from collections.abc import Callable, Collection, Mapping

from tidegate.core.records import record

READ = ("Makefile", "makefile", "GNUmakefile", "pyproject.toml", "package.json", ".gitignore")
"""The files of the root whose text helps to guess, where they are there."""

_MAKE_TEST = re.compile(r"^(?:[\w.-]+ +)*test(?: +[\w.-]+)* *:(?!=)", re.MULTILINE)
_NPM_PLACEHOLDER = "no test specified"

Names = Collection[str]
Texts = Mapping[str, str]


@record
class Detected:
    """What a look at the root found. `why` gives the reason of the guess, empty where none is.

    `gitignore` is the present text of the root's `.gitignore`, empty where there is none.
    """

    check: str = ""
    why: str = ""
    setup: str = ""
    gitignore: str = ""


Guess = Callable[[Names, Texts], Detected | None]


def detect(names: Names, texts: Texts) -> Detected:
    """The first guess that fits. `names` are the root's own, `texts` those of `READ` that exist."""
    guesses = (guess(names, texts) for guess in GUESSES)
    found = next((each for each in guesses if each is not None), Detected())
    return Detected(
        check=found.check,
        why=found.why,
        setup=found.setup,
        gitignore=texts.get(".gitignore", ""),
    )


def _make(_names: Names, texts: Texts) -> Detected | None:
    """What the authors themselves call `test` is a better guess than any of ours."""
    for name in ("GNUmakefile", "makefile", "Makefile"):
        if _MAKE_TEST.search(texts.get(name, "")):
            return Detected(check="make test", why=f"{name} has a target `test`")
    return None


def _pytest(names: Names, texts: Texts) -> Detected | None:
    says = "pytest" in texts.get("pyproject.toml", "")
    signs = [name for name in ("pytest.ini", "conftest.py") if name in names]
    if says or signs:
        why = "pyproject.toml names pytest" if says else f"there is {signs[0]}"
        return Detected(check="python -m pytest -q", why=why)
    return None


def _unittest(names: Names, _texts: Texts) -> Detected | None:
    is_python = {"pyproject.toml", "setup.py", "setup.cfg"} & set(names)
    folder = next((name for name in ("tests", "test") if name in names), None)
    if is_python and folder:
        check = f"python -m unittest discover -s {folder} -t ."
        return Detected(check=check, why=f"this is Python, with a folder `{folder}`")
    return None


def _npm(names: Names, texts: Texts) -> Detected | None:
    script = _test_script(texts.get("package.json", ""))
    if not script or _NPM_PLACEHOLDER in script:
        return None
    why = "package.json has a script `test`"
    for lock, check, setup in (
        ("pnpm-lock.yaml", "pnpm test", "pnpm install --frozen-lockfile"),
        ("yarn.lock", "yarn test", "yarn install --frozen-lockfile"),
        ("package-lock.json", "npm test", "npm ci"),
    ):
        if lock in names:
            return Detected(check=check, why=why, setup=setup)
    return Detected(check="npm test", why=why)


def _test_script(package: str) -> str:
    """The script `test` of a package.json; empty where there is none, or no package.json."""
    try:
        read = json.loads(package)
    except (ValueError, RecursionError):
        return ""
    scripts = read.get("scripts") if isinstance(read, dict) else None
    script = scripts.get("test") if isinstance(scripts, dict) else None
    return script if isinstance(script, str) else ""


def _cargo(names: Names, _texts: Texts) -> Detected | None:
    there = "Cargo.toml" in names
    return Detected(check="cargo test", why="there is Cargo.toml") if there else None


def _go(names: Names, _texts: Texts) -> Detected | None:
    there = "go.mod" in names
    return Detected(check="go test ./...", why="there is go.mod") if there else None


GUESSES: tuple[Guess, ...] = (_make, _pytest, _unittest, _npm, _cargo, _go)
"""In this order. A further one is a function above and its name here."""
