"""The parts of the pages that are derived from the code."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import docs
from tidegate.core.attempt import State

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "docs.py"
ASKS = "Before.\n\n<!-- generated: fields -->\nold\n<!-- /generated -->\n\nAfter.\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one page whose derived part is out of date."""
    subprocess.run(("git", "init", "-q", tmp_path), check=True)
    (tmp_path / "page.md").write_text(ASKS)
    return tmp_path


def run(project: Path, *arguments: str) -> tuple[int, str]:
    """Run the script there."""
    argv = (sys.executable, str(SCRIPT), *arguments)
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        argv, check=False, capture_output=True, text=True, cwd=project, env=environment
    )
    return done.returncode, done.stdout + done.stderr


def test_a_page_out_of_date_is_named_and_not_touched(project: Path) -> None:
    """The check fails on a page that is out of date, and leaves it as it is."""
    assert run(project, "--check") == (1, "page.md: run `make docs`\n")
    assert (project / "page.md").read_text() == ASKS


def test_only_the_derived_part_is_written(project: Path) -> None:
    """What stands around a derived part stays, and the check passes afterwards."""
    assert run(project) == (0, "wrote page.md\n")
    text = (project / "page.md").read_text()
    assert text.startswith("Before.\n\n<!-- generated: fields -->\n| field | values |\n")
    assert text.endswith("|\n<!-- /generated -->\n\nAfter.\n")
    assert run(project, "--check")[0] == 0


def test_every_state_has_its_row() -> None:
    """The table of states has one row for each, with its meaning."""
    rows = docs.states().splitlines()[2:]
    assert [row.split("`")[1] for row in rows] == [str(state) for state in State]


def test_a_birth_is_told_from_a_move() -> None:
    """A move that opens a new attempt is marked in the table."""
    assert "*replaced*" in docs.states()
