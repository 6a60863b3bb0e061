"""Signals become wishes, in the order of their strength."""

import os
import signal
from collections.abc import Iterator

import pytest

from tidegate.cli.signals import Wishes, watched
from tidegate.engine.wish import Wish


class Listener:
    """What the wishes woke and told."""

    def __init__(self) -> None:
        self.woken = 0
        self.told: list[str] = []
        self.now_s = 0.0
        self.wishes = Wishes(self._wake, self.told.append, lambda: self.now_s)

    def _wake(self) -> None:
        self.woken += 1

    def gets(self, *numbers: signal.Signals) -> Wish:
        """The wish after these signals."""
        for number in numbers:
            self.now_s += 1.0
            self.wishes.note(number, None)
        return self.wishes()


@pytest.fixture
def listener() -> Listener:
    """A listener whose run is under way."""
    listener = Listener()
    assert listener.wishes() is Wish.GO_ON
    return listener


@pytest.fixture(autouse=True)
def interrupts() -> Iterator[None]:
    """Ctrl-C ends the tests again afterwards."""
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    ("signals", "wish"),
    [
        ((signal.SIGINT,), Wish.DRAIN),
        ((signal.SIGTERM,), Wish.DRAIN),
        ((signal.SIGTERM, signal.SIGTERM), Wish.DRAIN),
        ((signal.SIGINT, signal.SIGINT), Wish.STOP),
        ((signal.SIGTERM, signal.SIGINT), Wish.STOP),
        ((signal.SIGINT, signal.SIGINT, signal.SIGINT), Wish.DETACH),
        ((signal.SIGINT, signal.SIGINT, signal.SIGTERM), Wish.STOP),
        ((signal.SIGHUP,), Wish.DETACH),
        ((signal.SIGINT, signal.SIGHUP), Wish.DETACH),
        ((signal.SIGHUP, signal.SIGINT), Wish.DETACH),
    ],
)
def test_signals_become_one_wish(
    listener: Listener, signals: tuple[signal.Signals, ...], wish: Wish
) -> None:
    """A wish only becomes stronger, and each signal wakes the loop."""
    assert listener.gets(*signals) is wish
    assert listener.woken == len(signals)


def test_a_wish_is_told_once_and_never_by_the_handler(listener: Listener) -> None:
    """The handler only notes: it may have interrupted the very write that it would need."""
    listener.wishes.note(signal.SIGINT, None)
    assert listener.told == []
    for _ in range(3):
        listener.wishes()
    assert [text.split(":")[0] for text in listener.told] == ["draining"]


def test_an_interrupt_that_comes_twice_at_once_is_one(listener: Listener) -> None:
    """`timeout tidegate run` gets Ctrl-C and passes it on: nobody asked twice."""
    assert listener.gets(signal.SIGINT) is Wish.DRAIN
    listener.wishes.note(signal.SIGINT, None)
    assert listener.wishes() is Wish.DRAIN
    assert listener.gets(signal.SIGINT) is Wish.STOP


def test_a_key_that_is_held_down_asks_again(listener: Listener) -> None:
    """It repeats thirty times a second: what came in between puts nothing off."""
    listener.wishes()
    for _ in range(30):
        listener.wishes.note(signal.SIGINT, None)
        listener.now_s += 1 / 30
    assert listener.wishes() is Wish.DETACH


def test_before_a_run_is_under_way_a_signal_ends_the_command() -> None:
    """There is nothing to drain yet."""
    listener = Listener()
    with pytest.raises(KeyboardInterrupt):
        listener.wishes.note(signal.SIGINT, None)


def test_the_handlers_are_put_back(listener: Listener) -> None:
    """While a run goes on the process listens, and afterwards it is as before."""
    before = signal.getsignal(signal.SIGTERM)
    with watched(listener.wishes):
        os.kill(os.getpid(), signal.SIGTERM)
        assert listener.wishes() is Wish.DRAIN
    assert signal.getsignal(signal.SIGTERM) is before


def test_after_a_run_a_further_interrupt_is_not_heard(listener: Listener) -> None:
    """What is over keeps its exit code, however often Ctrl-C is pressed."""
    with watched(listener.wishes):
        pass
    os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_what_nobody_waits_for_stops_at_once(number: signal.Signals) -> None:
    """Any signal stops the agents of a demo, and no further one leaves them at work."""
    told: list[str] = []
    wishes = Wishes(lambda: None, told.append, lambda: 0.0, stops_at_once=True)
    wishes()
    for _ in range(3):
        wishes.note(number, None)
        assert wishes() is Wish.STOP
    assert told == ["interrupted: stopping the agents"]


def test_what_was_ignored_at_the_start_stays_ignored(listener: Listener) -> None:
    """Under nohup a hang-up is not heard at all."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with watched(listener.wishes):
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            os.kill(os.getpid(), signal.SIGHUP)
        assert listener.wishes() is Wish.GO_ON
    finally:
        signal.signal(signal.SIGHUP, before)
