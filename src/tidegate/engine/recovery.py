"""What a controller that takes over says of each open attempt: once, and as soon as it is known."""

from tidegate.core import commands as c
from tidegate.core.lane import Attempt
from tidegate.core.monitor_events import Recovery
from tidegate.engine.engine import Engine
from tidegate.engine.sight import Lost, Seen, Unsettled
from tidegate.ports.runners import Absent, Exit, Running


def note_recovery(engine: Engine, attempt: Attempt, seen: Seen | None) -> tuple[c.Command, ...]:
    """The recovery of an attempt that was open at the take-over; nothing while it is unclear.

    `seen` is what its open turn's folder holds, None where no process of it was under way.
    """
    if attempt.id not in engine.watch.unrecovered or isinstance(seen, Unsettled):
        return ()
    engine.watch.unrecovered.discard(attempt.id)
    return (
        c.NoteRecovery(
            attempt=attempt.id,
            outcome=_outcome(seen),
            controller_epoch=engine.book.fence.controller_epoch,
        ),
    )


def _outcome(seen: Seen | None) -> Recovery:
    match seen:
        case Running():
            return Recovery.ADOPTED
        case Exit():
            return Recovery.FINISHED
        case Lost():
            return Recovery.INTERRUPTED
        case Absent() | Unsettled() | None:
            return Recovery.WAITING


def recover_the_rest(engine: Engine) -> None:
    """Say it of all that no process is under way of: they go on as if nothing had happened."""
    if not engine.watch.unrecovered:
        return
    for lane in tuple(engine.book.lanes.values()):
        for attempt in lane.attempts.values():
            turn = attempt.turn
            is_under_way = turn is not None and turn.end is None and not turn.is_settled
            if attempt.is_over:
                engine.watch.unrecovered.discard(attempt.id)
            elif not is_under_way:
                for command in note_recovery(engine, attempt, None):
                    engine.book.record(lane.id, command)
