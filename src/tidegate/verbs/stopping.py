"""Stop the agents of a run that no controller carries: they outlive the one that started them."""

from collections.abc import Sequence
from contextlib import closing

from tidegate.core.errors import Refused
from tidegate.core.events import Entry, TurnEnded
from tidegate.engine.inbox import take_what_lies
from tidegate.engine.loop import run_loop
from tidegate.engine.recovery import take_stock
from tidegate.engine.wish import Wish
from tidegate.verbs.abandon import forgiving
from tidegate.verbs.assembly import assemble
from tidegate.verbs.eyes import Eyes
from tidegate.verbs.frozen import frozen
from tidegate.verbs.house import House
from tidegate.verbs.open_run import find_open_run
from tidegate.verbs.ruling import refuse_agents


def stop_agents(house: House, folder: str, eyes: Eyes) -> int:
    """How many turns were ended: be the run's controller for as long as that takes.

    What the agents did is harvested as after any stop, and `tidegate run` goes on with it. Raises
    Refused where no run is open, or where a controller came in between.
    """
    refuse_agents(house)
    repository = house.repositories.find(folder)
    ended = 0

    def recorded(entries: Sequence[Entry]) -> None:
        nonlocal ended
        ended += sum(isinstance(each.event, TurnEnded) for each in entries)
        eyes.recorded(entries)

    def wish() -> Wish:
        return Wish.DETACH if eyes.wish() is Wish.DETACH else Wish.STOP

    with (
        house.lock_controller(repository.home),
        closing(house.open_ledger(repository)) as ledger,
    ):
        run = find_open_run(ledger)
        if run is None:
            raise Refused("no run is under way", hint="`tidegate run` begins one")
        try:
            engine = assemble(forgiving(house), repository, frozen(ledger, run), ledger, run)
            engine.book.listener = recorded
            take_stock(engine)
            run_loop(engine, wish=wish, show=eyes.state)
            take_what_lies(engine)
        finally:
            house.runners.stand_down()
    return ended
