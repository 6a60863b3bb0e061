"""Provide the Python environment that a make target needs, and print the interpreter to use.

    python3 scripts/environment.py runtime|dev

`dev` is always `.venv`, holding exactly what constraints.txt pins. `runtime` is any environment
that can run the program: `.venv` where it is up to date, else this very Python where it already
has the few packages that are needed, else a new `.venv` without the tools of development.

An environment is made anew when what it was made from has changed: pyproject.toml,
constraints.txt, this file, the Python, or the folder (a copied `.venv` still points at the old
one). It never installs anything outside `.venv`, and prints nothing but the path to its output.
"""

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
VENV_PYTHON = VENV / "bin" / "python"
STAMP = VENV / "made-from.json"
INPUTS = ("pyproject.toml", "constraints.txt", "scripts/environment.py")
LEVELS = ("runtime", "dev")

NO_VENV = """\
{python} cannot make a virtual environment, because parts of it are packaged apart.
Install them (Debian, Ubuntu: apt install python3-venv), or name another Python: make PYTHON=..."""

NO_PACKAGES = """\
pip could not install what constraints.txt pins; its own words are above.
This first set-up is the one step that needs a package index (or a folder: PIP_FIND_LINKS=...)."""


class SetupError(Exception):
    """The environment cannot be made. The message says what the person can do about it."""


def provide(level: str) -> Path:
    """The interpreter of an environment of this level, which is made first where it must be."""
    if _made_level() >= LEVELS.index(level):
        return VENV_PYTHON
    if level == "runtime" and _has_what_the_program_needs():
        return Path(sys.executable)
    if _made_level() < 0:
        _say(f"making .venv with {sys.executable} (once)")
        _create()
    _say(f"installing the pinned packages ({level})")
    _install(level)
    STAMP.write_text(json.dumps({"digest": _digest(), "level": level}) + "\n")
    return VENV_PYTHON


def _made_level() -> int:
    """The place in LEVELS of what `.venv` holds; -1 where it is missing or out of date."""
    try:
        stamp = json.loads(STAMP.read_text())
    except (OSError, ValueError):
        return -1
    return LEVELS.index(stamp["level"]) if stamp["digest"] == _digest() else -1


def _digest() -> str:
    """A digest of all that `.venv` is made from."""
    digest = hashlib.sha256(f"{ROOT}\n{sys.base_prefix}\n{sys.version}\n".encode())
    for name in INPUTS:
        digest.update((ROOT / name).read_bytes())
    return digest.hexdigest()


def _has_what_the_program_needs() -> bool:
    """True where this Python can import each runtime dependency, at its least version or newer."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    try:
        return all(_installed(*entry.split(">=")) for entry in project["dependencies"])
    except metadata.PackageNotFoundError:
        return False


def _installed(name: str, least: str) -> bool:
    return _numbers(metadata.version(name)) >= _numbers(least)


def _numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]


def _create() -> None:
    """Make an empty `.venv`: with its own pip, or without where another pip can fill it."""
    with_pip = _quiet(sys.executable, "-m", "venv", "--clear", str(VENV))
    if with_pip or (
        _quiet(sys.executable, "-m", "pip", "--version")
        and _quiet(sys.executable, "-m", "venv", "--clear", "--without-pip", str(VENV))
    ):
        return
    shutil.rmtree(VENV, ignore_errors=True)
    raise SetupError(NO_VENV.format(python=sys.executable))


def _install(level: str) -> None:
    """Install the project in place, and what it needs, at the pinned versions only.

    The build tool comes first, so that building the project needs no environment of its own:
    pip would fill that one with versions which nobody pinned.
    """
    project = str(ROOT) if level == "runtime" else f"{ROOT}[{level}]"
    _pip_install("setuptools")
    _pip_install("--no-build-isolation", "--editable", project)


def _pip_install(*arguments: str) -> None:
    pip: tuple[str, ...] = (str(VENV_PYTHON), "-m", "pip")
    if not _quiet(*pip, "--version"):
        pip = (sys.executable, "-m", "pip", "--python", str(VENV_PYTHON))
    pins = ("--constraint", str(ROOT / "constraints.txt"))
    argv = (*pip, "install", "-qq", *pins, *arguments)
    if subprocess.run(argv, check=False, stdout=sys.stderr, env=_pip_environment()).returncode:
        raise SetupError(NO_PACKAGES)


def _pip_environment() -> Mapping[str, str]:
    """The user's settings, the package index among them, save those that would lead elsewhere."""
    strays = ("PIP_TARGET", "PIP_PREFIX", "PIP_USER", "PIP_ROOT")
    kept = {name: value for name, value in os.environ.items() if name not in strays}
    quiet = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"}
    return kept | quiet | {"PIP_ROOT_USER_ACTION": "ignore"}


def _quiet(*argv: str) -> bool:
    """Run a command, show nothing of it, and tell whether it went well."""
    return subprocess.run(argv, check=False, capture_output=True).returncode == 0


def _say(words: str) -> None:
    print(f"make: {words}", file=sys.stderr, flush=True)


def _leave_own_environment() -> None:
    """Start over with the Python under `.venv` where that is what runs this: it may be cleared."""
    if Path(sys.prefix) == VENV:
        python = os.path.realpath(sys.executable)
        os.execv(python, [python, *sys.argv])  # noqa: S606 - the same program, another Python


def main(arguments: Sequence[str]) -> int:
    """Print the interpreter of an environment of the level asked for; 1 where there is none."""
    _leave_own_environment()
    with (ROOT / ".venv.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            print(provide(arguments[0]))
        except SetupError as error:
            _say(str(error))
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
