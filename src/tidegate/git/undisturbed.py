"""Hold the polite signals back while something is done that must not be cut in two.

They are honoured as soon as it is done, the way they would have been before: nothing is lost but a
moment. Where it failed, the error is what a person has to hear, and it ends the work as well. A
kill is not polite and cannot be held.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_POLITE = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Hold signals back within. Children are not concerned: a handler ends where they begin.

    Only the main thread has signals to hold; in another one this does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        came.append(number)

    heard = [each for each in _POLITE if signal.getsignal(each) not in (signal.SIG_IGN, None)]
    before = {number: signal.signal(number, note) for number in heard}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    for each in came:
        signal.raise_signal(each)
