"""Stories of a drain: nothing new starts, what is under way comes to its end (seed 003)."""

import pytest

from tests.playbooks.answers import Answer
from tests.playbooks.story import Story
from tidegate.core import commands as c
from tidegate.core.lane import Lane
from tidegate.core.values import Outcome, Role

BUILD = "fix-build-1"
STARTS = (
    c.RequestBuild, c.RequestCheck, c.Dispatch, c.OpenTurn, c.IntendLanding,
)  # fmt: skip


def drained(story: Story) -> Story:
    """The story in a drain, run until it waits, with nothing started meanwhile."""
    before = len(story.steps)
    story.now(is_draining=True).run()
    begun = [step for step in story.steps[before:] if isinstance(step, STARTS)]
    assert not begun, f"a drain started {begun}"
    return story


def test_a_drain_starts_nothing() -> None:
    """D23: a lane that was only opened stays as it is."""
    story = drained(Story())
    assert story.plan() == ()
    assert story.attempts() == []


def test_a_drain_takes_up_no_slot_and_no_workspace() -> None:
    """D23: a build that is only requested gets no slot, one that has a slot no turn."""
    story = Story().run(until=lambda lane: lane.attempts)
    assert drained(story).lane.attempts[BUILD].workspace is None
    story = Story().run(until=lambda lane: lane.attempts and lane.attempts[BUILD].environment)
    assert drained(story).lane.attempts[BUILD].turn is None


def test_a_drain_lets_a_turn_come_to_its_end() -> None:
    """D23: an ended turn is harvested and published; what follows waits."""
    story = drained(Story().run(until=_has_turn))
    build = story.lane.attempts[BUILD]
    assert build.digest is not None
    assert story.lane.candidate is None


def test_a_drain_still_rules_a_pass() -> None:
    """A check under way ends, its PASS is ruled, and the lane queued; it does not land."""
    story = drained(Story().run(until=_has_check_turn))
    assert story.lane.is_queued
    assert story.lane.landing is None


def test_a_drain_leaves_a_fail_for_later() -> None:
    """A FAIL is recorded; the builder's next turn does not begin."""
    story = drained(Story(check=[Answer.FAILS]).run(until=_has_check_turn))
    assert len(story.attempts(Role.CHECK)) == 1
    assert story.lane.candidate is not None
    assert story.lane.candidate.verdict is None


def test_a_drain_lets_a_landing_in_flight_finish() -> None:
    """D26: a move of the target that was intended is brought to its end."""
    story = drained(Story().run(until=lambda lane: lane.landing))
    assert story.outcome is Outcome.LANDED


def test_a_drain_starts_no_second_landing() -> None:
    """D26: a landing that is refused in a drain is not merged again before it is over."""
    story = drained(Story(land=[Answer.ELSEWHERE]).run(until=lambda lane: lane.landing))
    assert story.outcome is None
    assert story.lane.landings_refused == 1


def test_a_drain_replaces_nobody() -> None:
    """What is lost in a drain is taken up after it."""
    story = drained(Story(build=[Answer.LOST]).run(until=_has_turn))
    assert len(story.attempts()) == 1


def test_a_drain_still_clears_away() -> None:
    """The workspaces of what is over go, and a lane at its limits ends."""
    story = Story(build=[Answer.LOST, Answer.LOST]).run(until=lambda lane: len(lane.attempts) == 2)
    story.run(until=lambda lane: list(lane.attempts.values())[1].has_open_turn)
    drained(story)
    assert story.outcome is Outcome.STOPPED
    assert all(each.is_removed for each in story.lane.attempts.values())


@pytest.mark.parametrize("looks", [3, 7, 11, 15, 19])
def test_a_lane_goes_on_after_a_drain_where_it_was(looks: int) -> None:
    """A drain loses nothing, wherever it comes: the lane lands with one build and one check."""
    story = Story()
    for _ in range(looks):
        story.step()
    drained(story).now(is_draining=False).run()
    assert story.outcome is Outcome.LANDED
    assert [len(story.attempts(role)) for role in (Role.BUILD, Role.CHECK)] == [1, 1]


def _has_turn(lane: Lane) -> bool:
    return BUILD in lane.attempts and lane.attempts[BUILD].has_open_turn


def _has_check_turn(lane: Lane) -> bool:
    return lane.open_judge is not None and lane.open_judge.has_open_turn
