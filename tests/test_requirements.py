"""The project's own table of requirements: each row has a test, and each test's id has a row."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "requirements.md"
_ROW = re.compile(r"^\| ([A-D]\d{2,3}[a-z]?) \| (.+) \| (.+) \|$", re.MULTILINE)
_ID = re.compile(r"\b(?:A\d\d|B\d\d|C\d{3}[a-z]?|D\d\d)\b")
_RULES_OF_THE_LINTER = frozenset({"C901", "D105"})


def rows() -> dict[str, str]:
    """Where each requirement of the page lives, as the page writes it."""
    return {found[1]: found[3] for found in _ROW.finditer(PAGE.read_text(encoding="utf-8"))}


def named() -> set[str]:
    """The ids that tests name."""
    found: set[str] = set()
    for path in (ROOT / "tests").rglob("test_*.py"):
        if path != Path(__file__):
            found.update(_ID.findall(path.read_text(encoding="utf-8")))
    return found - _RULES_OF_THE_LINTER


def test_every_row_has_a_test_and_every_named_id_a_row() -> None:
    """Nothing is said to hold that no test holds, and nothing held is left out."""
    assert set(rows()) == named()


def test_each_row_says_where_it_lives() -> None:
    """The file is there."""
    for requirement, place in rows().items():
        link = re.search(r"\]\((\S+)\)", place)
        assert link is not None, requirement
        assert (PAGE.parent / link[1]).exists(), requirement


def test_the_rows_are_in_order() -> None:
    """As the documents have them."""
    assert list(rows()) == sorted(rows())
