"""Show a run while it goes on: plain lines anywhere, and on a terminal its lanes below them.

Standard output is kept for the result, so that `tidegate run --json | jq` works: all of this goes
to standard error. It must never hold up a run, and nothing that a run does depends on it.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from tidegate.cli.layout import laid_out
from tidegate.cli.outlet import Outlet
from tidegate.cli.output import clean, clean_text
from tidegate.core.events import Entry
from tidegate.core.lane import Lane
from tidegate.core.records import record
from tidegate.engine.engine import Engine
from tidegate.verbs.stage import stage_of
from tidegate.verbs.standstill import Standstill
from tidegate.verbs.words import BAD, GOOD, QUIET, say

if TYPE_CHECKING:
    from rich.console import Group

_STYLES = {GOOD: "green", BAD: "yellow"}
QUIET_MAX_S = 300.0
"""After so long without a line, plain lines say what is still going on."""
REDRAWS_PER_S = 1


class Progress(Protocol):
    """What a run's face must be able to show."""

    def recorded(self, entries: Sequence[Entry]) -> None:
        """Facts that are durable now."""
        ...

    def state(self, engine: Engine) -> None:
        """The run as it stands after a tick."""
        ...

    def tell(self, text: str) -> None:
        """One line that is no event."""
        ...

    def close(self) -> None:
        """Nothing more will come."""
        ...


@record(kw_only=False)
class Fact:
    """An entry that is worth a line: how loud it is, its head, and its words."""

    level: str
    head: str
    words: str


def worth_a_line(entries: Sequence[Entry]) -> Iterator[Fact]:
    """The entries that are not too quiet to be shown."""
    for entry in entries:
        level, said = say(entry.event)
        if level != QUIET:
            yield Fact(level, _head(entry.utc, entry.lane or "run"), clean(said))


def _head(utc: str, lane: str) -> str:
    """The time of day where this is read, and the lane."""
    return f"{datetime.fromisoformat(utc).astimezone():%H:%M:%S}  {lane:<6}  "


def _head_gap(head: str) -> int:
    """The blanks that a head ends with: they line the words up below each other."""
    return len(head) - len(head.rstrip(" "))


@record(kw_only=False)
class Doing:
    """What one lane is doing, and since when on the monotonic clock."""

    lane: str
    stage: str
    rounds: str
    title: str
    since_s: float


class Doings:
    """The open lanes as they were seen last. A stage's time runs from when it was first seen."""

    def __init__(self) -> None:
        self.now: tuple[Doing, ...] = ()

    def look(self, engine: Engine) -> None:
        """See what every open lane is doing."""
        before = {each.lane: each for each in self.now}
        self.now = tuple(_aged(each, before.get(each.lane)) for each in _doings(engine))


def _doings(engine: Engine) -> Iterator[Doing]:
    now_s = engine.now.monotonic_s
    if engine.book.run.base_verdict is None:
        yield Doing("base", "checking", "", "before anything is spent", now_s)
    for lane in engine.book.lanes.values():
        if lane.outcome is None:
            yield Doing(lane.id, stage_of(lane), rounds(lane), clean(lane.title), now_s)


def _aged(now: Doing, before: Doing | None) -> Doing:
    if before is None or (before.stage, before.rounds) != (now.stage, now.rounds):
        return now
    return Doing(now.lane, now.stage, now.rounds, now.title, before.since_s)


def rounds(lane: Lane) -> str:
    """The FAILs so far, where there are any."""
    return f"{lane.fails} FAIL" if lane.fails else ""


