"""What a lane is after its entries: the fold, and what is no history at all."""

from dataclasses import replace

import pytest

from tests.core.samples import ATTEMPT, attempt_in, candidate, lane_with, made
from tests.playbooks.answers import Answer
from tests.playbooks.story import Story
from tidegate.core import events as e
from tidegate.core import evolve as evolving
from tidegate.core.attempt import State
from tidegate.core.errors import IllegalTransition
from tidegate.core.lane import Correction, Landing, Lane, Red, Turn
from tidegate.core.values import Authorization, Cause, Outcome, Role, Verdict


def after(lane: Lane, event: e.LaneEvent) -> Lane:
    """The lane after an event."""
    return evolving.enter(lane, event, lane_id="fix", actor="test", reason="", utc="now")[1]


def told() -> Story:
    """A story with a rework, a conflict, a loss and a landing."""
    build = [Answer.WORKS, Answer.WORKS, Answer.LOST]
    return Story(
        build=build, check=[Answer.FAILS, Answer.FAILS], merge=[Answer.CLEAN, Answer.CONFLICTS]
    ).run()


def test_the_entries_of_a_lane_add_up_to_what_was_worked_with() -> None:
    """B09: whoever reads the ledger knows at every point what the controller knew there."""
    folded = None
    story = told()
    for entry in story.entries:
        folded = evolving.evolve(folded, entry)
    assert folded == story.lane


def test_an_entry_that_skips_another_is_no_history() -> None:
    """A fold stops at a gap, at a repetition, and at an entry out of order."""
    entries = told().entries
    lane = None
    for entry in entries[:9]:
        lane = evolving.evolve(lane, entry)
    for wrong in (entries[8], entries[10]):
        with pytest.raises(IllegalTransition, match="is at 9"):
            evolving.evolve(lane, wrong)


@pytest.mark.parametrize(
    ("previous", "following"),
    [
        (State.CHECKPOINTED, State.FAILED),
        (State.STARTED, State.ACCEPTED),
        (None, State.FAILED),
        (State.STARTED, State.REPLACED),
    ],
)
def test_an_entry_that_moves_from_elsewhere_is_no_history(
    previous: State | None, following: State
) -> None:
    """A recorded move is believed only from the state that the attempt is in, and by the table."""
    lane = lane_with(attempt_in(State.STARTED))
    entry, _ = evolving.enter(
        lane, made(e.Failed), lane_id="fix", actor="test", reason="", utc="now"
    )
    with pytest.raises(IllegalTransition):
        evolving.evolve(lane, replace(entry, previous=previous, next=following))


def test_an_event_of_a_run_is_none_of_a_lane() -> None:
    """The run's own stream is folded elsewhere."""
    entry = made(e.Entry, lane="fix", version=8, event=made(e.RunEnded), previous=None, next=None)
    with pytest.raises(IllegalTransition, match="belongs to a run"):
        evolving.evolve(lane_with(), entry)


def test_a_fail_that_counts_is_a_round_and_takes_the_ruling_away() -> None:
    """The lane has one FAIL more and something to answer; nothing is authorized any more."""
    ruled = attempt_in(State.REVIEWED, authorization=Authorization.GRANTED)
    passed = candidate(verdict=Verdict.PASS)
    lane = lane_with(ruled, candidate=passed, queued_utc="first", ruled_utc="before")
    fail = made(e.Judged, verdict=Verdict.FAIL, counts=True, tree="tree", finding_digest="f")
    failed = after(lane, fail)
    assert failed.fails == 1
    assert failed.correction == Correction(finding_digest="f")
    assert (failed.queued_utc, failed.ruled_utc) == (None, None)
    assert failed.attempts[ATTEMPT].authorization is Authorization.WITHHELD
    assert failed.candidate == candidate(verdict=Verdict.FAIL, checks=1)


def test_a_fail_that_does_not_count_decides_nothing() -> None:
    """It is known that a check ended; there is no verdict, no round and no loss of a ruling."""
    ruled = attempt_in(State.REVIEWED, authorization=Authorization.GRANTED)
    lane = lane_with(ruled, candidate=candidate(), ruled_utc="before")
    red = made(e.Judged, verdict=Verdict.FAIL, counts=False, tree="tree", finding_digest="f")
    once = after(lane, red)
    assert once.candidate == candidate(
        checks=1, red=Red(by="by", finding_digest="f", reason="reason")
    )
    assert (once.fails, once.correction, once.ruled_utc) == (0, None, "before")
    assert once.attempts[ATTEMPT].authorization is Authorization.GRANTED


