"""How many runners a run starts, read from its events. The one place that knows.

The engine starts a runner for each turn and for each job, and records what came of each in exactly
one event. So the events of a run tell how many there were: the lanes' benchmark compares that with
what the script beside it started, and `tests/bench` compares it with the starts themselves. Only
the job that takes in a first commit while its agent still works has no event that is its alone; the
agents of the benchmarks commit nothing.
"""

from collections.abc import Iterable, Mapping

from tidegate.core import events as e
from tidegate.engine.upkeep import HARVESTS_A_PACK

PER_BASE = 3
"""The base is prepared, checked and removed, once a run."""

PER_CONTROLLER = 1
"""The hub is packed at a controller's start; the packs of a long run come on top."""

PER_EVENT: Mapping[type[e.Event], int] = {
    e.ControllerTookOver: PER_CONTROLLER,
    e.BaseChecked: PER_BASE,
    e.WorkspaceReady: 1,
    e.TurnEnded: 1,
    e.Harvested: 1,
    e.CandidateMade: 1,
    e.Conflicted: 1,
    e.Landed: 1,
    e.LandingRefused: 1,
    e.WorkspaceRemoved: 1,
    e.JobFailed: 1,
    e.DeliverySettled: 1,
}
"""Runners that are over by the time an event is recorded."""

PER_LANE = 10
"""A lane that passes at once and is merged once: prepare, build, harvest, merge, prepare the check,
check, land, deliver, and two removals."""


def runners_started(events: Iterable[e.Event]) -> int:
    """How many runners stand behind these events."""
    kinds = [type(event) for event in events]
    packs = kinds.count(e.Harvested) // HARVESTS_A_PACK
    return packs + sum(PER_EVENT.get(kind, 0) for kind in kinds)
