"""What the owner says of issues, and that it was heard."""

from collections.abc import Sequence

from tidegate.cli.output import clean, show_json, show_lines
from tidegate.core.word import Word
from tidegate.verbs.house import House
from tidegate.verbs.standing import Said
from tidegate.verbs.standing import retry as retry_verb
from tidegate.verbs.standing import rule as rule_verb


def retry(house: House, folder: str, issues: Sequence[str], *, reason: str, as_json: bool) -> None:
    """Open issues again."""
    _answer(retry_verb(house, folder, issues, reason=reason), as_json=as_json)


def rule(house: House, folder: str, issue: str, word: str, *, reason: str, as_json: bool) -> None:
    """Say a word on one issue."""
    _answer([rule_verb(house, folder, issue, Word(word), reason=reason)], as_json=as_json)


def _answer(said: Sequence[Said], *, as_json: bool) -> None:
    if as_json:
        show_json(list(said))
        return
    for each in said:
        heard = "is open again" if each.word == Word.OPEN else f"is {each.word}"
        show_lines(f"issue {each.issue} {heard}: {clean(each.note)}")
