"""The state table of an attempt.

Rule 1: every move that an attempt can make is in this file. Rule 2: this file does not know which
role the attempt fills, nor why it moves.

The table is the one of seed 002 (lines 275 to 291), to the letter. Read it as a lane's timeline:
the moves in `SUCCESSIONS` do not change the old attempt, they open a new one that is born in the
state moved to and names its predecessor.
"""

from collections.abc import Mapping
from enum import StrEnum


class State(StrEnum):
    """Where an attempt stands."""

    REQUESTED = "requested"
    DISPATCHED = "dispatched"
    STARTED = "started"
    CHECKPOINTED = "checkpointed"
    MATERIALIZED = "materialized"
    REVIEWED = "reviewed"
    CORRECTED = "corrected"
    ACCEPTED = "accepted"
    STALE = "stale"
    STOPPED = "stopped"
    FAILED = "failed"
    BLOCKED = "blocked"
    REPLACED = "replaced"
    REOPENED = "reopened"
    FALLBACK = "fallback"
    SUPERSEDED = "superseded"


MEANING: Mapping[State, str] = {
    State.REQUESTED: "wanted, and waiting for a slot",
    State.DISPATCHED: "it has a slot; its workspace is being made ready",
    State.STARTED: "its runner has the lease and the agent's process",
    State.CHECKPOINTED: "its first promised piece is promoted",
    State.MATERIALIZED: "its artifact is promoted",
    State.REVIEWED: "a verdict bound to its artifact's digest is recorded",
    State.CORRECTED: "a requested correction is incorporated: a new digest is promoted",
    State.ACCEPTED: "it counts for good: the change has landed, the report is ruled",
    State.STALE: "it gave no sign of life, its process is proved dead, or its time is over",
    State.STOPPED: "it was ended and fenced",
    State.FAILED: "it ended without an artifact",
    State.BLOCKED: "it cannot go on without a ruling",
    State.REPLACED: "a new attempt in place of one that stopped or failed",
    State.REOPENED: "a new attempt in place of one that was accepted or blocked",
    State.FALLBACK: "a labelled stand-in by another author; it is never independent",
    State.SUPERSEDED: "a newer attempt counts in its place",
}

_S = State
TRANSITIONS: Mapping[State, frozenset[State]] = {
    _S.REQUESTED: frozenset({_S.DISPATCHED, _S.BLOCKED, _S.FAILED}),
    _S.DISPATCHED: frozenset({_S.STARTED, _S.BLOCKED, _S.FAILED}),
    _S.STARTED: frozenset({_S.CHECKPOINTED, _S.BLOCKED, _S.FAILED, _S.STALE}),
    _S.CHECKPOINTED: frozenset({_S.MATERIALIZED, _S.BLOCKED, _S.FAILED, _S.STALE}),
    _S.MATERIALIZED: frozenset({_S.REVIEWED, _S.BLOCKED, _S.FAILED}),
    _S.REVIEWED: frozenset({_S.CORRECTED, _S.ACCEPTED, _S.BLOCKED}),
    _S.CORRECTED: frozenset({_S.REVIEWED, _S.ACCEPTED, _S.BLOCKED}),
    _S.STALE: frozenset({_S.STOPPED}),
    _S.STOPPED: frozenset({_S.REPLACED, _S.FALLBACK, _S.BLOCKED}),
    _S.FAILED: frozenset({_S.REPLACED, _S.FALLBACK, _S.BLOCKED}),
    _S.ACCEPTED: frozenset({_S.REOPENED, _S.SUPERSEDED}),
    _S.REPLACED: frozenset({_S.STARTED, _S.BLOCKED, _S.FAILED}),
    _S.REOPENED: frozenset({_S.DISPATCHED, _S.BLOCKED}),
    _S.FALLBACK: frozenset({_S.SUPERSEDED}),
}

RULED_TRANSITIONS: Mapping[State, frozenset[State]] = {_S.BLOCKED: frozenset({_S.REOPENED})}
"""The one addition. Seed 002's stop matrix (line 386) reopens blocked work "as a new attempt",
and its table has no row for that. It needs a ruling, so it stands apart from the table."""

SUCCESSIONS: frozenset[tuple[State, State]] = frozenset(
    {
        (_S.STOPPED, _S.REPLACED),
        (_S.STOPPED, _S.FALLBACK),
        (_S.FAILED, _S.REPLACED),
        (_S.FAILED, _S.FALLBACK),
        (_S.ACCEPTED, _S.REOPENED),
        (_S.BLOCKED, _S.REOPENED),
    }
)
"""Moves that open a new attempt, born in the second state."""

BIRTHS: frozenset[State] = frozenset({_S.REQUESTED}) | {born for _, born in SUCCESSIONS}

TERMINAL: frozenset[State] = frozenset({
    _S.STOPPED, _S.FAILED, _S.BLOCKED, _S.ACCEPTED, _S.FALLBACK, _S.SUPERSEDED,
})  # fmt: skip
"""Here a lease cannot be renewed, and what is written late is quarantined."""


def may_move(state: State, to: State) -> bool:
    """True where the same attempt may go from one state to the other."""
    return to in TRANSITIONS.get(state, frozenset()) and (state, to) not in SUCCESSIONS


def may_succeed(state: State, born: State) -> bool:
    """True where a new attempt, born in that state, may take the place of one in `state`."""
    allowed = TRANSITIONS.get(state, frozenset()) | RULED_TRANSITIONS.get(state, frozenset())
    return born in allowed and (state, born) in SUCCESSIONS
