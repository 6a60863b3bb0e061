"""Stories of turns that end badly: lost, late, killed, never started, out of bounds."""

from tests.playbooks.answers import Answer
from tests.playbooks.story import Story
from tidegate.core import commands as c
from tidegate.core import effects as f
from tidegate.core import events as e
from tidegate.core.attempt import State
from tidegate.core.policy import Limits, Policy
from tidegate.core.values import Cause, Outcome, Role

FIRST, SECOND = "fix-build-1", "fix-build-2"
FAILS_FOR_GOOD = [Answer.FAILS, Answer.FAILS]


def test_a_lost_build_is_replaced_by_a_new_attempt_in_its_own_workspace() -> None:
    """C071: stale, stopped, then one replacement with another id, place and artifact."""
    story = Story(build=[Answer.LOST]).run()
    old, new = story.attempts()
    assert story.states(FIRST)[-2:] == [State.STALE, State.STOPPED]
    assert story.states(SECOND)[:2] == [State.REPLACED, State.STARTED]
    assert (new.id, new.supersedes) == (SECOND, FIRST)
    assert old.workspace != new.workspace
    assert len({staged.path for staged in story.events(e.ArtifactStaged)}) == 2
    assert story.outcome is Outcome.LANDED


def test_a_replacement_starts_from_what_the_target_is_by_then() -> None:
    """It has no finding to answer, so nothing ties it to where the old one began."""
    story = Story(build=[Answer.LOST]).run(until=lambda lane: len(lane.attempts) == 2)
    story.world.move_target()
    story.run()
    assert [each.base for each in story.attempts()] == ["base", "other#2"]


def test_a_build_that_runs_past_its_deadline_is_replaced_once() -> None:
    """The second one that runs out of time stops the lane: there is one replacement."""
    story = Story(build=[Answer.DEADLINE, Answer.DEADLINE]).run()
    assert story.outcome is Outcome.STOPPED
    assert story.lane.reason == "deadline, 2 times"
    assert len(story.attempts()) == 2
    assert story.lane.fails == 0


def test_the_number_of_replacements_is_the_policys() -> None:
    """A policy of no replacement stops at the first loss."""
    story = Story(policy=Policy(limits=Limits(replacements_max=0)), build=[Answer.LOST]).run()
    assert story.outcome is Outcome.STOPPED
    assert len(story.attempts()) == 1


def test_a_lost_build_is_fenced_before_it_is_replaced() -> None:
    """Its epoch is raised with the end of the turn, so that nothing it still sends is accepted."""
    story = Story(build=[Answer.LOST]).run()
    ended = next(x for x in story.entries if isinstance(x.event, e.TurnEnded))
    granted = story.events(e.TurnOpened)[0].epoch
    assert ended.epoch == granted + 1
    assert story.lane.attempts[FIRST].epoch == granted + 1


def test_a_build_lost_after_its_checkpoint_ends_the_same_way() -> None:
    """A first commit changes nothing about it: stale, stopped, replaced."""
    story = Story(build=[Answer.LOST], checkpoint=[Answer.DONE]).run()
    assert story.states(FIRST)[-3:] == [State.CHECKPOINTED, State.STALE, State.STOPPED]
    assert story.outcome is Outcome.LANDED


def test_a_turn_that_nobody_saw_run_is_taken_to_have_run() -> None:
    """A runner that died unseen may have started its agent: the workspace is harvested."""
    story = Story(build=[Answer.VANISHED]).run()
    assert story.events(e.TurnStarted)[0].agent_pid == 0
    assert story.events(e.Harvested)[0].attempt == FIRST
    assert story.states(FIRST)[-1] is State.STOPPED


def test_a_build_that_floods_its_output_is_replaced_once() -> None:
    """Ended for its output it has failed, and one other may try."""
    story = Story(build=[Answer.FLOODS, Answer.FLOODS]).run()
    assert story.states(FIRST)[-1] is State.FAILED
    assert story.lane.reason == "output_cap, 2 times"


