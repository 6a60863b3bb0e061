"""Transition coverage: the rows of the state table that a build uses, and why not the others."""

import inspect
from collections.abc import Mapping
from types import ModuleType

from tests.playbooks import (
    story,
    test_build_adjudicating,
    test_build_drain,
    test_build_endings,
    test_build_jobs,
    test_build_merging,
    test_build_rounds,
    test_build_ruling,
    test_build_stopping,
    test_build_verifying,
)
from tests.playbooks.walks import Walk, seeded
from tidegate.core.attempt import RULED_TRANSITIONS, TRANSITIONS, State

STORIES = (
    test_build_rounds,
    test_build_merging,
    test_build_endings,
    test_build_drain,
    test_build_jobs,
    test_build_adjudicating,
    test_build_verifying,
    test_build_ruling,
    test_build_stopping,
)
WALKS = 40
_S = State

_NO_OWNER = "nobody is asked about what died: it is replaced, or its lane ends"
_NO_FALLBACK = "a build has no fallback: nobody stands in for a change (DESIGN: study)"
_NO_UNDOING = "what has landed is not taken back by this playbook"
NOT_USED: Mapping[tuple[State, State], str] = {
    (_S.MATERIALIZED, _S.FAILED): "what has an artifact is judged or blocked, never failed",
    (_S.CORRECTED, _S.ACCEPTED): "a correction is checked, and so reviewed, before it lands",
    (_S.STOPPED, _S.FALLBACK): _NO_FALLBACK,
    (_S.STOPPED, _S.BLOCKED): _NO_OWNER,
    (_S.FAILED, _S.FALLBACK): _NO_FALLBACK,
    (_S.FAILED, _S.BLOCKED): _NO_OWNER,
    (_S.ACCEPTED, _S.REOPENED): _NO_UNDOING,
    (_S.ACCEPTED, _S.SUPERSEDED): _NO_UNDOING,
    (_S.FALLBACK, _S.SUPERSEDED): _NO_FALLBACK,
}
"""Rows that no story can use today. One that becomes possible must leave this list."""


def test_every_row_is_told_in_a_story_or_has_a_reason_why_not() -> None:
    """Named stories alone use every row of the table but those that are listed; none is luck."""
    story.SEEN.clear()
    for module in STORIES:
        _tell(module)
    assert _rows() - NOT_USED.keys() == story.SEEN - {(None, _S.REQUESTED)}


def test_no_walk_uses_a_row_that_is_listed_as_unused() -> None:
    """Whatever the world answers, the list stays true."""
    story.SEEN.clear()
    for seed in range(WALKS):
        Walk(seeded(seed)).run()
    assert not story.SEEN & NOT_USED.keys()


def test_the_list_of_unused_rows_has_only_rows() -> None:
    """A row that is not in the table needs no reason."""
    assert NOT_USED.keys() <= _rows()


def _rows() -> set[tuple[State | None, State]]:
    both = (TRANSITIONS, RULED_TRANSITIONS)
    return {(state, after) for table in both for state in table for after in table[state]}


def _tell(module: ModuleType) -> None:
    """Run every story of a module that takes no parameter."""
    told = 0
    for name, function in vars(module).items():
        if name.startswith("test_") and not inspect.signature(function).parameters:
            function()
            told += 1
    assert told, f"{module.__name__} tells no story"