def elapsed(seconds: float) -> str:
    """A span of time as people write it: 0:07, 12:31, 1:02:03."""
    minutes, rest = divmod(int(max(seconds, 0.0)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


class Lines:
    """Plain lines, one a fact; after a long silence one that says what is still going on."""

    def __init__(self, outlet: Outlet) -> None:
        self._outlet = outlet
        self._doings = Doings()
        self._standstill = Standstill()
        self._spoke_s: float | None = None

    def recorded(self, entries: Sequence[Entry]) -> None:
        """One line an entry that is worth one."""
        for fact in worth_a_line(entries):
            self.tell(fact.head + fact.words)

    def state(self, engine: Engine) -> None:
        """Break a long silence."""
        self._doings.look(engine)
        if (reason := self._standstill.look(engine)) is not None:
            self.tell(_head(engine.now.utc, "run") + reason)
        now_s = engine.now.monotonic_s
        if self._spoke_s is None:
            self._spoke_s = now_s
        if now_s - self._spoke_s >= QUIET_MAX_S and self._doings.now:
            still = ", ".join(
                f"{each.lane} {each.stage} for {elapsed(now_s - each.since_s)}"
                for each in self._doings.now
            )
            self.tell(_head(engine.now.utc, "run") + still)
            self._spoke_s = now_s

    def tell(self, text: str) -> None:
        """Write a line."""
        self._spoke_s = None
        self._outlet.write(f"{clean_text(text)}\n")
        self._outlet.flush()

    def close(self) -> None:
        """Let a slow reader have the rest."""
        self._outlet.close()


class Live:
    """Lines, and below them what each open lane is doing, and for how long."""

    def __init__(self, outlet: Outlet, now_s: Callable[[], float]) -> None:
        from rich.console import Console  # noqa: PLC0415 - 40 ms that only a terminal needs
        from rich.live import Live as RichLive  # noqa: PLC0415 - 40 ms that only a terminal needs

        self._outlet, self._now_s = outlet, now_s
        self._doings = Doings()
        self._standstill = Standstill()
        self._queued = 0
        self._console = Console(file=outlet, highlight=False)  # type: ignore[arg-type]  # it writes, which is all that is asked of it
        self._live = RichLive(
            console=self._console,
            refresh_per_second=REDRAWS_PER_S,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
            get_renderable=self._drawn,
        )
        self._live.start()

    def recorded(self, entries: Sequence[Entry]) -> None:
        """One coloured line an entry that is worth one; a long one goes on below its words."""
        from rich.text import Text  # noqa: PLC0415 - as above

        for fact in worth_a_line(entries):
            row = (fact.head.rstrip(" "), fact.words)
            lines = laid_out([row], gap=_head_gap(fact.head), width=self._console.width)
            text = Text("\n".join(lines), _STYLES.get(fact.level, ""))
            self._console.print(text, soft_wrap=True)

    def state(self, engine: Engine) -> None:
        """Look at the lanes, and draw them where they changed; the time alone can wait."""
        if (reason := self._standstill.look(engine)) is not None:
            self.tell(_head(engine.now.utc, "run") + reason)
        before = self._doings.now, self._queued
        self._doings.look(engine)
        self._queued = len(engine.queue)
        if before != (self._doings.now, self._queued):
            self._live.refresh()

    def tell(self, text: str) -> None:
        """One line above the lanes."""
        self._console.print(clean_text(text), markup=False, soft_wrap=True)

    def close(self) -> None:
        """Take the lanes away."""
        self._live.stop()
        self._outlet.close()

    def _drawn(self) -> "Group":
        """The lanes. The thread that redraws calls this too, so it reads each attribute once."""
        from rich.console import Group  # noqa: PLC0415 - as above
        from rich.text import Text  # noqa: PLC0415 - as above

        lines = lane_lines(self._doings.now, queued=self._queued, now_s=self._now_s())
        return Group(*(Text(f"{line}", "dim", no_wrap=True, overflow="ellipsis") for line in lines))


def lane_lines(doings: Sequence[Doing], *, queued: int, now_s: float) -> list[str]:
    """A line for each lane. What a narrow terminal cuts off is the end: never an id."""
    cells = [(d.lane, d.stage, elapsed(now_s - d.since_s), d.rounds, d.title) for d in doings]
    widths = [max(map(len, column)) for column in list(zip(*cells, strict=True))[:-1]]
    lines = [
        "  ".join([*(c.ljust(w) for c, w in zip(row, widths, strict=False) if w), row[-1]])
        for row in cells
    ]
    return [*lines, f"{queued} more in the queue"] if queued else lines


def progress(now_s: Callable[[], float]) -> Progress:
    """The face that fits where standard error goes. `now_s` is the monotonic clock."""
    outlet = Outlet(sys.stderr)
    is_live = outlet.isatty() and os.environ.get("TERM", "dumb") not in {"dumb", ""}
    return Live(outlet, now_s) if is_live else Lines(outlet)
