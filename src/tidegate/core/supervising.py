"""Decide what supervision makes true of a lane: each recovery and each intervention once. Pure."""

from tidegate.core import commands as c
from tidegate.core import events as e
from tidegate.core.errors import Refused
from tidegate.core.lane import Lane
from tidegate.core.liveness import Action, claim_key
from tidegate.core.settle import open_turn_of, running_turn_of

ARTIFACT_MISSING, ARTIFACT_INVALID = "artifact_missing", "artifact_invalid"
"""Why an attempt is blocked whose artifact cannot be published."""

Supervision = c.NoteRecovery | c.Intervene | c.NoteCheckpoint | c.NoteInvalidArtifact


def supervise(lane: Lane, command: Supervision) -> e.LaneEvent:
    """The fact that a command of supervision makes. Raises Refused."""
    match command:
        case c.NoteRecovery():
            return _recovered(lane, command)
        case c.Intervene():
            return _claimed(lane, command)
        case c.NoteCheckpoint(attempt=attempt, commit=commit):
            return e.Checkpointed(attempt=attempt, digest=commit)
        case c.NoteInvalidArtifact():
            return _invalid(lane, command)


def _recovered(lane: Lane, command: c.NoteRecovery) -> e.Recovered:
    """Each controller that takes over says of an open attempt once what it found."""
    attempt = lane.attempts[command.attempt]
    if command.controller_epoch <= attempt.recovered:
        raise Refused(f"{attempt.id} was recovered under epoch {attempt.recovered} already")
    return e.Recovered(
        attempt=attempt.id,
        outcome=command.outcome,
        controller_epoch=command.controller_epoch,
    )


def _claimed(lane: Lane, command: c.Intervene) -> e.InterventionClaimed:
    """Whoever has the key acts; a second one finds it taken."""
    turn = running_turn_of(lane, command.attempt)
    if command.action is Action.NONE:
        raise Refused(f"nothing is to be done about {command.attempt}")
    if command.action in turn.claimed:
        raise Refused(f"to {command.action} turn {turn.number} of {command.attempt} is claimed")
    return e.InterventionClaimed(
        attempt=command.attempt,
        turn=turn.number,
        key=claim_key(command.attempt, turn.number, command.lapse, command.action),
        action=command.action,
        lapse=command.lapse,
    )


def _invalid(lane: Lane, command: c.NoteInvalidArtifact) -> e.Blocked:
    """A missing or mismatched artifact leaves its attempt blocked (seed 002, line 265)."""
    turn = open_turn_of(lane, command.attempt)
    if turn.staged is None:
        raise Refused(f"{command.attempt} has nothing that is about to be published")
    return e.Blocked(attempt=command.attempt, reason=command.reason)
