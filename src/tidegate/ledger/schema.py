"""The columns and keys of the derived tables, for backends that have no SQL to hold them.

A test holds this against the real schema.
"""

from collections.abc import Mapping

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "run": (
        "run_id", "playbook", "target", "ref", "base", "base_tree", "delivered_from",
        "config_digest", "gate_digest", "policy", "started_at", "controller_epoch",
        "controller", "controller_version", "controller_since", "base_verdict",
        "base_log_digest", "ended_at", "landed", "stopped", "waiting", "reason",
        "drained_since", "drained_by", "drain_reason",
    ),
    "lane": (
        "run_id", "lane", "issue", "title", "issue_digest", "text_digest", "footprint",
        "priority", "opened_at", "landed_ref", "landed_commit", "landed_tree",
        "landed_sequence", "outcome", "reason", "ended_at", "ended_sequence",
        "expected_footprint", "refusal_kind", "fixture", "adjudication_digest", "reserved",
        "reserved_at", "stop_asked", "stop_asked_at",
    ),
    "attempt_fold": (
        "run_id", "attempt_id", "lane", "parent_id", "actor_id", "role", "artifact_path",
        "state", "artifact_status", "independence_status", "content_verdict",
        "evidence_verdict", "readiness_verdict", "authorization_status", "started_at",
        "checkpoint_deadline", "attempt_deadline", "last_checkpoint_at", "source_digest",
        "artifact_digest", "reason", "supersedes_attempt_id", "requested_at",
        "last_event_at",
    ),
    "turn": (
        "run_id", "attempt_id", "turn", "lane", "epoch", "deadline_s", "deadline_utc",
        "checkpoint_deadline_utc", "finding_digest", "base", "opened_at", "started_at",
        "agent_pid", "ended_at", "how", "code", "signal", "active_s", "output_bytes",
        "report_digest", "failure_digest", "is_external", "harvested_at", "tip", "tree",
        "is_empty", "pins",
    ),
    "workspace": (
        "run_id", "attempt_id", "lane", "path", "base", "dispatched_at",
        "environment_digest", "ready_at", "removed_at",
    ),
    "heartbeat": (
        "run_id", "attempt_id", "epoch", "beat_sequence", "lane", "beat_monotonic_s",
        "last_completed_unit", "state", "controller_version", "utc",
    ),
    "receipt": (
        "run_id", "receipt", "lane", "ref", "old", "new", "intended_at", "outcome",
        "detail", "settled_at", "kind", "remote", "issue", "text_digest", "reconciled",
        "reconciled_by", "reconciled_reason", "reconciled_at",
    ),
    "finding": (
        "run_id", "lane", "version", "attempt_id", "source", "found_by", "tree", "counts",
        "digest", "reason", "found_at",
    ),
    "ruling": (
        "run_id", "lane", "version", "attempt_id", "ruling", "ruled_by", "tree", "ruled_at",
    ),
    "question": (
        "run_id", "lane", "question", "attempt_id", "about", "options", "detail_digest",
        "asked_at", "answer", "answered_by", "words_digest", "answered_at",
    ),
    "recovery": (
        "run_id", "attempt_id", "controller_epoch", "lane", "outcome", "recovered_at",
    ),
    "observation": (
        "run_id", "lane", "version", "attempt_id", "state", "last_checkpoint", "lease_epoch",
        "deadline", "classification", "beat_sequence", "output_bytes", "silent_s", "active_s",
        "progress", "action", "claim_key", "working", "not_working", "changed", "next",
        "observed_at",
    ),
    "intervention": (
        "run_id", "claim_key", "lane", "attempt_id", "turn", "action", "lapse", "claimed_at",
    ),
    "decision": (
        "run_id", "version", "condition", "severity", "authority", "lane", "attempt_id",
        "evidence", "owner", "recovery", "decided_at",
    ),
    "stale_write": (
        "run_id", "lane", "version", "attempt_id", "turn", "what", "epoch", "granted",
        "refused_at",
    ),
    "quarantine": (
        "run_id", "lane", "version", "attempt_id", "turn", "path", "digest", "quarantined_at",
    ),
    "clock": (
        "run_id", "version", "trust", "suspended_s", "stepped_s", "monotonic_s", "boottime_s",
        "boot_id", "observed", "inconclusive", "next_s", "read_at",
    ),
}  # fmt: skip

KEYS: Mapping[str, tuple[str, ...]] = {
    "run": ("run_id",),
    "lane": ("run_id", "lane"),
    "attempt_fold": ("run_id", "attempt_id"),
    "turn": ("run_id", "attempt_id", "turn"),
    "workspace": ("run_id", "attempt_id"),
    "heartbeat": ("run_id", "attempt_id", "epoch", "beat_sequence"),
    "receipt": ("run_id", "receipt"),
    "finding": ("run_id", "lane", "version"),
    "ruling": ("run_id", "lane", "version"),
    "question": ("run_id", "lane", "question"),
    "recovery": ("run_id", "attempt_id", "controller_epoch"),
    "observation": ("run_id", "lane", "version"),
    "intervention": ("run_id", "claim_key"),
    "decision": ("run_id", "version"),
    "stale_write": ("run_id", "lane", "version"),
    "quarantine": ("run_id", "lane", "version"),
    "clock": ("run_id", "version"),
}

ATTEMPT = (
    "run_id", "attempt_id", "parent_id", "actor_id", "role", "artifact_path", "state",
    "artifact_status", "independence_status", "content_verdict", "evidence_verdict",
    "readiness_verdict", "authorization_status", "owner", "lease_token", "lease_epoch",
    "lease_expiry_utc", "started_at", "checkpoint_deadline", "attempt_deadline",
    "last_checkpoint_at", "source_digest", "artifact_digest", "reason",
    "supersedes_attempt_id",
)  # fmt: skip
"""What a reader is shown of an attempt: the columns of seed 002 (line 271), under its names."""
