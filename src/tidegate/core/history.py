"""A history as rules are asked of it: one event, what was said before, and a breach."""

from collections.abc import Callable
from typing import NamedTuple

from tidegate.core import events as e
from tidegate.core.lane import Attempt, Lane
from tidegate.core.policy import Policy
from tidegate.core.records import record
from tidegate.core.run import Run


class Past:
    """What a run's events so far have said, as far as a rule asks for it."""

    __slots__ = (
        "controller_epoch",
        "landed",
        "lanes",
        "offered",
        "passed",
        "policy",
        "receipts",
        "run",
        "run_id",
        "staged",
    )  # fmt: skip

    def __init__(self, run_id: str) -> None:
        self.run_id = run_id
        self.run: Run | None = None
        self.policy = Policy()
        self.lanes: dict[str, Lane] = {}
        self.controller_epoch = 0
        self.passed: set[str] = set()
        """Trees that anybody who judges has passed."""
        self.offered: set[tuple[str, str]] = set()
        """Commits that were made to land, each with its tree."""
        self.staged: dict[str, str] = {}
        """Artifacts whose publication was intended: path to digest."""
        self.receipts: dict[str, str | None] = {}
        """What was intended outside, and what came of it; None while nobody has said."""
        self.landed: list[str] = []
        """The commits that landed, in their order."""


class Step(NamedTuple):
    """One event, with its lane before and after it. `after` is None where it does not follow."""

    entry: e.Entry
    before: Lane | None
    after: Lane | None
    old: Attempt | None
    """The attempt that it speaks of, as it was."""


@record
class Invariant:
    """A rule. `broken` says what is wrong with a step, and nothing where it holds.

    `of` are the events that it is asked of.
    """

    name: str
    of: tuple[type, ...]
    broken: Callable[[Past, Step], str]


@record
class Breach:
    """A rule that an event breaks."""

    invariant: str
    run: str
    sequence: int
    lane: str
    about: str
