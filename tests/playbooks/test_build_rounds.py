"""Stories of rounds: work, check, rework, and how a lane stops at the third FAIL."""

from tests.playbooks.answers import Answer
from tests.playbooks.story import Story
from tidegate.core import events as e
from tidegate.core.attempt import State
from tidegate.core.policy import Limits, Policy
from tidegate.core.values import Authorization, Outcome, Role, Ruling, Verdict

BUILD = "fix-build-1"


def test_a_change_that_passes_at_once_lands() -> None:
    """One build, one check, one landing; the target is the commit that was checked."""
    story = Story().run()
    check, landing = story.attempts(Role.CHECK)[0], story.events(e.LandingIntended)[0]
    assert story.outcome is Outcome.LANDED
    assert story.world.target == story.lane.commit == check.commit == landing.new
    assert story.told() == [None]
    assert story.lane.fails == 0


def test_the_states_of_a_landed_change_are_the_tables() -> None:
    """A change is accepted when it has landed and not before; its workspace goes after that."""
    story = Story(checkpoint=[Answer.DONE]).run()
    assert story.states(BUILD) == [
        State.REQUESTED, State.DISPATCHED, State.STARTED, State.CHECKPOINTED, State.MATERIALIZED,
        State.REVIEWED, State.ACCEPTED,
    ]  # fmt: skip
    assert story.states("fix-check-1") == story.states(BUILD)
    assert all(each.is_removed for each in story.lane.attempts.values())


def test_the_judge_is_not_the_author() -> None:
    """A12: each check is an attempt of its own, in a workspace of its own, at the exact commit."""
    story = Story(check=[Answer.FAILS, Answer.FAILS, Answer.PASSES]).run()
    checks = story.attempts(Role.CHECK)
    assert len({each.workspace for each in story.lane.attempts.values()}) == 5
    assert all(each.base == each.commit for each in checks)
    assert [each.turn.finding_digest for each in checks if each.turn] == [None] * 4


def test_a_fail_goes_back_to_the_same_builder_word_for_word() -> None:
    """A FAIL is the next turn of the same attempt, told the check's own output and nothing else."""
    story = Story(check=[Answer.FAILS, Answer.FAILS, Answer.PASSES]).run()
    assert story.outcome is Outcome.LANDED
    assert story.told() == [None, "failure of fix-check-2-1"]
    assert len(story.attempts()) == 1
    assert State.CORRECTED in story.states(BUILD)
    assert story.lane.fails == 1


def test_the_third_fail_stops_the_lane() -> None:
    """A16, A17: at the third FAIL the lane is ruled to stop; nothing of it lands."""
    story = Story(check=[Answer.FAILS] * 6).run()
    assert story.outcome is Outcome.STOPPED
    assert story.lane.reason == "STOP at FAIL 3"
    assert len(story.told()) == 3
    assert story.states(BUILD)[-1] is State.BLOCKED
    assert [ruled.ruling for ruled in story.events(e.Ruled)] == [Ruling.STOP]
    assert story.world.target == "base"


def test_the_limit_of_fails_is_the_policys() -> None:
    """A lane under a policy of one FAIL is not reworked at all."""
    story = Story(policy=Policy(limits=Limits(fails_max=1)), check=[Answer.FAILS] * 2).run()
    assert story.lane.reason == "STOP at FAIL 1"
    assert story.told() == [None]


def test_an_empty_change_is_a_fail() -> None:
    """No change against the base is a round's FAIL, with the controller's own finding."""
    story = Story(build=[Answer.EMPTY]).run()
    judged = story.events(e.Judged)[0]
    assert (judged.verdict, judged.reason, judged.counts) == (Verdict.FAIL, "empty", True)
    assert story.told() == [None, "fault of fix-build-1"]
    assert story.outcome is Outcome.LANDED
    assert story.lane.fails == 1


def test_a_change_of_which_nothing_is_left_on_the_target_is_a_fail() -> None:
    """Somebody else landed the same: the builder hears that nothing would change."""
    story = Story(merge=[Answer.NOTHING_LEFT]).run()
    assert story.told() == [None, "nothing is left"]
    assert story.lane.fails == 1
    assert len(story.attempts(Role.CHECK)) == 1


