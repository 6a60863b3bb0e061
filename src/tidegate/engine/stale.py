"""A write that carries an old epoch is refused with all that was decided beside it, and recorded.

What the controller believed is worth nothing then: it is read from the ledger anew, and the next
tick decides by what is so.
"""

from tidegate.core.errors import StaleEpoch
from tidegate.core.events import StaleWriteRefused
from tidegate.engine.book import open_book
from tidegate.engine.engine import Engine


def begin_anew(engine: Engine, refused: StaleEpoch) -> None:
    """Read the run anew and record what was refused.

    Raises it where the controller itself was fenced, or where it is no matter of one moment.
    """
    attempt = refused.attempt
    if attempt is None:
        raise refused
    watch, listener = engine.watch, engine.book.listener
    watch.stale_writes[attempt] = watch.stale_writes.get(attempt, 0) + 1
    if watch.stale_writes[attempt] > engine.setup.policy.limits.infra_max:
        raise refused
    engine.starts.clear()
    engine.settling.clear()
    engine.replies.clear()
    engine.book = open_book(engine.ports.ledger, engine.book.fence, engine.book.limits)
    engine.book.listener, engine.book.utc = listener, engine.now.utc
    lane = next((each for each in engine.book.lanes.values() if attempt in each.attempts), None)
    if lane is None:
        return
    turn = lane.attempts[attempt].turn
    engine.book.record_event(
        lane.id,
        StaleWriteRefused(
            attempt=attempt,
            turn=turn.number if turn is not None else 0,
            what="write",
            epoch=refused.epoch,
            granted=refused.granted,
        ),
    )
    engine.book.flush()
