"""Stories of a verifier: a fresh one for each round, at the exact commit, and never the author."""

import pytest

from tests.playbooks.answers import Answer
from tests.playbooks.invariants import Duties
from tests.playbooks.story import Story
from tidegate.core import effects as f
from tidegate.core import events as e
from tidegate.core.attempt import State
from tidegate.core.values import Outcome, Role, Verdict
from tidegate.playbooks.attacks import ATTACKS

VERIFY, BUILD = "fix-verify-1", "fix-build-1"
VERIFIES = Duties(verifies=True)


def test_a_change_is_verified_after_its_check_and_before_its_ruling() -> None:
    """G5: check, then verify, then rule."""
    story = Story(duties=VERIFIES).run()
    judged = [x.by for x in story.events(e.Judged) if x.attempt == BUILD]
    assert judged == ["fix-check-1", VERIFY]
    kinds = [e.NAMES[type(entry.event)] for entry in story.entries]
    assert kinds.index("ruled") > max(i for i, kind in enumerate(kinds) if kind == "judged")
    assert story.outcome is Outcome.LANDED


def test_a_verifier_is_another_attempt_at_the_exact_commit() -> None:
    """A12, G5: a workspace of its own, at what would land, told nothing of a finding."""
    story = Story(duties=VERIFIES).run()
    (verify,) = story.attempts(Role.VERIFY)
    (landed,) = story.events(e.LandingIntended)
    assert verify.commit == verify.base == verify.start == landed.new
    assert len({each.workspace for each in story.lane.attempts.values()}) == 3
    assert verify.turn is not None
    assert verify.turn.finding_digest is None
    assert verify.state is State.ACCEPTED


def test_what_a_verifier_finds_goes_back_word_for_word() -> None:
    """A14: to the same builder; its whole report is the finding."""
    story = Story(duties=VERIFIES, verify=[Answer.FAILS]).run()
    assert story.told() == [None, f"report of {VERIFY}-1"]
    assert len(story.attempts()) == 1
    assert story.lane.fails == 1
    assert story.outcome is Outcome.LANDED


def test_each_round_has_a_fresh_verifier_with_other_attacks() -> None:
    """A13, A15: the attacks are picked by the controller, and recorded for each round."""
    story = Story(duties=VERIFIES, verify=[Answer.FAILS, Answer.FAILS]).run()
    rounds = [x.attacks for x in story.events(e.Requested) if x.role is Role.VERIFY]
    assert rounds == [
        tuple(ATTACKS[:4]), tuple(ATTACKS[4:8]), (*ATTACKS[8:], *ATTACKS[:2]),
    ]  # fmt: skip
    assert [each.attacks for each in story.attempts(Role.VERIFY)] == rounds
    assert len({each.workspace for each in story.attempts(Role.VERIFY)}) == 3


def test_the_third_fail_stops_the_lane_whoever_said_it() -> None:
    """A16, G7: FAILs of check and verifier are counted as one."""
    story = Story(
        duties=VERIFIES,
        check=[Answer.PASSES, Answer.FAILS, Answer.FAILS],
        verify=[Answer.FAILS, Answer.FAILS],
    ).run()
    assert story.lane.reason == "STOP at FAIL 3"
    assert len(story.attempts(Role.VERIFY)) == 2
    assert len(story.told()) == 3


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Answer.SAYS_NOTHING, "no_verdict"),
        (Answer.BREAKS_OFF, "agent_failed"),
        (Answer.TAMPERS, "tampered"),
        (Answer.DEADLINE, "deadline"),
        (Answer.FLOODS, "output_cap"),
    ],
)
def test_no_verdict_is_neither_pass_nor_fail(answer: Answer, reason: str) -> None:
    """G6-09, A15: another verifier takes its place; it costs no round and lets nothing land."""
    story = Story(duties=VERIFIES, verify=[answer]).run()
    assert len(story.attempts(Role.VERIFY)) == 2
    first, second = story.attempts(Role.VERIFY)
    assert first.reason == reason
    assert second.supersedes == first.id
    assert second.commit == first.commit
    assert (story.lane.fails, story.lane.replacements) == (0, 0)
    assert story.told() == [None]
    assert [x.by for x in story.events(e.Judged) if x.attempt == BUILD][1:] == [second.id]
    assert story.outcome is Outcome.LANDED


def told_last(reason: str, detail: str) -> bool:
    """How often it came to nothing, and what was wrong the last time, where that is known."""
    return reason.endswith(f", 2 times: {detail}" if detail else ", 2 times")


@pytest.mark.parametrize(
    "answer",
    [Answer.SAYS_NOTHING, Answer.BREAKS_OFF, Answer.TAMPERS, Answer.DEADLINE, Answer.FLOODS],
)
def test_verifiers_that_say_nothing_have_a_limit(answer: Answer) -> None:
    """G7: after the second the lane stops, and nothing of it lands."""
    story = Story(duties=VERIFIES, verify=[answer] * 9).run()
    assert story.outcome is Outcome.STOPPED
    assert len(story.attempts(Role.VERIFY)) == 2
    assert told_last(story.lane.reason, story.attempts(Role.VERIFY)[-1].detail)
    assert story.world.target == "base"


