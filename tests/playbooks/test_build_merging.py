"""Stories of merging and landing: conflicts, a target that moves, a landing that is refused."""

from tests.playbooks.answers import Answer
from tests.playbooks.story import Story
from tidegate.core import effects as f
from tidegate.core import events as e
from tidegate.core.attempt import State
from tidegate.core.policy import Limits, Policy
from tidegate.core.values import Authorization, Outcome, Role

BUILD = "fix-build-1"
FAILS_FOR_GOOD = [Answer.FAILS, Answer.FAILS]


def test_a_conflict_goes_back_to_its_builder_and_is_no_fail() -> None:
    """The builder's next turn has the conflict as its finding and the new target as its base."""
    story = Story(merge=[Answer.CONFLICTS]).run()
    second = [turn for turn in story.events(e.TurnOpened) if turn.attempt == BUILD][1]
    assert (second.finding_digest, second.base) == ("conflict with base", "base")
    assert story.lane.fails == 0
    assert story.lane.conflicts == 1
    assert story.outcome is Outcome.LANDED


def test_a_conflict_before_any_verdict_is_reviewed_and_then_corrected() -> None:
    """That it does not merge is a finding bound to its digest: the correction has its place."""
    story = Story(merge=[Answer.CONFLICTS]).run()
    assert story.states(BUILD)[4:] == [
        State.MATERIALIZED, State.REVIEWED, State.CORRECTED, State.REVIEWED, State.ACCEPTED,
    ]  # fmt: skip


def test_a_conflict_after_a_correction_is_corrected_once_more() -> None:
    """A correction that no longer merges goes back too, and what comes of it is checked."""
    story = Story(check=FAILS_FOR_GOOD, merge=[Answer.CLEAN, Answer.CONFLICTS]).run()
    assert story.told() == [None, "failure of fix-check-2-1", "conflict with base"]
    assert story.outcome is Outcome.LANDED
    assert len(story.events(e.Corrected)) == 2
    assert story.lane.fails == 1


def test_conflicts_have_a_limit_of_their_own() -> None:
    """One conflict more than the policy allows stops the lane, without a single FAIL."""
    story = Story(policy=Policy(limits=Limits(conflicts_max=2)), merge=[Answer.CONFLICTS] * 3).run()
    assert story.outcome is Outcome.STOPPED
    assert story.lane.reason == "it does not merge any more, 3 times"
    assert (story.lane.conflicts, story.lane.fails) == (3, 0)
    assert len(story.told()) == 3


def test_a_conflict_may_be_resolved_without_changing_the_tree() -> None:
    """A merge that keeps the builder's side has the judged tree and a new tip: an answer."""
    story = Story(land=[Answer.ELSEWHERE], merge=[Answer.CLEAN, Answer.CONFLICTS])
    story.run(until=lambda lane: lane.conflicts)
    build = story.lane.attempts[BUILD]
    story.world.trees["resolved"] = build.judged_tree or ""
    story.world.tips[BUILD] = "resolved"
    story.run()
    assert story.lane.fails == 0
    assert story.outcome is Outcome.LANDED


def test_a_conflict_that_is_not_answered_is_the_rounds_fail() -> None:
    """A turn that leaves tip and tree as they were has resolved nothing."""
    story = Story(build=[Answer.WORKS, Answer.UNCHANGED], merge=[Answer.CONFLICTS]).run()
    assert "unchanged" in [judged.reason for judged in story.events(e.Judged)]
    assert (story.lane.fails, story.lane.conflicts) == (1, 1)
    assert story.outcome is Outcome.LANDED


def test_a_conflict_at_the_head_takes_the_ruling_away() -> None:
    """What was ruled to land no longer merges: it leaves the queue until it has passed again."""
    story = Story(land=[Answer.ELSEWHERE], merge=[Answer.CLEAN, Answer.CONFLICTS])
    story.run(until=lambda lane: lane.conflicts)
    assert not story.lane.is_queued
    assert story.lane.attempts[BUILD].authorization is Authorization.WITHHELD
    story.run()
    assert story.outcome is Outcome.LANDED
    assert [ruled.ruling for ruled in story.events(e.Ruled)] == ["land", "land"]


def test_a_queued_change_waits_for_its_turn() -> None:
    """Offered and not at the head of the queue: nothing is merged, checked or moved."""
    story = Story().now(is_head=False).run()
    story.world.move_target()
    assert story.run().plan() == ()
    assert story.lane.is_queued
    assert not story.events(e.CandidateMade)


def test_a_target_that_moves_under_the_head_is_merged_and_checked_again() -> None:
    """What lands was checked on the target that it lands on."""
    story = Story().run(until=lambda lane: lane.candidate and lane.candidate.verdict)
    story.world.move_target()
    story.run()
    assert story.outcome is Outcome.LANDED
    assert len(story.attempts(Role.CHECK)) == 2
    landing = story.events(e.LandingIntended)[0]
    assert landing.tree == "tree#1 on tree#3"
    assert len(story.events(e.Ruled)) == 1


def test_a_check_of_what_will_not_land_is_dropped() -> None:
    """It was requested, and the target moves before it is sent: it judges nothing."""
    story = Story().run(until=lambda lane: lane.latest(Role.CHECK))
    story.world.move_target()
    story.run()
    assert story.outcome is Outcome.LANDED
    first, second = story.attempts(Role.CHECK)
    assert story.states(first.id) == [State.REQUESTED, State.FAILED]
    assert story.states(second.id)[-1] is State.ACCEPTED


def test_a_fail_at_the_head_goes_back_to_the_builder() -> None:
    """What passed on one target and fails on a newer one leaves the queue, with the finding."""
    story = Story(check=[Answer.PASSES, *FAILS_FOR_GOOD], land=[Answer.ELSEWHERE])
    story.run(until=lambda lane: lane.fails)
    assert not story.lane.is_queued
    assert story.run().told() == [None, "failure of fix-check-3-1"]
    assert story.outcome is Outcome.LANDED


def test_a_refused_landing_is_merged_again() -> None:
    """The target was somewhere else: nothing moved, and what lands is checked on what is there."""
    story = Story(land=[Answer.ELSEWHERE]).run()
    assert story.outcome is Outcome.LANDED
    assert len(story.events(e.CandidateMade)) == 2
    assert len(story.attempts(Role.CHECK)) == 2
    assert story.events(e.LandingIntended)[1].old == story.events(e.LandingRefused)[0].actual


def test_landings_that_are_refused_for_ever_end() -> None:
    """G7: a target that somebody else keeps moving stops the lane, at a named limit."""
    story = Story(land=[Answer.ELSEWHERE] * 9).run()
    assert story.outcome is Outcome.STOPPED
    assert story.lane.landings_refused == story.situation.policy.limits.infra_max
    assert story.lane.reason.startswith("landing: the target is at other#")


def test_a_landing_is_intended_before_anything_moves() -> None:
    """The intent names what the target is and what it becomes; only then may it move."""
    story = Story()
    story.run(until=lambda lane: lane.landing)
    assert story.world.target == "base"
    assert story.plan()[0] == f.Land()
    story.run()
    assert story.world.target == story.lane.commit


def test_a_lane_that_is_sent_back_waits_for_a_slot() -> None:
    """Where a run is taken up with a smaller width, no more builders work than that allows."""
    story = Story(merge=[Answer.CONFLICTS]).run(until=lambda lane: lane.conflicts)
    story.now(has_slot=False).run()
    assert story.plan() == ()
    story.now(has_slot=True).run()
    assert story.outcome is Outcome.LANDED
