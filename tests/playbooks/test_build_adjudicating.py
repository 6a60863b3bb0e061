"""Stories of an adjudicator: whether an issue is built, on which paths, and what it asks."""

from tests.playbooks.answers import Answer
from tests.playbooks.invariants import Duties
from tests.playbooks.story import Story
from tidegate.core import commands as c
from tidegate.core import effects as f
from tidegate.core import events as e
from tidegate.core.attempt import State
from tidegate.core.values import Cause, Outcome, Refusal, Role, Ruling

JUDGE, BUILD = "fix-adjudicate-1", "fix-build-1"
ADJUDICATES = Duties(adjudicates=True)
ASKED = Duties(adjudicates=True, asks_owner=True)


def test_nothing_is_built_before_an_adjudicator_has_said_so() -> None:
    """A10: the build is requested once BUILD is said and the paths are held."""
    story = Story(duties=ADJUDICATES).run()
    kinds = [e.NAMES[type(entry.event)] for entry in story.entries]
    assert kinds.index("adjudicated") < kinds.index("reserved") < kinds.index("dispatched", 3)
    asked = story.events(e.Requested)
    assert [each.role for each in asked[:2]] == [Role.ADJUDICATE, Role.BUILD]
    assert story.outcome is Outcome.LANDED


def test_an_adjudication_is_an_attempt_like_any_other() -> None:
    """It is accepted with its report, and its workspace goes."""
    story = Story(duties=ADJUDICATES).run()
    assert story.states(JUDGE) == [
        State.REQUESTED, State.DISPATCHED, State.STARTED, State.CHECKPOINTED, State.MATERIALIZED,
        State.REVIEWED, State.ACCEPTED,
    ]  # fmt: skip
    assert story.lane.attempts[JUDGE].is_removed
    assert not [x for x in story.steps if x == f.Harvest(JUDGE)]


def test_the_paths_that_its_adjudicator_expects_are_held() -> None:
    """A11: where the issue names none itself; else the issue's own stand."""
    story = Story(duties=ADJUDICATES, footprint=()).run()
    assert [each.footprint for each in story.events(e.Reserved)] == [("lib/**",)]
    story = Story(duties=ADJUDICATES, footprint=("src/**",)).run()
    assert [each.footprint for each in story.events(e.Reserved)] == [("src/**",)]


def test_what_will_prove_the_change_is_kept() -> None:
    """The fixture of the adjudication is there for whoever builds and verifies."""
    story = Story(duties=ADJUDICATES).run(until=lambda lane: lane.is_admitted)
    assert story.lane.adjudication is not None
    assert story.lane.adjudication.fixture == "a test of it"


def test_a_refusal_ends_the_lane_with_its_kind() -> None:
    """A11, A17: it is ruled as a STOP is; nothing is built and nothing held."""
    story = Story(duties=ADJUDICATES, adjudicate=[Answer.REFUSES]).run()
    assert story.outcome is Outcome.REFUSED
    assert story.lane.reason == "otherwise"
    assert [(each.kind) for each in story.events(e.Adjudicated)] == [Refusal.OTHERWISE]
    assert [(each.ruling, each.by) for each in story.events(e.Ruled)] == [(Ruling.REFUSE, "auto")]
    assert story.attempts() == []
    assert story.events(e.Reserved) == []


def test_an_owner_is_asked_about_a_refusal() -> None:
    """Its recommended answer is the adjudicator's; the report says why."""
    story = Story(duties=ASKED, adjudicate=[Answer.REFUSES]).run()
    question = story.lane.question
    assert question is not None
    assert question.options == ("refuse", "build", "defer")
    assert question.detail_digest == f"report of {JUDGE}-1"
    assert story.answer("refuse").run().outcome is Outcome.REFUSED
    assert story.attempts() == []


def test_a_refusal_that_is_overruled_is_built() -> None:
    """What the owner said with it is there for its builder."""
    story = Story(duties=ASKED, adjudicate=[Answer.REFUSES]).run()
    story.answer("build", words="do it anyway").run()
    assert len(story.attempts()) == 1
    assert len(story.attempts(Role.ADJUDICATE)) == 1
    assert story.lane.owner_words == ("do it anyway",)
    assert story.answer("land").run().outcome is Outcome.LANDED


