"""What the events of an attempt make of its turns' rows and of its workspace's.

Part of the projection: pure, and read through `projection.project` alone.
"""

from tidegate.core import events as e
from tidegate.core.attempt import State
from tidegate.ledger.attempt_rows import DEADLINES, STARTED, TOUCHED
from tidegate.ledger.writes import Write, Writes, insert, update

_TURN = insert(
    "turn",
    (
        "run_id", "attempt_id", "turn", "lane", "epoch", "deadline_s", "deadline_utc",
        "checkpoint_deadline_utc", "finding_digest", "base", "opened_at",
    ),
)  # fmt: skip
_TURN_KEY = ("run_id", "attempt_id", "turn")
_TURN_STARTED = update("turn", ("started_at", "agent_pid"), _TURN_KEY)
_TURN_REGRANTED = update("turn", ("epoch",), _TURN_KEY)
_TURN_ENDED = update(
    "turn",
    (
        "ended_at", "how", "code", "signal", "active_s", "output_bytes", "report_digest",
        "failure_digest", "is_external",
    ),
    _TURN_KEY,
)  # fmt: skip
_TURN_HARVESTED = update("turn", ("harvested_at", "tip", "tree", "is_empty", "pins"), _TURN_KEY)
_WORKSPACE = insert("workspace", ("run_id", "attempt_id", "lane", "path", "base", "dispatched_at"))
_WORKSPACE_READY = update("workspace", ("environment_digest", "ready_at"), ("run_id", "attempt_id"))
_WORKSPACE_REMOVED = update("workspace", ("removed_at",), ("run_id", "attempt_id"))


def dispatched(run: str, _: int, entry: e.Entry, event: e.Dispatched) -> Writes:
    """Its workspace, which is not there yet."""
    values = (run, event.attempt, entry.lane, event.workspace, event.base, entry.utc)
    return (TOUCHED.of(run, entry), Write(_WORKSPACE, values))


def workspace_ready(run: str, _: int, entry: e.Entry, event: e.WorkspaceReady) -> Writes:
    """The workspace stands."""
    values = (event.environment_digest, entry.utc, run, event.attempt)
    return (TOUCHED.of(run, entry), Write(_WORKSPACE_READY, values))


def workspace_removed(run: str, _: int, entry: e.Entry, event: e.WorkspaceRemoved) -> Writes:
    """The workspace is gone."""
    values = (entry.utc, run, event.attempt)
    return (TOUCHED.of(run, entry), Write(_WORKSPACE_REMOVED, values))


def workspace_evicted(run: str, _: int, entry: e.Entry, event: e.WorkspaceEvicted) -> Writes:
    """The workspace is gone until it is needed again."""
    values = (None, None, run, event.attempt)
    return (TOUCHED.of(run, entry), Write(_WORKSPACE_READY, values))


def turn_opened(run: str, _: int, entry: e.Entry, event: e.TurnOpened) -> Writes:
    """The turn, and what its deadlines mean for the attempt."""
    values = (
        run, event.attempt, event.turn, entry.lane, event.epoch, event.deadline_s,
        event.deadline_utc, event.checkpoint_deadline_utc, event.finding_digest, event.base,
        entry.utc,
    )  # fmt: skip
    deadlines = (event.checkpoint_deadline_utc, event.deadline_utc)
    return (DEADLINES.of(run, entry, *deadlines), Write(_TURN, values))


def turn_started(run: str, _: int, entry: e.Entry, event: e.TurnStarted) -> Writes:
    """The first turn starts the attempt; later ones start only themselves."""
    first = entry.next is State.STARTED
    attempt = STARTED.of(run, entry, entry.utc) if first else TOUCHED.of(run, entry)
    values = (entry.utc, event.agent_pid, run, event.attempt, event.turn)
    return (attempt, Write(_TURN_STARTED, values))


def regranted(run: str, _: int, entry: e.Entry, event: e.Regranted) -> Writes:
    """The turn goes on under another epoch."""
    values = (event.epoch, run, event.attempt, event.turn)
    return (TOUCHED.of(run, entry), Write(_TURN_REGRANTED, values))


def turn_ended(run: str, _: int, entry: e.Entry, event: e.TurnEnded) -> Writes:
    """How its process ended."""
    values = (
        entry.utc, event.how, event.code, event.signal, event.active_s, event.output_bytes,
        event.report_digest, event.failure_digest, int(event.is_external),
        run, event.attempt, event.turn,
    )  # fmt: skip
    return (TOUCHED.of(run, entry), Write(_TURN_ENDED, values))


def harvested(run: str, _: int, entry: e.Entry, event: e.Harvested) -> Writes:
    """What its workspace held."""
    harvest = (entry.utc, event.tip, event.tree, int(event.is_empty), event.pins)
    values = (*harvest, run, event.attempt, event.turn)
    return (TOUCHED.of(run, entry), Write(_TURN_HARVESTED, values))
