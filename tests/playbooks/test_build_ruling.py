"""Stories of an owner who rules: lands, stops, defers, vetoes, and grants a further round."""

import pytest

from tests.playbooks.answers import Answer
from tests.playbooks.invariants import Duties
from tests.playbooks.story import Story
from tidegate.core import commands as c
from tidegate.core import events as e
from tidegate.core.attempt import State
from tidegate.core.errors import Refused
from tidegate.core.values import About, Authorization, Outcome, Role, Ruling

BUILD = "fix-build-1"
ASKS = Duties(asks_owner=True)
BOTH = Duties(verifies=True, asks_owner=True)
THREE_FAILS = [Answer.FAILS] * 6


def asked(story: Story) -> tuple[About, tuple[str, ...]]:
    """What the story waits for its owner to say."""
    assert story.plan() == ()
    assert story.lane.question is not None
    return story.lane.question.about, story.lane.question.options


def test_an_owner_is_asked_about_a_pass() -> None:
    """A17: what the run would rule comes first, `defer` last; the lane holds nothing."""
    story = Story(duties=ASKS).run()
    assert asked(story) == (About.LANDING, ("land", "stop", "defer"))
    assert story.lane.reserved is None
    assert story.world.target == "base"


def test_a_pass_that_its_owner_lands_lands() -> None:
    """Nothing is judged a second time where the target has not moved."""
    story = Story(duties=ASKS).run().answer("land").run()
    assert story.outcome is Outcome.LANDED
    assert [(x.ruling, x.by) for x in story.events(e.Ruled)] == [(Ruling.LAND, "owner")]
    assert len(story.attempts(Role.CHECK)) == 1


def test_a_pass_that_its_owner_stops_ends() -> None:
    """Nothing of it lands."""
    story = Story(duties=ASKS).run().answer("stop").run()
    assert (story.outcome, story.lane.reason) == (Outcome.STOPPED, "stopped by owner")
    assert story.world.target == "base"


def test_what_is_deferred_stays_open() -> None:
    """It is answered later or never; the lane does nothing meanwhile."""
    story = Story(duties=ASKS).run().answer("defer").run()
    assert story.lane.is_waiting_for_owner
    assert story.lane.question is not None
    assert story.lane.question.is_deferred
    assert story.outcome is None
    with pytest.raises(Refused, match="deferred already"):
        story.answer("defer")
    assert story.answer("land").run().outcome is Outcome.LANDED


def test_a_veto_goes_back_to_the_builder_as_a_round() -> None:
    """A16: it counts as the round's FAIL; the list is the finding, and the next PASS is asked."""
    story = Story(duties=ASKS).run().veto("1. a name").run()
    assert story.lane.fails == 1
    assert story.told() == [None, "1. a name"]
    assert asked(story) == (About.LANDING, ("land", "stop", "defer"))
    assert len(story.attempts()) == 1
    assert story.answer("land").run().outcome is Outcome.LANDED


def test_a_veto_takes_the_authorization_away() -> None:
    """Also of what is ruled and queued already."""
    story = Story(duties=ASKS).now(is_head=False).run().answer("land").run()
    assert story.lane.attempts[BUILD].authorization is Authorization.GRANTED
    story.veto()
    assert story.lane.attempts[BUILD].authorization is Authorization.WITHHELD
    assert (story.lane.ruled_utc, story.lane.queued_utc) == (None, None)


def test_an_answer_to_a_veto_that_changes_nothing_is_a_fail() -> None:
    """The tree that was vetoed is not offered a second time."""
    story = Story(duties=ASKS, build=[Answer.WORKS, Answer.UNCHANGED]).run().veto().run()
    assert story.lane.fails == 2
    assert story.told() == [None, "the list", f"fault of {BUILD}"]


@pytest.mark.parametrize("duties", [ASKS, Duties(verifies=True)])
@pytest.mark.parametrize("end", [Answer.NOT_STARTED, Answer.FENCED])
def test_nor_is_it_offered_by_who_takes_the_place_of_its_builder(
    end: Answer, duties: Duties
) -> None:
    """The correction was lost, and its successor answers the same list with the same tree."""
    story = Story(duties=duties, build=[Answer.WORKS, end, Answer.UNCHANGED]).now(is_head=False)
    story.run().veto().run(until=lambda lane: lane.fails == 2)
    assert len(story.attempts()) == 2
    assert story.run().told()[1:] == ["the list", "the list", "fault of fix-build-2"]


def test_a_change_is_vetoed_once_a_round() -> None:
    """The round is spent: what is wrong with the next PASS is said of the next PASS."""
    story = Story(duties=ASKS).run().veto()
    with pytest.raises(Refused, match="finding to answer"):
        story.veto()
    assert story.lane.fails == 1


def test_what_a_verifier_failed_is_not_vetoed_as_well() -> None:
    """A16: one round, one FAIL."""
    story = Story(duties=BOTH, verify=[Answer.FAILS]).run(until=lambda lane: lane.correction)
    with pytest.raises(Refused, match="finding to answer"):
        story.veto()


