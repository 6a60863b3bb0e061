"""The contracts of .importlinter do fail: each is shown an import that it must not let pass.

The house is a stand-in, built from the contract itself, so that these tests say something about
the contracts alone. That the real house keeps them is what `make check` says.
"""

import configparser
import os
import subprocess
import sys
from pathlib import Path

import pytest

CONTRACTS = Path(__file__).parent.parent / ".importlinter"
LINT = "from importlinter.cli import lint_imports_command; lint_imports_command()"
FLOORS_KEPT = "Imports go down only, and neighbours do not know each other KEPT"


def build_house(at: Path) -> Path:
    """An empty package or module for each floor, with the files that contracts name."""
    contracts = configparser.ConfigParser()
    contracts.read(CONTRACTS, encoding="utf-8")
    house = at / "tidegate"
    house.mkdir()
    for floor in contracts["importlinter:contract:floors"]["layers"].split("\n"):
        for name in floor.replace("|", " ").split():
            (house / name.strip("()")).mkdir()
    for package in (house, *house.iterdir()):
        (package / "__init__.py").touch()
    for file in ("runner/__main__.py", "runner/program.py", "core/lane.py", "core/lease.py"):
        (house / file).touch()
    (house / "runner/local.py").write_text("from tidegate import ports\n")
    return house


def lint(house: Path) -> tuple[int, str]:
    """What the linter says of that house under the project's own contracts."""
    argv = (sys.executable, "-c", LINT, str(CONTRACTS), "--no-cache")
    environment = os.environ | {"PYTHONPATH": str(house.parent), "COLUMNS": "200"}
    done = subprocess.run(
        argv, check=False, capture_output=True, text=True, cwd=house.parent, env=environment
    )
    return done.returncode, " ".join(done.stdout.split())


def test_a_house_without_imports_keeps_every_contract(tmp_path: Path) -> None:
    """The stand-in house is in order, so that what the other tests see is their own doing."""
    code, said = lint(build_house(tmp_path))
    assert code == 0, said
    assert "BROKEN" not in said


@pytest.mark.parametrize(
    ("file", "line", "contract"),
    [
        ("core/lane.py", "from tidegate import ports", "Imports go down only"),
        ("engine/__init__.py", "from tidegate import ledger", "neighbours do not know each other"),
        ("bootstrap/__init__.py", "import tidegate.__main__", "Imports go down only"),
        ("core/lane.py", "import time", "The core has no clock"),
        ("core/lane.py", "import secrets", "The core has no clock"),
        ("core/lane.py", "import sqlite3", "The core has no clock"),
        ("core/lane.py", "from pathlib import Path", "The core has no clock"),
        ("core/lane.py", "import msgspec", "The core has no clock"),
        ("verbs/__init__.py", "from tidegate import git", "Only bootstrap names concrete"),
        ("playbooks/__init__.py", "import time", "Policy and parsers start nothing"),
        ("playbooks/__init__.py", "import subprocess", "Policy and parsers start nothing"),
        ("streams/claude.py", "import os", "Policy and parsers start nothing"),
        ("runner/program.py", "from tidegate import core", "The runner's program takes nothing"),
        ("runner/program.py", "from tidegate.runner import local", "The runner's program takes"),
        ("runner/program.py", "import sqlite3", "The runner's program takes nothing"),
        ("runner/__main__.py", "import pathlib", "The runner's program takes nothing"),
    ],
)
def test_a_wrong_import_breaks_its_contract(
    tmp_path: Path, file: str, line: str, contract: str
) -> None:
    """An import against a contract breaks that contract, by name."""
    house = build_house(tmp_path)
    (house / file).write_text(f"{line}\n")
    code, said = lint(house)
    assert code == 1, said
    broken = said.split("BROKEN")[:-1]
    assert any(contract in before.rpartition("KEPT")[2] for before in broken), said


def test_a_cycle_is_seen(tmp_path: Path) -> None:
    """Two modules of one package that import each other break the last contract."""
    house = build_house(tmp_path)
    (house / "core/lane.py").write_text("from tidegate.core import lease\n")
    (house / "core/lease.py").write_text("from tidegate.core import lane\n")
    code, said = lint(house)
    assert code == 1
    assert FLOORS_KEPT in said
    assert "No two modules import each other, however far around BROKEN" in said


def test_a_package_without_a_floor_is_refused(tmp_path: Path) -> None:
    """Whoever adds a package under tidegate has to say on which floor it stands."""
    house = build_house(tmp_path)
    (house / "attic").mkdir()
    (house / "attic" / "__init__.py").touch()
    code, said = lint(house)
    assert code == 1
    assert "attic" in said
