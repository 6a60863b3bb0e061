"""Every guard of what is asked, answered, ruled, vetoed and stopped is held by a check."""

from collections.abc import Callable

import pytest

from tests.core import test_ruling
from tests.mutants.planting import Mutant, missed, mutant
from tests.playbooks import test_build_ruling as stories
from tidegate.core import decide, evolve_lane, ruling
from tidegate.core.values import About


def refusal(name: str) -> Callable[[], None]:
    """The check that this is refused."""
    lane, command, words = next(row[1:] for row in test_ruling.REFUSALS if row[0] == name)
    return lambda: test_ruling.test_what_cannot_be_ruled_is_refused(lane, command, words)


def lands_past(given: dict[str, object]) -> Callable[[], None]:
    """The check that a landing is refused where this speaks against it."""
    check = test_ruling.test_a_target_moves_for_what_nothing_speaks_against_only
    return lambda: check(given)


MUTANTS = [
    mutant(
        "a question in a question",
        ruling,
        '    if lane.question is not None:\n        raise Refused(f"lane {lane.id} waits for an '
        'answer to {lane.question.id} already")',
        '    if False:\n        raise Refused("")',
        refusal("a question in a question"),
    ),
    mutant(
        "what cannot be ruled is asked",
        ruling,
        "        rule(lane, c.Rule(ruling=ruling, by=AUTO), limits)",
        "        pass",
        refusal("a question on no pass"),
    ),
    mutant(
        "an answer to another question",
        ruling,
        "question is None or question.id != command.question",
        "question is None",
        refusal("an answer to another question"),
    ),
    mutant(
        "an answer that is none",
        ruling,
        "    if command.answer not in question.options:",
        "    if False:",
        refusal("an answer that is none"),
    ),
    mutant(
        "a question is deferred twice",
        ruling,
        "    if command.answer == DEFER and question.is_deferred:",
        "    if False:",
        refusal("a second deferral"),
    ),
    mutant(
        "a ruling past a question",
        ruling,
        "            if lane.question is not None:",
        "            if False:",
        refusal("a ruling past a question"),
    ),
    mutant(
        "what waits for its owner holds paths",
        ruling,
        "    if lane.reserved is None:",
        "    if True:",
        test_ruling.test_who_waits_for_the_owner_lets_go_of_its_paths,
    ),
    mutant(
        "what is admitted is refused",
        ruling,
        "    if found is None or found.kind is None or lane.is_admitted:",
        "    if found is None or found.kind is None:",
        refusal("a refusal of what is admitted"),
    ),
    mutant(
        "a landing is ruled twice",
        ruling,
        "    if lane.ruled_utc is not None:",
        "    if False:",
        refusal("a second landing"),
    ),
    mutant(
        "a change is ruled under its judge",
        ruling,
        "    if lane.open_judge is not None:",
        "    if False:",
        refusal("a landing under a judge"),
    ),
    mutant(
        "a round is spent twice",
        ruling,
        "    _refuse_judging(lane)\n    if lane.correction is not None:",
        "    _refuse_judging(lane)\n    if False:",
        refusal("a veto of a round that is spent"),
    ),
    mutant(
        "a round is granted where there are some",
        ruling,
        "lane.correction is None or lane.fails < fails_allowed(lane, limits)",
        "lane.correction is None",
        refusal("a further round too early"),
    ),
    mutant(
        "a grant is not used up",
        ruling,
        "limits.fails_max + lane.rounds_granted",
        "limits.fails_max",
        refusal("a further round upon one"),
    ),
    mutant(
        "a fail is vetoed",
        ruling,
        "build.is_over or candidate is None or candidate.verdict not in LANDABLE",
        "build.is_over or candidate is None",
        refusal("a veto of a fail"),
    ),
    mutant(
        "what is over is vetoed",
        ruling,
        "build.is_over or candidate is None or candidate.verdict not in LANDABLE",
        "candidate is None or candidate.verdict not in LANDABLE",
        refusal("a veto of what is over"),
    ),
    mutant(
        "a landing is vetoed",
        ruling,
        '    if lane.landing is not None:\n        raise Refused(f"a landing of lane {lane.id} is '
        'under way: it may have happened")\n    if build',
        "    if build",
        refusal("a veto of a landing"),
    ),
    mutant(
        "a veto has no end",
        ruling,
        "    if command.items < 1:",
        "    if False:",
        refusal("a veto of nothing in it"),
    ),
    mutant(
        "a lane is stopped twice",
        ruling,
        "    if lane.stop_asked is not None:",
        "    if False:",
        refusal("a second stop"),
    ),
    mutant(
        "a landing is stopped",
        ruling,
        '    if lane.landing is not None:\n        raise Refused(f"a landing of lane {lane.id} is '
        'under way: it may have happened")\n    return',
        "    return",
        refusal("a stop into a landing"),
    ),
    mutant(
        "a veto is no fail",
        evolve_lane,
        "replace(lane, fails=lane.fails + 1, question=None)",
        "replace(lane, question=None)",
        stories.test_vetoes_are_counted_into_the_third_fail,
    ),
    mutant(
        "a veto leaves the ruling",
        evolve_lane,
        "correction=asked, queued_utc=None, ruled_utc=None)",
        "correction=asked, queued_utc=None)",
        test_ruling.test_a_veto_is_a_fail_with_its_list,
    ),
    mutant(
        "what is deferred is answered",
        evolve_lane,
        "    if event.answer == DEFER and lane.question is not None:",
        "    if False:",
        stories.test_what_is_deferred_stays_open,
    ),
    mutant(
        "a stopped change lands",
        decide,
        "    if lane.stop_asked is not None or lane.question is not None:",
        "    if lane.question is not None:",
        lands_past({"stop_asked": "why"}),
    ),
    mutant(
        "a change lands past a question",
        decide,
        "    if lane.stop_asked is not None or lane.question is not None:",
        "    if lane.stop_asked is not None:",
        lands_past({"question": test_ruling.question(About.LANDING)}),
    ),
    mutant(
        "a change lands under its judge",
        decide,
        "    if lane.open_judge is not None or lane.correction is not None:",
        "    if lane.correction is not None:",
        lands_past({"judge": test_ruling.VERIFIER}),
    ),
    mutant(
        "a change lands with a finding",
        decide,
        "    if lane.open_judge is not None or lane.correction is not None:",
        "    if lane.open_judge is not None:",
        lands_past({"correction": test_ruling.FINDING}),
    ),
]


@pytest.mark.parametrize("planted", MUTANTS)
def test_a_guard_that_is_taken_out_is_missed(
    planted: Mutant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The named check passes with the guard, and fails without it."""
    missed(planted, monkeypatch)
