"""The product in simulated worlds: whatever goes wrong, the rules hold and the run ends."""

from dataclasses import fields
from functools import cache
from pathlib import Path

import pytest

from tests.sim import survey
from tests.sim.faults import Odds
from tests.sim.seeds import world_of
from tests.sim.survey import Survey
from tests.sim.world import World
from tidegate.core.attempt import RULED_TRANSITIONS, TRANSITIONS, State

SEEDS = 50
SEEDS_MORE = 1500
CHUNK = 50
_S = State

OF_OTHER_PLAYBOOKS = {
    (_S.ACCEPTED, _S.REOPENED),  # what has landed is not taken back by the build playbook
    (_S.ACCEPTED, _S.SUPERSEDED),
    (_S.CORRECTED, _S.ACCEPTED),  # a change lands only after a verdict, which makes it reviewed
    (_S.FAILED, _S.BLOCKED),  # a lane whose build is over ends without a further move
    (_S.FAILED, _S.FALLBACK),  # nobody writes a builder's report for it
    (_S.FALLBACK, _S.SUPERSEDED),
    (_S.MATERIALIZED, _S.FAILED),  # no turn is open between an artifact and its verdict
    (_S.REQUESTED, _S.FAILED),
    (_S.STOPPED, _S.BLOCKED),
    (_S.STOPPED, _S.FALLBACK),
}
"""Rows of the state table that a run of the build playbook never uses."""

RARE = {(_S.REOPENED, _S.BLOCKED), (_S.REQUESTED, _S.BLOCKED)}
"""Rows that an owner's stop uses in the one tick between a request and its slot."""


@cache
def surveyed(first: int) -> Survey:
    """What a number of worlds came to; made once in a process."""
    return survey.surveyed(range(first, first + CHUNK))


@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_the_rules_hold_whatever_goes_wrong(first: int) -> None:
    """No seed breaks a rule, and each comes to its end once nothing goes wrong any more."""
    failures = surveyed(first).failures
    assert not failures, "\n".join(failures)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(SEEDS, SEEDS_MORE, CHUNK))
def test_the_rules_hold_in_more_worlds(first: int) -> None:
    """The same for seeds that not everybody runs each time."""
    failures = surveyed(first).failures
    assert not failures, "\n".join(failures)


def test_every_fault_strikes() -> None:
    """A fault that never happens proves nothing."""
    struck = surveyed(0).faults + surveyed(CHUNK).faults
    assert not [each.name for each in fields(Odds) if not struck[each.name]]


@pytest.mark.slow
def test_every_move_is_made() -> None:
    """Each row of the state table that the build playbook can use is used, and no other."""
    table = {**TRANSITIONS, _S.BLOCKED: RULED_TRANSITIONS[_S.BLOCKED]}
    moves = {(state, to) for state, following in table.items() for to in following}
    wanted = moves - OF_OTHER_PLAYBOOKS - RARE
    made: set[tuple[State | None, State]] = set()
    for first in range(0, SEEDS_MORE, CHUNK):
        made |= surveyed(first).moves - {(None, _S.REQUESTED)} - RARE
        if made >= wanted:
            break
    assert made == wanted


def test_a_seed_is_always_the_same_world(tmp_path: Path) -> None:
    """What is told of a seed can be looked at again, to the last event."""
    stories = []
    for name in ("one", "two"):
        folder = tmp_path / name / "repository"
        folder.mkdir(parents=True)
        world = world_of(29, folder)
        world.run_to_end()
        stories.append([*_timed(world), str(world.faults.counts)])
    assert stories[0] == stories[1]


def _timed(world: World) -> list[str]:
    run = str(world.ledger.runs()[-1]["run_id"])
    return [
        f"{entry.utc} {entry.attempt} {entry.epoch} {type(entry.event).__name__} {entry.reason}"
        for entry in (recorded.entry for recorded in world.ledger.read(run))
    ]
