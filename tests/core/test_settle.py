"""What the end of a turn means: every kind of end, for a first work, a correction and a check."""

from collections.abc import Sequence
from typing import Any

import pytest

from tests.core.samples import ATTEMPT, attempt_in, candidate, lane_with, made
from tidegate.core import commands as c
from tidegate.core import decide as deciding
from tidegate.core import events as e
from tidegate.core.attempt import State
from tidegate.core.errors import Refused
from tidegate.core.lane import Attempt, End, Lane, Red, Staged, Turn
from tidegate.core.policy import Limits
from tidegate.core.values import Role, Verdict

CHECK = "fix-check-1"


def turn(**given: object) -> Turn:
    """An open turn that was seen to start."""
    known: dict[str, Any] = {"is_started": True, **given}
    return Turn(number=1, epoch=1, deadline_s=1.0, **known)


def ended(how: str, *, is_external: bool = False, code: int = 0, failure: str | None = None) -> End:
    """The end of a turn."""
    return made(End, how=how, code=code, failure_digest=failure, is_external=is_external)


def kinds(lane: Lane, command: c.Command, limits: Limits | None = None) -> Sequence[str]:
    """What a command leads to, in the ledger's words."""
    return [e.NAMES[type(each)] for each in deciding.decide(lane, command, limits or Limits())]


# --- the end itself -----------------------------------------------------------------------------

ENDS_OF_A_CHECK = [
    ("exited", False, ["turn_ended", "artifact_staged"]),
    ("deadline", False, ["turn_ended", "artifact_staged"]),
    ("output_cap", False, ["turn_ended", "artifact_staged"]),
    ("exited", True, ["turn_ended", "failed"]),
    ("stopped", True, ["turn_ended", "stale", "stopped"]),
    ("lost", True, ["turn_ended", "stale", "stopped"]),
    ("not_started", True, ["turn_ended", "failed"]),
    ("fenced", False, ["turn_ended", "failed"]),
]


@pytest.mark.parametrize(("how", "is_external", "expected"), ENDS_OF_A_CHECK)
def test_the_end_of_a_check(how: str, expected: list[str], *, is_external: bool) -> None:
    """Its own exit, deadline and flood are evidence; an end from outside is none."""
    lane = lane_with(attempt_in(State.STARTED, id=CHECK, role=Role.CHECK, turn=turn()))
    end = made(c.NoteEnd, attempt=CHECK, how=how, is_external=is_external)
    assert kinds(lane, end) == expected


@pytest.mark.parametrize("how", ["exited", "deadline", "lost", "stopped", "output_cap"])
def test_the_end_of_a_builder_means_nothing_before_its_harvest(how: str) -> None:
    """G1: whatever ended it, what it left is taken first."""
    lane = lane_with(attempt_in(State.STARTED, turn=turn()))
    assert kinds(lane, made(c.NoteEnd, how=how)) == ["turn_ended"]


def test_a_builder_that_nobody_saw_is_started_by_its_end() -> None:
    """It may have run: the order of the table is kept."""
    lane = lane_with(attempt_in(State.DISPATCHED, turn=turn(is_started=False)))
    assert kinds(lane, made(c.NoteEnd, how="lost")) == ["turn_started", "turn_ended"]


@pytest.mark.parametrize("how", ["not_started", "fenced"])
@pytest.mark.parametrize(
    ("state", "end"), [(State.DISPATCHED, "failed"), (State.REVIEWED, "blocked")]
)
def test_a_turn_that_never_ran_is_over_at_once(how: str, state: State, end: str) -> None:
    """There is nothing to harvest; and whatever was said of it, it is nobody's doing."""
    lane = lane_with(attempt_in(state, turn=turn(is_started=False)))
    events = deciding.decide(lane, made(c.NoteEnd, how=how, is_external=False), Limits())
    assert [e.NAMES[type(each)] for each in events] == ["turn_ended", end]
    assert isinstance(events[0], e.TurnEnded)
    assert events[0].is_external


# --- the harvest --------------------------------------------------------------------------------

AFTER_THE_HARVEST = [
    (State.STARTED, ended("exited"), ["artifact_staged"]),
    (State.STARTED, ended("exited", code=1, failure="f"), ["artifact_staged"]),
    (State.REVIEWED, ended("exited"), ["artifact_staged"]),
    (State.STARTED, ended("deadline"), ["stale", "stopped"]),
    (State.CHECKPOINTED, ended("lost"), ["stale", "stopped"]),
    (State.STARTED, ended("stopped", is_external=True), ["stale", "stopped"]),
    (State.STARTED, ended("output_cap"), ["failed"]),
    (State.CHECKPOINTED, ended("exited", is_external=True), ["failed"]),
    (State.REVIEWED, ended("deadline"), ["blocked"]),
    (State.REVIEWED, ended("exited", is_external=True), ["blocked"]),
]


