"""What the events of supervision make of rows of their own: they change nothing of an attempt's.

Part of the projection: pure, and read through `projection.project` alone.
"""

from tidegate.core import events as e
from tidegate.core.clock import Trust
from tidegate.ledger.writes import Write, Writes, insert

_RECOVERY = insert(
    "recovery",
    ("run_id", "attempt_id", "controller_epoch", "lane", "outcome", "recovered_at"),
)
_OBSERVATION = insert(
    "observation",
    (
        "run_id", "lane", "version", "attempt_id", "state", "last_checkpoint", "lease_epoch",
        "deadline", "classification", "beat_sequence", "output_bytes", "silent_s", "active_s",
        "progress", "action", "claim_key", "working", "not_working", "changed", "next",
        "observed_at",
    ),
)  # fmt: skip
_INTERVENTION = insert(
    "intervention",
    ("run_id", "claim_key", "lane", "attempt_id", "turn", "action", "lapse", "claimed_at"),
)
_DECISION = insert(
    "decision",
    (
        "run_id", "version", "condition", "severity", "authority", "lane", "attempt_id",
        "evidence", "owner", "recovery", "decided_at",
    ),
)  # fmt: skip
_STALE_WRITE = insert(
    "stale_write",
    (
        "run_id", "lane", "version", "attempt_id", "turn", "what", "epoch", "granted",
        "refused_at",
    ),
)  # fmt: skip
_QUARANTINE = insert(
    "quarantine",
    ("run_id", "lane", "version", "attempt_id", "turn", "path", "digest", "quarantined_at"),
)
_CLOCK = insert(
    "clock",
    (
        "run_id", "version", "trust", "suspended_s", "stepped_s", "monotonic_s", "boottime_s",
        "boot_id", "observed", "inconclusive", "next_s", "read_at",
    ),
)  # fmt: skip


def recovered(run: str, _: int, entry: e.Entry, event: e.Recovered) -> Writes:
    """One row for each open attempt and each controller that took over."""
    values = (
        run, event.attempt, event.controller_epoch, entry.lane, event.outcome.value, entry.utc,
    )  # fmt: skip
    return (Write(_RECOVERY, values),)


def observed(run: str, _: int, entry: e.Entry, event: e.Observed) -> Writes:
    """What the monitor saw."""
    values = (
        run, entry.lane, entry.version, event.attempt, event.state, event.checkpoint,
        event.lease_epoch, event.deadline_utc, event.classification.value, event.beat_sequence,
        event.output_bytes, event.silent_s, event.active_s, event.progress, event.action.value,
        event.key, event.working, event.not_working, event.changed, event.next, entry.utc,
    )  # fmt: skip
    return (Write(_OBSERVATION, values),)


def intervention_claimed(run: str, _: int, entry: e.Entry, event: e.InterventionClaimed) -> Writes:
    """The key is taken. A second claim meets the row, and is refused."""
    values = (
        run, event.key, entry.lane, event.attempt, event.turn, event.action.value,
        event.lapse.value, entry.utc,
    )  # fmt: skip
    return (Write(_INTERVENTION, values),)


def decided(run: str, _: int, entry: e.Entry, event: e.Decided) -> Writes:
    """A row of the stop matrix that came true."""
    values = (
        run, entry.version, event.condition.value, event.severity.value, event.authority,
        event.lane, event.attempt, event.evidence, event.owner, event.recovery, entry.utc,
    )  # fmt: skip
    return (Write(_DECISION, values),)


def stale_write_refused(run: str, _: int, entry: e.Entry, event: e.StaleWriteRefused) -> Writes:
    """What came too late, and under which epoch."""
    values = (
        run, entry.lane, entry.version, event.attempt, event.turn, event.what, event.epoch,
        event.granted, entry.utc,
    )  # fmt: skip
    return (Write(_STALE_WRITE, values),)


def quarantined(run: str, _: int, entry: e.Entry, event: e.Quarantined) -> Writes:
    """A file that is evidence of nothing."""
    values = (
        run, entry.lane, entry.version, event.attempt, event.turn, event.path, event.file_digest,
        entry.utc,
    )  # fmt: skip
    return (Write(_QUARANTINE, values),)


def clock_reconciled(run: str, _: int, entry: e.Entry, event: e.ClockReconciled) -> Writes:
    """What lay between two readings."""
    values = (
        run, entry.version, event.trust.value, event.suspended_s, event.stepped_s,
        event.monotonic_s, event.boottime_s, event.boot_id, None, None, None, entry.utc,
    )  # fmt: skip
    return (Write(_CLOCK, values),)


def monitor_ran(run: str, _: int, entry: e.Entry, event: e.MonitorRan) -> Writes:
    """A round of the monitor, whose reading was trusted."""
    values = (
        run, entry.version, Trust.TRUSTED.value, 0.0, 0.0, event.monotonic_s, event.boottime_s,
        event.boot_id, event.observed, event.inconclusive, event.next_s, entry.utc,
    )  # fmt: skip
    return (Write(_CLOCK, values),)
