"""Read what another process may have tampered with: regular files only, never a link, never a wait.

An agent can put a link, a pipe, a device or a gigabyte where git keeps forty bytes. Nothing here
follows a link, blocks on a pipe or reads past a limit; what is not as it should be is `Tampered`.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager

_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FOLDER = _FILE | os.O_DIRECTORY


class Tampered(Exception):
    """Something in a workspace is not what git leaves there. Becomes a violation of the harvest."""

    def __init__(self, code: str, path: str, detail: str) -> None:
        super().__init__(f"{path}: {detail}")
        self.code = code
        self.path = path
        self.detail = detail


class Missing(Tampered):
    """There is nothing where something was expected, or was a moment ago."""


@contextmanager
def folder(path: str, *, within: int | None = None) -> Iterator[int]:
    """Open a real folder, not a link to one, and give its descriptor."""
    try:
        descriptor = os.open(path, _FOLDER, dir_fd=within)
    except FileNotFoundError as error:
        raise Missing("missing", path, "is not there") from error
    except OSError as error:
        raise Tampered("not_a_folder", path, f"is not a folder ({error.strerror})") from error
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def exists(name: str, *, within: int) -> bool:
    """Tell whether there is anything of that name, a dangling link included."""
    try:
        os.lstat(name, dir_fd=within)
    except FileNotFoundError:
        return False
    return True


def content(name: str, *, within: int, bytes_max: int, shown: str = "") -> bytes | None:
    """Return the bytes of a regular file, or None where there is nothing of that name.

    `shown` is the path that an error names, where the name alone would not tell.
    """
    shown = shown or name
    try:
        descriptor = os.open(name, _FILE, dir_fd=within)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Tampered("not_a_file", shown, f"cannot be read ({error.strerror})") from error
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise Tampered("not_a_file", shown, "is not a regular file")
        # A buffer of the file's size: most are of forty bytes, and there may be many thousands.
        return _whole(descriptor, shown, bytes_max, at_once=status.st_size + 1)
    finally:
        os.close(descriptor)


def _whole(descriptor: int, shown: str, bytes_max: int, *, at_once: int) -> bytes:
    """Read to the end. The size is no guide: the file may grow while it is read."""
    parts: list[bytes] = []
    left = bytes_max + 1
    while left > 0 and (part := os.read(descriptor, min(left, at_once))):
        parts.append(part)
        left -= len(part)
    if left <= 0:
        raise Tampered("too_large", shown, f"is larger than {bytes_max} bytes")
    return b"".join(parts)
