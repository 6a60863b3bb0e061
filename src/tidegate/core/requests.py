"""Decide how an attempt is opened: by which role, on which commit, and in whose place. Pure."""

from dataclasses import replace

from tidegate.core import commands as c
from tidegate.core import events as e
from tidegate.core.attempt import State
from tidegate.core.errors import Refused
from tidegate.core.lane import Attempt, Lane
from tidegate.core.names import attempt_id
from tidegate.core.settle import candidate_of
from tidegate.core.values import LANDABLE, Cause, Role

_S = State

Request = c.RequestAdjudication | c.RequestBuild | c.RequestCheck | c.RequestVerify


def request(lane: Lane, command: Request) -> e.Requested:
    """The attempt that a request opens. Refused where one of its role is open already."""
    match command:
        case c.RequestAdjudication(agent=agent, cause=cause):
            return _request(lane, Role.ADJUDICATE, agent, cause, commit=None)
        case c.RequestBuild(agent=agent, cause=cause):
            return _request(lane, Role.BUILD, agent, cause, commit=None)
        case c.RequestCheck():
            return _request_check(lane, command)
        case c.RequestVerify():
            return _request_verify(lane, command)


def _request(
    lane: Lane, role: Role, agent: str, cause: Cause | None, *, commit: str | None
) -> e.Requested:
    old = lane.latest(role)
    if old is not None and not old.is_over:
        raise Refused(f"{old.id} is open: one live attempt for a lane and role")
    if role is Role.BUILD and old is not None and cause is None:
        raise Refused(f"{old.id} came before: a further build must say why it takes its place")
    predecessor = old if cause is not None else None
    return e.Requested(
        attempt=attempt_id(lane.id, role, lane.count(role) + 1),
        role=role,
        agent=agent,
        born=_born(predecessor),
        supersedes=predecessor.id if predecessor else None,
        cause=cause,
        commit=commit,
    )


def _request_check(lane: Lane, command: c.RequestCheck) -> e.Requested:
    candidate = candidate_of(lane)
    if command.of_target and candidate.red is None:
        raise Refused(f"no check of lane {lane.id} has failed: its target is not in question")
    commit = candidate.target if command.of_target else candidate.commit
    return _request(lane, Role.CHECK, "check", command.cause, commit=commit)


def _request_verify(lane: Lane, command: c.RequestVerify) -> e.Requested:
    candidate = candidate_of(lane)
    if candidate.verdict not in LANDABLE:
        raise Refused(f"lane {lane.id} has not passed its check: there is nothing to verify yet")
    asked = _request(lane, Role.VERIFY, command.agent, command.cause, commit=candidate.commit)
    return replace(asked, attacks=command.attacks)


def drop_check(lane: Lane, command: c.DropCheck) -> e.Failed:
    """End a check whose turn was never opened: it costs nobody anything."""
    check = lane.attempts[command.attempt]
    if check.role is not Role.CHECK or check.turn is not None:
        raise Refused(f"{check.id} has begun, or is no check: it comes to its own end")
    return e.Failed(attempt=check.id, reason=OBSOLETE, detail="")


OBSOLETE = "what it was to judge will not land"
"""The reason of a check that was dropped."""


def _born(predecessor: Attempt | None) -> State:
    if predecessor is None:
        return _S.REQUESTED
    return _S.REOPENED if predecessor.state is _S.BLOCKED else _S.REPLACED
