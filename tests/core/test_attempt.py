"""The state table is the one that was asked for, to the letter (seed 002, lines 275 to 291)."""

import pytest

from tidegate.core.attempt import (
    BIRTHS,
    MEANING,
    RULED_TRANSITIONS,
    SUCCESSIONS,
    TERMINAL,
    TRANSITIONS,
    State,
    may_move,
    may_succeed,
)

SEED = """\
requested     dispatched, blocked, failed
dispatched    started, blocked, failed
started       checkpointed, blocked, failed, stale
checkpointed  materialized, blocked, failed, stale
materialized  reviewed, blocked, failed
reviewed      corrected, accepted, blocked
corrected     reviewed, accepted, blocked
stale         stopped
stopped       replaced, fallback, blocked
failed        replaced, fallback, blocked
accepted      reopened, superseded
replaced      started, blocked, failed
reopened      dispatched, blocked
fallback      superseded
"""
"""A copy by hand. It shares no line with the code, so that a slip in either shows."""

NEW_ATTEMPTS = """\
stopped replaced
stopped fallback
failed replaced
failed fallback
accepted reopened
blocked reopened
"""

ROWS = {tuple(line.split(maxsplit=1)) for line in SEED.splitlines()}
ALL = {(state, after) for state, following in ROWS for after in following.split(", ")}
BORN = {tuple(line.split()) for line in NEW_ATTEMPTS.splitlines()}
ADDED = {("blocked", "reopened")}


@pytest.mark.parametrize(("state", "following"), sorted(ROWS))
def test_a_row_of_the_table_is_the_seeds(state: str, following: str) -> None:
    """From this state an attempt can go where the seed lets it, and nowhere else.

    Rows C100, C101, C102, C103, C104, C105, C107, C108, C109, C111 and C112, and those beside them.
    """
    assert TRANSITIONS[State(state)] == {State(after) for after in following.split(", ")}


def test_the_table_has_no_further_row() -> None:
    """C072, C114: the table is closed, with its normal and its exceptional states."""
    assert {str(state) for state in TRANSITIONS} == {state for state, _ in ROWS}
    assert set(State) - TRANSITIONS.keys() == {State.BLOCKED, State.SUPERSEDED}


def test_the_one_addition_stands_apart() -> None:
    """Blocked work is reopened as a new attempt (seed 002, line 386), and nothing else is added."""
    assert {State.BLOCKED: frozenset({State.REOPENED})} == RULED_TRANSITIONS
    assert State.BLOCKED not in TRANSITIONS


@pytest.mark.parametrize("state", State)
def test_each_pair_of_states_is_a_move_a_succession_or_nothing(state: State) -> None:
    """A row moves the attempt or opens a new one, never both; what is no row does neither."""
    for after in State:
        pair = (str(state), str(after))
        assert may_move(state, after) is (pair in ALL - BORN), pair
        assert may_succeed(state, after) is (pair in BORN), pair


def test_a_new_attempt_is_opened_by_a_row_only() -> None:
    """Every succession is a row of the table, or the one that was added to it."""
    assert {(str(old), str(born)) for old, born in SUCCESSIONS} <= ALL | ADDED


def test_new_attempts_are_born_in_four_states() -> None:
    """The first attempt is requested; one in another's place is replaced, fallback or reopened."""
    assert {(str(old), str(born)) for old, born in SUCCESSIONS} == BORN
    assert {str(born) for born in BIRTHS} == {"requested"} | {born for _, born in BORN}


def test_the_ended_states_are_six() -> None:
    """Here no lease is renewed, and what is written late is quarantined."""
    ended = {"stopped", "failed", "blocked", "accepted", "fallback", "superseded"}
    assert {str(state) for state in TERMINAL} == ended


@pytest.mark.parametrize("state", sorted(TERMINAL))
def test_an_ended_attempt_moves_by_the_tables_own_rows_only(state: State) -> None:
    """Out of an end lead only: to be blocked, and to be superseded."""
    moves = {after for after in State if may_move(state, after)}
    assert moves <= {State.BLOCKED, State.SUPERSEDED}


def test_every_state_can_be_reached_from_a_birth() -> None:
    """C006: no state of the table is dead, and each has its meaning written beside it."""
    reached = {State.REQUESTED}
    for _ in State:
        reached |= {State(after) for before, after in ALL | ADDED if State(before) in reached}
    assert reached == set(State) == set(MEANING)


def test_every_state_can_come_to_an_end() -> None:
    """From each state some row leads on to an end: nothing can be stuck by the table alone."""
    ending = set(TERMINAL)
    for _ in State:
        ending |= {State(before) for before, after in ALL if State(after) in ending}
    assert ending == set(State)
