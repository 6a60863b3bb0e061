"""SQLite's errors in the project's words: what happened, to which file, and what to do now."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tidegate.core.errors import IntegrityError, NoRoom, TidegateError, refusal_of

_PRIMARY = 0xFF
"""The low byte of an extended result code is the plain one."""

_PROBE_BYTES = 1 << 18
"""About what a commit writes: less may well find room where that does not."""
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_SYNC_FAILED = frozenset({sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_DIR_FSYNC})
_HINTS = {
    sqlite3.SQLITE_FULL: "make room on that disk; nothing of this was recorded",
    sqlite3.SQLITE_BUSY: "another program writes to the ledger without taking its turn: end it",
    sqlite3.SQLITE_LOCKED: "another program writes to the ledger without taking its turn: end it",
    sqlite3.SQLITE_READONLY: "make the ledger's folder and files writable for this user",
    sqlite3.SQLITE_CANTOPEN: "check that the ledger's folder is there and may be read",
    sqlite3.SQLITE_PROTOCOL: "run any reading command as the ledger's owner once",
    sqlite3.SQLITE_IOERR: "check that disk; nothing of this is acknowledged",
}


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Raise the project's errors in place of SQLite's."""
    try:
        yield
    except sqlite3.Error as error:
        raise translation(error, path) from error


def translation(error: sqlite3.Error, path: Path) -> TidegateError:
    """Unavailable where trying later may help; IntegrityError where it must not be tried."""
    code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    if is_failed_sync(error):
        return IntegrityError(
            f"the disk did not confirm what was written to {path} ({error})",
            hint="end this process: what it believes of the ledger may not be on the disk",
        )
    if code & _PRIMARY in _DAMAGED:
        return IntegrityError(
            f"{path} is damaged or no ledger ({error})",
            hint="copy the folder away as it is; `tidegate fsck` says what is wrong;"
            " then restore a backup",
        )
    hint = _HINTS.get(code & _PRIMARY)
    if hint is not None:
        said = f"the ledger {path} cannot be used just now ({error})"
        if code & _PRIMARY == sqlite3.SQLITE_FULL:
            return NoRoom(said, hint=hint)
        errno = _asked(path) if code == sqlite3.SQLITE_IOERR_WRITE else None
        return refusal_of(errno, said, hint=hint)
    return IntegrityError(f"the ledger {path} refused a statement ({error})")


def _asked(path: Path) -> int | None:
    """Why nothing can be written beside the ledger; None where something can.

    SQLite has a code for a full disk alone: a full quota, a limit on files and a broken disk are
    one code to it, and to us they are not one thing.
    """
    probe = path.with_name(f"{path.name}.probe")
    try:
        with probe.open("wb") as file:
            file.write(bytes(_PROBE_BYTES))
            file.flush()
            os.fsync(file.fileno())
    except OSError as failure:
        return failure.errno
    finally:
        with suppress(OSError):
            probe.unlink()
    return None


def is_failed_sync(error: sqlite3.Error) -> bool:
    """Whether the disk did not confirm what was written."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) in _SYNC_FAILED


def is_of_the_disk(error: sqlite3.Error) -> bool:
    """Whether a statement failed for what it stands on, and not for what it says."""
    code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    return code & _PRIMARY in _HINTS


def keep_open(connection: sqlite3.Connection) -> None:
    """Never let this connection be closed, not even when it is forgotten.

    Closing writes the log into the file and syncs both: into another file where ours was taken
    away, and once more where a sync has failed, which the kernel answers with a lie.
    """
    import ctypes  # noqa: PLC0415 - only where something is wrong with the ledger

    ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))
