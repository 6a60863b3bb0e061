"""The owner of a simulated run: answers, defers, vetoes and stops when the dice say so.

What the owner says lies in the inbox until a controller takes it, also while none is alive. Once
nothing goes wrong any more, each question gets its recommended answer.
"""

from collections.abc import Callable, Mapping
from random import Random

from tests.sim.inbox import FakeInbox
from tidegate.core.lane import Lane
from tidegate.core.values import About
from tidegate.ports.inbox import Request

ANSWERS = 0.2
"""How likely an open question is answered at a look."""
MEDDLES = 0.004
"""How likely a lane is vetoed or stopped at a look, though nothing was asked."""

PONDERS = 4
"""Looks at a lane's questions before its first PASS is judged: meanwhile others begin."""
DISLIKES = 0.5
"""How likely that PASS is vetoed."""


class Owner:
    """Looks at the lanes after each tick, and whenever a controller has gone."""

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
        self._looks: dict[str, int] = {}
        self._under_way = under_way
        self._inbox = inbox
        self._random = random
        self._is_calm = is_calm

    def look(self, lanes: Mapping[str, Lane]) -> None:
        """Say something, or nothing; one word for a lane at a time."""
        waiting = {request.lane for request in self._inbox.requests}
        for lane in lanes.values():
            if lane.outcome is None and lane.id not in waiting:
                self._look_at(lane)

    def _look_at(self, lane: Lane) -> None:
        question, random = lane.question, self._random
        if question is not None:
            looks = self._looks[lane.id] = self._looks.get(lane.id, 0) + 1
            if question.about is About.LANDING and looks <= PONDERS:
                if looks == PONDERS and random.random() < DISLIKES:
                    self.say("veto", lane.id)
            elif self._is_calm():
                self._answer(lane, question.id, question.options[0])
            elif random.random() < ANSWERS:
                self._answer(lane, question.id, random.choice(question.options))
        if not self._is_calm() and random.random() < MEDDLES:
            self.say(random.choice(("veto", "veto", "stop")), lane.id)

    def _answer(self, lane: Lane, question: str, answer: str) -> None:
        self.say("answer", lane.id, question=question, answer=answer)

    def say(self, verb: str, lane: str, **says: str) -> Request:
        """Leave a request."""
        self.said += 1
        items = ("a name", "a test") if verb == "veto" else ()
        run, epoch = self._under_way()
        request = Request(
            id=f"{self.said:04d}",
            run=run,
            controller_epoch=epoch,
            verb=verb,
            by="owner",
            lane=lane,
            says=says,
            items=items,
        )
        self._inbox.requests.append(request)
        return request
