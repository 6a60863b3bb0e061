"""Stories of an owner who ends a lane: what runs is stopped, what it did is kept, nothing lands."""

from collections.abc import Callable

import pytest

from tests.playbooks.answers import Answer
from tests.playbooks.invariants import Duties
from tests.playbooks.story import Story
from tidegate.core import effects as f
from tidegate.core import events as e
from tidegate.core.attempt import State
from tidegate.core.errors import Refused
from tidegate.core.lane import Lane
from tidegate.core.values import Outcome

BUILD = "fix-build-1"
ALL = Duties(adjudicates=True, verifies=True, asks_owner=True)


def at_work(role: str) -> Callable[[Lane], object]:
    """Somebody of this role was seen at work."""

    def holds(lane: Lane) -> object:
        attempt = lane.attempts.get(f"fix-{role}-1")
        return attempt and attempt.turn and attempt.turn.is_started

    return holds


def stopped(story: Story) -> Story:
    """The story after its owner's wish, at its end."""
    story.stop().run()
    assert story.outcome is Outcome.STOPPED
    assert story.lane.reason == "stopped by its owner: no longer wanted"
    assert story.world.target == "base"
    return story


def test_a_builder_at_work_is_stopped_and_taken_in() -> None:
    """G1: the end of the lane comes after the harvest, and the workspace goes after both."""
    story = stopped(Story().run(until=at_work("build")))
    kinds = [e.NAMES[type(entry.event)] for entry in story.entries]
    ends = ("turn_ended", "harvested", "lane_ended", "workspace_removed")
    assert [kind for kind in kinds if kind in ends] == list(ends)
    assert story.states(BUILD)[-2:] == [State.STALE, State.STOPPED]
    assert f.Stop(BUILD) in story.steps


def test_a_builder_that_ended_by_itself_meanwhile_is_taken_in() -> None:
    """Whatever it did is in the hub; that it was done lets nothing land."""
    story = stopped(Story(stop=[Answer.DONE]).run(until=at_work("build")))
    assert story.lane.attempts[BUILD].tip is not None
    assert story.lane.attempts[BUILD].is_removed


def test_a_workspace_that_cannot_be_taken_in_is_kept() -> None:
    """G1: the lane ends, and what may be the only copy stays."""
    story = Story(harvest=[Answer.JOB_FAILS] * 9).run(until=at_work("build"))
    story = stopped(story)
    assert not story.lane.attempts[BUILD].is_removed


def test_a_stop_in_a_correction_keeps_what_it_did() -> None:
    """The turn is ended and harvested like a first one."""
    story = Story(check=[Answer.FAILS] * 2)
    story.run(until=lambda lane: lane.fails and lane.attempts[BUILD].has_open_turn)
    stopped(story)
    assert len(story.events(e.Harvested)) == 1, "its second turn never began"


@pytest.mark.parametrize("role", ["adjudicate", "build", "check", "verify"])
def test_whoever_works_is_stopped(role: str) -> None:
    """C163: at every step of the way; and no other takes its place."""
    story = stopped(Story(duties=ALL).run(until=at_work(role)))
    assert all(each.is_over for each in story.lane.attempts.values())
    assert all(each.is_removed for each in story.lane.attempts.values())


@pytest.mark.parametrize(
    "until",
    [
        lambda lane: lane,
        lambda lane: lane.attempts,
        lambda lane: BUILD in lane.attempts and lane.attempts[BUILD].workspace,
        lambda lane: BUILD in lane.attempts and lane.attempts[BUILD].turn,
        lambda lane: lane.candidate,
    ],
    ids=["opened", "requested", "dispatched", "granted", "merged"],
)
def test_a_stop_before_anybody_works_begins_nothing(until: Callable[[Lane], object]) -> None:
    """A turn that was granted and not begun is fenced, and never begins."""
    story = Story().run(until=until)
    before = len(story.steps)
    stopped(story)
    assert not [x for x in story.steps[before:] if isinstance(x, f.Run | f.Merge)]


def test_a_question_does_not_outlive_its_lane() -> None:
    """It waits for nobody any more."""
    story = Story(duties=ALL).run()
    assert story.lane.is_waiting_for_owner
    assert not stopped(story).lane.is_waiting_for_owner


def test_a_ruled_change_does_not_land_after_a_stop() -> None:
    """A16: not even where it is its turn."""
    story = Story(duties=ALL).now(is_head=False).run().answer("land").run()
    stopped(story.now(is_head=True))
    assert story.events(e.LandingIntended) == []


def test_a_landing_under_way_is_not_stopped() -> None:
    """D26: it may have happened."""
    story = Story().run(until=lambda lane: lane.landing)
    with pytest.raises(Refused, match="may have happened"):
        story.stop()
    assert story.run().outcome is Outcome.LANDED


def test_a_lane_is_stopped_once() -> None:
    """A second wish is told that the first was heard."""
    story = Story().run(until=at_work("build")).stop()
    with pytest.raises(Refused, match="stopped already"):
        story.stop()


def test_a_stop_is_carried_out_in_a_drain() -> None:
    """D23: it starts nothing, so nothing holds it back."""
    stopped(Story().run(until=at_work("build")).now(is_draining=True))


def test_what_was_only_requested_is_blocked() -> None:
    """It has no slot, no workspace and nothing to keep: a first build, or one that was reopened."""
    story = stopped(Story().run(until=lambda lane: lane.attempts))
    assert story.states(BUILD) == [State.REQUESTED, State.BLOCKED]
    story = Story(build=[Answer.WORKS, Answer.LOST], check=[Answer.FAILS] * 2)
    stopped(story.run(until=lambda lane: "fix-build-2" in lane.attempts))
    assert story.states("fix-build-2") == [State.REOPENED, State.BLOCKED]