def test_a_verdict_on_another_tree_says_nothing_of_the_candidate() -> None:
    """A judgement is bound to its tree (G5, G9)."""
    lane = lane_with(attempt_in(State.REVIEWED), candidate=candidate())
    passed = after(lane, made(e.Judged, verdict=Verdict.PASS, counts=True, tree="another"))
    assert passed.candidate == candidate()


def test_a_checks_own_verdict_is_not_counted_twice() -> None:
    """What a check found is recorded of itself and of the change; only the latter is a round."""
    check = attempt_in(State.MATERIALIZED, id="fix-check-1", commit="commit")
    lane = lane_with(attempt_in(State.REVIEWED), check, candidate=candidate())
    fail = made(e.Judged, attempt="fix-check-1", verdict=Verdict.FAIL, counts=True, tree="tree")
    assert after(lane, fail).fails == 0
    assert after(lane, fail).candidate == candidate()


def test_the_turn_that_answers_a_finding_closes_it() -> None:
    """With the correction's turn the old candidate is gone."""
    asked = Correction(finding_digest="f")
    lane = lane_with(attempt_in(State.REVIEWED), candidate=candidate(), correction=asked)
    opened = after(lane, made(e.TurnOpened, epoch=1, finding_digest="f"))
    assert (opened.correction, opened.candidate) == (None, None)


def test_the_turn_of_a_check_closes_nothing() -> None:
    """It answers no finding."""
    lane = lane_with(attempt_in(State.DISPATCHED), candidate=candidate(), ruled_utc="before")
    opened = after(lane, made(e.TurnOpened, epoch=1, finding_digest=None))
    assert (opened.candidate, opened.ruled_utc) == (candidate(), "before")


@pytest.mark.parametrize(
    ("cause", "counts"), [(None, (0, 0)), (Cause.OWN, (1, 0)), (Cause.EXTERNAL, (0, 1))]
)
def test_replacements_are_counted_by_their_cause(
    cause: Cause | None, counts: tuple[int, int]
) -> None:
    """A first attempt counts nowhere; the two causes have a limit each."""
    lane = lane_with(attempt_in(State.STOPPED))
    born, old = (State.REPLACED, ATTEMPT) if cause else (State.REQUESTED, None)
    event = made(e.Requested, attempt="fix-build-2", born=born, supersedes=old, cause=cause)
    lane = after(lane, event)
    assert (lane.replacements, lane.externals) == counts


@pytest.mark.parametrize(
    "kind", [e.Blocked, e.Failed, e.Stopped, e.Materialized, e.Corrected, e.Judged]
)
def test_what_decides_a_turns_meaning_settles_it(kind: type) -> None:
    """After that nothing of the turn is open: no late word of it is taken."""
    before = {e.Blocked: State.STARTED, e.Failed: State.STARTED, e.Stopped: State.STALE}
    before |= {e.Materialized: State.CHECKPOINTED, e.Corrected: State.REVIEWED}
    turn = Turn(number=1, epoch=1, deadline_s=1.0)
    lane = lane_with(attempt_in(before.get(kind, State.MATERIALIZED), turn=turn))
    assert not after(lane, made(kind)).attempts[ATTEMPT].has_open_turn


@pytest.mark.parametrize(
    ("kind", "state"), [(e.Materialized, State.CHECKPOINTED), (e.Corrected, State.REVIEWED)]
)
def test_what_was_made_is_kept_with_its_tree(kind: type, state: State) -> None:
    """The digest of the artifact, and the tree that it speaks of."""
    lane = lane_with(attempt_in(state, digest="old", tree="old"))
    attempt = after(lane, made(kind, digest="new", tree="new")).attempts[ATTEMPT]
    assert (attempt.digest, attempt.tree) == ("new", "new")


