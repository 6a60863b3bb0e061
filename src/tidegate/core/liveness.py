"""Whether a turn under way is alive, and what is to be done where it is not. Pure.

Silence is not health, and slowness is not death (seed 002, phase 6). What tells them apart is the
runner's sign of life, which a busy or a thinking agent cannot withhold, and the deadlines. Output,
commits and files tell whether it gets on; they are shown, and no output keeps anything alive.
Whatever cannot be known is `monitor_inconclusive`: it advances nothing and ends nothing.
"""

from enum import StrEnum

from tidegate.core.attempt import State
from tidegate.core.policy import Deadlines
from tidegate.core.records import record


class Classification(StrEnum):
    """What a monitor says of an attempt: the six words of seed 002 (line 361)."""

    ACTIVE = "active"
    STALE = "stale"
    MATERIALIZED = "materialized"
    BLOCKED = "blocked"
    FAILED = "failed"
    INCONCLUSIVE = "monitor_inconclusive"


class Action(StrEnum):
    """What a monitor does about a turn."""

    NONE = "none"
    STOP = "stop"
    """Ask its runner to end it, and give that `stop_ack_s` to say that it heard."""
    KILL = "kill"
    """End the runner and all that carries the turn's mark: it did not hear."""


class Lapse(StrEnum):
    """What ran out, so that a monitor intervenes."""

    MISSED_BEATS = "missed_beats"
    ATTEMPT_DEADLINE = "attempt_deadline"
    CHECKPOINT_DEADLINE = "checkpoint_deadline"
    STOP_ACK_TIMEOUT = "stop_ack_timeout"


@record
class Signs:
    """What is seen of a turn whose runner holds its lock. Times are seconds awake, None unknown."""

    silent_s: float
    """Since its newest sign of life, or since it was first seen where it gave none."""
    active_s: float
    deadline_s: float
    must_checkpoint: bool = False
    """It has promised a first piece and has none."""
    stop_asked_s: float | None = None
    """How long ago it was asked to end, where it was."""
    is_stopping: bool = False
    """Its runner said that it heard."""
    is_trusted: bool = True
    """Clocks and disk are such that silence means something."""


@record
class Finding:
    """What the signs add up to."""

    classification: Classification
    action: Action = Action.NONE
    lapse: Lapse | None = None


def judge(signs: Signs, deadlines: Deadlines) -> Finding:
    """What is to be thought of a turn under way, and done about it."""
    if not signs.is_trusted:
        return Finding(classification=Classification.INCONCLUSIVE)
    if signs.stop_asked_s is not None:
        return _unheard(signs, signs.stop_asked_s, deadlines)
    lapse = _due(signs, deadlines)
    if lapse is None:
        return Finding(classification=Classification.ACTIVE)
    return Finding(classification=Classification.STALE, action=Action.STOP, lapse=lapse)


def _due(signs: Signs, deadlines: Deadlines) -> Lapse | None:
    """Its runner keeps the deadline by itself; only where it does not is it done from here."""
    if signs.silent_s > deadlines.silence_max_s:
        return Lapse.MISSED_BEATS
    if signs.active_s > signs.deadline_s + deadlines.stop_ack_s:
        return Lapse.ATTEMPT_DEADLINE
    if signs.must_checkpoint and signs.active_s > deadlines.checkpoint_build_s:
        return Lapse.CHECKPOINT_DEADLINE
    return None


def _unheard(signs: Signs, asked_s: float, deadlines: Deadlines) -> Finding:
    """A runner that heard has its agent's grace to come to the end, and no longer than that."""
    limit_s = deadlines.stop_max_s if signs.is_stopping else deadlines.stop_ack_s
    if asked_s <= limit_s:
        return Finding(classification=Classification.ACTIVE)
    return Finding(
        classification=Classification.STALE, action=Action.KILL, lapse=Lapse.STOP_ACK_TIMEOUT
    )


_OF_STATE = {
    State.MATERIALIZED: Classification.MATERIALIZED,
    State.REVIEWED: Classification.MATERIALIZED,
    State.CORRECTED: Classification.MATERIALIZED,
    State.ACCEPTED: Classification.MATERIALIZED,
    State.SUPERSEDED: Classification.MATERIALIZED,
    State.FALLBACK: Classification.MATERIALIZED,
    State.BLOCKED: Classification.BLOCKED,
    State.FAILED: Classification.FAILED,
    State.STOPPED: Classification.FAILED,
    State.STALE: Classification.STALE,
}


def classify(state: State) -> Classification:
    """What a monitor says of an attempt of which no process is under way."""
    return _OF_STATE.get(state, Classification.ACTIVE)


def claim_key(attempt: str, turn: int, lapse: Lapse, action: Action) -> str:
    """The key under which an intervention happens once (seed 002: attempt, deadline, action)."""
    return f"{attempt}/{turn}/{lapse}/{action}"
