"""A run that finds no room for what it must record waits until there is some.

Its agents go on meanwhile, as far as their own disk lets them. What the controller believed was
not recorded, so it is worth nothing: it takes the run up again as another controller would. What
was said to it stays said: it is one process, under one lock, from its first epoch to its last.
"""

from contextlib import suppress
from dataclasses import replace

from tidegate.core.errors import NoRoom, Unavailable
from tidegate.engine.engine import Engine
from tidegate.engine.wish import Wish, stronger
from tidegate.ports.ledger import Ledger
from tidegate.verbs.causes import with_causes
from tidegate.verbs.eyes import Eyes
from tidegate.verbs.house import House
from tidegate.verbs.open_run import find_open_run
from tidegate.verbs.start import RunWish

LOOK_S, LOOK_MAX_S, LOOK_FACTOR = 5.0, 60.0, 2.0
"""How long the first wait for room is, how long each is at most, and how they grow: each try writes
what a controller writes first, and asks what it asks first."""
FORGOTTEN_S = 600.0
"""After so long without a refusal the next one counts as the first."""
ROOM_MAX_S = 24 * 3600.0
"""How long room is waited for in one go. Then a person has to see it."""


class Room:
    """The waits of one controller for room. `wish` is what is left of what a person wished."""

    def __init__(self, house: House, eyes: Eyes, ledger: Ledger, wish: RunWish) -> None:
        self.eyes = replace(eyes, state=self._look, tell=self._tell)
        self.wish = wish
        self._on = eyes
        self._house = house
        self._ledger = ledger
        self._told: set[str] = set()
        self._engine: Engine | None = None
        self._wished = Wish.GO_ON
        self._is_missed = False
        self._tries = 0
        self._since_s = self._last_s = 0.0
        self._run_before = find_open_run(ledger)
        self._epoch_before = self._epoch(self._run_before)
        self._lanes_before = self._lanes(self._run_before)

    def carry(self, engine: Engine) -> None:
        """Give an engine who looks on, and what was said to this controller before it waited."""
        engine.book.listener = with_causes(self.eyes, self._ledger)
        is_same = engine.book.run.id == self._run_before
        engine.first_epoch = self._epoch_before + 1 if is_same else 1
        engine.wished = self._wished
        self._engine = engine

    def wait(self, refused: NoRoom) -> bool:
        """Let some time pass; False where somebody wants to leave.

        Raises what was refused where that has lasted for too long.
        """
        now_s = self._house.clock.now().monotonic_s
        if not self._tries or now_s - self._last_s > FORGOTTEN_S:
            self._tries, self._since_s = 0, now_s
        if now_s - self._since_s > ROOM_MAX_S:
            raise refused
        if not self._is_missed:
            self._is_missed = True
            self._on.tell(
                f"paused: {refused}. Agents go on, and so does this run when there is room"
            )
        if not self._heed():
            return False
        self._house.runners.wait(min(LOOK_S * LOOK_FACTOR**self._tries, LOOK_MAX_S))
        self._tries, self._last_s = self._tries + 1, self._house.clock.now().monotonic_s
        run = find_open_run(self._ledger)
        before = self._lanes_before if run == self._run_before else 0
        self.wish = replace(
            self.wish,
            anew=self.wish.anew and run == self._run_before,
            opened=self._lanes(run) - before,
        )
        return True

    def _heed(self) -> bool:
        """Do what a person wishes as far as that needs no room; False for to leave."""
        if self._engine is not None:
            self._wished = stronger(self._wished, self._engine.wished)
        wished = stronger(self._wished, self._on.wish())
        if wished is Wish.STOP and self._engine is not None:
            with suppress(Unavailable, OSError):  # they are told once there is room
                self._engine.stop_all()
        return wished is not Wish.DETACH

    def _look(self, engine: Engine) -> None:
        """A tick is durable."""
        if self._is_missed:
            self._is_missed = False
            self._on.tell("there is room again")
        self._on.state(engine)

    def _tell(self, line: str) -> None:
        """What a controller says when it begins it says once, however often it has to begin."""
        if line not in self._told:
            self._told.add(line)
            self._on.tell(line)

    def _epoch(self, run: str | None) -> int:
        rows = (row for row in self._ledger.runs() if row["run_id"] == run)
        return next((int(str(row["controller_epoch"])) for row in rows), 0)

    def _lanes(self, run: str | None) -> int:
        """How many lanes the run has had: only who may open so many has to count them."""
        if run is None or self.wish.opened_max is None:
            return 0
        return len(self._ledger.rows("lane", run))