def test_a_veto_without_a_word_is_refused() -> None:
    """Its list names what is wrong."""
    story = Story(duties=ASKS).run()
    with pytest.raises(Refused, match="names what is wrong"):
        story.record(c.Veto(items=0, finding_digest="", by="owner"))


def test_an_owner_is_asked_at_the_third_fail() -> None:
    """A17: the recommended answer is to stop; what failed last is shown."""
    story = Story(duties=ASKS, check=THREE_FAILS).run()
    assert asked(story) == (About.STOP, ("stop", "again", "defer"))
    assert story.lane.question is not None
    assert story.lane.question.detail_digest == "failure of fix-check-8-1"
    assert len(story.told()) == 3
    assert story.answer("stop").run().lane.reason == "stopped by owner"


def test_an_owner_may_grant_one_more_round() -> None:
    """And is asked again where that fails too."""
    story = Story(duties=ASKS, check=[Answer.FAILS] * 8).run()
    story.answer("again", words="look at the lock").run()
    assert len(story.told()) == 4
    assert story.lane.owner_words == ("look at the lock",)
    assert asked(story) == (About.STOP, ("stop", "again", "defer"))
    assert (story.lane.fails, story.lane.rounds_granted) == (4, 1)
    assert len(story.attempts()) == 1
    assert story.answer("again").run().answer("land").run().outcome is Outcome.LANDED


def test_vetoes_are_counted_into_the_third_fail() -> None:
    """A16, G7: of check, verifier and owner each has said one."""
    story = Story(
        duties=BOTH, check=[Answer.FAILS, Answer.FAILS, Answer.PASSES], verify=[Answer.FAILS]
    ).run()
    assert asked(story)[0] is About.LANDING
    story.veto().run()
    assert asked(story)[0] is About.STOP
    assert story.lane.fails == 3
    assert story.answer("stop").run().outcome is Outcome.STOPPED


def test_a_round_is_granted_where_none_is_left_only() -> None:
    """Nobody has failed yet."""
    story = Story(duties=ASKS).run()
    with pytest.raises(Refused, match="no answer"):
        story.answer("again")
    with pytest.raises(Refused, match="rounds left"):
        Story().run(until=lambda x: x.candidate).record(c.Rule(ruling=Ruling.AGAIN, by="owner"))


def test_nobody_rules_past_an_open_question() -> None:
    """The answer is the ruling."""
    story = Story(duties=ASKS).run()
    with pytest.raises(Refused, match="waits for an answer"):
        story.record(c.Rule(ruling=Ruling.LAND, by="owner"))


def test_a_change_is_not_ruled_while_it_is_judged() -> None:
    """A verdict that is under way would come to what is ruled already."""
    story = Story(duties=BOTH).run(until=lambda x: x.open_judge and x.count(Role.VERIFY))
    for ruling in (Ruling.LAND, Ruling.STOP):
        with pytest.raises(Refused, match="still being judged"):
            story.record(c.Rule(ruling=ruling, by="owner"))
    with pytest.raises(Refused, match="still being judged"):
        story.veto()


def test_a_ruling_is_of_the_round_that_it_was_made_in() -> None:
    """A FAIL at the head of the queue takes it away: the next PASS is asked about."""
    story = Story(duties=ASKS, check=[Answer.PASSES, Answer.FAILS, Answer.FAILS])
    story.now(is_head=False).run().answer("land").run()
    story.world.move_target()
    story.now(is_head=True).run()
    assert story.lane.fails == 1
    assert asked(story)[0] is About.LANDING
    assert len(story.events(e.Asked)) == 2


def test_a_lane_that_waited_for_its_owner_takes_its_paths_again_before_it_goes_on() -> None:
    """Meanwhile somebody else may work there."""
    story = Story(duties=ASKS).run().now(held_by="other").veto().run()
    assert story.plan() == ()
    assert len(story.told()) == 1
    story.now(held_by=None).run()
    assert len(story.told()) == 2
    assert len(story.events(e.Reserved)) == 2
    assert [each.reason for each in story.events(e.Released)] == ["it waits for its owner"] * 2


def test_a_pass_is_asked_about_in_a_drain_too() -> None:
    """D25, D18: what ends is ruled or asked; an answer is taken, and nothing lands."""
    story = Story(duties=ASKS).run(until=lambda x: x.open_judge and x.open_judge.turn)
    story.now(is_draining=True).run()
    assert asked(story)[0] is About.LANDING
    story.answer("land").run()
    assert story.lane.ruled_utc is not None
    assert story.lane.landing is None
    assert story.now(is_draining=False).run().outcome is Outcome.LANDED


def test_questions_are_numbered_through() -> None:
    """Each is another: an answer to an old one is refused."""
    story = Story(duties=ASKS).run().veto().run()
    assert [each.question for each in story.events(e.Asked)] == ["fix-q1", "fix-q2"]
    with pytest.raises(Refused, match="no open question fix-q1"):
        story.record(c.Answer(question="fix-q1", answer="land", by="owner"))


def test_a_blocked_build_has_no_pass_to_veto() -> None:
    """What is over is over."""
    story = Story(duties=ASKS).run().answer("stop")
    assert story.states(BUILD)[-1] is State.BLOCKED
    with pytest.raises(Refused, match="no PASS to veto"):
        story.veto()
