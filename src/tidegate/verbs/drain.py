"""A drain of the open run: nothing new begins in it, whoever carries it, until that is lifted."""

from collections.abc import Callable
from contextlib import closing

from tidegate.core.drain import say_drain
from tidegate.engine.places import Places
from tidegate.ports.inbox import Reply
from tidegate.ports.runners import Runners, Running
from tidegate.verbs.house import House
from tidegate.verbs.proved_dead import turn_folders
from tidegate.verbs.reading import reading
from tidegate.verbs.ruling import tell
from tidegate.verbs.summary import drain_in

LOOK_S = 0.5
"""How long whoever waits for the end of what is under way waits from one look to the next."""


def drain(house: House, folder: str, *, reason: str) -> Reply:
    """Drain the open run. Raises Refused where it is so already, or where no run is open."""
    return tell(house, folder, "drain_run", "", says={"reason": reason})


def undrain(house: House, folder: str) -> Reply:
    """Lift the drain. Raises Refused where there is none."""
    return tell(house, folder, "undrain_run", "", says={})


def drained(house: House, folder: str) -> str:
    """Since when and by whom the open run is drained; empty where it is not."""
    with reading(house, folder) as (_, ledger):
        rows = [] if ledger is None else [row for row in ledger.runs() if row["ended_at"] is None]
        return next((say_drain(str(row["run_id"]), drain_in(row)) for row in rows), "")


def wait_until_quiet(house: House, folder: str, tell_of: Callable[[str], None]) -> None:
    """Wait until no controller and no agent or job of the open run is at work.

    Each has a deadline of its own. What it waits for is told when that has changed.
    """
    repository, told = house.repositories.find(folder), ""
    runners = house.runners
    while found := _under_way(house, runners, repository.home, _open_run(house, folder)):
        if found != told:
            tell_of(f"waiting for {found}")
            told = found
        runners.wait(LOOK_S)


def _open_run(house: House, folder: str) -> str | None:
    ledger = house.open_ledger_read_only(house.repositories.find(folder))
    if ledger is None:
        return None
    with closing(ledger):
        rows = [row for row in ledger.runs() if row["ended_at"] is None]
    return str(rows[-1]["run_id"]) if rows else None


def _under_way(house: House, runners: Runners, home: str, run: str | None) -> str:
    """What is at work; empty where nothing is."""
    holder = house.controller_holder(home)
    if run is None:
        return f"the controller ({holder})" if holder else ""
    folders = turn_folders(Places(home=home, run=run).folder)
    busy = [each for each in folders if isinstance(runners.look(each), Running)]
    if not busy:
        return f"the controller ({holder})" if holder else ""
    return f"{len(busy)} at work" + (f", and the controller ({holder})" if holder else "")
