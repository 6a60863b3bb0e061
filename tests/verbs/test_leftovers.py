"""When a workspace is needed, as far as the ledger knows."""

from collections.abc import Mapping
from types import SimpleNamespace

import pytest

from tidegate.verbs import leftovers
from tidegate.verbs.leftovers import Scope

OVER = {"ended_at": "2026-03-14T09:15:00.000Z", "harvested_at": None, "how": "exited"}


def kept(
    role: str, turn: Mapping[str, object] | None, *, reason: str = "", with_evidence: bool = False
) -> str:
    """Why it stays."""
    look = SimpleNamespace(scope=Scope(with_evidence=with_evidence))
    return leftovers._kept(look, {"role": role, "reason": reason}, turn)  # type: ignore[arg-type]  # no more of a look is asked


@pytest.mark.parametrize("role", ["build", "verify"])
def test_what_was_not_harvested_is_kept(role: str) -> None:
    """G3-26: it may be the only copy of somebody's work; once it is in the hub, it may go."""
    assert "only copy" in kept(role, OVER)
    assert kept(role, {**OVER, "harvested_at": "2026-03-14T09:16:00.000Z"}) == ""


def test_what_never_ran_or_is_nobodys_work_may_go() -> None:
    """A turn that did not start has made nothing, and a check's workspace is thrown away."""
    assert kept("build", None) == ""
    assert kept("build", {**OVER, "how": "not_started"}) == ""
    assert kept("check", OVER) == ""


def test_a_turn_whose_end_is_unknown_keeps_it() -> None:
    """Nobody wrote down that it is over."""
    assert "is not known" in kept("check", {**OVER, "ended_at": None})


def test_evidence_needs_a_word_and_is_not_taken_unharvested_by_it() -> None:
    """--with-evidence lifts one reason, and no other."""
    boundary = "boundary: stray: it was written"
    harvested = {**OVER, "harvested_at": "2026-03-14T09:16:00.000Z"}
    assert "critical stop" in kept("build", harvested, reason=boundary)
    assert kept("build", harvested, reason=boundary, with_evidence=True) == ""
    assert "only copy" in kept("build", OVER, reason=boundary, with_evidence=True)
