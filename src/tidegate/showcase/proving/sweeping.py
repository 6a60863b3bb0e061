"""Ending all that a made world started. It asks nobody's leave: the world is about to go."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tidegate.showcase.proving import sight
from tidegate.showcase.proving.child import pause
from tidegate.showcase.proving.world import World

_LOOKS_MAX = 600
_LOOK_S = 0.05


def end_all(world: World) -> None:
    """End every process of this world: turns by their marks, others by their command line."""
    for _ in range(_LOOKS_MAX):
        left = {*sight.marked(world.home), *sight.of_folder(world.folder)}
        for pid in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if not left:
            return
        pause(_LOOK_S)


@contextmanager
def undisturbed() -> Iterator[None]:
    """No signal ends this half-way; what came meanwhile is delivered afterwards."""
    before = signal.pthread_sigmask(
        signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    )
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
