"""Events: those of one run in order, for programs, and on until the run ends. It only looks."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum

from tidegate.config.problem import closest
from tidegate.core.errors import Misused
from tidegate.core.events import KINDS, NAMES, Recorded
from tidegate.core.records import record
from tidegate.ports.ledger import Ledger
from tidegate.ports.repository import Repository
from tidegate.verbs.house import House
from tidegate.verbs.look import find_run, no_lane
from tidegate.verbs.near import find
from tidegate.verbs.reading import reading

LOOK_S = 0.5
"""How long whoever follows a run waits from one look to the next."""

Show = Callable[[Iterable[Recorded]], None]


@record
class Choice:
    """Which events: of which run and lane, after which sequence, of which kinds, how many."""

    run: str | None = None
    lane: str | None = None
    after: int = 0
    kinds: tuple[str, ...] = ()
    last: int | None = None


class Ending(StrEnum):
    """Why no more events are shown."""

    NO_RUN = "no run"
    SHOWN = "shown"
    """All that there were, and no more were asked for."""
    RUN_ENDED = "run ended"
    UNATTENDED = "unattended"
    """The run goes on, and nobody is at its controls: nothing more would come."""
    READER_LEFT = "reader left"


def events(
    house: House,
    folder: str,
    choice: Choice,
    show: Show,
    *,
    wait: Callable[[float], bool] | None = None,
) -> Ending:
    """Show the chosen events, and with `wait` those that come, until the run ends.

    `wait` waits for so many seconds, and says whether the reader has left meanwhile. Raises Misused
    for a run, a lane or a kind that there is not.
    """
    kinds = frozenset(map(_known, choice.kinds))
    with reading(house, folder) as (repository, ledger):
        row = find_run(ledger, choice.run) if ledger is not None else None
        if ledger is None or row is None:
            return Ending.NO_RUN
        run = str(row["run_id"])
        tail = _Tail(ledger, run, _lane(ledger, run, choice.lane), kinds, choice.after)
        if wait is None:
            show(_last(tail.more(), choice.last))
            return Ending.SHOWN
        return _follow(house, repository, tail, choice.last, show, wait)


def _follow(
    house: House,
    repository: Repository,
    tail: "_Tail",
    last: int | None,
    show: Show,
    wait: Callable[[float], bool],
) -> Ending:
    """Look again and again. What a look rests on is asked before it, so that nothing is missed."""
    while True:
        is_attended = house.controller_holder(repository.home) is not None
        is_ended = tail.is_ended
        show(_last(tail.more(), last))
        last = None
        if is_ended:
            return Ending.RUN_ENDED
        if not is_attended:
            return Ending.UNATTENDED
        if wait(LOOK_S):
            return Ending.READER_LEFT


class _Tail:
    """The chosen events of a run, and how far they were read."""

    def __init__(
        self, ledger: Ledger, run: str, lane: str | None, kinds: frozenset[str], after: int
    ) -> None:
        self._ledger, self._run, self._lane, self._kinds = ledger, run, lane, kinds
        self._after = after

    @property
    def is_ended(self) -> bool:
        """The run is over; it gets no further event."""
        row = find_run(self._ledger, self._run)
        return row is not None and bool(row["ended_at"])

    def more(self) -> Iterator[Recorded]:
        """Those that were not read yet."""
        for recorded in self._ledger.read(self._run, lane=self._lane, after=self._after):
            self._after = recorded.sequence
            if not self._kinds or NAMES[type(recorded.entry.event)] in self._kinds:
                yield recorded


def _last(found: Iterator[Recorded], count: int | None) -> Iterable[Recorded]:
    return found if count is None else deque(found, maxlen=count)


def _known(kind: str) -> str:
    if kind not in KINDS:
        raise Misused(
            f"there is no event of the kind {kind!r}",
            hint="docs/reference/events.md lists them",
            did_you_mean=closest(kind, KINDS),
        )
    return kind


def _lane(ledger: Ledger, run: str, lane: str | None) -> str | None:
    """The lane that is meant. Raises Misused where the run has none such."""
    if lane is None:
        return None
    found = find(lane, tuple(str(row["lane"]) for row in ledger.rows("lane", run)))
    if found is None:
        raise no_lane(ledger, run, lane)
    return found
