"""Publish a file once and for good: write aside, sync, read back, move without overwriting.

The order is the one that survives a power cut (a rename without the folder's sync is lost, a file
without its own sync comes back empty). A failed sync is never retried: the kernel has dropped the
pages already, so the process must end and recover.
"""

import os
from pathlib import Path

from tidegate.core.digest import sha256_hex
from tidegate.core.errors import IntegrityError, Unavailable


class FileStore:
    """Artifacts as files. The folder of a path is made where it does not exist."""

    def promote(self, path: str, text: str, *, digest: str) -> None:
        """See ports.store.Store."""
        place, content = Path(path), text.encode()
        if sha256_hex(content) != digest:
            raise IntegrityError(f"{path} is not what was intended to be published")
        if place.exists():
            _compare(place, digest)
            _sync_folder(place.parent)  # whoever moved it there may have died before this
            return
        _make_folder(place.parent)
        staged = place.with_name(f".{place.name}.{os.getpid()}")
        _write(staged, content)
        try:
            os.link(staged, place)
        except FileExistsError:
            _compare(place, digest)
        finally:
            staged.unlink()
        _sync_folder(place.parent)


def _make_folder(path: Path) -> None:
    """Make a folder, and those above it that are missing, so that a power cut leaves them."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(exist_ok=True)
        _sync_folder(folder.parent)


def _write(path: Path, content: bytes) -> None:
    path.unlink(missing_ok=True)
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        _sync(file.fileno(), path)
    if path.read_bytes() != content:
        raise IntegrityError(f"{path} reads back otherwise than it was written")


def _compare(path: Path, digest: str) -> None:
    if sha256_hex(path.read_bytes()) != digest:
        raise IntegrityError(
            f"{path} holds another artifact than the ledger intends",
            hint="move it aside and run again; nothing is overwritten",
        )


def _sync(descriptor: int, path: Path) -> None:
    try:
        os.fsync(descriptor)
    except OSError as error:
        raise Unavailable(f"{path} could not be made durable ({error})") from error


def _sync_folder(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        _sync(descriptor, path)
    finally:
        os.close(descriptor)
