"""How an attempt is opened: by which role, on which commit, and in whose place."""

import pytest

from tests.core.samples import attempt_in, candidate, lane_with
from tidegate.core import commands as c
from tidegate.core.attempt import State
from tidegate.core.errors import Refused
from tidegate.core.lane import Lane, Red
from tidegate.core.requests import Request, request
from tidegate.core.values import Cause, Role, Verdict

PASSED = candidate(verdict=Verdict.PASS)
RED = candidate(red=Red(by="fix-check-2", finding_digest=None, reason="exit 1"))
ADJUDICATE = c.RequestAdjudication(agent="agent", cause=None)
VERIFY = c.RequestVerify(agent="agent", attacks=("one", "two"), cause=None)
CHECK = c.RequestCheck(cause=None)
OF_TARGET = c.RequestCheck(cause=None, of_target=True)


@pytest.mark.parametrize(
    ("lane", "asked", "attempt", "commit"),
    [
        (lane_with(), ADJUDICATE, "fix-adjudicate-1", None),
        (lane_with(candidate=PASSED), VERIFY, "fix-verify-1", "commit"),
        (lane_with(candidate=candidate()), CHECK, "fix-check-1", "commit"),
        (lane_with(candidate=RED), OF_TARGET, "fix-check-1", "target"),
    ],
)
def test_who_judges_names_what_they_judge(
    lane: Lane, asked: Request, attempt: str, commit: str | None
) -> None:
    """G5: the exact commit; an adjudicator judges no change."""
    made = request(lane, asked)
    assert (made.attempt, made.commit, made.born) == (attempt, commit, State.REQUESTED)


def test_the_attacks_of_a_verifier_are_recorded() -> None:
    """A13: with its request, and for nobody else."""
    assert request(lane_with(candidate=PASSED), VERIFY).attacks == ("one", "two")
    assert request(lane_with(candidate=PASSED), CHECK).attacks == ()


@pytest.mark.parametrize(
    ("lane", "asked", "words"),
    [
        (lane_with(), VERIFY, "no candidate"),
        (lane_with(candidate=candidate()), VERIFY, "has not passed its check"),
        (lane_with(candidate=candidate(verdict=Verdict.FAIL)), VERIFY, "has not passed"),
        (lane_with(candidate=candidate()), OF_TARGET, "not in question"),
        (lane_with(), CHECK, "no candidate"),
    ],
)
def test_a_judgement_that_is_not_due_is_refused(lane: Lane, asked: Request, words: str) -> None:
    """Nothing is verified before its check has passed, no target looked at for nothing."""
    with pytest.raises(Refused, match=words):
        request(lane, asked)


@pytest.mark.parametrize("role", [Role.ADJUDICATE, Role.VERIFY])
def test_one_live_judge_of_a_role(role: Role) -> None:
    """G2: a second is refused while the first is open."""
    live = attempt_in(State.STARTED, id=f"fix-{role}-1", role=role)
    asked = ADJUDICATE if role is Role.ADJUDICATE else VERIFY
    with pytest.raises(Refused, match="one live attempt"):
        request(lane_with(live, candidate=PASSED), asked)


@pytest.mark.parametrize(
    ("state", "born"),
    [
        (State.FAILED, State.REPLACED),
        (State.STOPPED, State.REPLACED),
        (State.BLOCKED, State.REOPENED),
    ],
)
def test_a_judge_that_was_lost_is_replaced(state: State, born: State) -> None:
    """C071: another id, which names the one whose place it takes."""
    lost = attempt_in(state, id="fix-verify-1", role=Role.VERIFY)
    asked = c.RequestVerify(agent="agent", attacks=(), cause=Cause.OWN)
    made = request(lane_with(lost, candidate=PASSED), asked)
    assert (made.attempt, made.supersedes, made.born) == ("fix-verify-2", "fix-verify-1", born)


def test_a_judge_of_the_next_round_takes_nobodys_place() -> None:
    """A15: it is a fresh one."""
    done = attempt_in(State.ACCEPTED, id="fix-verify-1", role=Role.VERIFY)
    made = request(lane_with(done, candidate=PASSED), VERIFY)
    assert (made.attempt, made.supersedes) == ("fix-verify-2", None)
