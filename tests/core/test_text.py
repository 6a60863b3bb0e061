"""Foreign text is shown without harm and without loss."""

import pytest

from tidegate.core.text import first_unsafe, printable

HARMLESS = (
    "Fix login",
    "Grüße, 日本語, עברית",
    "no\u00a0break",
    "family \U0001f468\u200d\U0001f469\u200d\U0001f467",
    "\u0645\u06cc\u200c\u062e\u0648",
    "",
)
HARMFUL = (
    ("\x1b]0;owned\x07", r"\x1b]0;owned\x07"),
    ("Fix \u202e nimda", r"Fix \u202e nimda"),
    ("a\u2066b", r"a\u2066b"),
    ("a\x00b", r"a\x00b"),
    ("a\nb\tc\r", r"a\nb\tc\r"),
    ("a\x9bb", r"a\x9bb"),
    ("a\u2028b", r"a\u2028b"),
    ("a\ufeffb", r"a\ufeffb"),
    ("a\udc80b", r"a\udc80b"),
    ("tag\U000e0041", r"tag\U000e0041"),
)


@pytest.mark.parametrize("text", HARMLESS)
def test_scripts_and_emoji_stay(text: str) -> None:
    """What languages and emoji need is shown as it is."""
    assert printable(text) == text
    assert first_unsafe(text) is None


@pytest.mark.parametrize(("text", "shown"), HARMFUL)
def test_controls_are_written_out(text: str, shown: str) -> None:
    """G8-14: what moves a cursor, turns a line around or hides is spelled out, not dropped."""
    assert printable(text) == shown
    assert printable(printable(text)) == printable(text)


def test_line_ends_can_be_kept() -> None:
    """A text of many lines keeps them where the caller says so, and loses only the rest."""
    assert printable("a\n\tb\x1b", keep="\n\t") == "a\n\tb\\x1b"


def test_the_first_unsafe_place_is_told() -> None:
    """The place counts characters, and skips what is kept."""
    assert first_unsafe("a\nb\x1b\x07", keep="\n") == 3
    assert first_unsafe("a\nb", keep="\n") is None