@pytest.mark.parametrize(("state", "end", "expected"), AFTER_THE_HARVEST)
def test_what_follows_a_harvest(state: State, end: End, expected: list[str]) -> None:
    """A finished work is published; any other end closes the attempt, by the table's rows."""
    lane = lane_with(attempt_in(state, turn=turn(end=end)))
    assert kinds(lane, made(c.NoteHarvest)) == ["harvested", *expected]


@pytest.mark.parametrize("state", [State.STARTED, State.CHECKPOINTED, State.REVIEWED])
@pytest.mark.parametrize("how", ["exited", "lost", "deadline"])
def test_a_breach_of_the_boundary_blocks_whatever_else_happened(state: State, how: str) -> None:
    """C163: it outweighs the end, and its words are kept, each of them."""
    lane = lane_with(attempt_in(state, turn=turn(end=ended(how))))
    events = deciding.decide(lane, made(c.NoteHarvest, violations=("a", "b")), Limits())
    assert events[1:] == (e.Blocked(attempt=ATTEMPT, reason="boundary: a; b"),)


# --- the publication of a build -------------------------------------------------------------------

STAGED = Staged(path="path", digest="digest", is_valid=True)


def built(
    state: State, *, end: End | None = None, base: str | None = None, **given: object
) -> Lane:
    """A builder whose report is about to be published."""
    open_turn = turn(end=end or ended("exited"), is_harvested=True, staged=STAGED, base=base)
    return lane_with(attempt_in(state, turn=open_turn, tip="tip", tree="tree", **given))


def test_a_first_work_without_a_commit_gets_its_checkpoint_with_its_end() -> None:
    """Both events in one step, so that the table's order is kept."""
    assert kinds(built(State.STARTED), made(c.NotePromotion)) == ["checkpointed", "materialized"]
    assert kinds(built(State.CHECKPOINTED), made(c.NotePromotion)) == ["materialized"]


@pytest.mark.parametrize(
    ("judged", "base", "expected"),
    [
        (("tree", "tip"), None, ["judged"]),
        (("tree", "tip"), "target", ["judged"]),
        (("tree", "old"), None, ["judged"]),
        (("tree", "old"), "target", ["corrected"]),
        (("old", "old"), None, ["corrected"]),
        (("old", "old"), "target", ["corrected"]),
    ],
)
def test_a_correction_must_change_something(
    judged: tuple[str, str], base: str | None, expected: list[str]
) -> None:
    """C007: another tree, or where it had to be merged another tip; else it is a FAIL."""
    lane = built(State.REVIEWED, base=base, judged_tree=judged[0], judged_tip=judged[1])
    assert kinds(lane, made(c.NotePromotion)) == expected


def test_an_agent_that_failed_is_told_its_own_words_first() -> None:
    """Its own failure outweighs that it changed nothing."""
    lane = built(State.CHECKPOINTED, end=ended("exited", code=1, failure="own"), is_empty=True)
    judged = deciding.decide(lane, made(c.NotePromotion), Limits())[-1]
    assert isinstance(judged, e.Judged)
    assert (judged.reason, judged.finding_digest, judged.counts) == ("agent_failed", "own", True)


# --- the verdict of a check -----------------------------------------------------------------------


def checked(end: End, **given: object) -> Lane:
    """A check whose log is about to be published, beside the build that it judges."""
    check = attempt_in(
        State.STARTED, id=CHECK, role=Role.CHECK, commit="commit", turn=turn(end=end, staged=STAGED)
    )
    return lane_with(attempt_in(State.MATERIALIZED), check, candidate=candidate(**given))


