"""Walk a lane through a world that answers anything, and then through one that means well."""

import contextlib
import random
from collections.abc import Sequence
from typing import Protocol, TypeVar

from tests.playbooks import invariants
from tests.playbooks.answers import MAY_ANSWER, Answer
from tests.playbooks.invariants import Duties
from tests.playbooks.story import Story
from tidegate.core.errors import Refused

WILD_STEPS = 100
BENIGN_STEPS_MAX = 60
"""Looks at the plan that a lane may need from anywhere to its end, once the world means well: one
more build, one more check, a landing, and the removal of every workspace. 4,000 walks took 27."""

Choice = TypeVar("Choice")


class Draw(Protocol):
    """Picks one of several things."""

    def __call__(self, options: Sequence[Choice], /) -> Choice:
        """One of the options, each as likely as the others."""
        ...


def seeded(seed: int) -> Draw:
    """The draws of one seed: the same on every machine."""
    return random.Random(seed).choice  # noqa: S311 - a walk must be repeatable, not secret


_TURNS_OF_EVENTS = ("nothing",) * 40 + (
    "the target moves",
    "it is the head", "it is the head", "another is the head",
    "a drain begins", "the drain is over", "the drain is over",
    "the agent is missing", "the agent is there",
    "the owner answers", "the owner answers", "the owner answers", "the owner vetoes",
    "somebody holds its paths", "its paths are free", "its paths are free",
)  # fmt: skip
_STOPS = ("the owner stops it", *("nothing",) * 3)


class Walk:
    """One lane in a world that `draw` makes up; every step keeps the rules of `invariants`."""

    def __init__(self, draw: Draw) -> None:
        self.draw = draw
        self.wild = {kind for kind in MAY_ANSWER if draw((True, False, False))}
        """What may go wrong in this walk. Where everything may, few lanes get far."""
        self.is_stopped = draw(_STOPS)
        duties = Duties(
            adjudicates=draw((True, False)),
            verifies=draw((True, False)),
            asks_owner=draw((True, False)),
        )
        self.story = Story(choose=self._choose, duties=duties)

    def run(self) -> Story:
        """First wild, then benign. Fails where that takes more than the named number of steps."""
        for _ in range(WILD_STEPS):
            self._turn_of_events(self.draw(_TURNS_OF_EVENTS))
            self.story.step()
        self._turn_of_events(self.is_stopped)
        invariants.check_fold(self.story.lane, self.story.entries)
        self.wild = set()
        self.story.now(is_head=True, is_draining=False, agent_problem=None, held_by=None)
        for _ in range(BENIGN_STEPS_MAX):
            question = self.story.lane.question
            if not self.story.step():
                if question is None or self.story.outcome is not None:
                    break
                self.story.answer(question.options[0])
        assert self.story.outcome is not None, f"it waits for ever: {self.story.plan()}"
        assert self.story.plan() == ()
        invariants.check_fold(self.story.lane, self.story.entries)
        return self.story

    def _choose(self, kind: str, possible: Sequence[Answer]) -> Answer:
        """Any answer where it is wild, else the harmless one."""
        return self.draw(possible) if kind in self.wild else possible[0]

    def _turn_of_events(self, event: str) -> None:
        story = self.story
        match event:
            case "the target moves":
                story.world.move_target()
            case "it is the head" | "another is the head":
                story.now(is_head=event == "it is the head")
            case "a drain begins" | "the drain is over":
                story.now(is_draining=event == "a drain begins")
            case "the agent is missing" | "the agent is there":
                problem = "no such program" if event == "the agent is missing" else None
                story.now(agent_problem=problem)
            case "somebody holds its paths" | "its paths are free":
                story.now(held_by="other" if event == "somebody holds its paths" else None)
            case _:
                with contextlib.suppress(Refused):
                    self._owner(event)

    def _owner(self, event: str) -> None:
        story, question = self.story, self.story.lane.question
        match event:
            case "the owner answers" if question is not None:
                story.answer(self.draw(question.options), words=self.draw((None, "words")))
            case "the owner vetoes":
                story.veto()
            case "the owner stops it":
                story.stop()
            case _:
                pass
