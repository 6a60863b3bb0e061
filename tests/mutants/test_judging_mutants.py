"""Every guard of adjudicators, verifiers, paths and stops is held by a check that misses it."""

from collections.abc import Callable

import pytest

from tests.core import test_decide_guards, test_evolve_lane, test_requests, test_settle
from tests.core.samples import candidate, lane_with
from tests.mutants.planting import Mutant, missed, mutant
from tests.playbooks import test_build_adjudicating as adjudicating
from tests.playbooks import test_build_ruling as ruling
from tests.playbooks import test_build_stopping as stopping
from tests.playbooks import test_build_verifying as verifying
from tests.playbooks import test_reservations as reserving
from tests.playbooks.answers import Answer
from tidegate.core import decide, evolve_lane, requests, settle
from tidegate.core.lane import Candidate
from tidegate.core.values import Outcome, Role, Verdict
from tidegate.playbooks import build, judging, landing_queue, reservations


def request_refusal(lane: Candidate, asked: requests.Request, words: str) -> Callable[[], None]:
    """The check that this judgement is not opened."""
    given = lane_with(candidate=lane)
    return lambda: test_requests.test_a_judgement_that_is_not_due_is_refused(given, asked, words)


def carried(known: Candidate, *, is_disjoint: bool) -> Callable[[], None]:
    """The check that this judgement is not carried."""
    check = test_decide_guards.test_a_judgement_is_carried_for_the_same_change_beside_others_only
    return lambda: check(known, is_disjoint=is_disjoint, is_carried=False)


def merged(**given: object) -> Candidate:
    """A change that was merged."""
    return candidate(verdict=Verdict.PASS, **given)


OF_JUDGES = [
    mutant(
        "what was not checked is verified",
        requests,
        "    if candidate.verdict not in LANDABLE:",
        "    if False:",
        request_refusal(candidate(), test_requests.VERIFY, "has not passed"),
    ),
    mutant(
        "a target is judged for nothing",
        requests,
        "    if command.of_target and candidate.red is None:",
        "    if False:",
        request_refusal(candidate(), test_requests.OF_TARGET, "not in question"),
    ),
    mutant(
        "a verifier that tampers is heard",
        settle,
        "    if has_tampered:",
        "    if False:",
        lambda: verifying.test_no_verdict_is_neither_pass_nor_fail(Answer.TAMPERS, "tampered"),
    ),
    mutant(
        "a commit of a verifier is overlooked",
        settle,
        "not command.is_empty or command.tip != attempt.commit",
        "not command.is_empty",
        lambda: test_settle.test_a_verifier_that_changes_what_it_judges_has_said_nothing(
            {"tip": "another"}, ["harvested", "failed"]
        ),
    ),
    mutant(
        "a verdict is not bound to the candidate",
        settle,
        "    if candidate.commit != verify.commit:",
        "    if False:",
        test_settle.test_a_verdict_of_a_verifier_is_bound_to_the_candidate,
    ),
    mutant(
        "a verifier that breaks off is heard",
        settle,
        "    if turn.end.failure_digest is not None:\n        return (_unheard(verify",
        "    if False:\n        return (_unheard(verify",
        lambda: test_settle.test_a_judge_without_a_verdict_fails_and_judges_nothing(
            Role.VERIFY, has_failed=True
        ),
    ),
    mutant(
        "an adjudicator that breaks off is heard",
        settle,
        "    if turn.end.failure_digest is not None:\n        return (_unheard(judge",
        "    if False:\n        return (_unheard(judge",
        lambda: test_settle.test_a_judge_without_a_verdict_fails_and_judges_nothing(
            Role.ADJUDICATE, has_failed=True
        ),
    ),
    mutant(
        "no verdict of an adjudicator is BUILD",
        settle,
        "    if said.fault:",
        "    if False:",
        lambda: test_settle.test_a_judge_without_a_verdict_fails_and_judges_nothing(
            Role.ADJUDICATE, has_failed=False
        ),
    ),
    mutant(
        "a target is judged that nobody asked about",
        settle,
        "    if red is None:\n        raise",
        "    if red is None:\n        return ()\n    if False:\n        raise",
        test_settle.test_nobody_judges_a_target_that_was_not_in_question,
    ),
    mutant(
        "the unheard are not counted",
        evolve_lane,
        "unheard=lane.unheard + 1",
        "unheard=lane.unheard",
        lambda: verifying.test_verifiers_that_say_nothing_have_a_limit(Answer.SAYS_NOTHING),
    ),
    mutant(
        "a killed judge counts as unheard",
        evolve_lane,
        "end is None or end.is_external or end.how",
        "end is None or end.how",
        lambda: test_evolve_lane.test_an_agent_that_judges_and_comes_to_nothing_is_counted(
            test_evolve_lane.judge(is_external=True), is_counted=False
        ),
    ),
    mutant(
        "a red target counts",
        evolve_lane,
        "    if judge is not None and judge.commit == candidate.target:",
        "    if False:",
        test_evolve_lane.test_a_target_that_fails_too_counts_for_nobody,
    ),
    mutant(
        "a verifier speaks for the check",
        evolve_lane,
        "    if judge is not None and judge.role is Role.VERIFY:",
        "    if False:",
        test_evolve_lane.test_a_verdict_that_is_heard_sets_the_count_back,
    ),
    mutant(
        "a judgement is carried over the same paths",
        decide,
        "    return is_same_change and command.is_disjoint",
        "    return is_same_change",
        carried(merged(is_verified=True), is_disjoint=False),
    ),
    mutant(
        "a judgement is carried to another change",
        decide,
        "known is not None and known.tip == command.tip and known.is_verified",
        "known is not None and known.is_verified",
        carried(merged(is_verified=True, tip="older"), is_disjoint=True),
    ),
    mutant(
        "what nobody verified is carried",
        decide,
        "known is not None and known.tip == command.tip and known.is_verified",
        "known is not None and known.tip == command.tip",
        carried(merged(), is_disjoint=True),
    ),
]

