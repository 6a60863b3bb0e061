"""Stories of a workspace that makes room while its lane waits for its owner."""

from tests.playbooks.answers import Answer
from tests.playbooks.invariants import Duties
from tests.playbooks.story import Story
from tidegate.core import commands as c
from tidegate.core import effects as f
from tidegate.core import events as e
from tidegate.core.lane import Lane
from tidegate.core.policy import Limits, Policy
from tidegate.core.values import Outcome

BUILD = "fix-build-1"
ASKS = Duties(asks_owner=True)


def evicted(lane: Lane) -> bool:
    """Its workspace is on its way out."""
    return lane.attempts[BUILD].is_being_evicted


def waiting(*, answers: list[Answer] | None = None, policy: Policy | None = None) -> Story:
    """A PASS that waits for its owner's word, while the disk has no room."""
    story = Story(duties=ASKS, policy=policy, evict=answers or []).run()
    return story.now(is_short_of_room=True)


def test_what_waits_for_its_owner_makes_room_once() -> None:
    """The intent is recorded first, then the workspace goes; and that is all."""
    story = waiting().run()
    assert len(story.events(e.WorkspaceEvicted)) == len(story.events(e.WorkspaceCleared)) == 1
    assert story.steps[-2:] == [c.EvictWorkspace(attempt=BUILD), f.Evict(BUILD)]
    assert story.lane.attempts[BUILD].environment is None
    assert story.lane.question is not None


def test_an_eviction_comes_to_its_end_when_there_is_room_again() -> None:
    """It gave the room itself: what is half gone must not be taken for a workspace."""
    story = waiting().run(until=evicted).now(is_short_of_room=False).run()
    assert len(story.events(e.WorkspaceCleared)) == 1
    assert not evicted(story.lane)


def test_a_workspace_is_made_again_at_its_tip() -> None:
    """A veto sends the builder back: into the same place, at what it had reached."""
    story = waiting().run()
    tip = story.lane.attempts[BUILD].tip
    story.now(is_short_of_room=False).veto().run()
    assert story.steps.count(f.Prepare(BUILD)) == 2
    assert story.lane.attempts[BUILD].start == tip
    assert len(story.attempts()) == 1


def test_nothing_begins_in_what_is_on_its_way_out() -> None:
    """The owner's veto comes while it is being removed: first it goes, then it is made again."""
    story = waiting().run(until=evicted).veto()
    assert f.Evict(BUILD) in story.plan()
    assert f.Prepare(BUILD) not in story.plan()
    story.now(is_short_of_room=False).run()
    assert len(story.events(e.WorkspaceCleared)) == 1
    assert story.lane.question is not None


def test_what_is_stopped_while_it_makes_room_ends() -> None:
    """Nothing is prepared for a lane that is over, and nothing of it is left."""
    story = waiting().run(until=evicted).stop().run()
    assert story.outcome is Outcome.STOPPED
    assert story.steps.count(f.Prepare(BUILD)) == 1
    assert story.lane.attempts[BUILD].is_removed


def test_what_is_stopped_after_it_made_room_ends() -> None:
    """Its place is free, and needs no workspace to be stopped in."""
    story = waiting().run().stop().run()
    assert story.outcome is Outcome.STOPPED
    assert story.steps.count(f.Prepare(BUILD)) == 1


def test_what_will_not_go_is_made_anew_in_its_place() -> None:
    """It is tried as often as any removal; then the lane goes on as if it had gone."""
    limits = Limits(infra_max=3)
    story = waiting(answers=[Answer.JOB_FAILS] * 3, policy=Policy(limits=limits)).run()
    assert story.steps.count(f.Evict(BUILD)) == 3
    assert evicted(story.lane)
    story.now(is_short_of_room=False).veto().run()
    assert story.steps.count(f.Prepare(BUILD)) == 2
    assert not evicted(story.lane)
    assert story.answer("land").run().outcome is Outcome.LANDED


def test_what_is_at_work_makes_no_room() -> None:
    """Only what waits for its owner does."""
    story = Story().now(is_short_of_room=True).run()
    assert story.events(e.WorkspaceEvicted) == []