def test_a_lost_correction_is_reopened_with_its_finding() -> None:
    """The attempt is blocked, and a new one goes on from its work, told the same."""
    story = Story(build=[Answer.WORKS, Answer.LOST], check=FAILS_FOR_GOOD).run()
    old, new = story.attempts()
    assert (old.state, old.reason) == (State.BLOCKED, "correction_lost")
    assert (new.supersedes, new.base, new.start) == (FIRST, "base", old.tip)
    assert story.states(SECOND)[:3] == [State.REOPENED, State.DISPATCHED, State.STARTED]
    assert story.told() == [None, "failure of fix-check-2-1", "failure of fix-check-2-1"]
    assert story.outcome is Outcome.LANDED


def test_a_lost_answer_to_a_conflict_is_reopened_onto_the_same_target() -> None:
    """The finding of a conflict goes with the target that it is about."""
    story = Story(build=[Answer.WORKS, Answer.LOST], merge=[Answer.CONFLICTS]).run()
    reopened = next(turn for turn in story.events(e.TurnOpened) if turn.attempt == SECOND)
    assert (reopened.finding_digest, reopened.base) == ("conflict with base", "base")


def test_what_takes_a_reopened_builds_place_starts_where_its_finding_is_about() -> None:
    """A finding about work that is not in the workspace could not be answered."""
    policy = Policy(limits=Limits(replacements_max=2))
    story = Story(
        policy=policy, build=[Answer.WORKS, Answer.LOST, Answer.LOST], check=FAILS_FOR_GOOD
    ).run()
    second, third = story.attempts()[1:]
    assert third.start == second.start != "base"
    assert third.base == second.base == "base"
    assert story.told()[1:] == ["failure of fix-check-2-1"] * 3


def test_a_turn_killed_from_outside_costs_no_round_and_no_replacement() -> None:
    """That is nobody's fault: it has a limit of its own."""
    story = Story(build=[Answer.KILLED, Answer.INTERRUPTED]).run()
    assert story.outcome is Outcome.LANDED
    assert (story.lane.fails, story.lane.replacements, story.lane.externals) == (0, 0, 1)


def test_a_person_may_stop_a_run_as_often_as_they_like() -> None:
    """It costs the lane nothing, and the next builder goes on where the last one was."""
    story = Story(build=[Answer.INTERRUPTED] * 9).run()
    assert story.outcome is Outcome.LANDED
    assert (story.lane.fails, story.lane.replacements, story.lane.externals) == (0, 0, 0)
    first, second = story.attempts()[:2]
    assert (second.base, second.start) == ("base", first.tip)


def test_a_build_killed_after_its_checkpoint_ends_the_same_way() -> None:
    """It has failed for a cause from outside, and what it had committed is in the hub."""
    story = Story(build=[Answer.KILLED], checkpoint=[Answer.DONE]).run()
    assert story.states(FIRST)[-2:] == [State.CHECKPOINTED, State.FAILED]
    assert story.lane.attempts[FIRST].checkpoint == "first commit of fix-build-1"
    assert story.outcome is Outcome.LANDED


def test_turns_killed_from_outside_for_ever_end() -> None:
    """G7: one more than `infra_max` stops the lane and says so."""
    story = Story(build=[Answer.KILLED] * 9).run()
    assert story.outcome is Outcome.STOPPED
    assert story.lane.reason == "killed from outside, 4 times"
    assert len(story.attempts()) == 4


def test_a_killed_correction_costs_no_round() -> None:
    """Its successor is reopened for a cause from outside."""
    story = Story(build=[Answer.WORKS, Answer.KILLED], check=FAILS_FOR_GOOD).run()
    causes = [x.cause for x in story.events(e.Requested) if x.role is Role.BUILD]
    assert causes == [None, Cause.EXTERNAL]
    assert (story.lane.fails, story.lane.replacements) == (1, 0)


def test_a_missing_agent_holds_up_nothing_that_did_run() -> None:
    """A build that was lost is replaced, whatever is wrong with the program by now."""
    story = Story(build=[Answer.LOST]).now(agent_problem="no such program").run()
    assert not [step for step in story.steps if isinstance(step, f.Halt)]
    assert story.outcome is Outcome.LANDED


