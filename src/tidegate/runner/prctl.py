"""Two requests to the kernel that have no name in the standard library.

What ctypes is made of makes these calls as well as ctypes does, without 0.3 MB and 2 ms for the
making of types.
"""

import _ctypes
import signal

_SET_PARENT_DEATH_SIGNAL = 1
_SET_CHILD_SUBREAPER = 36


def become_subreaper() -> None:
    """Have every orphan among the descendants become our child, so that none escapes the sweep."""
    if _prctl(_SET_CHILD_SUBREAPER, 1) != 0:
        raise OSError("the runner cannot become the reaper of its orphans")


def die_with_parent() -> None:
    """Be killed when the parent ends, however it ends.

    One that has ended before is not noticed: ask afterwards who the parent is.
    """
    if _prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL) != 0:
        raise OSError("the kernel would not tie a process to its parent")


def _prctl(option: int, value: int) -> int:
    this_program = _ctypes.dlopen(None, 0)  # type: ignore[arg-type]  # as ctypes.CDLL(None) does
    prctl = _ctypes.dlsym(this_program, "prctl")
    answer: int = _ctypes.call_function(prctl, (option, value, 0, 0, 0))
    return answer
