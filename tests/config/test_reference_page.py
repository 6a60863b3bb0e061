"""The reference page says what the code says."""

from pathlib import Path

import pytest

from scripts import docs_configuration as script
from tidegate.config.keys import KEYS

ROOT = Path(__file__).parents[2]


def test_the_page_is_current() -> None:
    """After a change of the configuration: `make docs`."""
    assert (ROOT / script.PAGE).read_text(encoding="utf-8") == script.page()


def test_every_key_is_on_the_page() -> None:
    """No key is undocumented."""
    page = script.page()
    assert all(f"| `{key.name}` |" in page and key.meaning in page for key in KEYS.values())


def test_the_script_writes_and_checks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stale page fails the check and names the remedy; writing it mends that."""
    monkeypatch.chdir(tmp_path)
    assert script.main(["--check"]) == 1
    assert script.main([]) == 0
    assert script.main(["--check"]) == 0
