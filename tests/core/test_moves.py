"""Which event moves an attempt where: one row an event, and every other pair is refused."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, get_args

import pytest

from tests.core.samples import ATTEMPT, attempt_in, lane_with, made
from tidegate.core import events as e
from tidegate.core import evolve as evolving
from tidegate.core.attempt import State, may_move
from tidegate.core.errors import IllegalTransition
from tidegate.core.lane import Turn

_S = State
TO: Mapping[type, State] = {
    e.Dispatched: _S.DISPATCHED,
    e.TurnStarted: _S.STARTED,
    e.Checkpointed: _S.CHECKPOINTED,
    e.Materialized: _S.MATERIALIZED,
    e.Judged: _S.REVIEWED,
    e.Conflicted: _S.REVIEWED,
    e.Adjudicated: _S.REVIEWED,
    e.Corrected: _S.CORRECTED,
    e.Accepted: _S.ACCEPTED,
    e.Failed: _S.FAILED,
    e.Stale: _S.STALE,
    e.Stopped: _S.STOPPED,
    e.Blocked: _S.BLOCKED,
}
"""The state that an event stands for. An event that is not here never moves its attempt."""

STANDS_STILL: Mapping[type, frozenset[State]] = {
    e.Dispatched: frozenset({_S.REPLACED}),
    e.TurnStarted: frozenset(State) - {_S.DISPATCHED, _S.REPLACED},
    e.Judged: frozenset({_S.REVIEWED}),
    e.Conflicted: frozenset({_S.REVIEWED}),
    e.Adjudicated: frozenset({_S.REVIEWED}),
}
"""Where such an event is a fact without a move: a replacement's dispatch, a correction's turn, a
further verdict on an unchanged digest."""

EVENTS: tuple[type, ...] = get_args(e.LaneEvent)
SPEAKS_OF_NO_ATTEMPT = (e.LaneOpened, e.LaneEnded, e.Reserved, e.Released, e.StopAsked)
OF_THE_LANE = {*SPEAKS_OF_NO_ATTEMPT, e.Requested}


def entered(event: e.LaneEvent, state: State) -> e.Entry:
    """The entry that an event makes of a lane whose attempt, in a turn, is in that state."""
    turn = Turn(number=1, epoch=5, deadline_s=1.0)
    lane = lane_with(attempt_in(state, turn=turn, epoch=5))
    entry, after = evolving.enter(lane, event, lane_id="fix", actor="test", reason="why", utc="now")
    assert after.version == entry.version == lane.version + 1
    assert after.attempts[entry.attempt or ATTEMPT].state is (entry.next or state)
    return entry


@pytest.mark.parametrize("kind", [each for each in EVENTS if each not in OF_THE_LANE])
def test_an_event_moves_an_attempt_by_the_table_or_is_refused(kind: type) -> None:
    """For every event in every state: its own state if the table has the row, else a refusal."""
    has_turn = "turn" in {each.name for each in fields(kind)}
    event: Any = made(kind, turn=1) if has_turn else made(kind)
    to = TO.get(kind)
    for state in State:
        if to is None or state in STANDS_STILL.get(kind, frozenset()):
            entry = entered(event, state)
            assert (entry.previous, entry.next) == (None, None)
        elif may_move(state, to):
            entry = entered(event, state)
            assert (entry.previous, entry.next) == (state, to)
        else:
            with pytest.raises(IllegalTransition, match=f"cannot go from {state} to {to}"):
                entered(event, state)


def test_every_state_is_entered_by_an_event_or_by_a_birth() -> None:
    """`superseded` has no event yet: nothing that this program does supersedes an attempt."""
    born = {_S.REQUESTED, _S.REPLACED, _S.FALLBACK, _S.REOPENED}
    assert set(State) - set(TO.values()) - born == {_S.SUPERSEDED}


@pytest.mark.parametrize("kind", SPEAKS_OF_NO_ATTEMPT)
def test_an_event_of_the_lane_speaks_of_no_attempt(kind: type) -> None:
    """It is recorded without one, and under no epoch."""
    event: Any = made(kind)
    lane = None if kind is e.LaneOpened else lane_with()
    entry, _ = evolving.enter(lane, event, lane_id="fix", actor="test", reason="", utc="now")
    assert (entry.attempt, entry.epoch, entry.next) == (None, 0, None)


@pytest.mark.parametrize("kind", [each for each in EVENTS if each not in OF_THE_LANE])
def test_an_event_of_an_unknown_attempt_is_refused(kind: type) -> None:
    """Nothing is recorded of an attempt that the lane does not have."""
    with pytest.raises(IllegalTransition, match="no attempt fix-build-1"):
        evolving.enter(lane_with(), made(kind), lane_id="fix", actor="test", reason="", utc="now")


@pytest.mark.parametrize("kind", [each for each in EVENTS if each is not e.LaneOpened])
def test_nothing_happens_in_a_lane_that_was_never_opened(kind: type) -> None:
    """The first event of a lane opens it."""
    with pytest.raises(IllegalTransition):
        evolving.enter(None, made(kind), lane_id="fix", actor="test", reason="", utc="now")


# --- births -----------------------------------------------------------------------------------

BIRTHS = {
    (_S.STOPPED, _S.REPLACED), (_S.STOPPED, _S.FALLBACK), (_S.FAILED, _S.REPLACED),
    (_S.FAILED, _S.FALLBACK), (_S.ACCEPTED, _S.REOPENED), (_S.BLOCKED, _S.REOPENED),
}  # fmt: skip


@pytest.mark.parametrize("born", sorted(set(State) - {_S.REQUESTED}))
def test_an_attempt_is_born_of_another_by_the_table_or_not_at_all(born: State) -> None:
    """It is no move of its own, and begins under no epoch."""
    event = made(e.Requested, attempt="fix-build-2", born=born, supersedes=ATTEMPT)
    for old in State:
        if (old, born) in BIRTHS:
            entry = entered(event, old)
            assert (entry.previous, entry.next, entry.epoch) == (None, born, 0)
        else:
            with pytest.raises(IllegalTransition):
                entered(event, old)


def test_no_attempt_takes_the_place_of_one_that_is_not_there() -> None:
    """A replacement without a predecessor is refused."""
    event = made(e.Requested, attempt="fix-build-2", born=_S.REPLACED, supersedes="fix-build-9")
    with pytest.raises(IllegalTransition, match="nowhere"):
        entered(event, _S.STOPPED)


def test_no_attempt_is_used_again() -> None:
    """An id that the lane has had is not given a second time."""
    event = made(e.Requested, born=_S.REPLACED, supersedes=ATTEMPT)
    with pytest.raises(IllegalTransition, match="used again"):
        entered(event, _S.STOPPED)


# --- epochs -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("event", "epoch"),
    [
        (made(e.TurnOpened, epoch=6), 6),
        (made(e.Regranted, epoch=6), 6),
        (made(e.TurnEnded, turn=1, how="lost", is_fenced=True), 6),
        (made(e.TurnEnded, turn=1, how="exited", is_fenced=False), 5),
        (made(e.Harvested, turn=1), 5),
        (made(e.JobFailed), 5),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_event_carries_the_epoch_as_granted(event: e.LaneEvent, epoch: int) -> None:
    """A grant carries its own; the end of a lost turn is fenced by one; all else the last grant."""
    assert entered(event, _S.STARTED).epoch == epoch


@pytest.mark.parametrize("kind", [e.TurnStarted, e.TurnEnded, e.Harvested, e.ArtifactStaged])
def test_an_event_of_another_turn_is_refused(kind: type) -> None:
    """What is told of turn 2 while turn 1 is open is told of nothing that is known."""
    with pytest.raises(IllegalTransition, match="no turn 2"):
        entered(made(kind, turn=2), _S.REVIEWED)
    lane = lane_with(attempt_in(_S.REVIEWED))
    with pytest.raises(IllegalTransition, match="no turn 2"):
        evolving.enter(lane, made(kind, turn=2), lane_id="fix", actor="test", reason="", utc="now")
