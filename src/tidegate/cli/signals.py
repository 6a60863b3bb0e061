"""Signals as wishes: Ctrl-C or TERM drains, a second Ctrl-C stops, a third or a hang-up detaches.

The handlers only note what came and when, and wake the loop: a handler can interrupt the very write
that it would have to wait for. Agents are in sessions of their own and never see the terminal's
signals. A signal that was ignored when we were started stays ignored.
"""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from tidegate.engine.wish import Wish

_SAID = {
    Wish.DRAIN: "draining: what runs comes to its end; Ctrl-C again stops the agents",
    Wish.STOP: "stopping the agents; what they did is kept; Ctrl-C again leaves at once",
    Wish.DETACH: "leaving; what still runs goes on, and `tidegate run` finds it again",
}
TWICE_S = 0.1
"""Sooner nobody presses a key again. A program that passes signals on (`timeout`, `npx`) hands down
the one that the terminal sent to us as well."""
_STOPS_AT_ONCE = "interrupted: stopping the agents"


class Wishes:
    """What was asked for so far; a wish only ever becomes stronger.

    Until the run first asks for it nothing is under way that could be drained: any signal ends the
    command at once then, as a kill would. Where `stops_at_once`, nobody wants what the agents would
    still do, and no run could find them again: each signal asks for the same.
    """

    def __init__(
        self,
        wake: Callable[[], None],
        tell: Callable[[str], None],
        now_s: Callable[[], float],
        *,
        stops_at_once: bool = False,
    ) -> None:
        self._wake = wake
        self._tell = tell
        self._now_s = now_s
        self._interrupted_s = -TWICE_S
        self._stops_at_once = stops_at_once
        self._wish = Wish.GO_ON
        self._told = Wish.GO_ON
        self._is_under_way = False

    def __call__(self) -> Wish:
        """The wish as it is now. One that is new is said, here and not in a handler."""
        self._is_under_way = True
        wish = self._wish
        if wish is not self._told and wish in _SAID:
            self._tell(_STOPS_AT_ONCE if self._stops_at_once else _SAID[wish])
        self._told = wish
        return wish

    def note(self, number: int, _frame: FrameType | None) -> None:
        """A signal came."""
        if not self._is_under_way:
            raise KeyboardInterrupt
        if number == signal.SIGINT and self._is_passed_on():
            return
        if self._stops_at_once:
            self._wish = Wish.STOP
        elif number == signal.SIGHUP:
            self._wish = Wish.DETACH
        elif self._wish is Wish.GO_ON:
            self._wish = Wish.DRAIN
        elif self._wish is Wish.DRAIN and number == signal.SIGINT:
            self._wish = Wish.STOP
        elif self._wish is Wish.STOP and number == signal.SIGINT:
            self._wish = Wish.DETACH
        self._wake()

    def _is_passed_on(self) -> bool:
        """The last one that counted came a moment ago: a key that is held down counts again."""
        now_s = self._now_s()
        if now_s - self._interrupted_s < TWICE_S:
            return True
        self._interrupted_s = now_s
        return False


@contextmanager
def watched(wishes: Wishes) -> Iterator[None]:
    """Listen to signals for as long as a run goes on.

    From its end on Ctrl-C is ignored: what is left is to tell the result, and a run that is over
    keeps its exit code. The interpreter puts no handler back for a signal that is ignored.
    """
    wanted = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    listened = [each for each in wanted if signal.getsignal(each) is not signal.SIG_IGN]
    before = {number: signal.signal(number, wishes.note) for number in listened}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_IGN if number == signal.SIGINT else handler)
