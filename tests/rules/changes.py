"""Changes as the rules see them, made of texts, and what is said of them."""

from collections.abc import Mapping

from tidegate.rules.finding import ChangedFile
from tidegate.rules.test_surface import changed_surface

CALC = "tests/test_calc.py"
CALC_TEXT = "from src.calc import add\n\n\ndef test_add():\n    assert add(2, 2) == 4\n"

Files = Mapping[str, str | None]


def said(old: Files, new: Files, *gates: str) -> list[str]:
    """What is said of a change from some files to others; a file that is None is not there."""
    files = [
        ChangedFile(path, old.get(path), new.get(path))
        for path in {**old, **new}
        if old.get(path) != new.get(path)
    ]
    return [f"{each.path}: {each.detail}" for each in changed_surface(files, gate_files=gates)]


def edited(path: str, text: str, was: str, now: str) -> list[str]:
    """What is said of a file in which one piece of text was replaced."""
    assert was in text
    return said({path: text}, {path: text.replace(was, now, 1)})


def of_calc(text: str) -> list[str]:
    """What is said when the test of the calculator becomes this."""
    return said({CALC: CALC_TEXT}, {CALC: text})
