"""What the events of a run and of its lanes make of the rows `run`, `receipt` and `lane`.

Part of the projection: pure, and read through `projection.project` alone.
"""

import msgspec

from tidegate.core import events as e
from tidegate.ledger.writes import Write, Writes, insert, update

_to_json = msgspec.json.Encoder(order="deterministic").encode

_RUN = insert(
    "run",
    (
        "run_id", "playbook", "target", "ref", "base", "base_tree", "delivered_from",
        "config_digest", "gate_digest", "policy", "started_at", "controller_epoch",
    ),
)  # fmt: skip
_RUN_TAKEN = update(
    "run",
    ("controller_epoch", "controller", "controller_version", "controller_since", "ended_at"),
    ("run_id",),
)
_RUN_BASE = update("run", ("base_verdict", "base_log_digest"), ("run_id",))
_RUN_ENDED = update("run", ("ended_at", "landed", "stopped", "waiting", "reason"), ("run_id",))
_RUN_DRAINED = update("run", ("drained_since", "drained_by", "drain_reason"), ("run_id",))
_RECEIPT = insert(
    "receipt",
    (
        "run_id", "receipt", "lane", "ref", "old", "new", "intended_at", "outcome", "detail",
        "kind", "remote", "issue", "text_digest",
    ),
)  # fmt: skip
_RECEIPT_RECONCILED = update(
    "receipt",
    ("reconciled", "reconciled_by", "reconciled_reason", "reconciled_at"),
    ("run_id", "receipt"),
)
_RECEIPT_SETTLED = update("receipt", ("outcome", "detail", "settled_at"), ("run_id", "receipt"))


def run_started(run: str, _: int, entry: e.Entry, event: e.RunStarted) -> Writes:
    """The run, as it was frozen."""
    values = (
        run, event.playbook, event.target, event.ref, event.base, event.base_tree,
        event.delivered_from, event.config_digest, event.gate_digest,
        _to_json(event.policy).decode(), entry.utc, 0,
    )  # fmt: skip
    return (Write(_RUN, values),)


def controller_took_over(run: str, _: int, entry: e.Entry, event: e.ControllerTookOver) -> Writes:
    """A run that is taken up again has not ended."""
    values = (event.controller_epoch, event.holder, event.version, entry.utc, None, run)
    return (Write(_RUN_TAKEN, values),)


def base_checked(run: str, _: int, _entry: e.Entry, event: e.BaseChecked) -> Writes:
    """What the check says of the untouched base."""
    return (Write(_RUN_BASE, (event.verdict.value, event.log_digest, run)),)


def run_ended(run: str, _: int, entry: e.Entry, event: e.RunEnded) -> Writes:
    """What became of its lanes."""
    values = (entry.utc, event.landed, event.stopped, event.waiting, event.reason, run)
    return (Write(_RUN_ENDED, values),)


def drain_asked(run: str, _: int, entry: e.Entry, event: e.DrainAsked) -> Writes:
    """Nothing new begins in it from now on."""
    return (Write(_RUN_DRAINED, (entry.utc, event.by, event.reason, run)),)


def drain_lifted(run: str, _: int, _entry: e.Entry, _event: e.DrainLifted) -> Writes:
    """It goes on."""
    return (Write(_RUN_DRAINED, (None, None, None, run)),)


def delivery_intended(run: str, _: int, entry: e.Entry, event: e.DeliveryIntended) -> Writes:
    """Until it is settled nobody knows whether it happened."""
    what = (event.ref, event.old, event.new)
    return _intended(run, entry, event.receipt, what, ("delivery", None, None, None))


def publish_intended(run: str, _: int, entry: e.Entry, event: e.PublishIntended) -> Writes:
    """As a delivery, and to which remote."""
    what = (event.ref, event.old, event.new)
    return _intended(run, entry, event.receipt, what, ("publication", event.remote, None, None))


def effect_intended(run: str, _: int, entry: e.Entry, event: e.EffectIntended) -> Writes:
    """What the tracker is told, and of which issue."""
    what = (event.target or "", None, event.commit or "")
    about = (event.kind, None, event.issue, event.text_digest)
    return _intended(run, entry, event.receipt, what, about)


def _intended(
    run: str,
    entry: e.Entry,
    receipt: str,
    what: tuple[str, str | None, str],
    about: tuple[str, str | None, str | None, str | None],
) -> Writes:
    values = (run, receipt, entry.lane, *what, entry.utc, "unknown", "", *about)
    return (Write(_RECEIPT, values),)


_Settled = e.DeliverySettled | e.PublishSettled | e.EffectSettled


def settled(run: str, _: int, entry: e.Entry, event: _Settled) -> Writes:
    """What became of the effect."""
    values = (event.outcome, event.detail, entry.utc, run, event.receipt)
    return (Write(_RECEIPT_SETTLED, values),)


def reconciled(run: str, _: int, entry: e.Entry, event: e.ReceiptReconciled) -> Writes:
    """What became of it after all, beside what was recorded then."""
    values = (event.outcome, event.by, event.reason, entry.utc, run, event.receipt)
    return (Write(_RECEIPT_RECONCILED, values),)


_LANE = insert(
    "lane",
    (
        "run_id", "lane", "issue", "title", "issue_digest", "text_digest", "footprint",
        "priority", "opened_at",
    ),
)  # fmt: skip
LANE_LANDED = update(
    "lane",
    ("landed_ref", "landed_commit", "landed_tree", "landed_sequence"),
    ("run_id", "lane"),
)
_LANE_ENDED = update(
    "lane", ("outcome", "reason", "ended_at", "ended_sequence"), ("run_id", "lane")
)


_RESERVED = update("lane", ("reserved", "reserved_at"), ("run_id", "lane"))
_STOP_ASKED = update("lane", ("stop_asked", "stop_asked_at"), ("run_id", "lane"))


def reserved(run: str, _: int, entry: e.Entry, event: e.Reserved) -> Writes:
    """The paths that the lane holds from now on."""
    footprint = _to_json(event.footprint).decode()
    return (Write(_RESERVED, (footprint, entry.utc, run, entry.lane)),)


def released(run: str, _: int, entry: e.Entry, _event: e.Released) -> Writes:
    """What it held is free, before its end."""
    return (Write(_RESERVED, (None, None, run, entry.lane)),)


def stop_asked(run: str, _: int, entry: e.Entry, event: e.StopAsked) -> Writes:
    """Its owner wishes it to end."""
    return (Write(_STOP_ASKED, (event.reason, entry.utc, run, entry.lane)),)


def lane_opened(run: str, _: int, entry: e.Entry, event: e.LaneOpened) -> Writes:
    """The lane, as the issue was when it was taken."""
    footprint = _to_json(event.footprint).decode()
    values = (
        run, entry.lane, event.issue, event.title, event.issue_digest, event.text_digest,
        footprint, event.priority, entry.utc,
    )  # fmt: skip
    return (Write(_LANE, values),)


def lane_ended(run: str, sequence: int, entry: e.Entry, event: e.LaneEnded) -> Writes:
    """How it ended, and where in the ledger."""
    values = (event.outcome.value, event.reason, entry.utc, sequence, run, entry.lane)
    return (Write(_LANE_ENDED, values),)
