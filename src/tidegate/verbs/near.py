"""Which id a person means, and what a mistyped one most likely meant."""

from collections.abc import Collection, Iterable

from tidegate.config.problem import closest


def find(word: str, known: Collection[str]) -> str | None:
    """The id that is written so, or else the one of the same number: `1` and `#1` find 001."""
    return word if word in known else _same_number(word, known)


def near(word: str, known: Iterable[str]) -> str | None:
    """The known id that was meant: the same number written otherwise, or one spelt alike.

    Another number of as many digits is not alike: 004 is mostly no slip for 003, but an id that is
    not here.
    """
    choices = list(known)
    if word.isdigit():
        alike = [each for each in choices if not each.isdigit() or len(each) != len(word)]
        return _same_number(word, choices) or closest(word, alike)
    return _same_number(word, choices) or closest(word, choices)


def _same_number(word: str, known: Iterable[str]) -> str | None:
    number = word.lstrip("#0")
    return next((k for k in known if k.isdigit() and k.lstrip("0") == number), None)
