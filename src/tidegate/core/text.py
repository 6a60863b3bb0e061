"""Text that somebody else wrote, made safe to show. It judges characters, never meaning.

Titles, issues, reports and output can hold characters that move a terminal's cursor, set its
title, or turn the order of a line around. What is stored stays as it was; what is shown goes
through `printable`.
"""

import unicodedata

_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Controls, invisible formatting, lone surrogates, line and paragraph separators."""

MASKED = "[masked:"
"""How what stands for a secret in a stored text begins."""

_NEEDED = frozenset("\u061c\u200c\u200d\u200e\u200f")
"""Joiners and direction marks that scripts and emoji cannot do without. They act on their
neighbours alone, where an override or an isolate turns around all that follows."""


def is_unsafe(character: str) -> bool:
    """Whether one character could change how the text around it is shown."""
    return unicodedata.category(character) in _UNSAFE and character not in _NEEDED


def printable(text: str, *, keep: str = "") -> str:
    r"""The text with every unsafe character written out, as in ``\x1b``, ``\u202e`` and ``\n``.

    `keep` names unsafe characters that stay as they are: ``"\n\t"`` for text of many lines.
    """
    if text.isprintable():
        return text
    return "".join(named(each) if is_unsafe(each) and each not in keep else each for each in text)


def first_unsafe(text: str, *, keep: str = "") -> int | None:
    """Where the first unsafe character stands, or None; `keep` as for `printable`."""
    if text.translate(dict.fromkeys(map(ord, keep))).isprintable():
        return None
    places = (place for place, each in enumerate(text) if is_unsafe(each) and each not in keep)
    return next(places, None)


def named(character: str) -> str:
    """An escape that can be read aloud."""
    return character.encode("unicode_escape").decode("ascii")
