"""The runner's signals: all are held back, three are picked up one by one, none interrupts it.

The adapter starts a runner with every signal blocked, so that there is no moment in which one could
end it half-way. A terminal's ^C, its hang-up and its stop reach nobody here: the runner leads a
session of its own. SIGKILL and SIGSTOP cannot be held back.
"""

import signal

_PICKED_UP = (signal.SIGCHLD, signal.SIGTERM, signal.SIGIO)


def everything() -> set[signal.Signals]:
    """All signals whose handling a process can choose."""
    return signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}


def hold_back() -> None:
    """Block every signal, and make sure that ended children are kept until they are reaped."""
    signal.pthread_sigmask(signal.SIG_BLOCK, everything())
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)


def next_within(timeout_s: float) -> int | None:
    """Wait for one of the three, in active time; None when the time is over."""
    received = signal.sigtimedwait(_PICKED_UP, max(0.0, timeout_s))
    return None if received is None else received.si_signo


def is_asked_to_end() -> bool:
    """Whether a SIGTERM is waiting to be picked up."""
    return signal.SIGTERM in signal.sigpending()
