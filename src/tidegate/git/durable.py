"""Make what was written survive a power cut, before anybody is told that it happened.

Git writes objects and refs without syncing folders; one `syncfs` after all of it is what was found
to keep both, for two milliseconds. A sync that fails is the end: the kernel has already dropped the
pages, so asking again would be answered with a lie.
"""

import os

from tidegate.core.errors import IntegrityError


def sync_file_system(path: str) -> None:
    """Write out everything pending on the file system that holds `path`."""
    import ctypes  # noqa: PLC0415 - a controller writes files only, and has no need of 0.4 MB

    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.syncfs(descriptor) != 0:
            error = os.strerror(ctypes.get_errno())
            raise IntegrityError(
                f"the file system of {path} could not be written out ({error})",
                hint="what was last done there may be lost; check the disk before going on",
            )
    finally:
        os.close(descriptor)


def sync_file(path: str) -> None:
    """Write out one file's content."""
    descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(path: str) -> None:
    """Write out the entries of one folder: a rename is not kept before that."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_file(path: str, content: bytes, *, is_durable: bool = True) -> None:
    """Put a whole file in place by rename, so that nobody ever reads a part of it.

    Unless it is durable a power cut may take it: so for what nobody would look for after that.
    """
    unfinished = f"{path}.{os.getpid()}.new"
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        if is_durable:
            file.flush()
            os.fsync(file.fileno())
    os.rename(unfinished, path)
    if is_durable:
        sync_folder(os.path.dirname(path))
