"""What a mistyped id most likely meant."""

from collections.abc import Iterable

from tidegate.config.problem import closest


def near(word: str, known: Iterable[str]) -> str | None:
    """The known id that was meant: the same number written otherwise, or one spelt alike."""
    choices = list(known)
    number = word.lstrip("#0")
    same = [each for each in choices if each.isdigit() and each.lstrip("0") == number]
    return same[0] if same else closest(word, choices)
