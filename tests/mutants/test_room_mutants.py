"""Every guard of a workspace that makes room is held by a check."""

import pytest

from tests.core import test_room, test_run
from tests.mutants.planting import Mutant, missed, mutant
from tests.playbooks import test_build_room as stories
from tidegate.core import room, run
from tidegate.playbooks import build

MUTANTS = [
    mutant(
        "a workspace at work makes room",
        room,
        "attempt.environment is not None and not attempt.has_open_turn",
        "attempt.environment is not None",
        lambda: test_room.test_what_is_needed_or_is_the_only_copy_stays(
            test_room.build(turn=test_room.AT_WORK)
        ),
    ),
    mutant(
        "the only copy makes room",
        room,
        "not is_at_rest or attempt.tip is None",
        "not is_at_rest",
        lambda: test_room.test_what_is_needed_or_is_the_only_copy_stays(test_room.build(tip=None)),
    ),
    mutant(
        "what was not asked is noted",
        room,
        "            if not attempt.is_being_evicted:",
        "            if False:",
        test_room.test_only_what_was_to_make_room_is_noted_as_gone,
    ),
    mutant(
        "what is gone goes again",
        room,
        "    if attempt.is_removed:",
        "    if False:",
        test_room.test_what_is_gone_makes_no_room,
    ),
    mutant(
        "it begins in what is on its way out",
        build,
        "    if is_making_room(attempt, view.policy.limits):",
        "    if False:",
        stories.test_nothing_begins_in_what_is_on_its_way_out,
    ),
    mutant(
        "an eviction is left half done",
        build,
        "    if is_making_room(build, view.policy.limits):",
        "    if is_making_room(build, view.policy.limits) and view.is_short_of_room:",
        stories.test_an_eviction_comes_to_its_end_when_there_is_room_again,
    ),
    mutant(
        "an eviction is tried for ever",
        build,
        "    return attempt.is_being_evicted and attempt.removals_failed < limits.infra_max",
        "    return attempt.is_being_evicted",
        stories.test_what_will_not_go_is_made_anew_in_its_place,
    ),
    mutant(
        "room is made whether it is short or not",
        build,
        "if is_idle and view.is_short_of_room else ()",
        "if is_idle else ()",
        stories.test_a_workspace_is_made_again_at_its_tip,
    ),
    mutant(
        "a verifier's word stands for a check's",
        run,
        "case e.Judged(verdict=Verdict.PASS, tree=tree, is_check=True):",
        "case e.Judged(verdict=Verdict.PASS, tree=tree):",
        test_run.test_a_tree_that_passed_is_remembered_with_its_lane,
    ),
]


@pytest.mark.parametrize("planted", MUTANTS)
def test_a_guard_that_is_taken_out_is_missed(
    planted: Mutant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The named check passes with the guard, and fails without it."""
    missed(planted, monkeypatch)
