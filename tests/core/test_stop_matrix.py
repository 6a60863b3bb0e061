"""The stop matrix: each row as it was asked for, and the facts that make it true."""

import pytest

from tests.core.samples import made
from tidegate.core import events as e
from tidegate.core.clock import Trust
from tidegate.core.condition import condition_of, decided
from tidegate.core.liveness import Lapse
from tidegate.core.stop_matrix import MATRIX, Condition, Severity
from tidegate.core.values import Verdict

SEED = {
    Condition.WRITE_BOUNDARY: ("critical", "controller"),
    Condition.INVALID_ARTIFACT: ("high", "evidence validator"),
    Condition.MONITOR_INCONCLUSIVE: ("high", "monitor"),
    Condition.BUDGET_EXHAUSTED: ("medium", "deadline controller"),
    Condition.UNKNOWN_OUTCOME: ("critical", "the effect's owner"),
    Condition.MISSING_EVIDENCE: ("high", "gate"),
    Condition.LANE_FAILURE: ("medium", "controller"),
}


@pytest.mark.parametrize("condition", Condition)
def test_a_row_is_the_seeds(condition: Condition) -> None:
    """C163 to C169: how bad it is and who decides; and each row says how work goes on."""
    row = MATRIX[condition]
    assert (str(row.severity), row.authority) == SEED[condition]
    assert all((row.what, row.leads_to, row.owner, row.recovery))


FACTS = [
    (made(e.Blocked, reason="boundary: outside"), Condition.WRITE_BOUNDARY),
    (made(e.Blocked, reason="artifact_missing"), Condition.INVALID_ARTIFACT),
    (made(e.Blocked, reason="artifact_invalid"), Condition.INVALID_ARTIFACT),
    (made(e.Blocked, reason="correction_lost"), Condition.LANE_FAILURE),
    (made(e.Blocked, reason="stop"), None),
    (made(e.Stale, reason="deadline"), Condition.BUDGET_EXHAUSTED),
    *((made(e.Stale, reason=str(lapse)), Condition.BUDGET_EXHAUSTED) for lapse in Lapse),
    (made(e.Stale, reason="lost"), Condition.LANE_FAILURE),
    (made(e.Stale, reason="stopped"), None),
    (made(e.Failed, reason="output_cap", detail=""), Condition.LANE_FAILURE),
    (made(e.Failed, reason="no_verdict"), Condition.MISSING_EVIDENCE),
    (made(e.Failed, reason="tampered"), Condition.MISSING_EVIDENCE),
    (made(e.BaseChecked, verdict=Verdict.FAIL), Condition.MISSING_EVIDENCE),
    (made(e.BaseChecked, verdict=Verdict.PASS), None),
    (made(e.DeliverySettled, outcome="unknown"), Condition.UNKNOWN_OUTCOME),
    (made(e.PublishSettled, outcome="unknown"), Condition.UNKNOWN_OUTCOME),
    (made(e.EffectSettled, outcome="unknown"), Condition.UNKNOWN_OUTCOME),
    (made(e.EffectSettled, outcome="done"), None),
    (made(e.ClockReconciled, trust=Trust.UNTRUSTED), Condition.MONITOR_INCONCLUSIVE),
    (made(e.ClockReconciled, trust=Trust.STEPPED), None),
    (made(e.Landed), None),
]


@pytest.mark.parametrize(("event", "condition"), FACTS, ids=lambda value: str(value)[:60])
def test_a_fact_makes_its_row_true(event: e.Event, condition: Condition | None) -> None:
    """C164, C165, C166, C168, C169: which facts they are, and which are none."""
    found = condition_of(event)
    assert (found.condition if found else None) is condition


def test_every_row_comes_true_by_some_fact() -> None:
    """C197: no row is there for show."""
    assert {condition for _, condition in FACTS if condition} == set(Condition)


def test_a_decision_says_what_it_means_and_on_what_evidence() -> None:
    """C197: severity, authority, owner, recovery and evidence are recorded with the fact."""
    found = decided(made(e.Stale, reason="missed_beats"), lane="001", attempt="001-build-1")
    assert found is not None
    assert (found.severity, found.lane, found.attempt) == (Severity.MEDIUM, "001", "001-build-1")
    assert found.evidence == "missed_beats"
    assert "replacement" in found.recovery
