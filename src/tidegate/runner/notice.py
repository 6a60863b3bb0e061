"""Being told by the kernel, once, that something in the turn folder changed.

It lets a runner sleep until its next beat and still see a stop request, or the first byte of a
burst of output, at once. dnotify and not inotify: it comes with fcntl, it needs no instance of
which a user has only 128, and it fires once and is then silent, so a writer cannot keep a runner
busy. A kernel without it only means that the runner looks a few times a second.
"""

import fcntl
import os


class Notice:
    """One folder's notice. It arrives as SIGIO."""

    __slots__ = ("_descriptor", "is_armed")

    def __init__(self, folder: str) -> None:
        self._descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self.is_armed = False

    def arm(self) -> None:
        """Ask to be told of the next write or rename in the folder. What came before is missed."""
        try:
            fcntl.fcntl(self._descriptor, fcntl.F_NOTIFY, fcntl.DN_MODIFY | fcntl.DN_RENAME)
        except OSError:
            return
        self.is_armed = True

    def fired(self) -> None:
        """It came; the next one has to be asked for."""
        self.is_armed = False