def test_a_missing_agent_halts_the_run_and_burns_no_issue() -> None:
    """Nothing is spent on it, however often it is asked; mended, the lane goes on."""
    story = Story(build=[Answer.NOT_STARTED]).now(agent_problem="no such program").run()
    assert story.outcome is None
    assert story.plan()[:1] == (f.Halt("no such program"),)
    assert (story.lane.fails, story.lane.replacements, story.lane.externals) == (0, 0, 0)
    assert story.now(agent_problem=None).run().outcome is Outcome.LANDED


def test_an_agent_missing_at_a_correction_halts_too() -> None:
    """Also where the attempt is blocked by it, the lane is not spent on a missing program."""
    story = Story(build=[Answer.WORKS, Answer.NOT_STARTED], check=FAILS_FOR_GOOD)
    story.now(agent_problem="no such program").run()
    assert story.plan()[:1] == (f.Halt("no such program"),)
    assert story.now(agent_problem=None).run().outcome is Outcome.LANDED


def test_a_turn_that_never_began_is_nobodys_doing() -> None:
    """Whatever an adapter makes of it: not started and fenced out are causes from outside."""
    story = Story(build=[Answer.FENCED, Answer.NOT_STARTED]).run()
    assert all(end.is_external for end in story.events(e.TurnEnded)[:2])
    assert story.events(e.TurnStarted)[0].attempt == "fix-build-3"
    assert story.outcome is Outcome.LANDED


def test_a_write_outside_the_workspace_stops_the_lane_at_once() -> None:
    """C163: a critical stop: its breaches named, its workspace kept, and no replacement."""
    story = Story(build=[Answer.VIOLATES]).run()
    build = story.lane.attempts[FIRST]
    assert story.outcome is Outcome.STOPPED
    assert story.lane.reason == "boundary: outside/file; outside/other"
    assert build.state is State.BLOCKED
    assert len(story.attempts()) == 1
    assert not build.is_removed


def test_a_first_commit_does_not_soften_a_critical_stop() -> None:
    """C163: from its checkpoint on as well, the attempt is blocked and nothing replaces it."""
    story = Story(build=[Answer.VIOLATES], checkpoint=[Answer.DONE]).run()
    assert story.states(FIRST)[-2:] == [State.CHECKPOINTED, State.BLOCKED]
    assert story.outcome is Outcome.STOPPED


def test_a_write_outside_the_workspace_in_a_correction_stops_it_as_well() -> None:
    """C163: it is no lost correction, and nothing is reopened."""
    story = Story(build=[Answer.WORKS, Answer.VIOLATES], check=FAILS_FOR_GOOD).run()
    assert story.outcome is Outcome.STOPPED
    assert story.lane.reason.startswith("boundary: ")
    assert len(story.attempts()) == 1


def test_a_lost_check_is_repeated_and_is_no_verdict() -> None:
    """A check that dies says nothing about the change: stale, stopped, and another one."""
    story = Story(check=[Answer.LOST, Answer.VANISHED, Answer.PASSES]).run()
    assert story.states("fix-check-1")[-2:] == [State.STALE, State.STOPPED]
    assert story.states("fix-check-2")[0] is State.REPLACED
    assert story.lane.fails == 0
    assert story.outcome is Outcome.LANDED


def test_checks_that_never_end_by_themselves_end_the_lane() -> None:
    """G7: checks that are killed from outside have a limit, and leave nothing open behind."""
    story = Story(check=[Answer.KILLED] * 9).run()
    assert story.outcome is Outcome.STOPPED
    assert story.lane.reason == "check killed from outside"
    assert story.states(FIRST)[-1] is State.BLOCKED
    assert all(each.is_over and each.is_removed for each in story.lane.attempts.values())


def test_a_lane_that_has_ended_plans_nothing_more() -> None:
    """An end is final: the plan is empty once its workspaces are gone."""
    story = Story(build=[Answer.LOST, Answer.LOST]).run()
    assert story.plan() == ()
    assert not [step for step in story.steps if isinstance(step, c.RequestCheck)]
