"""The stop matrix of seed 002 (lines 382 to 391): what stops work, how bad it is, who decides.

It is data. A condition that comes true is recorded as a decision, with its evidence, in the same
transaction as the fact that made it true.
"""

from collections.abc import Mapping
from enum import StrEnum

from tidegate.core.records import record


class Condition(StrEnum):
    """What must not simply go on."""

    WRITE_BOUNDARY = "write_boundary"
    INVALID_ARTIFACT = "invalid_artifact"
    MONITOR_INCONCLUSIVE = "monitor_inconclusive"
    BUDGET_EXHAUSTED = "budget_exhausted"
    UNKNOWN_OUTCOME = "unknown_outcome"
    MISSING_EVIDENCE = "missing_evidence"
    LANE_FAILURE = "lane_failure"


class Severity(StrEnum):
    """How bad it is."""

    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"


@record
class Row:
    """One row: the state that it leads to, and how work may go on from there."""

    what: str
    severity: Severity
    authority: str
    leads_to: str
    owner: str
    recovery: str


MATRIX: Mapping[Condition, Row] = {
    Condition.WRITE_BOUNDARY: Row(
        what="something was written outside the workspace, or two owners claim one thing",
        severity=Severity.CRITICAL,
        authority="controller",
        leads_to="blocked; the workspace and the lease's last event are kept",
        owner="the run's owner",
        recovery="nothing takes its place until the conflict is resolved",
    ),
    Condition.INVALID_ARTIFACT: Row(
        what="an artifact is missing, malformed, or not what its digest says; or its source moved",
        severity=Severity.HIGH,
        authority="evidence validator",
        leads_to="blocked, with what was found in place of it",
        owner="the evidence's owner",
        recovery="reopened as a new attempt",
    ),
    Condition.MONITOR_INCONCLUSIVE: Row(
        what="the ledger or a trusted clock cannot be read",
        severity=Severity.HIGH,
        authority="monitor",
        leads_to="monitor_inconclusive, with the last observation",
        owner="the run's owner",
        recovery="no lane advances until the clocks, or the ledger, can be trusted again",
    ),
    Condition.BUDGET_EXHAUSTED: Row(
        what="an attempt gave no sign of life, or ran out of its time",
        severity=Severity.MEDIUM,
        authority="deadline controller",
        leads_to="stopped, with the deadline that passed",
        owner="the lane's owner",
        recovery="one fenced replacement, where the limits leave one",
    ),
    Condition.UNKNOWN_OUTCOME: Row(
        what="nobody knows whether something outside happened",
        severity=Severity.CRITICAL,
        authority="the effect's owner",
        leads_to="blocked, with a receipt that says unknown for good",
        owner="the owner of what is outside",
        recovery="it is reconciled before anything is tried again",
    ),
    Condition.MISSING_EVIDENCE: Row(
        what="an independent judgement is missing, or a gate that must be green is known to be red",
        severity=Severity.HIGH,
        authority="gate",
        leads_to="not ready, with what is missing",
        owner="the run's owner",
        recovery="get the judgement, or stop",
    ),
    Condition.LANE_FAILURE: Row(
        what="an attempt ended without anything that counts",
        severity=Severity.MEDIUM,
        authority="controller",
        leads_to="failed, with how it ended",
        owner="the lane's owner",
        recovery="fenced, then replaced or given up, as the limits say",
    ),
}
