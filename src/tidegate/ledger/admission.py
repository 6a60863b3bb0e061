"""What an entry must be by itself before any row is looked at. Pure; it knows no backend.

The state table is core's. Here it is held against what the entry says, so that no writer can move
an attempt by a route that the table does not have, nor speak of one attempt in another's name.
"""

from collections.abc import Mapping
from dataclasses import fields
from enum import Enum, auto
from typing import get_args

from tidegate.core.attempt import State, may_move
from tidegate.core.errors import IllegalTransition
from tidegate.core.events import NAMES, Entry, Requested, RunEvent


class _Level(Enum):
    """What an event speaks of."""

    RUN = auto()
    LANE = auto()
    ATTEMPT = auto()


def _level(event_class: type) -> _Level:
    if event_class in get_args(RunEvent):
        return _Level.RUN
    has_attempt = any(each.name == "attempt" for each in fields(event_class))
    return _Level.ATTEMPT if has_attempt else _Level.LANE


_LEVELS: Mapping[type, _Level] = {event_class: _level(event_class) for event_class in NAMES}


def admit(entry: Entry) -> None:
    """Raise IllegalTransition where the entry contradicts itself or the state table."""
    event = entry.event
    level = _LEVELS[type(event)]
    if level is _Level.ATTEMPT:
        if isinstance(event, Requested):
            _admit_birth(entry, event)
        else:
            _admit_move(entry)
        if entry.lane == "" or entry.attempt != event.attempt:  # type: ignore[union-attr]  # every event of a lane but two has it
            raise _contradiction(entry)
    elif (
        entry.attempt is not None
        or entry.next is not None
        or entry.previous is not None
        or (entry.lane == "") is not (level is _Level.RUN)
    ):
        raise _contradiction(entry)


def _admit_move(entry: Entry) -> None:
    previous, following = entry.previous, entry.next
    if previous is None and following is None:
        return
    if previous is None or following is None or not may_move(previous, following):
        raise IllegalTransition(
            f"{entry.attempt} cannot go from {previous} to {following}",
            hint="the state table has no such move",
        )


def _admit_birth(entry: Entry, event: Requested) -> None:
    """Whether the predecessor may be succeeded so is asked of its row, with the write."""
    is_first = event.born is State.REQUESTED
    if is_first is not (event.supersedes is None):
        raise IllegalTransition(
            f"{event.attempt} cannot be born {event.born} in place of {event.supersedes}",
            hint="the state table has no such move",
        )
    if entry.previous is not None or entry.next is not event.born or entry.epoch != 0:
        raise _contradiction(entry)


def _contradiction(entry: Entry) -> IllegalTransition:
    kind = NAMES[type(entry.event)]
    return IllegalTransition(
        f"an entry of kind {kind} does not fit lane {entry.lane!r}, attempt {entry.attempt}"
        f" and its move from {entry.previous} to {entry.next}",
        hint="this is a bug of the caller: nothing was recorded",
    )
