"""What a controller that takes over says of each open attempt: once, and as soon as it is known."""

from tidegate.core import commands as c
from tidegate.core.lane import Attempt
from tidegate.core.monitor_events import Recovery
from tidegate.engine.clocks import may_conclude
from tidegate.engine.engine import Engine
from tidegate.engine.quarantine import take_again
from tidegate.engine.sight import Lost, Seen, Unsettled, see
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


_LOOKS = 2
"""The first finds whose runner is dead and fences it, the second that nothing of it lives."""


def take_stock(engine: Engine) -> None:
    """Say of everything that was open what became of it, as far as that is plain by now.

    Nothing is begun and nothing advances. What is not plain yet is said in one of the ticks.
    """
    for lane in engine.book.lanes.values():
        for attempt in lane.attempts.values():
            take_again(engine, attempt)
    for _ in range(_LOOKS):
        engine.begin(engine.ports.clock.now())
        if not engine.watch.unrecovered or not may_conclude(engine):
            break
        recover_the_rest(engine)
        for lane in tuple(engine.book.lanes.values()):
            for attempt in lane.attempts.values():
                _take_stock_of(engine, lane.id, attempt)
        engine.end()
        engine.book.flush()
    engine.book.flush()


def _take_stock_of(engine: Engine, lane_id: str, attempt: Attempt) -> None:
    turn = attempt.turn
    if attempt.id not in engine.watch.unrecovered or turn is None:
        return
    seen = see(engine, engine.setup.places.turn(attempt.id, turn.number), fence=turn.epoch + 1)
    for command in note_recovery(engine, attempt, seen):
        engine.book.record(lane_id, command)


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
