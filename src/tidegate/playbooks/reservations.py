"""Reservations: which lane holds the paths that another expects to change. Pure.

They order and never refuse. A lane takes all its paths at once, holds none while it waits for some,
and lets go of them when it is over or waits for its owner: so no circle of waits can form. Among
those that wait the one that was opened first goes first. A lane without a footprint holds nothing:
what it changes meets the others at the merge.
"""

from collections.abc import Iterable

from tidegate.core.footprint import texts_overlap
from tidegate.core.lane import Lane
from tidegate.core.values import Role


def waits_for_paths(lane: Lane) -> bool:
    """A builder is to work on it, and it does not hold its paths."""
    is_open = lane.outcome is None and not lane.is_waiting_for_owner
    return is_open and bool(lane.footprint) and lane.reserved is None and _wants_builder(lane)


def _wants_builder(lane: Lane) -> bool:
    """What is built and has nothing to answer changes no path any more."""
    build = lane.latest(Role.BUILD)
    return build is None or build.is_over or build.tree is None or lane.correction is not None


def held_by(lane: Lane, lanes: Iterable[Lane]) -> str | None:
    """The lane that `lane` has to wait for: it holds a path of its footprint, or waits longer."""
    if not waits_for_paths(lane):
        return None
    is_before = True
    for other in lanes:
        if other.id == lane.id:
            is_before = False
        elif _stands_in_the_way(other, is_before=is_before) and _overlap(lane, other):
            return other.id
    return None


def _stands_in_the_way(other: Lane, *, is_before: bool) -> bool:
    holds = other.outcome is None and other.reserved is not None
    waits_longer = is_before and waits_for_paths(other) and _is_known(other)
    return holds or waits_longer


def _is_known(lane: Lane) -> bool:
    """Its footprint is its last: nobody is still to be asked whether it is built, or has built."""
    judge = lane.latest(Role.ADJUDICATE)
    return judge is None or judge.is_over


def _overlap(lane: Lane, other: Lane) -> bool:
    held = other.reserved if other.reserved is not None else other.footprint
    return texts_overlap(lane.footprint, held)
