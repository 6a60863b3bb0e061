"""The kinds of damage: each is explained on the page, and each says what to do."""

from pathlib import Path

from tidegate.verbs.damage import KINDS, Level

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "check-what-is-kept.md"


def test_the_page_has_a_line_for_each_kind_and_no_other() -> None:
    """What `fsck` may find is all there to be read, in the order of the list."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    named = [line.split("`")[1] for line in lines if line.startswith("| `")]
    assert sorted(named) == sorted(KINDS)


def test_each_kind_has_a_remedy_and_a_level_of_its_own() -> None:
    """What was mended or is in use is so by what happens, and never by its kind."""
    assert all(kind.remedy for kind in KINDS.values())
    assert {kind.level for kind in KINDS.values()} == {Level.WRONG, Level.NOTE}
