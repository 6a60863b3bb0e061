"""The turn folder's lock: held by its runner from before the agent's start until after its record.

It is an open-file-description lock. Other than flock it can be asked about without being taken,
and other than a classic record lock it is not lost when somebody else in the process closes the
file. The kernel lets go of it when the holder dies, however it dies. A probe must never take it:
that would turn away a runner which is just starting.
"""

import errno
import fcntl
import os
import stat
import struct

from tidegate.runner import files

# struct flock: type, whence, start, length (0: all of the file), pid (0 for this kind of lock).
_FLOCK = struct.Struct("hhqqi0q")
_WHOLE_FILE = _FLOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)

# Close-on-exec: an agent that inherited the descriptor would hold the lock past its runner. And a
# FIFO in the lock's place would have whoever opens it wait for ever.
_FLAGS = os.O_CLOEXEC | os.O_NONBLOCK


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
        descriptor = os.open(f"{folder}/{files.LOCK}", os.O_RDONLY | _FLAGS)
    except (FileNotFoundError, NotADirectoryError):
        return False
    try:
        if not _is_plain(descriptor):
            return False  # nobody could take it
        answer = fcntl.fcntl(descriptor, fcntl.F_OFD_GETLK, _WHOLE_FILE)
    finally:
        os.close(descriptor)
    kind: int = _FLOCK.unpack(answer)[0]
    return kind != fcntl.F_UNLCK


def _open(folder: str) -> int:
    path = f"{folder}/{files.LOCK}"
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | _FLAGS, 0o600)
    if not _is_plain(descriptor):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is no plain file, move it away", path)
    return descriptor


def _is_plain(descriptor: int) -> bool:
    return stat.S_ISREG(os.fstat(descriptor).st_mode)
