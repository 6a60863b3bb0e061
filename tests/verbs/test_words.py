"""Every event has words for the log."""

import dataclasses
from enum import StrEnum
from typing import Any, get_args, get_type_hints

import pytest

from tidegate.core import events as e
from tidegate.core.policy import Policy
from tidegate.core.values import Verdict
from tidegate.verbs.words import BAD, GOOD, PLAIN, QUIET, say


def made(kind: type) -> Any:
    """An event of this kind with some value in each field."""
    hints = get_type_hints(kind)
    return kind(**{field.name: _value(hints[field.name]) for field in dataclasses.fields(kind)})


def _value(hint: Any) -> Any:
    if hint is Policy:
        return Policy()
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return next(iter(hint))
    if hint is str:
        return "x"
    if hint in (int, float, bool):
        return hint(1)
    inner = [each for each in get_args(hint) if each is not type(None)]
    return () if getattr(hint, "__origin__", None) is tuple else _value(inner[0])


@pytest.mark.parametrize("kind", e.KINDS)
def test_every_kind_of_event_is_said(kind: str) -> None:
    """In one line, at one of the four levels."""
    level, words = say(made(e.KINDS[kind]))
    assert level in {QUIET, PLAIN, GOOD, BAD}
    assert words
    assert "\n" not in words


def test_why_a_judge_came_to_nothing_is_said() -> None:
    """It is what its owner has to mend: a reason without its detail tells them nothing."""
    failed = e.Failed(
        attempt="1-verify-1", reason="no_verdict", detail="no plain VERDICT: it says\nX"
    )
    assert say(failed) == (
        BAD, "1-verify-1 came to nothing: no verdict (no plain VERDICT: it says X)"
    )  # fmt: skip
    assert say(dataclasses.replace(failed, detail=""))[0] == QUIET


def test_who_works_is_read_from_the_end_of_an_id() -> None:
    """An issue may be called as an attempt is."""
    begun = made(e.TurnStarted)
    assert "works" in say(dataclasses.replace(begun, attempt="ABC-check-1-build-1"))[1]
    assert "verifies" in say(dataclasses.replace(begun, attempt="ABC-build-1-verify-1"))[1]
    judged = dataclasses.replace(made(e.Judged), verdict=Verdict.PASS)
    assert say(dataclasses.replace(judged, attempt="a-build-1-check-1"))[0] == QUIET
    assert say(dataclasses.replace(judged, attempt="a-check-1-build-1"))[0] == GOOD


def test_what_a_person_waits_for_is_loud() -> None:
    """A FAIL, a PASS, a landing and a red base are never quiet."""
    base = made(e.BaseChecked)
    assert say(dataclasses.replace(base, verdict=Verdict.FAIL))[0] == BAD
    assert say(dataclasses.replace(base, verdict=Verdict.PASS))[0] == GOOD
    assert say(made(e.Landed))[0] == GOOD
