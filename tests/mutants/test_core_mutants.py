"""Every guard of the table, the fold and the decisions is held by a check that misses it."""

from collections.abc import Callable

import pytest

from tests.core import (
    test_attempt,
    test_decide,
    test_evolve,
    test_footprint,
    test_moves,
    test_settle,
)
from tests.mutants.planting import Mutant, missed, mutant
from tests.playbooks import test_build_endings as endings
from tests.playbooks import test_build_merging as merging
from tests.playbooks import test_build_rounds as rounds
from tests.playbooks import test_build_ruling as ruling_stories
from tests.playbooks.answers import Answer
from tidegate.core import (
    attempt,
    decide,
    evolve,
    evolve_lane,
    footprint,
    requests,
    ruling,
    settle,
)
from tidegate.core.attempt import State
from tidegate.core.commands import NoteHarvest
from tidegate.core.events import Accepted


def refusal(name: str) -> Callable[[], None]:
    """The check that this command is refused where it does not fit."""
    at, command, words = next(row[1:] for row in test_decide.REFUSALS if row[0] == name)
    return lambda: test_decide.test_what_does_not_fit_the_lane_is_refused(at, command, words)


OF_THE_TABLE = [
    mutant(
        "a succession is a move",
        attempt,
        " and (state, to) not in SUCCESSIONS",
        "",
        lambda: test_attempt.test_each_pair_of_states_is_a_move_a_succession_or_nothing(
            State.STOPPED
        ),
    ),
    mutant(
        "the table is not asked",
        evolve,
        "    if not may_move(attempt.state, following):",
        "    if False:",
        lambda: test_moves.test_an_event_moves_an_attempt_by_the_table_or_is_refused(Accepted),
    ),
    mutant(
        "an attempt is born of anything",
        evolve,
        "    if old is None or not may_succeed(old.state, event.born):",
        "    if old is None:",
        lambda: test_moves.test_an_attempt_is_born_of_another_by_the_table_or_not_at_all(
            State.REPLACED
        ),
    ),
    mutant(
        "an id is used again",
        evolve,
        "    if lane is not None and event.attempt in lane.attempts:",
        "    if False:",
        test_moves.test_no_attempt_is_used_again,
    ),
    mutant(
        "a gap in the history is not seen",
        evolve,
        "    if entry.version != lane.version + 1:",
        "    if False:",
        test_evolve.test_an_entry_that_skips_another_is_no_history,
    ),
    mutant(
        "a recorded move is believed from anywhere",
        evolve,
        "state is not entry.previous or ",
        "",
        lambda: test_evolve.test_an_entry_that_moves_from_elsewhere_is_no_history(
            State.CHECKPOINTED, State.FAILED
        ),
    ),
    mutant(
        "a lost turn is not fenced",
        evolve,
        "return granted + 1 if isinstance(event, e.TurnEnded) and event.is_fenced else granted",
        "return granted",
        endings.test_a_lost_build_is_fenced_before_it_is_replaced,
    ),
    mutant(
        "a verdict counts for any tree",
        evolve_lane,
        "candidate is None or candidate.tree != event.tree",
        "candidate is None",
        test_evolve.test_a_verdict_on_another_tree_says_nothing_of_the_candidate,
    ),
    mutant(
        "a first failure takes the authorization",
        evolve,
        "is_withheld=counts and verdict is Verdict.FAIL",
        "is_withheld=verdict is Verdict.FAIL",
        rounds.test_a_fail_that_does_not_count_withholds_nothing,
    ),
]


def refused(text: str) -> Callable[[], None]:
    """The check that this is no pattern."""
    assert (text, None) in test_footprint.REFUSED
    return lambda: test_footprint.test_a_wrong_entry_is_refused_when_it_is_read(text, None)


OF_PATTERNS = [
    mutant(
        "a name has stars without end",
        footprint,
        "max(stars) > STARS_OF_NAME_MAX or ",
        "",
        refused("*a" * (footprint.STARS_OF_NAME_MAX + 1)),
    ),
    mutant(
        "a pattern has stars without end",
        footprint,
        " or sum(stars) > STARS_MAX",
        "",
        refused("*/" * (footprint.STARS_MAX + 1)),
    ),
]

