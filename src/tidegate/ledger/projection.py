"""What an event makes of the rows that are derived from events: one pure function, `project`.

All backends apply its writes, and folding a run's events anew gives the same rows. It reads no
rows: what a write expects of the row that it changes is a condition of the write. Leases and
heartbeats are no part of the fold. A recorded event that this file forgets is an error in tests.
"""

from collections.abc import Callable, Mapping
from typing import Any

from tidegate.core import events as e
from tidegate.ledger import attempt_rows, monitor_rows, run_rows, turn_rows
from tidegate.ledger.writes import Writes


def project(run: str, sequence: int, entry: e.Entry) -> Writes:
    """The writes of one entry, in the order in which they must be applied."""
    return _PROJECTIONS[type(entry.event)](run, sequence, entry, entry.event)


_Projection = Callable[[str, int, e.Entry, Any], Writes]

_PROJECTIONS: Mapping[type, _Projection] = {
    e.RunStarted: run_rows.run_started,
    e.ControllerTookOver: run_rows.controller_took_over,
    e.BaseChecked: run_rows.base_checked,
    e.DeliveryIntended: run_rows.delivery_intended,
    e.DeliverySettled: run_rows.settled,
    e.PublishIntended: run_rows.publish_intended,
    e.PublishSettled: run_rows.settled,
    e.EffectIntended: run_rows.effect_intended,
    e.EffectSettled: run_rows.settled,
    e.ClockReconciled: monitor_rows.clock_reconciled,
    e.MonitorRan: monitor_rows.monitor_ran,
    e.Decided: monitor_rows.decided,
    e.ReceiptReconciled: run_rows.reconciled,
    e.DrainAsked: run_rows.drain_asked,
    e.DrainLifted: run_rows.drain_lifted,
    e.RunEnded: run_rows.run_ended,
    e.LaneOpened: run_rows.lane_opened,
    e.Requested: attempt_rows.requested,
    e.Adjudicated: attempt_rows.adjudicated,
    e.Reserved: run_rows.reserved,
    e.Released: run_rows.released,
    e.Dispatched: turn_rows.dispatched,
    e.WorkspaceReady: turn_rows.workspace_ready,
    e.TurnOpened: turn_rows.turn_opened,
    e.TurnStarted: turn_rows.turn_started,
    e.Regranted: turn_rows.regranted,
    e.TurnEnded: turn_rows.turn_ended,
    e.Checkpointed: attempt_rows.checkpointed,
    e.Harvested: turn_rows.harvested,
    e.ArtifactStaged: attempt_rows.artifact_staged,
    e.Materialized: attempt_rows.promoted,
    e.Corrected: attempt_rows.promoted,
    e.CandidateMade: attempt_rows.touched,
    e.Conflicted: attempt_rows.conflicted,
    e.Judged: attempt_rows.judged,
    e.Ruled: attempt_rows.ruled,
    e.Asked: attempt_rows.asked,
    e.Answered: attempt_rows.answered,
    e.Vetoed: attempt_rows.vetoed,
    e.StopAsked: run_rows.stop_asked,
    e.LandingIntended: attempt_rows.touched,
    e.LandingRefused: attempt_rows.landing_refused,
    e.Landed: attempt_rows.landed,
    e.Accepted: attempt_rows.touched,
    e.Failed: attempt_rows.ended,
    e.Stale: attempt_rows.touched,
    e.Stopped: attempt_rows.ended,
    e.Blocked: attempt_rows.ended,
    e.JobFailed: attempt_rows.touched,
    e.WorkspaceRemoved: turn_rows.workspace_removed,
    e.WorkspaceEvicted: turn_rows.workspace_evicted,
    e.WorkspaceCleared: attempt_rows.touched,
    e.Recovered: monitor_rows.recovered,
    e.Observed: monitor_rows.observed,
    e.InterventionClaimed: monitor_rows.intervention_claimed,
    e.StaleWriteRefused: monitor_rows.stale_write_refused,
    e.Quarantined: monitor_rows.quarantined,
    e.LaneEnded: run_rows.lane_ended,
}
