"""Which row of the stop matrix an event makes true. Pure."""

from typing import NamedTuple

from tidegate.core import events as e
from tidegate.core.clock import Trust
from tidegate.core.liveness import Lapse
from tidegate.core.stop_matrix import MATRIX, Condition
from tidegate.core.supervising import ARTIFACT_INVALID, ARTIFACT_MISSING
from tidegate.core.values import Verdict

UNKNOWN = "unknown"
"""The outcome of an effect of which nobody knows whether it happened."""
_OUT_OF_TIME = frozenset({"deadline", *Lapse})
_UNHEARD = frozenset({"no_verdict", "tampered"})


class Found(NamedTuple):
    """A condition that came true, and on what evidence."""

    condition: Condition
    evidence: str


def condition_of(event: e.Event) -> Found | None:
    """The condition that an event makes true; None for what simply goes on."""
    match event:
        case e.Blocked(reason=reason) if reason.startswith("boundary"):
            return Found(Condition.WRITE_BOUNDARY, reason)
        case e.Blocked(reason=str() as reason) if reason in (ARTIFACT_MISSING, ARTIFACT_INVALID):
            return Found(Condition.INVALID_ARTIFACT, reason)
        case e.Blocked(reason="correction_lost" as reason):
            return Found(Condition.LANE_FAILURE, reason)
        case e.Stale(reason=reason):
            return _of_stale(reason)
        case e.Failed(reason=reason, detail=detail):
            lost = reason in _UNHEARD
            condition = Condition.MISSING_EVIDENCE if lost else Condition.LANE_FAILURE
            return Found(condition, f"{reason}: {detail}" if detail else reason)
        case _:
            return _of_run(event)


def _of_stale(reason: str) -> Found | None:
    """Who was stopped by a person is stopped, and nothing is wrong."""
    if reason in _OUT_OF_TIME:
        return Found(Condition.BUDGET_EXHAUSTED, reason)
    return None if reason == "stopped" else Found(Condition.LANE_FAILURE, reason)


def _of_run(event: e.Event) -> Found | None:
    match event:
        case e.BaseChecked(verdict=Verdict.FAIL, log_digest=log):
            return Found(Condition.MISSING_EVIDENCE, f"the check fails on the base: {log}")
        case e.DeliverySettled(outcome=outcome, receipt=receipt) if outcome == UNKNOWN:
            return Found(Condition.UNKNOWN_OUTCOME, receipt)
        case e.PublishSettled(outcome=outcome, receipt=receipt) if outcome == UNKNOWN:
            return Found(Condition.UNKNOWN_OUTCOME, receipt)
        case e.EffectSettled(outcome=outcome, receipt=receipt) if outcome == UNKNOWN:
            return Found(Condition.UNKNOWN_OUTCOME, receipt)
        case e.ClockReconciled(trust=Trust.UNTRUSTED, utc=utc):
            return Found(Condition.MONITOR_INCONCLUSIVE, f"the clocks at {utc}")
        case _:
            return None


def decided(event: e.Event, *, lane: str, attempt: str | None) -> e.Decided | None:
    """The decision that goes with an event; None where no row comes true."""
    found = condition_of(event)
    if found is None:
        return None
    row = MATRIX[found.condition]
    return e.Decided(
        condition=found.condition,
        severity=row.severity,
        authority=row.authority,
        lane=lane,
        attempt=attempt,
        evidence=found.evidence,
        owner=row.owner,
        recovery=row.recovery,
    )