OF_DECISIONS = [
    mutant(
        "two live attempts of a role",
        requests,
        "    if old is not None and not old.is_over:",
        "    if False:",
        refusal("a second live check"),
    ),
    mutant(
        "a stale worker is heard",
        decide,
        "    if lane.attempts[named].is_over and not is_tidying:",
        "    if False:",
        lambda: test_decide.test_an_attempt_that_is_over_takes_nothing_but_its_tidying_up(
            NoteHarvest
        ),
    ),
    mutant(
        "an end is heard twice",
        settle,
        "    if turn.end is not None:\n        raise",
        "    if False:\n        raise",
        refusal("a second end"),
    ),
    mutant(
        "a lane lands without a verdict",
        ruling,
        "lane.candidate is None or lane.candidate.verdict not in LANDABLE",
        "lane.candidate is None",
        refusal("a ruling on no verdict"),
    ),
    mutant(
        "a lane lands without a ruling",
        decide,
        "    if candidate.verdict not in LANDABLE or lane.ruled_utc is None:",
        "    if False:",
        refusal("a landing without a ruling"),
    ),
    mutant(
        "a landing is intended twice",
        decide,
        '    if lane.landing is not None:\n        raise Refused(f"lane',
        '    if False:\n        raise Refused(f"lane',
        refusal("a second landing"),
    ),
    mutant(
        "a lane is ended under its landing",
        decide,
        '    if lane.landing is not None:\n        raise Refused(f"a landing',
        '    if False:\n        raise Refused(f"a landing',
        refusal("an end under a landing"),
    ),
    mutant(
        "a verdict is not bound to its commit",
        settle,
        "    if candidate.commit != check.commit:",
        "    if False:",
        test_settle.test_a_verdict_is_bound_to_the_commit_that_was_checked,
    ),
    mutant(
        "a first failure counts",
        settle,
        "        counts=passed,\n        finding_digest=turn.end.failure_digest,",
        "        counts=True,\n        finding_digest=turn.end.failure_digest,",
        rounds.test_a_failed_check_is_run_once_more_before_it_counts,
    ),
    mutant(
        "an empty change is no fail",
        settle,
        "    if attempt.is_empty:",
        "    if False:",
        rounds.test_an_empty_change_is_a_fail,
    ),
    mutant(
        "a correction need not change anything",
        settle,
        "is_unchanged = _is_unchanged(attempt, turn)",
        "is_unchanged = False",
        rounds.test_a_correction_that_changes_nothing_is_a_fail,
    ),
    mutant(
        "a builder's successor may offer what was found wanting",
        evolve,
        "    found = old if event.role is Role.BUILD else None",
        "    found = None",
        lambda: ruling_stories.test_nor_is_it_offered_by_who_takes_the_place_of_its_builder(
            Answer.FENCED, ruling_stories.ASKS
        ),
    ),
    mutant(
        "a breach of the boundary is let pass",
        settle,
        "    if command.violations:",
        "    if False:",
        endings.test_a_write_outside_the_workspace_in_a_correction_stops_it_as_well,
    ),
    mutant(
        "a lost correction forgets its finding",
        decide,
        "    return old.turn.finding_digest, old.turn.base",
        "    return None, None",
        endings.test_a_lost_correction_is_reopened_with_its_finding,
    ),
    mutant(
        "conflicts have no limit",
        decide,
        "    if lane.conflicts + 1 <= limits.conflicts_max:",
        "    if True:",
        merging.test_conflicts_have_a_limit_of_their_own,
    ),
    mutant(
        "refused landings have no limit",
        decide,
        "    if lane.landings_refused + 1 < limits.infra_max:",
        "    if True:",
        merging.test_landings_that_are_refused_for_ever_end,
    ),
    mutant(
        "a merge of an old tip is taken",
        decide,
        "    if build.tip != tip:",
        "    if False:",
        refusal("a conflict of an old tip"),
    ),
    mutant(
        "a lane ends under its attempts",
        decide,
        "return (*blocked, e.LaneEnded(",
        "return (*(), e.LaneEnded(",
        endings.test_checks_that_never_end_by_themselves_end_the_lane,
    ),
]


@pytest.mark.parametrize("planted", [*OF_THE_TABLE, *OF_PATTERNS, *OF_DECISIONS])
def test_a_guard_that_is_taken_out_is_missed(
    planted: Mutant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The named check passes with the guard, and fails without it."""
    missed(planted, monkeypatch)
