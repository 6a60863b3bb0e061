"""What make says when it cannot set itself up, and when it need not."""

import json
import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BROKEN = """\
import pathlib, sys
if "--clear" in sys.argv:
    pathlib.Path(sys.argv[-1]).mkdir()  # Debian's venv, too, fails after it has begun
raise SystemExit("this part is packaged apart")
"""
OLD = """\
#!/bin/sh
[ "$1" = -V ] && exec echo Python 3.8.20
exec {python} -c 'import sys; sys.version_info = (3, 8, 20); exec(sys.argv[1])' "$2"
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with all that an environment is made from."""
    folder = tmp_path / "checkout"
    (folder / "scripts").mkdir(parents=True)
    for name in ("Makefile", "pyproject.toml", "constraints.txt", "scripts/environment.py"):
        shutil.copy(ROOT / name, folder / name)
    return folder


@pytest.fixture
def crippled(tmp_path: Path) -> dict[str, str]:
    """Settings under which Python has neither venv nor pip, as where they are packaged apart."""
    folder = tmp_path / "crippled"
    folder.mkdir()
    for name in ("venv", "ensurepip", "pip"):
        (folder / f"{name}.py").write_text(BROKEN)
    return os.environ | {"PYTHONPATH": str(folder)}


def make(
    checkout: Path, *arguments: str, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run make there, with the Python that runs the tests unless another is named."""
    argv = ("make", "--no-print-directory", f"PYTHON={sys.executable}", *arguments)
    return subprocess.run(argv, check=False, capture_output=True, text=True, cwd=checkout, env=env)


def test_a_python_without_venv_is_told_what_to_install(
    checkout: Path, crippled: dict[str, str]
) -> None:
    """Where no environment can be made, make names the package that is missing, and leaves none."""
    done = make(checkout, "test", env=crippled)
    assert done.returncode != 0
    assert "apt install python3-venv" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (checkout / ".venv").exists()


def test_an_old_python_is_told_apart(checkout: Path, tmp_path: Path) -> None:
    """A Python that is too old is refused in one line that says how to name another."""
    old = tmp_path / "python3.8"
    old.write_text(OLD.format(python=sys.executable))
    old.chmod(0o755)
    done = make(checkout, f"PYTHON={old}", "test")
    assert done.returncode != 0
    assert "Python 3.8.20 is too old, Tidegate needs 3.11 or newer" in done.stderr


def test_a_missing_python_is_told_apart(checkout: Path) -> None:
    """Where there is no Python at all, make says what to install."""
    done = make(checkout, "PYTHON=no-such-python", "test")
    assert done.returncode != 0
    assert "apt install python3 python3-venv" in done.stderr


def test_what_is_installed_already_is_used(checkout: Path, crippled: dict[str, str]) -> None:
    """The program runs without an environment of its own where its few packages are there."""
    script = checkout / "scripts" / "environment.py"
    argv = (sys.executable, script, "runtime")
    done = subprocess.run(argv, check=True, capture_output=True, text=True, env=crippled)
    assert done.stdout.strip() == sys.executable
    assert not (checkout / ".venv").exists()


def test_an_environment_made_from_other_pins_is_not_used(
    checkout: Path, crippled: dict[str, str]
) -> None:
    """An environment serves until something that it was made from changes, and no longer."""
    script = checkout / "scripts" / "environment.py"
    digest = runpy.run_path(str(script))["_digest"]()
    (checkout / ".venv").mkdir()
    stamp = {"digest": digest, "level": "dev"}
    (checkout / ".venv" / "made-from.json").write_text(json.dumps(stamp))
    argv = (sys.executable, script, "dev")
    served = subprocess.run(argv, check=True, capture_output=True, text=True, env=crippled)
    assert served.stdout.strip() == str(checkout / ".venv" / "bin" / "python")
    with (checkout / "constraints.txt").open("a") as pins:
        pins.write("rich==1.0\n")
    stale = subprocess.run(argv, check=False, capture_output=True, text=True, env=crippled)
    assert stale.returncode == 1
    assert stale.stdout == ""


def test_the_list_of_targets_is_what_make_says_first(checkout: Path) -> None:
    """Plain `make` sets nothing up: it prints what one can ask for."""
    done = make(checkout)
    assert done.returncode == 0
    assert "make demo" in done.stdout
    assert "make test" in done.stdout
    assert not (checkout / ".venv").exists()
