"""The reference page says what the command line does."""

from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from scripts import docs_commands as script
from tests.cli.shapes import Failure, Summary
from tidegate.cli.app import EXIT_CODES, tidegate
from tidegate.cli.usage import SECTIONS

ROOT = Path(__file__).parents[2]


def test_the_page_is_current() -> None:
    """After a change of the command line: `make docs`."""
    assert (ROOT / script.PAGE).read_text(encoding="utf-8") == script.page()


def test_nothing_is_undocumented() -> None:
    """Every command and option has its words, and every exit code its meaning."""
    page = script.page()
    for name, command in tidegate.commands.items():
        assert f"### `{name}`" in page
        assert command.help
        assert all(option.help and option.help in page for option in script._options(command))
    assert all(f"| {code} | {meaning} |" in page for code, meaning in EXIT_CODES.items())


def test_the_documented_answers_have_the_promised_shape() -> None:
    """What the page shows as JSON is what the tests hold every answer to."""
    blocks = script.page().split("```json\n")[1:]
    error, summary = (block.partition("```")[0] for block in blocks)
    assert msgspec.json.decode(error, type=Failure).error.did_you_mean == "status"
    assert msgspec.json.decode(summary, type=Summary).waiting[0].waits_for == "issue 003"


def test_the_script_writes_and_checks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stale page fails the check and names the remedy; writing it mends that."""
    monkeypatch.chdir(tmp_path)
    assert script.main(["--check"]) == 1
    assert script.main([]) == 0
    assert script.main(["--check"]) == 0


def test_help_lists_every_command_once_and_whole() -> None:
    """By what it is for; a first sentence is never cut."""
    listed = [name for names in SECTIONS.values() for name in names]
    assert sorted(listed) == sorted(tidegate.commands)
    shown = CliRunner().invoke(tidegate, ["--help"], terminal_width=60).output
    assert all(f"{title}:" in shown for title in SECTIONS)
    assert "..." not in shown.partition("Begin:")[2]