@pytest.mark.parametrize(
    ("end", "checks", "verdict", "counts"),
    [
        (ended("exited"), 0, Verdict.PASS, True),
        (ended("exited"), 1, Verdict.FLAKY, True),
        (ended("exited", code=1, failure="f"), 0, Verdict.FAIL, False),
        (ended("exited", code=1, failure="f"), 1, Verdict.FAIL, False),
        (ended("deadline", code=0), 1, Verdict.FAIL, False),
        (ended("output_cap", code=0), 0, Verdict.FAIL, False),
    ],
)
def test_the_verdict_of_a_check(end: End, checks: int, verdict: Verdict, *, counts: bool) -> None:
    """PASS is an exit with 0, FLAKY one after a red run; a FAIL waits for a look at its target."""
    events = deciding.decide(checked(end, checks=checks), _promotion(CHECK), Limits())
    own, of_the_change = (each for each in events if isinstance(each, e.Judged))
    assert (own.attempt, of_the_change.attempt) == (CHECK, ATTEMPT)
    assert (own.by, of_the_change.by) == ("controller", CHECK)
    for judged in (own, of_the_change):
        assert (judged.verdict, judged.counts, judged.tree) == (verdict, counts, "tree")


def test_a_verdict_is_bound_to_the_commit_that_was_checked() -> None:
    """G9: where something else would land by now, what was checked says nothing of it."""
    with pytest.raises(Refused, match="no longer what would land"):
        kinds(checked(ended("exited"), commit="another"), _promotion(CHECK))


@pytest.mark.parametrize(
    ("end", "by", "counts", "reason"),
    [
        (ended("exited"), "the red one", True, "exit 1"),
        (ended("exited", code=1, failure="f"), CHECK, False, "the target fails too"),
        (ended("deadline", code=0), CHECK, False, "the target fails too"),
    ],
)
def test_a_fail_counts_where_the_target_passes(
    end: End, by: str, reason: str, *, counts: bool
) -> None:
    """A FAIL that the target has as well is nobody's; else it is the check's that was red."""
    red = Red(by="the red one", finding_digest="what it saw", reason="exit 1")
    merged = {"target": "commit", "target_tree": "of the target", "commit": "candidate"}
    lane = checked(end, red=red, checks=2, **merged)
    events = deciding.decide(lane, _promotion(CHECK), Limits())
    own, of_the_change = (each for each in events if isinstance(each, e.Judged))
    assert (own.attempt, own.tree) == (CHECK, "of the target")
    assert own.verdict is (Verdict.PASS if counts else Verdict.FAIL)
    assert of_the_change.verdict is Verdict.FAIL
    told = (of_the_change.by, of_the_change.counts, of_the_change.reason)
    assert told == (by, counts, reason)
    assert of_the_change.finding_digest == ("what it saw" if counts else end.failure_digest)


def test_nobody_judges_a_target_that_was_not_in_question() -> None:
    """Only after a red check is its target looked at."""
    with pytest.raises(Refused, match="nobody asked"):
        kinds(checked(ended("exited"), target="commit", commit="other"), _promotion(CHECK))


def _promotion(attempt: str) -> c.NotePromotion:
    return made(c.NotePromotion, attempt=attempt)


def test_a_check_is_accepted_with_its_verdict() -> None:
    """It has said what it had to say, PASS or FAIL."""
    expected = ["checkpointed", "materialized", "judged", "accepted", "judged"]
    assert kinds(checked(ended("exited")), _promotion(CHECK)) == expected
    assert isinstance(checked(ended("exited")).attempts[CHECK], Attempt)


# --- an adjudicator and a verifier ------------------------------------------------------------

JUDGES = {Role.ADJUDICATE: "fix-adjudicate-1", Role.VERIFY: "fix-verify-1"}


def judging(role: Role, end: End | None = None, **given: Any) -> Lane:
    """A judge in its turn beside the build; `end` where that is over."""
    known: dict[str, Any] = {"commit": "commit" if role is Role.VERIFY else None, **given}
    merged = known.pop("candidate", candidate(verdict=Verdict.PASS))
    staged = STAGED if known.pop("is_staged", False) else None
    judge = attempt_in(
        State.STARTED, id=JUDGES[role], role=role, turn=turn(end=end, staged=staged), **known
    )
    return lane_with(attempt_in(State.REVIEWED), judge, candidate=merged)