def test_a_verdict_sets_the_count_of_the_unheard_back() -> None:
    """G7: two in a row are too many, not two in all."""
    story = Story(
        duties=VERIFIES, verify=[Answer.SAYS_NOTHING, Answer.FAILS, Answer.SAYS_NOTHING]
    ).run()
    assert story.outcome is Outcome.LANDED
    assert len(story.attempts(Role.VERIFY)) == 4


def test_what_a_verifier_changed_is_thrown_away() -> None:
    """G6-09: what lands is what was judged; the verifier's own commit is in the hub and no more."""
    story = Story(duties=VERIFIES, verify=[Answer.TAMPERS]).run()
    tampered = story.attempts(Role.VERIFY)[0]
    (landed,) = story.events(e.LandingIntended)
    assert tampered.tip not in (landed.new, story.lane.attempts[BUILD].tip)
    assert landed.new == tampered.commit


def test_a_verifier_that_writes_outside_stops_the_lane() -> None:
    """C163: a critical stop; its evidence stays, and no other takes its place."""
    story = Story(duties=VERIFIES, verify=[Answer.VIOLATES]).run()
    verify = story.attempts(Role.VERIFY)[-1]
    assert verify.id == VERIFY
    assert story.outcome is Outcome.STOPPED
    assert verify.reason.startswith("boundary")
    assert not verify.is_removed
    assert "outside/file" in story.lane.reason


def test_verifiers_whose_workspace_cannot_be_taken_in_have_a_limit() -> None:
    """G7: they ended by themselves, and that their harvest fails is nobody's doing."""
    harvest = [Answer.DONE, *[Answer.JOB_FAILS] * 99]
    story = Story(duties=VERIFIES, harvest=harvest).run()
    assert story.outcome is Outcome.STOPPED
    assert (story.lane.externals, story.lane.unheard) == (3, 0)


def test_verifiers_that_are_killed_for_ever_end() -> None:
    """G7: each kill from outside counts against the limit of what is nobody's doing."""
    story = Story(duties=VERIFIES, verify=[Answer.KILLED] * 9).run()
    assert story.outcome is Outcome.STOPPED
    assert (story.lane.externals, story.lane.unheard, story.lane.fails) == (3, 0, 0)


def test_a_target_that_moved_is_merged_checked_and_verified_again() -> None:
    """G5, G9: a judgement is bound to its candidate."""
    story = Story(duties=VERIFIES).now(is_head=False)
    story.run()
    assert story.lane.ruled_utc is not None
    story.world.move_target()
    assert story.now(is_head=True).run().outcome is Outcome.LANDED
    assert len(story.attempts(Role.VERIFY)) == len(story.attempts(Role.CHECK)) == 2
    assert len(story.events(e.Ruled)) == 1


def test_a_pass_is_carried_over_a_clean_merge_of_disjoint_paths() -> None:
    """G5, G6-21: it is recorded as carried, and the merged tree is checked all the same."""
    story = Story(duties=VERIFIES).now(is_head=False)
    story.run()
    story.world.move_target()
    story.world.is_disjoint = True
    assert story.now(is_head=True).run().outcome is Outcome.LANDED
    assert [each.is_carried for each in story.events(e.CandidateMade)] == [False, True]
    assert len(story.attempts(Role.VERIFY)) == 1
    assert len(story.attempts(Role.CHECK)) == 2


def test_nothing_is_carried_to_another_change() -> None:
    """G5: what the builder has done since was never judged."""
    story = Story(duties=VERIFIES, verify=[Answer.FAILS])
    story.world.is_disjoint = True
    story.run()
    assert [each.is_carried for each in story.events(e.CandidateMade)] == [False, False]
    assert len(story.attempts(Role.VERIFY)) == 2


def test_a_change_that_was_overtaken_while_it_was_verified_is_judged_where_it_stands() -> None:
    """It is ruled first and queued, and merged anew at the head: nothing is verified for nought."""
    story = Story(duties=VERIFIES).run(until=lambda x: x.open_judge and x.count(Role.VERIFY))
    story.world.move_target()
    story.now(is_head=False).run()
    assert story.lane.ruled_utc is not None
    assert len(story.attempts(Role.VERIFY)) == 1


def test_a_lost_verifier_takes_nothing_of_its_verdict_along() -> None:
    """A runner that died after its agent wrote PASS has said nothing (G4)."""
    story = Story(duties=VERIFIES, verify=[Answer.LOST, Answer.FAILS]).run()
    verdicts = [x.verdict for x in story.events(e.Judged) if "-verify-" in x.by]
    assert verdicts == [Verdict.FAIL, Verdict.PASS]


def test_a_missing_verify_agent_halts_the_run_and_burns_no_issue() -> None:
    """Nothing of the lane is spent on what a person has to mend; then it goes on."""
    story = Story(duties=VERIFIES, verify=[Answer.NOT_STARTED])
    story.now(agent_problem="no such program").run()
    assert story.plan() == (f.Halt("no such program"),)
    assert story.lane.externals == 0
    assert story.now(agent_problem=None).run().outcome is Outcome.LANDED