def test_three_empty_changes_stop_the_lane() -> None:
    """A builder that does nothing ends like one that does it wrong, and is never checked."""
    story = Story(build=[Answer.EMPTY] * 3).run()
    assert story.lane.reason == "STOP at FAIL 3"
    assert story.attempts(Role.CHECK) == []


def test_a_correction_that_changes_nothing_is_a_fail() -> None:
    """G6-22: the tree that was judged already is not checked again: it is the round's FAIL."""
    story = Story(
        build=[Answer.WORKS, Answer.UNCHANGED], check=[Answer.FAILS, Answer.FAILS, Answer.PASSES]
    ).run()
    assert [x.reason for x in story.events(e.Judged) if x.attempt == BUILD and x.counts] == [
        "exit 1",
        "unchanged",
        "exit 0",
    ]
    assert story.lane.fails == 2
    assert len(story.events(e.Corrected)) == 1
    assert story.outcome is Outcome.LANDED


def test_a_builder_that_breaks_off_is_told_its_own_output() -> None:
    """An agent that says itself that it failed has failed the round; nothing is checked."""
    story = Story(build=[Answer.BREAKS_OFF]).run()
    assert story.events(e.Judged)[0].reason == "agent_failed"
    assert story.told() == [None, "failure of fix-build-1-1"]
    assert story.lane.fails == 1
    assert story.outcome is Outcome.LANDED


def test_a_failed_check_is_run_once_more_before_it_counts() -> None:
    """G6-23: FAIL and then PASS of one tree is FLAKY: it is told, and no round is spent."""
    story = Story(check=[Answer.FAILS, Answer.PASSES]).run()
    assert story.outcome is Outcome.LANDED
    assert story.lane.fails == 0
    assert story.told() == [None]
    first, second = (x for x in story.events(e.Judged) if x.attempt == BUILD)
    assert (first.verdict, first.counts) == (Verdict.FAIL, False)
    assert (second.verdict, second.counts) == (Verdict.FLAKY, True)
    assert first.tree == second.tree


def test_a_policy_without_reruns_counts_the_first_fail() -> None:
    """`check_reruns_max = 0`: each FAIL is a round."""
    story = Story(policy=Policy(limits=Limits(check_reruns_max=0)), check=[Answer.FAILS]).run()
    assert story.lane.fails == 1
    assert len(story.attempts(Role.CHECK)) == 3, "the red one, its target, and the green one"


def test_a_check_that_hangs_or_floods_fails() -> None:
    """The check's own deadline and its own flood of output are FAILs, run again like any other."""
    story = Story(check=[Answer.DEADLINE, Answer.FLOODS, Answer.PASSES]).run()
    reasons = [x.reason for x in story.events(e.Judged) if x.attempt == BUILD]
    assert reasons == ["deadline", "output_cap", "output_cap", "exit 0"]
    assert story.lane.fails == 1


def test_a_tree_that_has_passed_is_not_checked_again() -> None:
    """The same gate on the very same tree is carried over, and the record says so."""
    story = Story()
    story.world.passed.add("tree#1 on tree-base")
    story.run()
    assert story.attempts(Role.CHECK) == []
    assert story.events(e.Judged)[0].reason == "this tree has passed before"
    assert story.outcome is Outcome.LANDED


def test_a_fail_that_does_not_count_withholds_nothing() -> None:
    """It says nothing of the change: the check is run again, and then it lands."""
    story = Story(check=[Answer.FAILS, Answer.PASSES])
    story.run(until=lambda lane: lane.candidate and lane.candidate.checks)
    assert story.lane.attempts[BUILD].authorization is Authorization.NONE
    assert story.run().outcome is Outcome.LANDED


def test_each_turn_acquires_its_lease_anew() -> None:
    """C096: every turn of an attempt is opened under the next epoch."""
    story = Story(check=[Answer.FAILS, Answer.FAILS, Answer.PASSES]).run()
    turns = [turn for turn in story.events(e.TurnOpened) if turn.attempt == BUILD]
    assert [(turn.turn, turn.epoch) for turn in turns] == [(1, 1), (2, 2)]
