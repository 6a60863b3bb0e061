"""What a lane is doing, in one word: derived from its current attempt and never stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tidegate.core.attempt import State
from tidegate.core.values import Authorization, Role
from tidegate.ports.ledger import Row

if TYPE_CHECKING:  # a look at rows needs nothing of a lane in memory
    from tidegate.core.lane import Lane

_S = State

_BUILD: Mapping[State, str] = {
    _S.REQUESTED: "preparing",
    _S.REPLACED: "preparing",
    _S.REOPENED: "preparing",
    _S.DISPATCHED: "preparing",
    _S.MATERIALIZED: "offered",
    _S.CORRECTED: "offered",
}
"""A change that is offered waits for its turn in the landing queue; merging it takes no time."""


_JUDGES: Mapping[Role, str] = {
    Role.ADJUDICATE: "adjudicating",
    Role.CHECK: "checking",
    Role.VERIFY: "verifying",
}

FOR_OWNER = "waits for you"
"""Nothing of it goes on before its owner has answered."""


def stage_of_row(row: Row) -> str:
    """The outcome of a lane that is over, else what its current attempt is about."""
    if row["outcome"]:
        return str(row["outcome"])
    if row["is_waiting_for_owner"]:
        return FOR_OWNER
    if row["attempt_id"] is None:
        return "preparing"
    authorization = Authorization(str(row["authorization_status"]))
    return _stage(Role(str(row["role"])), State(str(row["state"])), authorization)


def stage_of(lane: Lane) -> str:
    """The same, of a lane that is held in memory."""
    if lane.outcome is not None:
        return lane.outcome.value
    if lane.is_waiting_for_owner:
        return FOR_OWNER
    current = lane.current
    if current is None:
        return "preparing"
    return _stage(current.role, current.state, current.authorization)


def _stage(role: Role, state: State, authorization: Authorization) -> str:
    if role in _JUDGES:
        return _JUDGES[role]
    if authorization is Authorization.GRANTED:
        return "landing"
    if state is _S.REVIEWED:
        return "rework" if authorization is Authorization.WITHHELD else "offered"
    return _BUILD.get(state, "building")
