"""A run that finds no room for what it must record waits until there is some.

Its agents go on meanwhile, as far as their own disk lets them. What the controller believed was
not recorded, so it is worth nothing: it takes the run up again as another controller would.
"""

from dataclasses import replace

from tidegate.core.errors import NoRoom
from tidegate.engine.wish import Wish
from tidegate.ports.ledger import Ledger
from tidegate.verbs.eyes import Eyes
from tidegate.verbs.house import House
from tidegate.verbs.open_run import find_open_run
from tidegate.verbs.start import RunWish

LOOK_S = 5.0
"""How often it is tried whether there is room again."""


class Room:
    """The waits of one controller for room. `wish` is what is left of what a person wished."""

    def __init__(self, house: House, eyes: Eyes, ledger: Ledger, wish: RunWish) -> None:
        self.eyes = eyes
        self.wish = wish
        self._house = house
        self._ledger = ledger
        self._is_missed = False
        self._run_before = find_open_run(ledger)
        self._lanes_before = self._lanes(self._run_before)

    def is_there(self) -> None:
        """What a controller records first was recorded."""
        if self._is_missed:
            self._is_missed = False
            self.eyes.tell("there is room again")

    def wait(self, refused: NoRoom) -> None:
        """Let some time pass. Raises what was refused where nobody wants to wait."""
        if not self._is_missed:
            self._is_missed = True
            self.eyes.tell(
                f"paused: {refused}. Agents go on, and so does this run when there is room"
            )
        if self.eyes.wish() not in (Wish.GO_ON, Wish.DRAIN):
            raise refused
        self._house.runners.wait(LOOK_S)
        run = find_open_run(self._ledger)
        before = self._lanes_before if run == self._run_before else 0
        self.wish = replace(
            self.wish,
            anew=self.wish.anew and run == self._run_before,
            opened=self._lanes(run) - before,
        )

    def _lanes(self, run: str | None) -> int:
        """How many lanes the run has had: only who may open so many has to count them."""
        if run is None or self.wish.opened_max is None:
            return 0
        return len(self._ledger.rows("lane", run))
