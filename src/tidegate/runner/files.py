"""The turn folder: what its files are called, and how each is written so as never to be half there.

Both sides use it, the runner and the adapter. Whatever is killed at whatever moment, a reader finds
each file as it was or as it is meant to be, never something in between.
"""

import contextlib
import os

SPEC = "spec.json"
LOCK = "lock"
FENCE = "fence"
BEAT = "beat.json"
STOP = "stop"
STOPPING = "stopping.json"
EXIT = "exit.json"
STDOUT = "stdout"
STDERR = "stderr"
LOG = "runner.log"
"""What a runner that failed had to say; empty where all is well."""

_PRIVATE = 0o600


def read(folder: str, name: str) -> bytes | None:
    """The whole of a file of this folder; None where it is not there."""
    try:
        with open(f"{folder}/{name}", "rb", buffering=0) as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None


def exists(folder: str, name: str) -> bool:
    """Whether a file of this name is there."""
    return os.path.lexists(f"{folder}/{name}")


def replace(folder: str, name: str, content: bytes, *, durable: bool) -> None:
    """Put a file in place by rename; `durable` also gets it through a power cut. Raises OSError."""
    written = _write_aside(folder, name, content, durable=durable)
    os.rename(written, f"{folder}/{name}")
    if durable:
        sync(folder)


def create(folder: str, name: str, content: bytes, *, durable: bool) -> bool:
    """Put a file in place unless the name is taken: then nothing changes, and False."""
    written = _write_aside(folder, name, content, durable=durable)
    try:
        # A link, unlike a rename, never replaces: of two who create, one alone is told True.
        os.link(written, f"{folder}/{name}")
    except FileExistsError:
        return False
    finally:
        os.unlink(written)
    if durable:
        sync(folder)
    return True


def sync(path: str) -> None:
    """Have the disk hold what was written to this file, or which names this folder has."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write_aside(folder: str, name: str, content: bytes, *, durable: bool) -> str:
    """Write under a name that no other live process uses, and say which."""
    aside = f"{folder}/.{name}.{os.getpid()}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
    try:
        with open(os.open(aside, flags, _PRIVATE), "wb") as file:
            file.write(content)
            if durable:
                file.flush()
                os.fsync(file.fileno())
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(aside)
        raise
    return aside
