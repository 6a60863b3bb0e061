"""Every guard of the build playbook's plan is held by a story that misses it."""

from collections.abc import Callable

import pytest

from tests.core.samples import lane_with
from tests.mutants.planting import Mutant, missed, mutant
from tests.playbooks import test_build, test_build_walks
from tests.playbooks import test_build_drain as drain
from tests.playbooks import test_build_endings as endings
from tests.playbooks import test_build_jobs as jobs
from tests.playbooks import test_build_merging as merging
from tests.playbooks import test_build_rounds as rounds
from tidegate.core import decide
from tidegate.playbooks import build, judging, landing_queue


def removable(given: dict[str, object], *, expected: bool) -> Callable[[], None]:
    """The check of which workspaces may go."""
    check = test_build.test_a_workspace_is_removed_when_nothing_is_lost_with_it
    return lambda: check(given, is_removable=expected)


def overtaken() -> None:
    """The check of a lane that was overtaken and resolves its conflict."""
    lane = lane_with(id="z", conflicts=2, correction=test_build.ANSWERING)
    test_build.test_the_queue_waits_for_a_lane_that_was_overtaken(lane, is_head=True)


MUTANTS = [
    mutant(
        "there is a fourth round",
        build,
        "    if lane.fails >= fails_allowed(lane, view.policy.limits):",
        "    if lane.fails > fails_allowed(lane, view.policy.limits):",
        rounds.test_the_third_fail_stops_the_lane,
    ),
    mutant(
        "replacements have no limit",
        build,
        "    if used >= most:",
        "    if False:",
        endings.test_turns_killed_from_outside_for_ever_end,
    ),
    mutant(
        "a kill from outside counts as the agent's own",
        build,
        "    external = build.turn is None or build.turn.end is None or build.turn.end.is_external",
        "    external = False",
        endings.test_a_turn_killed_from_outside_costs_no_round_and_no_replacement,
    ),
    mutant(
        "a missing agent burns the issue",
        build,
        "    if could_not_start(build) and view.agent_problem is not None:",
        "    if False:",
        endings.test_an_agent_missing_at_a_correction_halts_too,
    ),
    mutant(
        "a blocked lane goes on",
        build,
        '    if build.state is _S.BLOCKED and build.reason != "correction_lost":',
        "    if False:",
        endings.test_a_write_outside_the_workspace_stops_the_lane_at_once,
    ),
    mutant(
        "lost checks have no limit",
        judging,
        "    if used >= most:",
        "    if False:",
        endings.test_checks_that_never_end_by_themselves_end_the_lane,
    ),
    mutant(
        "what was checked on an old target lands",
        build,
        "(may_be_behind or candidate.target == view.target)",
        "True",
        merging.test_a_target_that_moves_under_the_head_is_merged_and_checked_again,
    ),
    mutant(
        "the queue is not kept",
        build,
        "    if not is_head and (is_ruled or not view.is_ruled_first):",
        "    if False:",
        merging.test_a_queued_change_waits_for_its_turn,
    ),
    mutant(
        "a clock that is set back changes the head",
        landing_queue,
        "(lane.landing is None, not is_begun, candidate is None, ",
        "(True, True, True, ",
        lambda: test_build.test_what_is_begun_at_the_head_stays_there({"landing": 1}),
    ),
    mutant(
        "the queue waits for nobody",
        landing_queue,
        "min(overtaken or queued, ",
        "min(queued, ",
        overtaken,
    ),
    mutant(
        "a drain starts new work",
        build,
        "    if not view.is_draining:",
        "    if True:",
        drain.test_a_drain_starts_nothing,
    ),
    mutant(
        "a workspace goes unharvested",
        build,
        "        and (attempt.role not in HARVESTED or _is_harvested(attempt))\n",
        "",
        jobs.test_a_workspace_that_could_not_be_harvested_is_kept,
    ),
    mutant(
        "the evidence of a breach goes",
        build,
        '        and not attempt.reason.startswith("boundary")\n',
        "",
        removable({"reason": "boundary: a file outside"}, expected=False),
    ),
    mutant(
        "removals have no limit",
        build,
        "        and attempt.removals_failed < limits.infra_max\n",
        "",
        jobs.test_a_removal_that_fails_is_given_up_in_bounds,
    ),
    mutant(
        "a reopened build starts from nothing",
        build,
        "        start=old.tip if is_kept else old.start,",
        "        start=None,",
        endings.test_a_lost_correction_is_reopened_with_its_finding,
    ),
    mutant(
        "no walk would notice a live attempt left behind",
        decide,
        "return (*blocked, e.LaneEnded(",
        "return (*(), e.LaneEnded(",
        test_build_walks.test_long_walks_end_too,
    ),
]


@pytest.mark.parametrize("planted", MUTANTS)
def test_a_guard_that_is_taken_out_is_missed(
    planted: Mutant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The named check passes with the guard, and fails without it."""
    missed(planted, monkeypatch)
