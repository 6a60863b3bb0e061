"""The mark of a process that was forked and not started.

/proc shows the environment that a program was started with: a piece of its memory, which stays as
it was whatever setenv does. So a server that will fork is started with room for a mark in it, and
each fork writes its own mark over that.
"""

import ctypes
import os

from tidegate.runner import process_table
from tidegate.runner.process_table import MARK_BYTES_MAX

_NAME = process_table.MARK.encode()


def find_room() -> None:
    """Find the place once, before anything has changed the environment. Raises OSError."""
    libc = ctypes.CDLL(None)
    libc.getenv.restype = ctypes.c_void_p
    place = libc.getenv(_NAME)
    if place is None or len(os.environb.get(_NAME, b"")) != MARK_BYTES_MAX:
        raise OSError("there is no room for a mark in the environment")
    _found.append(place)


def show(mark: bytes) -> None:
    """Have /proc show this mark of this process. Raises OSError where there is no room for it."""
    if not _found or len(mark) >= MARK_BYTES_MAX:
        raise OSError("there is no room for a mark in the environment")
    ctypes.memmove(_found[0], mark.ljust(MARK_BYTES_MAX, b"\0"), MARK_BYTES_MAX)


_found: list[int] = []
