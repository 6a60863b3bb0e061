"""Stories of the engine's own work failing: git, set-up, disk. It is bounded and never a round."""

from tests.playbooks.answers import Answer
from tests.playbooks.story import Story
from tidegate.core import events as e
from tidegate.core.attempt import State
from tidegate.core.policy import Limits, Policy
from tidegate.core.values import Outcome, Role

BUILD = "fix-build-1"
JOB_FAILS = Answer.JOB_FAILS


def test_work_that_fails_is_tried_again_and_costs_no_round() -> None:
    """Two failures of each kind of job, and the lane lands with one build and no FAIL."""
    twice = [JOB_FAILS, JOB_FAILS]
    story = Story(
        prepare=twice,
        harvest=twice,
        merge=twice,
        land=twice,
        remove=twice,
        checkpoint=[Answer.DONE],
    ).run()
    assert story.outcome is Outcome.LANDED
    assert story.lane.fails == 0
    assert [len(story.attempts(role)) for role in (Role.BUILD, Role.CHECK)] == [1, 1]


def test_a_workspace_that_cannot_be_made_blocks_its_attempt() -> None:
    """At `infra_max` failures in a row the lane stops, and names job and reason."""
    story = Story(prepare=[JOB_FAILS] * 3).run()
    assert story.outcome is Outcome.STOPPED
    assert story.lane.reason == "prepare: disk"
    assert story.states(BUILD)[-1] is State.BLOCKED


def test_failures_count_in_a_row_only() -> None:
    """Work that succeeded in between sets the count back."""
    ups_and_downs = [JOB_FAILS, JOB_FAILS, Answer.CLEAN]
    story = Story(merge=ups_and_downs * 2, land=[Answer.ELSEWHERE]).run()
    assert story.outcome is Outcome.LANDED
    assert len(story.events(e.JobFailed)) == 4


def test_the_limit_of_failures_is_the_policys() -> None:
    """`infra_max = 1`: the first failure blocks."""
    story = Story(policy=Policy(limits=Limits(infra_max=1)), merge=[JOB_FAILS]).run()
    assert story.lane.reason == "merge: disk"


def test_a_workspace_that_could_not_be_harvested_is_kept() -> None:
    """G1: it may hold the only copy of a builder's work, so nothing removes it."""
    story = Story(harvest=[JOB_FAILS] * 3).run()
    assert story.outcome is Outcome.STOPPED
    assert story.lane.reason == "harvest: disk"
    assert not story.lane.attempts[BUILD].is_removed


def test_a_workspace_whose_last_turn_never_ran_is_removed() -> None:
    """Nothing was done in it since the last harvest."""
    story = Story(build=[Answer.NOT_STARTED]).run()
    assert story.lane.attempts[BUILD].is_removed


def test_a_check_whose_workspace_cannot_be_made_is_tried_anew() -> None:
    """It blocks itself and not the change: another check takes its place."""
    story = Story(prepare=[Answer.DONE, *[JOB_FAILS] * 3]).run()
    assert story.outcome is Outcome.LANDED
    assert story.states("fix-check-1")[-1] is State.BLOCKED
    assert story.states("fix-check-2")[:2] == [State.REOPENED, State.DISPATCHED]


def test_a_correction_that_cannot_be_merged_is_blocked() -> None:
    """Git failing after a correction blocks it like any other, and no FAIL is added."""
    story = Story(check=[Answer.FAILS, Answer.FAILS], merge=[Answer.CLEAN, *[JOB_FAILS] * 3]).run()
    assert story.states(BUILD)[-2:] == [State.CORRECTED, State.BLOCKED]
    assert story.lane.reason == "merge: disk"
    assert story.lane.fails == 1


def test_a_replaced_attempt_may_be_blocked_before_it_starts() -> None:
    """What takes a lost build's place is held to the same limit of failures."""
    story = Story(build=[Answer.LOST], prepare=[Answer.DONE, *[JOB_FAILS] * 3]).run()
    assert story.states("fix-build-2") == [State.REPLACED, State.BLOCKED]
    assert story.lane.reason == "prepare: disk"


def test_a_removal_that_fails_is_given_up_in_bounds() -> None:
    """What will not go is left to `gc`; the lane has landed all the same."""
    story = Story(remove=[JOB_FAILS] * 99).run()
    assert story.outcome is Outcome.LANDED
    limit = story.situation.policy.limits.infra_max
    assert [each.removals_failed for each in story.lane.attempts.values()] == [limit, limit]
    assert not any(each.is_removed for each in story.lane.attempts.values())


def test_a_failed_removal_blocks_nobody() -> None:
    """It is counted apart, and an attempt that is over stays as it was."""
    story = Story(build=[Answer.LOST], remove=[JOB_FAILS] * 99).run()
    assert story.states(BUILD)[-1] is State.STOPPED
    assert story.lane.attempts[BUILD].jobs_failed == 0
