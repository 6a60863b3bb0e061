"""The turn folder's lock: held by its runner from before the agent's start until after its record.

It is an open-file-description lock. Other than flock it can be asked about without being taken,
and other than a classic record lock it is not lost when somebody else in the process closes the
file. The kernel lets go of it when the holder dies, however it dies. A probe must never take it:
that would turn away a runner which is just starting.
"""

import fcntl
import os
import struct

from tidegate.runner import files

# struct flock: type, whence, start, length (0: all of the file), pid (0 for this kind of lock).
_FLOCK = struct.Struct("hhqqi0q")
_WHOLE_FILE = _FLOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)


def take(folder: str) -> int:
    """Wait until the lock is ours; it is for as long as the descriptor is open. Raises OSError."""
    descriptor = _open(folder)
    fcntl.fcntl(descriptor, fcntl.F_OFD_SETLKW, _WHOLE_FILE)
    return descriptor


def try_take(folder: str) -> int | None:
    """Take the lock if nobody has it; None if somebody does. Raises OSError."""
    descriptor = _open(folder)
    try:
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, _WHOLE_FILE)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def is_held(folder: str) -> bool:
    """Whether anybody holds the lock, asked without taking it."""
    try:
        descriptor = os.open(f"{folder}/{files.LOCK}", os.O_RDONLY | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return False
    try:
        answer = fcntl.fcntl(descriptor, fcntl.F_OFD_GETLK, _WHOLE_FILE)
    finally:
        os.close(descriptor)
    kind: int = _FLOCK.unpack(answer)[0]
    return kind != fcntl.F_UNLCK


def _open(folder: str) -> int:
    # Close-on-exec: an agent that inherited the descriptor would hold the lock past its runner.
    return os.open(f"{folder}/{files.LOCK}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
