"""Ending processes until none is left: TERM to each, a grace, KILL, and a limit to all of it."""

import signal
import time
from collections.abc import Callable, Sequence

from tidegate.runner.process_table import Process, send

ROUND_S = 0.02
KILL_MAX_S = 10.0
"""How long after the grace a process may take to die. It is longer only in the kernel's own hands:
on a dead network mount, say."""

_FIRST_ROUND_S = 0.002


def end_all(
    survivors: Callable[[], Sequence[Process]],
    *,
    grace_s: float,
    kill_max_s: float,
    pause: Callable[[float], object],
) -> tuple[set[int], tuple[int, ...]]:
    """End whatever `survivors` finds, time and again; which pids were signalled, which still live.

    It is asked anew in each round, since the dying go on to start others. `pause` waits for about
    so many seconds.
    """
    began_s = time.monotonic()
    told: set[tuple[int, int]] = set()
    round_s = _FIRST_ROUND_S
    while living := survivors():
        elapsed_s = time.monotonic() - began_s
        for process in living:
            name = (process.pid, process.start_ticks)
            if elapsed_s >= grace_s:
                send(process, signal.SIGKILL)
            elif name not in told:
                send(process, signal.SIGTERM)
            told.add(name)
        if elapsed_s > grace_s + kill_max_s:
            break  # never before each was signalled: among many, to find them takes long by itself
        pause(round_s)
        round_s = min(ROUND_S, 2 * round_s)
    return {pid for pid, _ in told}, tuple(sorted(process.pid for process in living))
