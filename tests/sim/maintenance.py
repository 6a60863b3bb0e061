"""Whoever keeps the machine of a simulated run: drains it, lifts that, and looks what is unknown.

A drain may be asked for at any tick and between two controllers, and outlives as many of them as
the dice want. Once nothing goes wrong any more it is lifted, and what is unknown is reconciled.
"""

from collections.abc import Callable
from random import Random

from tests.sim.inbox import FakeInbox
from tidegate.core.run import Run
from tidegate.ports.inbox import Request

DRAINS = 0.02
"""How likely a run is drained at a look."""
LIFTS = 0.1
"""How likely a drain is lifted at a look."""
LOOKS = 0.1
"""How likely somebody looks what became of an effect."""


class Maintenance:
    """Looks at the run after each tick, and whenever a controller has gone."""

    def __init__(
        self,
        inbox: FakeInbox,
        random: Random,
        *,
        is_calm: Callable[[], bool],
        under_way: Callable[[], tuple[str, int]],
    ) -> None:
        """`under_way` is the newest run, and the epoch of its controller."""
        self.said = 0
        self._inbox, self._random = inbox, random
        self._is_calm, self._under_way = is_calm, under_way

    def look(self, run: Run | None) -> None:
        """Say something, or nothing; one word at a time."""
        if run is None or run.ended is not None or self._is_waiting():
            return
        random, is_calm = self._random, self._is_calm()
        if run.drain is not None:
            if is_calm or random.random() < LIFTS:
                self._say("undrain_run")
        elif not is_calm and random.random() < DRAINS:
            self._say("drain_run", reason="an upgrade")
        elif run.unknown and (is_calm or random.random() < LOOKS):
            outcome = random.choice(("done", "failed"))
            self._say("reconcile", receipt=next(iter(run.unknown)), outcome=outcome)

    def _is_waiting(self) -> bool:
        return any(not request.lane for request in self._inbox.requests)

    def _say(self, verb: str, **says: str) -> None:
        self.said += 1
        run, epoch = self._under_way()
        request = Request(
            id=f"m{self.said:04d}",
            run=run,
            controller_epoch=epoch,
            verb=verb,
            by="owner",
            lane="",
            says=says,
            items=(),
        )
        self._inbox.requests.append(request)
