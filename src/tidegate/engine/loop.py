"""Run ticks until nothing is left to do, sleeping in between until something can be due."""

from collections.abc import Callable

from tidegate.core.errors import refusal_of
from tidegate.core.records import record
from tidegate.engine.clearing import clear
from tidegate.engine.engine import Engine
from tidegate.engine.tick import tick
from tidegate.engine.wish import Wish, stronger


@record(kw_only=False)
class Ended:
    """Why the loop returned. `halt` says what a person must mend, where that is why.

    With `is_damaged` something that was said to be safe may be lost.
    """

    wish: Wish
    halt: str | None
    is_damaged: bool = False


def run_loop(engine: Engine, *, wish: Callable[[], Wish], show: Callable[[Engine], None]) -> Ended:
    """Tick, show, sleep. Returns when the run is done, drained, stopped or detached.

    A ledger that cannot be written ends the loop: what is believed is worth nothing without it,
    and the agents live on in their runners.
    """
    engine.ports.inbox.listen()
    while True:
        wanted = stronger(wish(), engine.wished)
        if wanted is Wish.DETACH:
            return Ended(wanted, engine.held_by)
        engine.is_draining = wanted is not Wish.GO_ON
        if wanted is Wish.STOP:
            engine.stop_all()
        try:
            is_changed = tick(engine, engine.ports.clock.now())
        except OSError as error:
            where = f" at {error.filename}" if error.filename else ""
            raise refusal_of(
                error.errno,
                f"the machine refused a tick{where} ({error.strerror})",
                hint="mend that and run again: the agents go on meanwhile",
            ) from error
        show(engine)
        if engine.is_done and not is_changed:
            if not engine.is_held and engine.refill():
                continue
            _clear_jobs(engine)
            held_by = engine.halt if engine.waits_for_room else engine.held_by
            return Ended(wanted, held_by, engine.is_damaged)
        if not is_changed:
            engine.ports.runners.wait(engine.wait_s())


def _clear_jobs(engine: Engine) -> None:
    """Clear away what jobs left behind that were lost, or whose controller died too early.

    Where no lane is open nobody wants their results any more, nor their fences. A job whose process
    would not die keeps its folder: by that alone the next controller finds the process.
    """
    if not engine.book.lanes and not engine.clinging_since:
        clear(engine.setup.places.jobs)
