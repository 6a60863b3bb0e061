"""Signals as wishes: the first Ctrl-C or a TERM drains, the second stops, a hang-up detaches.

The handlers only note what came and wake the loop; agents are in sessions of their own and never
see the terminal's signals. A hang-up that was ignored when we were started stays ignored.
"""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from tidegate.engine.loop import Wish


class Wishes:
    """What was asked for so far; a wish only ever becomes stronger."""

    def __init__(self, wake: Callable[[], None], tell: Callable[[str], None]) -> None:
        self._wake = wake
        self._tell = tell
        self._wish = Wish.GO_ON

    def __call__(self) -> Wish:
        """The wish as it is now."""
        return self._wish

    def note(self, number: int, _frame: FrameType | None) -> None:
        """A signal came."""
        if number == signal.SIGHUP:
            self._wish = Wish.DETACH
        elif self._wish is Wish.GO_ON:
            self._wish = Wish.DRAIN
            self._tell("draining: what runs comes to its end; Ctrl-C again stops the agents")
        elif self._wish is Wish.DRAIN and number == signal.SIGINT:
            self._wish = Wish.STOP
            self._tell("stopping the agents; what they did is kept")
        self._wake()


@contextmanager
def watched(wishes: Wishes) -> Iterator[None]:
    """Listen to signals for as long as a run goes on."""
    watched_ones = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        watched_ones.append(signal.SIGHUP)
    before = {number: signal.signal(number, wishes.note) for number in watched_ones}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
