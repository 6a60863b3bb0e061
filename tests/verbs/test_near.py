"""What a mistyped id most likely meant."""

import pytest

from tidegate.verbs.near import near

LANES = ("001", "002", "0142")
RUNS = ("20260314-0915", "20260314-0915-2")


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("1", "001"),
        ("#2", "002"),
        ("0001", "001"),
        ("142", "0142"),
        ("003", None),
        ("0010", "001"),
        ("abc", None),
    ],
)
def test_a_number_is_known_however_it_is_written(word: str, meant: str | None) -> None:
    """Zeros before it and a number sign are no part of a number."""
    assert near(word, LANES) == meant


def test_other_ids_are_known_by_their_spelling() -> None:
    """One wrong character is near enough."""
    assert near("20260314-0914", RUNS) == "20260314-0915"
    assert near("20260314_0915-2", RUNS) == "20260314-0915-2"
    assert near("x", RUNS) is None