OF_THE_PLAN = [
    mutant(
        "nobody adjudicates",
        build,
        "    if view.adjudicator is not None and not lane.is_admitted:",
        "    if False:",
        adjudicating.test_nothing_is_built_before_an_adjudicator_has_said_so,
    ),
    mutant(
        "nobody verifies",
        build,
        "    if view.verifier is not None and not candidate.is_verified:",
        "    if False:",
        verifying.test_a_change_is_verified_after_its_check_and_before_its_ruling,
    ),
    mutant(
        "the owner is not asked",
        build,
        "        return (asked if view.asks_owner else c.Rule(ruling=Ruling.LAND, by=AUTO),)",
        "        return (c.Rule(ruling=Ruling.LAND, by=AUTO),)",
        ruling.test_an_owner_is_asked_about_a_pass,
    ),
    mutant(
        "what is ruled first waits for its turn",
        build,
        "    if not is_head and (is_ruled or not view.is_ruled_first):",
        "    if not is_head:",
        verifying.test_a_change_that_was_overtaken_while_it_was_verified_is_judged_where_it_stands,
    ),
    mutant(
        "a question is not waited for",
        build,
        "    if lane.question is not None:\n        return ()",
        "    if False:\n        return ()",
        ruling.test_an_owner_is_asked_about_a_pass,
    ),
    mutant(
        "a build does not wait for its paths",
        build,
        "    if waits_for_paths(lane):\n        return",
        "    if False:\n        return",
        adjudicating.test_a_lane_waits_for_its_paths_before_it_is_built,
    ),
    mutant(
        "a rework does not wait for its paths",
        build,
        "    if attempt.role is Role.BUILD and waits_for_paths(lane):",
        "    if False:",
        ruling.test_a_lane_that_waited_for_its_owner_takes_its_paths_again_before_it_goes_on,
    ),
    mutant(
        "a stop is not heard",
        build,
        "    if lane.stop_asked is not None:",
        "    if False:",
        stopping.test_a_ruled_change_does_not_land_after_a_stop,
    ),
    mutant(
        "a stop does not take in what was done",
        build,
        "        if turn is not None and not turn.is_settled and _is_to_be_harvested(attempt):",
        "        if False:",
        stopping.test_a_builder_at_work_is_stopped_and_taken_in,
    ),
    mutant(
        "a stop waits for the agent",
        build,
        "        if turn is not None and turn.end is None and not turn.is_settled:",
        "        if False:",
        stopping.test_a_builder_at_work_is_stopped_and_taken_in,
    ),
    mutant(
        "a missing verifier burns the issue",
        build,
        "        if _is_missing(lane, Role.VERIFY, view):",
        "        if False:",
        verifying.test_a_missing_verify_agent_halts_the_run_and_burns_no_issue,
    ),
    mutant(
        "a missing adjudicator burns the issue",
        build,
        "        if _is_missing(lane, Role.ADJUDICATE, view):",
        "        if False:",
        adjudicating.test_a_missing_adjudicate_agent_halts_the_run_and_burns_no_issue,
    ),
    mutant(
        "a breach by a verifier is let pass",
        judging,
        '    if lost.reason.startswith("boundary"):',
        "    if False:",
        verifying.test_a_verifier_that_writes_outside_stops_the_lane,
    ),
    mutant(
        "a harvest that fails for ever is the verifiers own",
        judging,
        "        and lost.state is not _S.BLOCKED  # given up by the engine, after its own end: "
        "nobody's\n",
        "",
        verifying.test_verifiers_whose_workspace_cannot_be_taken_in_have_a_limit,
    ),
    mutant(
        "an interrupt counts against a judge",
        judging,
        "    if was_interrupted(lost):",
        "    if False:",
        adjudicating.test_an_interrupted_adjudicator_costs_nothing,
    ),
    mutant(
        "every round has the same attacks",
        judging,
        "verifications=lane.count(Role.VERIFY)",
        "verifications=0",
        verifying.test_each_round_has_a_fresh_verifier_with_other_attacks,
    ),
    mutant(
        "what is not ruled is the head",
        landing_queue,
        "(lane.ruled_utc or not is_ruled_first)",
        "True",
        reserving.test_what_is_not_ruled_yet_is_not_the_head,
    ),
    mutant(
        "who waits for the owner is the head",
        landing_queue,
        "if lane.outcome is None and not lane.is_waiting_for_owner]",
        "if lane.outcome is None]",
        reserving.test_who_waits_for_its_owner_is_not_the_head,
    ),
    mutant(
        "the queue waits for who waits for paths",
        landing_queue,
        " and not waits_for_paths(lane)",
        "",
        reserving.test_the_queue_does_not_wait_for_a_lane_that_waits_for_paths,
    ),
    mutant(
        "who holds paths is not waited for",
        reservations,
        "    return holds or waits_longer",
        "    return waits_longer",
        reserving.test_who_holds_a_path_is_waited_for,
    ),
    mutant(
        "a later lane overtakes",
        reservations,
        "    return holds or waits_longer",
        "    return holds",
        reserving.test_the_first_that_waits_goes_first,
    ),
    mutant(
        "each of two waits for the other",
        reservations,
        "waits_longer = is_before and waits_for_paths",
        "waits_longer = waits_for_paths",
        reserving.test_the_first_that_waits_goes_first,
    ),
    mutant(
        "an ended lane holds paths",
        reservations,
        "    holds = other.outcome is None and other.reserved is not None",
        "    holds = other.reserved is not None",
        lambda: reserving.test_who_is_over_or_waits_for_its_owner_is_in_nobodys_way(
            {"outcome": Outcome.LANDED}
        ),
    ),
    mutant(
        "who waits for the owner is waited for",
        reservations,
        "lane.outcome is None and not lane.is_waiting_for_owner",
        "lane.outcome is None",
        lambda: reserving.test_who_is_over_or_waits_for_its_owner_is_in_nobodys_way(
            {"question": reserving.QUESTION, "reserved": None}
        ),
    ),
    mutant(
        "a footprint that may change is waited for",
        reservations,
        "is_before and waits_for_paths(other) and _is_known(other)",
        "is_before and waits_for_paths(other)",
        reserving.test_a_lane_that_is_still_adjudicated_is_in_nobodys_way,
    ),
    mutant(
        "what was expected is held",
        reservations,
        "    held = other.reserved if other.reserved is not None else other.footprint",
        "    held = other.footprint",
        reserving.test_what_is_held_counts_and_not_what_was_expected,
    ),
]


@pytest.mark.parametrize("planted", [*OF_JUDGES, *OF_THE_PLAN])
def test_a_guard_that_is_taken_out_is_missed(
    planted: Mutant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The named check passes with the guard, and fails without it."""
    missed(planted, monkeypatch)