@pytest.mark.parametrize("kind", [e.Judged, e.Conflicted])
def test_a_finding_is_bound_to_what_it_was_found_in(kind: type) -> None:
    """Tree and tip are kept, so that an answer can be told from none."""
    lane = lane_with(attempt_in(State.MATERIALIZED, tip="tip", tree="tree"))
    attempt = after(lane, made(kind)).attempts[ATTEMPT]
    assert (attempt.judged_tip, attempt.judged_tree) == ("tip", "tree")


def test_a_builder_inherits_what_was_found() -> None:
    """It answers the same finding, so the same tree is no answer of its either."""
    old = attempt_in(State.BLOCKED, judged_tip="tip", judged_tree="tree")
    event = made(
        e.Requested, attempt="new", role=Role.BUILD, born=State.REOPENED, supersedes=ATTEMPT
    )
    new = after(lane_with(old), event).attempts["new"]
    assert (new.judged_tip, new.judged_tree, new.tree) == ("tip", "tree", None)


@pytest.mark.parametrize(
    "event",
    [made(e.WorkspaceReady), made(e.Harvested, turn=1), made(e.CandidateMade), made(e.Conflicted)],
    ids=lambda value: type(value).__name__,
)
def test_work_that_was_done_sets_the_count_of_failures_back(event: e.LaneEvent) -> None:
    """Only failures in a row count; removals are counted apart."""
    turn = Turn(number=1, epoch=1, deadline_s=1.0)
    lane = lane_with(attempt_in(State.REVIEWED, turn=turn, jobs_failed=2, removals_failed=1))
    attempt = after(lane, event).attempts[ATTEMPT]
    assert (attempt.jobs_failed, attempt.removals_failed) == (0, 1)


def test_a_conflict_is_something_to_answer_and_no_round() -> None:
    """What was merged and what was ruled is gone; the target that it must be carried onto stays."""
    known = {"candidate": candidate(), "queued_utc": "first", "ruled_utc": "before"}
    lane = lane_with(attempt_in(State.REVIEWED), **known)
    lane = after(lane, made(e.Conflicted, target="newer", finding_digest="f"))
    assert lane.correction == Correction(finding_digest="f", base="newer")
    assert (lane.candidate, lane.queued_utc, lane.ruled_utc) == (None, None, None)
    assert (lane.conflicts, lane.fails) == (1, 0)


def test_a_refused_landing_leaves_nothing_that_could_land() -> None:
    """What was merged and ruled was of a target that is gone; it keeps its place in the queue."""
    ready = {"candidate": candidate(), "landing": made(Landing), "ruled_utc": "before"}
    ruled = attempt_in(State.REVIEWED, authorization=Authorization.GRANTED)
    lane = after(lane_with(ruled, queued_utc="first", **ready), made(e.LandingRefused))
    assert (lane.candidate, lane.landing, lane.ruled_utc) == (None, None, None)
    assert (lane.landings_refused, lane.queued_utc) == (1, "first")
    assert lane.attempts[ATTEMPT].authorization is Authorization.NONE


@pytest.mark.parametrize(
    ("kind", "state"), [(e.Materialized, State.CHECKPOINTED), (e.Corrected, State.REVIEWED)]
)
def test_a_change_is_offered_when_it_is_published(kind: type, state: State) -> None:
    """That is its place in the landing queue. What a check publishes takes none."""
    lane = after(lane_with(attempt_in(state)), made(kind))
    assert lane.queued_utc == "now"
    check = attempt_in(State.CHECKPOINTED, role=Role.CHECK, commit="commit")
    assert after(lane_with(check), made(e.Materialized)).queued_utc is None


def test_what_landed_is_no_longer_about_to() -> None:
    """The commit is kept, and the intent is over."""
    lane = lane_with(attempt_in(State.REVIEWED), landing=made(Landing))
    lane = after(lane, made(e.Landed, commit="commit"))
    assert (lane.landing, lane.commit) == (None, "commit")


def test_the_end_of_a_lane_is_kept_with_its_reason() -> None:
    """Outcome and reason stand in the lane as they were given."""
    ended = after(lane_with(), made(e.LaneEnded, outcome=Outcome.STOPPED, reason="why"))
    assert (ended.outcome, ended.reason) == (Outcome.STOPPED, "why")
