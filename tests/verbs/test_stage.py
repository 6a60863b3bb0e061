"""The word for what a lane is doing: the same from its rows and from the fold."""

import pytest

from tests.core.samples import attempt_in, lane_with, made
from tidegate.core.attempt import State
from tidegate.core.lane import Lane, Question
from tidegate.core.values import Authorization, Outcome, Role
from tidegate.ports.ledger import Row
from tidegate.verbs.stage import stage_of, stage_of_row

_S = State
CHECK = attempt_in(_S.STARTED, role=Role.CHECK, id="fix-check-1", commit="commit")
VERIFY = attempt_in(_S.STARTED, role=Role.VERIFY, id="fix-verify-1", commit="commit")
QUESTION = made(Question)
LANES = {
    "preparing": lane_with(),
    "building": lane_with(attempt_in(_S.CHECKPOINTED)),
    "offered": lane_with(attempt_in(_S.MATERIALIZED)),
    "checking": lane_with(attempt_in(_S.MATERIALIZED), CHECK),
    "rework": lane_with(attempt_in(_S.REVIEWED, authorization=Authorization.WITHHELD)),
    "landing": lane_with(attempt_in(_S.REVIEWED, authorization=Authorization.GRANTED)),
    "landed": lane_with(attempt_in(_S.ACCEPTED), outcome=Outcome.LANDED),
    "adjudicating": lane_with(attempt_in(_S.STARTED, role=Role.ADJUDICATE)),
    "verifying": lane_with(attempt_in(_S.REVIEWED), VERIFY),
    "waits for you": lane_with(attempt_in(_S.REVIEWED), question=QUESTION),
}


@pytest.mark.parametrize("word", LANES)
def test_rows_and_fold_say_the_same(word: str) -> None:
    """`status` and the progress of `run` never disagree about a lane."""
    assert (stage_of(LANES[word]), stage_of_row(row_of(LANES[word]))) == (word, word)


@pytest.mark.parametrize("state", [_S.REQUESTED, _S.DISPATCHED, _S.REPLACED, _S.REOPENED])
def test_a_build_without_a_turn_is_prepared(state: State) -> None:
    """Also one that takes the place of another, in which no agent works yet."""
    assert stage_of(lane_with(attempt_in(state))) == "preparing"


def test_a_change_whose_landing_was_refused_waits() -> None:
    """It has nothing to answer: it is merged and checked again when it is its turn."""
    assert stage_of(lane_with(attempt_in(_S.REVIEWED))) == "offered"


def row_of(lane: Lane) -> Row:
    """What a row of the ledger shows of a lane."""
    current = lane.current
    shown: dict[str, object] = {"outcome": lane.outcome and lane.outcome.value, "attempt_id": None}
    shown["is_waiting_for_owner"] = int(lane.question is not None)
    if current is None:
        return shown
    words = (current.role.value, current.state.value, current.authorization.value)
    names = ("role", "state", "authorization_status")
    return {**shown, "attempt_id": current.id, **dict(zip(names, words, strict=True))}
