"""Stop the agents of a run that no controller carries: they outlive the one that started them."""

from contextlib import closing

from tidegate.core.errors import IntegrityError, Unavailable
from tidegate.engine.inbox import take_what_lies
from tidegate.engine.loop import Ended, run_loop
from tidegate.engine.recovery import take_stock
from tidegate.engine.wish import Wish, stronger
from tidegate.verbs.abandon import forgiving
from tidegate.verbs.assembly import assemble
from tidegate.verbs.eyes import Eyes
from tidegate.verbs.frozen import frozen
from tidegate.verbs.house import House
from tidegate.verbs.ruling import refuse_agents, under_way


def stop_agents(house: House, folder: str, eyes: Eyes) -> int:
    """How many turns were open, and are ended: be the run's controller for as long as that takes.

    What the agents did is harvested as after any stop, and `tidegate run` goes on with it. Raises
    Refused where no run is open, or where a controller came in between, and Unavailable where an
    agent would not end.
    """
    refuse_agents(house)
    repository = house.repositories.find(folder)
    run, _ = under_way(house, repository)
    with (
        house.lock_controller(repository.home),
        closing(house.open_ledger(repository)) as ledger,
    ):
        try:
            engine = assemble(forgiving(house), repository, frozen(ledger, run), ledger, run)
            engine.book.listener = eyes.recorded
            attempts = [x for lane in engine.book.lanes.values() for x in lane.attempts.values()]
            take_stock(engine)
            ended = run_loop(engine, wish=lambda: stronger(Wish.STOP, eyes.wish()), show=eyes.state)
            take_what_lies(engine)
            _require_all_ended(ended)
        finally:
            house.runners.stand_down()
    return sum(each.has_open_turn for each in attempts)


def _require_all_ended(ended: Ended) -> None:
    if ended.is_damaged:
        raise IntegrityError(f"{ended.halt}", hint="`tidegate fsck` says what is wrong")
    if ended.halt is not None:
        raise Unavailable(f"not all could be stopped: {ended.halt}", hint="mend that, then again")
