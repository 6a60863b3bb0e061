"""Texts beside the ledger, each named by the sha256 of what is stored, never overwritten.

A text is durable before its name is given out: an event may hold the name at once.
"""

import errno
import os
from contextlib import suppress
from pathlib import Path

from tidegate.core.digest import sha256_hex
from tidegate.core.errors import IntegrityError, refusal_of

_HEX = frozenset("0123456789abcdef")
_DIGEST_LENGTH = 64
_REFUSED = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM}
)


def content_of(text: str) -> bytes:
    """A text as it is stored; what UTF-8 cannot hold is written out."""
    return text.encode("utf-8", "backslashreplace")


def require_digest(digest: str) -> None:
    """Raise IntegrityError where this cannot be the name of a text."""
    if len(digest) != _DIGEST_LENGTH or not _HEX.issuperset(digest):
        raise IntegrityError(f"{digest[:80]!r} is not the sha256 of a text")


def text_of(digest: str, content: bytes, *, where: str) -> str:
    """The text that is stored under a name. Raises IntegrityError where it is another."""
    if sha256_hex(content) != digest:
        raise IntegrityError(
            f"the text {where} is not what its name says: it was changed after it was stored",
            hint="restore it from a backup, no other content can stand there;"
            " `tidegate fsck` says what else",
        )
    return content.decode("utf-8")


def read_plain(place: Path) -> bytes:
    """A text's file. Raises IntegrityError for what is none: a FIFO would keep us waiting."""
    if place.exists() and not place.is_file():
        raise IntegrityError(
            f"the text {place} is no plain file: what was stored there is gone",
            hint="move it away and restore the text from a backup; `tidegate fsck` says what else",
        )
    return place.read_bytes()


class Blobs:
    """The folder `blobs/`: `ab/cdef…` for the text whose digest is `abcdef…`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._staged = 0

    def put(self, text: str) -> str:
        """Store a text, whose secrets are masked already, durably; its digest.

        Raises Unavailable where the disk is full.
        """
        content = content_of(text)
        digest = sha256_hex(content)
        try:
            self._put(self._place(digest), content)
        except OSError as error:
            if error.errno not in _REFUSED:
                raise  # a failed sync is no state to go on from
            raise refusal_of(
                error.errno,
                f"a text could not be stored in {self._folder}: {error.strerror}",
                hint="make room on that disk, or make it writable",
            ) from error
        return digest

    def get(self, digest: str) -> str:
        """A stored text. Raises IntegrityError where it is gone or another."""
        require_digest(digest)
        place = self._place(digest)
        try:
            content = read_plain(place)
        except (FileNotFoundError, NotADirectoryError) as error:
            raise IntegrityError(
                f"the text {place} is gone",
                hint="restore it from a backup: it is named; `tidegate fsck` says what else",
            ) from error
        return text_of(digest, content, where=str(place))

    def _place(self, digest: str) -> Path:
        return self._folder / digest[:2] / digest[2:]

    def _put(self, place: Path, content: bytes) -> None:
        if place.exists():
            text_of(place.parent.name + place.name, read_plain(place), where=str(place))
        else:
            self._add(place, content)
        sync_folder(place.parent)

    def _add(self, place: Path, content: bytes) -> None:
        self._make_folder(place.parent)
        self._staged += 1
        staged = place.parent / f".{place.name[:8]}.{os.getpid()}.{self._staged}"
        try:
            _write_durably(staged, content)
            with suppress(FileExistsError):  # the same text, stored by another process meanwhile
                os.link(staged, place)
        finally:
            staged.unlink(missing_ok=True)

    def _make_folder(self, folder: Path) -> None:
        if folder.is_dir():
            return
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        sync_folder(folder.parent)
        sync_folder(folder.parent.parent)


def _write_durably(path: Path, content: bytes) -> None:
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
