"""The command: what it runs, what it prints, what it writes."""

import json
from pathlib import Path

import pytest

from bench import __main__ as command
from bench.figures import AT_MOST, Goal, Kind, Row, Table
from bench.parts import Part


def _table(name: str, value: float) -> Table:
    row = Row(what="time", unit="ms", ours=[value], kind=Kind.OURS, goal=Goal(AT_MOST, 5.0))
    return Table(name=name, title=name.upper(), ours="tidegate", other="", rows=(row,))


@pytest.fixture(autouse=True)
def parts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Three benchmarks that take no time, and a page for them."""
    made = {
        "quick": Part(short=lambda _: _table("quick", 1.0), long=lambda _: _table("quick", 2.0)),
        "missed": Part(short=lambda _: _table("missed", 9.0), long=lambda _: _table("missed", 9.0)),
        "hours": Part(short=None, long=lambda _: _table("hours", 3.0)),
    }
    page = tmp_path / "page.md"
    page.write_text("<!-- figures: quick -->\n<!-- /figures -->\n", encoding="utf-8")
    monkeypatch.setattr(command, "PARTS", made)
    monkeypatch.setattr(command, "PAGE", page)
    return page


def _names(given: list[str], capsys: pytest.CaptureFixture[str]) -> list[str]:
    assert command.main([*given, "--json"]) == 0
    return [table["name"] for table in json.loads(capsys.readouterr().out)["tables"]]


def test_what_takes_an_hour_is_run_only_when_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    """A short run leaves it out; `--long` and its own name bring it in."""
    assert _names([], capsys) == ["quick", "missed"]
    assert _names(["--long"], capsys) == ["quick", "missed", "hours"]
    assert _names(["--only", "hours"], capsys) == ["hours"]


def test_a_long_run_takes_the_long_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    """`--long` measures what the page publishes."""
    command.main(["--only", "quick", "--long"])
    assert "2.00" in capsys.readouterr().out


def test_a_missed_goal_is_said_and_is_no_failure(capsys: pytest.CaptureFixture[str]) -> None:
    """The measurement went well all the same; what was missed is on standard error."""
    assert command.main([]) == 0
    said = capsys.readouterr()
    assert "quick: QUICK" in said.out
    assert "% of the processors meanwhile" in said.out
    assert said.err == "missed: missed: time\n"


def test_figures_are_written_only_when_asked_for(parts: Path) -> None:
    """The page stays as it is without `--write`."""
    before = parts.read_text(encoding="utf-8")
    command.main(["--only", "quick"])
    assert parts.read_text(encoding="utf-8") == before
    command.main(["--only", "quick", "--write"])
    assert "| time, ms | 1.00 |" in parts.read_text(encoding="utf-8")
