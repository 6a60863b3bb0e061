"""Show a run while it goes on: plain lines anywhere, a live table below them on a terminal."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from tidegate.cli.output import clean
from tidegate.core.events import Entry
from tidegate.core.lane import Lane
from tidegate.core.values import Role
from tidegate.engine.engine import Engine
from tidegate.verbs.words import BAD, GOOD, QUIET, say

if TYPE_CHECKING:
    from rich.table import Table

_STYLES = {GOOD: "green", BAD: "yellow"}


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


def words(entry: Entry) -> tuple[str, str] | None:
    """How loud an entry is and its line; None where it is too quiet."""
    level, said = say(entry.event)
    if level == QUIET:
        return None
    return level, f"{entry.utc[11:19]}  {entry.lane or 'run':<6}  {clean(said)}"


class Lines:
    """Plain lines on standard error, or wherever nothing can be redrawn.

    Standard output is kept for the result, so that `tidegate run --json | jq` works. A reader
    that has gone must never stop a run: what cannot be written is dropped.
    """

    def recorded(self, entries: Sequence[Entry]) -> None:
        """One line an entry that is worth one."""
        for entry in entries:
            if (said := words(entry)) is not None:
                self.tell(said[1])

    def state(self, engine: Engine) -> None:
        """Lines show facts, and nothing that is redrawn."""

    def tell(self, text: str) -> None:
        """Write a line."""
        try:
            sys.stderr.write(text + "\n")
            sys.stderr.flush()
        except OSError:
            return

    def close(self) -> None:
        """Nothing to put back."""


class Live:
    """Lines, and below them the open lanes, redrawn after each tick."""

    def __init__(self) -> None:
        from rich.console import Console  # noqa: PLC0415 - 40 ms that only a terminal needs
        from rich.live import Live as RichLive  # noqa: PLC0415

        self._console = Console(stderr=True, highlight=False)
        self._live = RichLive(console=self._console, auto_refresh=False, transient=True)
        self._live.start()

    def recorded(self, entries: Sequence[Entry]) -> None:
        """One coloured line an entry that is worth one."""
        for entry in entries:
            if (said := words(entry)) is not None:
                self._print(said[1], _STYLES.get(said[0]))

    def state(self, engine: Engine) -> None:
        """Redraw the lanes."""
        try:
            self._live.update(_table(engine), refresh=True)
        except OSError:
            return

    def tell(self, text: str) -> None:
        """One line above the table."""
        self._print(text, None)

    def close(self) -> None:
        """Take the table away."""
        try:
            self._live.stop()
        except OSError:
            return

    def _print(self, text: str, style: str | None) -> None:
        try:
            self._console.print(text, style=style, markup=False, soft_wrap=True)
        except OSError:
            return


def _table(engine: Engine) -> "Table":
    from rich.table import Table  # noqa: PLC0415 - as above

    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for lane in engine.book.lanes.values():
        if lane.outcome is None:
            table.add_row(lane.id, stage(lane), rounds(lane), clean(lane.title), style="dim")
    left = len(engine.queue)
    if left:
        table.add_row("", "", "", f"{left} more in the queue", style="dim")
    return table


def stage(lane: Lane) -> str:
    """What a lane is doing, in one word."""
    if lane.open_check is not None:
        return "checking"
    if lane.is_queued:
        return "landing"
    build = lane.latest(Role.BUILD)
    if build is None or build.turn is None:
        return "preparing"
    return "rework" if build.turn.number > 1 else "building"


def rounds(lane: Lane) -> str:
    """The FAILs so far, where there are any."""
    return f"{lane.fails} FAIL" if lane.fails else ""


def progress() -> Progress:
    """The face that fits where standard error goes."""
    return Live() if sys.stderr.isatty() else Lines()