def test_an_adjudicator_may_ask_its_owner() -> None:
    """The lane waits without a slot and without paths, also where nobody else is asked."""
    story = Story(duties=ADJUDICATES, adjudicate=[Answer.ASKS]).run()
    question = story.lane.question
    assert question is not None
    assert (question.options, question.detail_digest) == (("this", "that", "defer"), "question")
    assert story.lane.reserved is None
    assert story.attempts() == []
    assert story.answer("that", words="that, because").run().outcome is Outcome.LANDED
    assert story.lane.owner_words == ("that, because",)


def test_an_adjudicator_that_says_nothing_is_asked_again_once() -> None:
    """A15: another takes its place; no round is spent."""
    story = Story(duties=ADJUDICATES, adjudicate=[Answer.SAYS_NOTHING]).run()
    assert story.outcome is Outcome.LANDED
    assert (story.lane.fails, story.lane.replacements, story.lane.unheard) == (0, 0, 0)
    first, second = story.attempts(Role.ADJUDICATE)
    assert (first.state, first.reason) == (State.FAILED, "no_verdict")
    assert second.supersedes == first.id


def test_adjudicators_that_say_nothing_have_a_limit() -> None:
    """G7: after the second the lane stops, and says why."""
    for answer in (Answer.SAYS_NOTHING, Answer.BREAKS_OFF, Answer.DEADLINE, Answer.FLOODS):
        story = Story(duties=ADJUDICATES, adjudicate=[answer] * 9).run()
        assert story.outcome is Outcome.STOPPED
        assert len(story.attempts(Role.ADJUDICATE)) == 2
        detail = story.attempts(Role.ADJUDICATE)[-1].detail
        assert bool(detail) is (answer in (Answer.SAYS_NOTHING, Answer.BREAKS_OFF))
        assert story.lane.reason.endswith(f", 2 times: {detail}" if detail else ", 2 times")
        assert story.attempts() == []


def test_adjudicators_that_are_killed_for_ever_end() -> None:
    """G7: what nobody is to blame for has its own limit."""
    story = Story(duties=ADJUDICATES, adjudicate=[Answer.KILLED] * 9).run()
    assert story.outcome is Outcome.STOPPED
    assert (story.lane.externals, story.lane.unheard) == (3, 0)


def test_an_interrupted_adjudicator_costs_nothing() -> None:
    """However often a person stops the run."""
    story = Story(duties=ADJUDICATES, adjudicate=[Answer.INTERRUPTED] * 5).run()
    assert story.outcome is Outcome.LANDED
    assert (story.lane.externals, story.lane.unheard) == (0, 0)
    causes = [x.cause for x in story.events(e.Requested) if x.role is Role.ADJUDICATE]
    assert causes == [None, *[Cause.INTERRUPTED] * 5]


def test_a_late_adjudication_is_kept_in_a_drain_and_reserves_nothing() -> None:
    """D23: its note and footprint are stored; the paths are taken when the run goes on."""
    story = Story(duties=ADJUDICATES, footprint=()).run(
        until=lambda lane: lane.open_judge and lane.open_judge.turn
    )
    story.now(is_draining=True).run()
    assert story.lane.is_admitted
    assert story.lane.footprint == ("lib/**",)
    assert story.lane.reserved is None
    assert story.now(is_draining=False).run().outcome is Outcome.LANDED


def test_a_lane_waits_for_its_paths_before_it_is_built() -> None:
    """A10: whoever holds them is waited for, and nothing is spent meanwhile."""
    story = Story(duties=ADJUDICATES).now(held_by="other").run()
    assert story.lane.is_admitted
    assert story.attempts() == []
    assert story.now(held_by=None).run().outcome is Outcome.LANDED
    reserve, build = (
        next(i for i, x in enumerate(story.commands) if isinstance(x, kind))
        for kind in (c.Reserve, c.RequestBuild)
    )
    assert reserve < build


def test_a_missing_adjudicate_agent_halts_the_run_and_burns_no_issue() -> None:
    """Nothing of the lane is spent on what a person has to mend; then it goes on."""
    story = Story(duties=ADJUDICATES, adjudicate=[Answer.NOT_STARTED])
    story.now(agent_problem="no such program").run()
    assert story.plan() == (f.Halt("no such program"),)
    assert story.lane.externals == 0
    assert story.now(agent_problem=None).run().outcome is Outcome.LANDED
