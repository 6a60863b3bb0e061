"""The reference page of the events is made from the classes, and shows all of them."""

from dataclasses import fields
from pathlib import Path

import pytest

from scripts import docs_events as script
from tidegate.core.events import KINDS
from tidegate.core.values import Verdict

ROOT = Path(__file__).parents[2]


def test_the_page_is_current(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a change of an event: `make docs`."""
    monkeypatch.chdir(ROOT)
    assert script.main(["--check"]) == 0


def test_a_page_that_is_behind_is_named_and_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--check` only says so; without it the page is made."""
    monkeypatch.chdir(tmp_path)
    assert script.main(["--check"]) == 1
    assert "docs/reference/events.md" in capsys.readouterr().out
    assert script.main([]) == 0
    assert script.main(["--check"]) == 0


def test_every_kind_has_its_section_and_every_field_its_row() -> None:
    """None is left out, whichever file its class is in."""
    sections = {part.partition("`")[0]: part for part in script.page().split("### `")[1:]}
    assert set(sections) == set(KINDS)
    for kind, event in KINDS.items():
        assert all(f"| `{each.name}` | " in sections[kind] for each in fields(event))


def test_types_are_told_as_json_has_them() -> None:
    """A tuple is a list, an enumeration is its values, and what may be missing may be null."""
    assert script.words(tuple[str, ...]) == "list of texts"
    assert script.words(int | None) == "number or null"
    assert script.words(Verdict) == "`PASS`, `FAIL`, `FLAKY`"