@pytest.mark.parametrize(
    ("how", "is_external", "expected"),
    [
        ("exited", False, ["turn_ended", "artifact_staged"]),
        ("exited", True, ["turn_ended", "failed"]),
        ("deadline", False, ["turn_ended", "stale", "stopped"]),
        ("lost", False, ["turn_ended", "stale", "stopped"]),
        ("stopped", True, ["turn_ended", "stale", "stopped"]),
        ("output_cap", False, ["turn_ended", "failed"]),
        ("not_started", True, ["turn_ended", "failed"]),
    ],
)
def test_the_end_of_an_adjudicator(how: str, expected: list[str], *, is_external: bool) -> None:
    """Only what ended by itself has a report that counts."""
    end = made(c.NoteEnd, attempt=JUDGES[Role.ADJUDICATE], how=how, is_external=is_external)
    assert kinds(judging(Role.ADJUDICATE), end) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, ["harvested", "artifact_staged"]),
        ({"is_empty": False}, ["harvested", "failed"]),
        ({"tip": "another"}, ["harvested", "failed"]),
        ({"violations": ("outside",)}, ["harvested", "blocked"]),
        ({"is_empty": False, "violations": ("outside",)}, ["harvested", "blocked"]),
    ],
)
def test_a_verifier_that_changes_what_it_judges_has_said_nothing(
    given: dict[str, Any], expected: list[str]
) -> None:
    """G6-09: a file, a commit, or only something staged: its verdict is void whatever it says."""
    known = {"tip": "commit", "is_empty": True, "violations": (), **given}
    harvest = made(c.NoteHarvest, attempt=JUDGES[Role.VERIFY], **known)
    assert kinds(judging(Role.VERIFY, ended("exited")), harvest) == expected


@pytest.mark.parametrize("role", JUDGES)
@pytest.mark.parametrize("how", ["deadline", "lost", "output_cap"])
def test_a_verdict_of_a_turn_that_was_cut_off_is_none(role: Role, how: str) -> None:
    """G4: whatever its report says already."""
    if role is Role.VERIFY:
        known: dict[str, Any] = {"tip": "commit", "is_empty": True, "violations": ()}
        command: c.Command = made(c.NoteHarvest, attempt=JUDGES[role], **known)
        lane = judging(role, ended(how))
    else:
        command = made(c.NoteEnd, attempt=JUDGES[role], how=how, is_external=False)
        lane = judging(role)
    assert "artifact_staged" not in kinds(lane, command)


def promoted(role: Role, said: c.Said, *, failure: str | None = None, **given: Any) -> list[str]:
    """What the promotion of a judge's report leads to."""
    lane = judging(role, ended("exited", failure=failure), is_staged=True, **given)
    return list(kinds(lane, made(c.NotePromotion, attempt=JUDGES[role], said=said)))


HEARD = ["checkpointed", "materialized", "judged", "accepted", "judged"]


@pytest.mark.parametrize("verdict", Verdict)
def test_a_verdict_of_a_verifier_counts(verdict: Verdict) -> None:
    """A FAIL has its whole report as its finding; a PASS has none."""
    lane = judging(Role.VERIFY, ended("exited"), is_staged=True)
    said = c.Said(verdict=verdict)
    events = deciding.decide(
        lane, made(c.NotePromotion, attempt=JUDGES[Role.VERIFY], said=said), Limits()
    )
    assert [e.NAMES[type(each)] for each in events] == HEARD
    judged = events[-1]
    assert isinstance(judged, e.Judged)
    assert (judged.attempt, judged.by, judged.tree) == (ATTEMPT, JUDGES[Role.VERIFY], "tree")
    assert (judged.verdict, judged.counts) == (verdict, True)
    assert judged.finding_digest == ("report_digest" if verdict is Verdict.FAIL else None)


@pytest.mark.parametrize("role", JUDGES)
@pytest.mark.parametrize("has_failed", [False, True])
def test_a_judge_without_a_verdict_fails_and_judges_nothing(
    role: Role, *, has_failed: bool
) -> None:
    """A15: neither PASS nor FAIL; an error of its own outweighs what its report says."""
    good = c.Said(verdict=Verdict.PASS) if role is Role.VERIFY else c.Said(fixture="f")
    said = good if has_failed else c.Said(fault="no line VERDICT")
    assert promoted(role, said, failure="own" if has_failed else None) == ["failed"]


def test_a_verdict_of_a_verifier_is_bound_to_the_candidate() -> None:
    """G5: where something else would land by now, it says nothing of it."""
    moved = candidate(commit="another", verdict=Verdict.PASS)
    with pytest.raises(Refused, match="no longer what would land"):
        promoted(Role.VERIFY, c.Said(verdict=Verdict.PASS), candidate=moved)


def test_an_adjudication_is_accepted_with_what_it_says() -> None:
    """A11: its kind, its footprint, its fixture; a question on top where it asks."""
    heard = ["checkpointed", "materialized", "adjudicated", "accepted"]
    assert promoted(Role.ADJUDICATE, c.Said(fixture="f", footprint=("a",))) == heard
    asked = c.Said(question_digest="q", options=("this", "that"))
    assert promoted(Role.ADJUDICATE, asked) == [*heard, "asked"]
