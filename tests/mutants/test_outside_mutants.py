"""Every guard of what a run does outside is held by a story that misses it."""

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.engine import test_publication as pushes
from tests.engine import test_tracking as tells
from tests.mutants.planting import Mutant, missed, mutant
from tests.sim.safety import Violation
from tests.sim.trackers import BROKEN, SILENT
from tests.trackers import test_protocol as lines
from tidegate.core import events as e
from tidegate.core import run
from tidegate.engine import publication, tick, tracking
from tidegate.trackers import protocol


def story(check: Callable[..., None], **given: Any) -> Callable[[], None]:
    """A story of the simulated world, in a folder of its own."""

    def told() -> None:
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(Path(folder), **given)
            except (Violation, KeyError, IndexError) as error:
                raise AssertionError(error) from error

    return told


MUTANTS = [
    mutant(
        "a lane opens without its claim",
        tick,
        "            if is_claimed(engine, issue):",
        "            if is_claimed(engine, issue) or True:",
        story(tells.test_what_somebody_else_has_is_not_built),
    ),
    mutant(
        "a refused claim keeps its place",
        tick,
        "    while not engine.is_held and skipped < len(engine.skipped):",
        "    while not engine.is_held and skipped < 0:",
        story(tells.test_a_refused_claim_keeps_no_other_issue_waiting),
    ),
    mutant(
        "closed before it was delivered",
        tracking,
        "    if end.outcome is Outcome.LANDED and not _is_delivered(engine, lane):",
        "    if False:",
        story(tells.test_nothing_is_closed_that_was_not_delivered),
    ),
    mutant(
        "asked for ever",
        tracking,
        "        if failures < engine.setup.policy.limits.infra_max:",
        "        if failures < 2 * engine.setup.policy.limits.infra_max:",
        story(
            tells.test_a_tracker_that_does_not_answer_is_asked_again_in_bounds,
            answer=SILENT,
            outcome="unknown",
        ),
    ),
    mutant(
        "an unknown outcome is forgotten",
        tracking,
        "        outcome = UNKNOWN if receipt in tracking.unsure else FAILED",
        "        outcome = answer.outcome",
        story(tells.test_once_unknown_it_stays_unknown),
    ),
    mutant(
        "a lost request is not asked again",
        tracking,
        "        if outcome == UNKNOWN:",
        "        if outcome == UNKNOWN and not tracking.unsure.add(receipt):\n"
        "            failures = engine.setup.policy.limits.infra_max\n"
        "        if outcome == UNKNOWN:",
        story(
            tells.test_a_runner_that_dies_after_the_deed_is_asked_again_and_it_is_done_once,
            part="close",
        ),
    ),
    mutant(
        "what stopped is kept",
        tracking,
        "    Outcome.STOPPED: (COMMENT, RELEASE),",
        "    Outcome.STOPPED: (COMMENT,),",
        story(tells.test_what_did_not_land_is_given_back_when_it_was_told_why, answer=BROKEN),
    ),
    mutant(
        "what stopped is given back before it was told why",
        tracking,
        "        if told is None or told.outcome is None:",
        "        if told is None:",
        story(tells.test_what_did_not_land_is_given_back_when_it_was_told_why, answer=BROKEN),
    ),
    mutant(
        "what was claimed is kept",
        tracking,
        "    Outcome.ABANDONED: (RELEASE,),",
        "    Outcome.ABANDONED: (COMMENT,),",
        story(tells.test_a_run_that_is_ended_gives_back_what_it_had),
    ),
    mutant(
        "published before it was delivered",
        publication,
        "    new = run.delivered\n",
        "    new = run.target if run.target != run.started.base else None\n",
        story(pushes.test_nothing_is_published_that_was_not_delivered),
    ),
    mutant(
        "what was refused is offered again",
        publication,
        '    if outcome == "refused" or is_given_up:',
        "    if is_given_up:",
        story(pushes.test_a_remote_that_is_elsewhere_is_told_and_left_alone),
    ),
    mutant(
        "a published commit is not remembered",
        run,
        "done = run.publication.new if run.publication and is_done else run.published",
        "done = run.published",
        story(pushes.test_a_controller_that_dies_publishes_once, kind=e.PublishSettled),
    ),
    mutant(
        "any text is an id",
        protocol,
        '    if is_plain and not name.lower().endswith((".", ".lock")):',
        "    if name:",
        partial(lines.test_what_cannot_be_a_file_and_a_branch_is_no_id, "a/b"),
    ),
]


@pytest.mark.parametrize("planted", MUTANTS)
def test_a_guard_that_is_taken_away_is_missed(
    planted: Mutant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The story holds as long as the guard is there, and fails without it."""
    missed(planted, monkeypatch)
