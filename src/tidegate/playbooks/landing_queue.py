"""Whose turn it is to land: one change at a time, in the order in which they were offered. Pure."""

from collections.abc import Iterable

from tidegate.core.lane import Lane
from tidegate.core.policy import Limits
from tidegate.playbooks.reservations import waits_for_paths


def head_of(lanes: Iterable[Lane], limits: Limits, *, is_ruled_first: bool) -> str | None:
    """The lane that may be merged, checked and landed now.

    With `is_ruled_first` a change is judged and ruled before it queues. One that was overtaken too
    often keeps the head also while it resolves its conflict: its target stays where it is, and the
    next merge finds what it was told of (DESIGN: a fairness bound). Not while it waits for paths:
    whoever holds them may have to land first.
    """
    moving = [lane for lane in lanes if lane.outcome is None and not lane.is_waiting_for_owner]
    queued = [lane for lane in moving if lane.is_queued and (lane.ruled_utc or not is_ruled_first)]
    overtaken = [
        lane
        for lane in moving
        if lane.conflicts > limits.overtakes_max
        and (lane.is_queued or (lane.answers_conflict and not waits_for_paths(lane)))
    ]
    order = ruled_order if is_ruled_first else queue_order
    first = min(overtaken or queued, key=order, default=None)
    return first.id if first is not None else None


def behind(lanes: Iterable[Lane], head: str | None) -> str | None:
    """The lane that is next when the head has landed; None where nothing stands behind it."""
    waiting = [
        lane
        for lane in lanes
        if lane.outcome is None
        and not lane.is_waiting_for_owner
        and lane.is_queued
        and lane.id != head
    ]
    first = min(waiting, key=_waiting_order, default=None) if head is not None else None
    return first.id if first is not None else None


def _waiting_order(lane: Lane) -> tuple[str, str]:
    """By when it was offered alone: whether it was merged ahead of its turn changes nothing."""
    return (lane.queued_utc or "", lane.id)


def queue_order(lane: Lane) -> tuple[bool, bool, bool, str, str]:
    """Lanes land in the order in which their changes were offered, one after the other.

    The wall clock may have been set back meanwhile: what is begun at the head stays there, and
    what was merged ahead of its turn comes next.
    """
    candidate, judge = lane.candidate, lane.open_judge
    is_at_work = judge is not None and judge.turn is not None
    is_begun = candidate is not None and (candidate.checks > 0 or is_at_work)
    since_utc = lane.queued_utc or ""
    return (lane.landing is None, not is_begun, candidate is None, since_utc, lane.id)


def ruled_order(lane: Lane) -> tuple[bool, str, str]:
    """Where a change is ruled before it queues, lanes land in the order of their rulings."""
    return (lane.landing is None, lane.ruled_utc or "", lane.id)
