"""What the fold of a lane makes of judges, reservations and the target that fails too."""

from typing import Any

import pytest

from tests.core.samples import ATTEMPT, attempt_in, candidate, lane_with, made
from tidegate.core import events as e
from tidegate.core.attempt import State
from tidegate.core.evolve_lane import evolve_lane
from tidegate.core.lane import Adjudication, Attempt, Correction, End, Lane, Red, Turn
from tidegate.core.values import Cause, Role, Verdict

VERIFY = "fix-verify-1"
PASSED = candidate(verdict=Verdict.PASS)


def after(lane: Lane, event: e.LaneEvent) -> Lane:
    """The lane after an event."""
    return evolve_lane(lane, event, "now")


def judge(role: Role = Role.VERIFY, how: str = "exited", **given: Any) -> Attempt:
    """A judge whose turn is over."""
    end = made(End, how=how, is_external=given.pop("is_external", False))
    turn = Turn(number=1, epoch=1, deadline_s=1.0, end=end)
    return attempt_in(State.FAILED, id=f"fix-{role}-1", role=role, turn=turn, **given)


def judged(by: str, verdict: Verdict, **given: Any) -> e.Judged:
    """A verdict on the candidate."""
    known = {"tree": "tree", "counts": True, "finding_digest": "f", "reason": "why", **given}
    return made(e.Judged, by=by, verdict=verdict, **known)


def test_what_the_owner_wrote_stands_above_what_an_adjudicator_expects() -> None:
    """A11: the footprint of the issue, where it has one."""
    known: dict[str, Any] = {"footprint": ("lib/**",), "kind": None, "asks": False}
    said = made(e.Adjudicated, attempt="fix-adjudicate-1", **known)
    assert after(lane_with(footprint=("src/**",)), said).footprint == ("src/**",)
    lane = after(lane_with(footprint=(), unheard=1), said)
    assert (lane.footprint, lane.is_admitted, lane.unheard) == (("lib/**",), True, 0)
    assert lane.leave == ()
    assert lane.adjudication == Adjudication(
        kind=None, fixture="fixture", report_digest="report_digest", reason="reason"
    )


def test_paths_are_held_until_they_are_let_go() -> None:
    """What is reserved is what the event says."""
    lane = after(lane_with(), e.Reserved(footprint=("a", "b")))
    assert lane.reserved == ("a", "b")
    assert after(lane, e.Released(reason="why")).reserved is None


@pytest.mark.parametrize(
    ("attempt", "is_counted"),
    [
        (judge(), True),
        (judge(Role.ADJUDICATE), True),
        (judge(how="deadline"), True),
        (judge(how="lost"), True),
        (judge(is_external=True), False),
        (judge(how="stopped"), False),
        (judge(Role.CHECK), False),
        (judge(Role.BUILD), False),
        (attempt_in(State.FAILED, id=VERIFY, role=Role.VERIFY), False),
    ],
)
def test_an_agent_that_judges_and_comes_to_nothing_is_counted(
    attempt: Attempt, *, is_counted: bool
) -> None:
    """G7: where it was its own doing, and only then."""
    failed = made(e.Failed, attempt=attempt.id)
    stopped = made(e.Stopped, attempt=attempt.id)
    assert after(lane_with(attempt), failed).unheard == int(is_counted)
    assert after(lane_with(attempt), stopped).unheard == int(is_counted)


def test_a_verdict_that_is_heard_sets_the_count_back() -> None:
    """PASS or FAIL; and a PASS makes the candidate verified."""
    for verdict in (Verdict.PASS, Verdict.FAIL):  # a verifier judges once
        lane = lane_with(attempt_in(State.REVIEWED), judge(), candidate=PASSED, unheard=1)
        lane = after(lane, judged(VERIFY, verdict))
        assert lane.unheard == 0
        assert lane.candidate is not None
        assert lane.candidate.is_verified is (verdict is Verdict.PASS)
        assert lane.candidate.verdict is Verdict.PASS, "the check's word is another"
        assert (lane.correction is None) is (verdict is Verdict.PASS)


def test_a_verifiers_verdict_on_another_tree_verifies_nothing() -> None:
    """G5: it is bound to what it judged."""
    lane = lane_with(attempt_in(State.REVIEWED), judge(), candidate=PASSED)
    after_it = after(lane, judged(VERIFY, Verdict.PASS, tree="another"))
    assert after_it.candidate == PASSED


def test_a_first_red_check_is_kept_until_its_target_was_looked_at() -> None:
    """It counts for nobody yet, and decides nothing."""
    check = attempt_in(State.ACCEPTED, id="fix-check-1", role=Role.CHECK, commit="commit")
    lane = lane_with(attempt_in(State.REVIEWED), check, candidate=candidate())
    lane = after(lane, judged(check.id, Verdict.FAIL, counts=False))
    assert lane.candidate is not None
    red = Red(by=check.id, finding_digest="f", reason="why")
    assert (lane.candidate.red, lane.candidate.checks, lane.candidate.verdict) == (red, 1, None)
    assert (lane.fails, lane.correction) == (0, None)


def test_a_target_that_fails_too_counts_for_nobody() -> None:
    """The change is merged anew when the target has been mended; no round is spent."""
    check = attempt_in(State.ACCEPTED, id="fix-check-3", role=Role.CHECK, commit="target")
    lane = lane_with(attempt_in(State.REVIEWED), check, candidate=candidate(checks=2))
    lane = after(lane, judged(check.id, Verdict.FAIL, counts=False))
    assert (lane.candidate, lane.targets_red) == (None, 1)
    assert (lane.fails, lane.correction) == (0, None)


@pytest.mark.parametrize(
    ("role", "cause", "replacements", "externals"),
    [
        (Role.BUILD, Cause.OWN, 1, 0),
        (Role.VERIFY, Cause.OWN, 0, 0),
        (Role.ADJUDICATE, Cause.OWN, 0, 0),
        (Role.VERIFY, Cause.EXTERNAL, 0, 1),
        (Role.VERIFY, Cause.INTERRUPTED, 0, 0),
    ],
)
def test_a_judges_successor_costs_no_builders_replacement(
    role: Role, cause: Cause, replacements: int, externals: int
) -> None:
    """Each limit is of its own."""
    lane = after(lane_with(), made(e.Requested, role=role, cause=cause))
    assert (lane.replacements, lane.externals) == (replacements, externals)


def test_a_carried_judgement_makes_a_candidate_verified() -> None:
    """G5: as it is recorded, and where it is."""
    for is_carried in (True, False):
        lane = after(lane_with(), made(e.CandidateMade, is_carried=is_carried))
        assert lane.candidate is not None
        assert lane.candidate.is_verified is is_carried


def test_a_question_counts_and_waits() -> None:
    """Its number is not given twice."""
    lane = after(lane_with(questions=1), made(e.Asked, question="fix-q2"))
    assert lane.question is not None
    assert (lane.questions, lane.question.asked_utc) == (2, "now")


def test_a_wish_to_stop_is_kept_with_its_reason() -> None:
    """The plan reads it."""
    assert after(lane_with(), e.StopAsked(reason="why", by="owner")).stop_asked == "why"


def test_the_turn_that_answers_a_veto_leaves_nothing_of_what_was_vetoed() -> None:
    """G5: candidate and correction are gone; what lands next is judged anew."""
    lane = lane_with(
        attempt_in(State.REVIEWED), candidate=PASSED, correction=Correction(finding_digest="l")
    )
    lane = after(lane, made(e.TurnOpened, attempt=ATTEMPT, finding_digest="l"))
    assert (lane.candidate, lane.correction) == (None, None)
