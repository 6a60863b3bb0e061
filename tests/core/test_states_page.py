"""The reference page of the states is the table's, and shows all of it."""

import re
from pathlib import Path

import pytest

from scripts import docs_states as script
from tidegate.core.attempt import RULED_TRANSITIONS, SUCCESSIONS, TERMINAL, TRANSITIONS, State

ROOT = Path(__file__).parents[2]


def test_the_page_is_current(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a change of the table: `make docs`."""
    monkeypatch.chdir(ROOT)
    assert script.main(["--check"]) == 0


def test_a_page_that_is_behind_is_named_and_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--check` only says so; without it the page is made."""
    monkeypatch.chdir(tmp_path)
    assert script.main(["--check"]) == 1
    assert "docs/reference/states.md" in capsys.readouterr().out
    assert script.main([]) == 0
    assert script.main(["--check"]) == 0


def test_the_picture_has_an_arrow_for_each_row() -> None:
    """Every row of the table and the addition, those that open a new attempt marked as such."""
    arrows = re.findall(r"^    (\w+) --> (\w+)(: new attempt)?", script.page(), re.MULTILINE)
    both = (TRANSITIONS, RULED_TRANSITIONS)
    rows = {(str(x), str(y)) for table in both for x, ys in table.items() for y in ys}
    assert {(before, after) for before, after, _ in arrows} == rows
    marked = {(before, after) for before, after, mark in arrows if mark}
    assert marked == {(str(old), str(born)) for old, born in SUCCESSIONS}


def test_the_table_marks_the_ends() -> None:
    """The six states in which a lease is over, and no other, carry a dot."""
    marked = re.findall(r"^\| \*?`(\w+)`\*? \| ● \|", script.page(), re.MULTILINE)
    assert sorted(marked) == sorted(TERMINAL)
    assert len(re.findall(r"^    \w+ --> \[\*\]$", script.page(), re.MULTILINE)) == len(TERMINAL)


def test_the_addition_stands_apart() -> None:
    """The row that needs a ruling is not in the table, and has its reason beside it."""
    table, addition = script.page().split("## The one addition")
    assert "| `blocked` | *`reopened`* |" in addition
    row = next(line for line in table.splitlines() if line.startswith(f"| `{State.BLOCKED}`"))
    assert row.endswith("| - |")
