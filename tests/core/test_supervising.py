"""Recoveries and interventions: each is decided once."""

import pytest

from tests.core.samples import ATTEMPT, attempt_in, lane_with
from tidegate.core import commands as c
from tidegate.core import events as e
from tidegate.core.attempt import State
from tidegate.core.decide import decide
from tidegate.core.errors import Refused
from tidegate.core.evolve import enter
from tidegate.core.lane import Lane, Turn
from tidegate.core.liveness import Action, Lapse
from tidegate.core.monitor_events import Recovery
from tidegate.core.policy import Limits


def after(lane: Lane, command: c.Command) -> Lane:
    """The lane after what a command makes."""
    for event in decide(lane, command, Limits()):
        _, lane = enter(lane, event, lane_id=lane.id, actor="test", reason="", utc="now")
    return lane


def at_work() -> Lane:
    """A lane whose build has an open turn, and nobody has heard its end."""
    return lane_with(attempt_in(State.STARTED, turn=Turn(number=1, epoch=1, deadline_s=60.0)))


def recovery(epoch: int) -> c.NoteRecovery:
    """What the controller of an epoch found."""
    return c.NoteRecovery(attempt=ATTEMPT, outcome=Recovery.ADOPTED, controller_epoch=epoch)


def stop(lapse: Lapse, action: Action = Action.STOP) -> c.Intervene:
    """An intervention."""
    return c.Intervene(attempt=ATTEMPT, action=action, lapse=lapse)


def test_a_controller_says_once_what_became_of_an_attempt() -> None:
    """G2-16: exactly one recovery for each open attempt and each controller that takes over."""
    lane = after(lane_with(attempt_in(State.STARTED)), recovery(2))
    assert after(lane, recovery(3)).attempts[ATTEMPT].recovered == 3
    for epoch in (2, 1):
        with pytest.raises(Refused, match="was recovered under epoch 2"):
            after(lane, recovery(epoch))


def test_an_intervention_is_claimed_once() -> None:
    """C183, C184: a second one of its kind finds the key taken, whatever lapsed meanwhile."""
    lane = after(at_work(), stop(Lapse.MISSED_BEATS))
    for lapse in Lapse:
        with pytest.raises(Refused, match="is claimed"):
            after(lane, stop(lapse))
    killed = after(lane, stop(Lapse.STOP_ACK_TIMEOUT, Action.KILL))
    turn = killed.attempts[ATTEMPT].turn
    assert turn is not None
    assert dict(turn.claimed) == {
        Action.STOP: Lapse.MISSED_BEATS,
        Action.KILL: Lapse.STOP_ACK_TIMEOUT,
    }


def test_a_claim_names_its_key() -> None:
    """C124, C189: a deadline's stop is an intervention with a key of its own."""
    (claimed,) = decide(at_work(), stop(Lapse.ATTEMPT_DEADLINE), Limits())
    assert isinstance(claimed, e.InterventionClaimed)
    assert claimed.key == f"{ATTEMPT}/1/attempt_deadline/stop"


def test_nothing_is_no_intervention() -> None:
    """And a turn that is over is let alone."""
    with pytest.raises(Refused, match="nothing is to be done"):
        after(at_work(), stop(Lapse.MISSED_BEATS, Action.NONE))
    with pytest.raises(Refused, match="no open turn"):
        after(lane_with(attempt_in(State.REVIEWED)), stop(Lapse.MISSED_BEATS))


def test_an_artifact_that_was_never_intended_is_not_invalid() -> None:
    """C081: blocked is what has an intent, and whose file is missing or another."""
    with pytest.raises(Refused, match="nothing that is about to be published"):
        after(at_work(), c.NoteInvalidArtifact(attempt=ATTEMPT, reason="artifact_missing"))
