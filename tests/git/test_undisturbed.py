"""Signals that are held back are late, and never lost."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from tidegate.git.undisturbed import undisturbed


def test_an_interrupt_is_honoured_when_the_work_is_done() -> None:
    """What is within comes to its end; the interrupt comes after it."""
    done = []

    def work() -> None:
        with undisturbed():
            os.kill(os.getpid(), signal.SIGINT)
            done.append(1)

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == [1]


def test_what_was_ignored_stays_ignored_and_all_is_put_back() -> None:
    """Under nohup a hang-up is not heard, neither within nor afterwards."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    term = signal.getsignal(signal.SIGTERM)
    try:
        with undisturbed():
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            os.kill(os.getpid(), signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)
    assert signal.getsignal(signal.SIGTERM) is term


def test_an_error_is_heard_before_a_signal() -> None:
    """Both end the work, and only one of them says what is wrong."""

    def work() -> None:
        with undisturbed():
            os.kill(os.getpid(), signal.SIGINT)
            raise ValueError("half way")

    with pytest.raises(ValueError, match="half way"):
        work()


def test_a_child_is_not_concerned() -> None:
    """What is started meanwhile can be ended as ever."""
    with undisturbed():
        child = subprocess.Popen((sys.executable, "-c", "input()"), stdin=subprocess.PIPE)
        child.terminate()
        assert child.wait(timeout=30) == -signal.SIGTERM
        assert child.stdin is not None
        child.stdin.close()


def test_another_thread_has_nothing_to_hold() -> None:
    """Handlers belong to the main thread: elsewhere the work is simply done."""
    done = []

    def work() -> None:
        with undisturbed():
            done.append(1)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [1]
