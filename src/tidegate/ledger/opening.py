"""Opening the ledger's file: what must be true before anybody writes to it, or reads from it.

A file of a later version, or one that is no ledger, is told by looking alone: not a byte changes.
Inside this process the file is opened by SQLite and by nothing else, since closing any other
descriptor of it would drop SQLite's locks.
"""

import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from tidegate.core.errors import IntegrityError, NotReady
from tidegate.ledger.blobs import sync_folder
from tidegate.ledger.faults import is_failed_sync, keep_open, translated
from tidegate.ledger.filesystem import require_local
from tidegate.ledger.lock import WriteLock
from tidegate.ledger.migration import (
    APPLICATION_ID,
    Step,
    load_steps,
    migrate,
    version_of,
)
from tidegate.ports.repository import HUB

FILE = "ledger.db"
LOCK = "ledger.lock"
BUSY_MAX_S = 5.0
"""Only programs that do not take the write lock, and checkpoints, make a writer wait for this."""
SQLITE_MIN = (3, 37, 0)
LOG_KEPT_BYTES = 16_000_000
"""What is left of a log that a reader had let grow, once the reader is gone and it begins anew."""
_STATEMENTS_MAX = 256
_FULL = 2
SIDES = ("-wal", "-shm")
RESCUED = ".rescued"
"""Ends the name of the copy that is made when the ledger is lost while it is open."""
TRACES = ("blobs", "runs", HUB)
"""What is filled beside the ledger only once there is something in it."""


def open_writer(
    folder: Path, lock: WriteLock, steps: Sequence[Step] | None = None
) -> sqlite3.Connection:
    """A connection that may write, to a ledger of this version; made where there was none.

    Raises NotReady (later version), IntegrityError (no ledger, or a schema that cannot be brought
    to this version), Unavailable.
    """
    known = load_steps() if steps is None else steps
    path = folder / FILE
    _require_known(path, known)
    lock.acquire()
    try:
        with translated(path):
            connection = _connect(f"file:{_quoted(path)}")
            try:
                make_durable(connection)
                migrate(connection, path, known)
            except BaseException as error:
                _let_go(connection, error)
                raise
    finally:
        lock.release()
    return connection


def _let_go(connection: sqlite3.Connection, error: BaseException) -> None:
    """Close a connection that came to nothing, unless that would sync what could not be synced."""
    if isinstance(error, sqlite3.Error) and is_failed_sync(error):
        keep_open(connection)
    else:
        connection.close()


def open_reader(folder: Path, steps: Sequence[Step] | None = None) -> sqlite3.Connection:
    """A connection that cannot write and, for another user's ledger, makes no file either.

    Raises NotReady (no ledger, another version, not readable), IntegrityError (no ledger's file).
    """
    known = load_steps() if steps is None else steps
    path = folder / FILE
    version = _require_known(path, known)
    if version == 0:
        raise NotReady(f"there is no ledger in {folder}", hint="`tidegate run` makes one")
    if version < len(known):
        raise NotReady(
            f"{path} is a ledger of version {version}; this Tidegate reads version {len(known)}",
            hint="`tidegate run` brings it up to date, with a copy beside it",
        )
    with translated(path):
        return _connect(f"file:{_quoted(path)}?mode=ro" if _is_ours(path) else _traceless(path))


def require_sqlite(version: tuple[int, ...]) -> None:
    """Raise NotReady where Python brings an SQLite that does not know STRICT tables."""
    if version < SQLITE_MIN:
        raise NotReady(
            f"this Python has SQLite {'.'.join(map(str, version))}, and the ledger needs"
            f" {'.'.join(map(str, SQLITE_MIN))} or newer",
            hint="use a Python that was built with a newer SQLite",
        )


def make_durable(connection: sqlite3.Connection) -> None:
    """Set what keeps an acknowledged transaction over a power cut, and see that it is set."""
    mode = connection.execute("pragma journal_mode = wal").fetchone()[0]
    connection.execute("pragma synchronous = full")
    connection.execute("pragma trusted_schema = off")
    connection.execute(f"pragma journal_size_limit = {LOG_KEPT_BYTES}")
    require_durable(connection, mode)


def require_durable(connection: sqlite3.Connection, mode: str) -> None:
    """Raise NotReady unless the journal is a WAL and every commit is synced."""
    synchronous = connection.execute("pragma synchronous").fetchone()[0]
    if mode != "wal" or synchronous != _FULL:
        raise NotReady(
            f"SQLite cannot keep the ledger safe here (journal {mode}, synchronous {synchronous})",
            hint="keep the repository on a local disk that supports shared memory files",
        )


def refuse_lost(path: Path) -> None:
    """Raise IntegrityError where a file is gone or empty that was a ledger.

    Begun anew, it would have everything done again. SQLite is not asked: it would throw away the
    log of a file that is empty.
    """
    rescued = path.with_name(path.name + RESCUED)
    if rescued.exists():
        raise IntegrityError(
            f"{rescued} is what was recorded when {path.name} was lost",
            hint=f"put it in the place of {path.name}, whose side files go, or move it away",
        )
    trace = _trace_beside(path)
    if path.exists() and not path.is_file():
        raise IntegrityError(
            f"{path} is no file: no ledger can be read from it", hint=_restore(path)
        )
    if path.exists() and path.stat().st_size:
        return
    if trace is not None:
        raise _lost(path, "empty" if path.exists() else "gone", trace)


def _trace_beside(path: Path) -> Path | None:
    """What an earlier run has left beside a ledger, None where there is nothing.

    It is filled after the ledger is made: whoever looks for it first and at the ledger then cannot
    take one for lost that another process was making.
    """
    places = (path.with_name(name) for name in TRACES)
    return next((place for place in places if _is_filled(place)), None)


def _lost(path: Path, how: str, trace: Path) -> IntegrityError:
    return IntegrityError(f"{path} is {how}, and {trace} is of an earlier run", hint=_restore(path))


def _restore(path: Path) -> str:
    return f"restore the file from a `tidegate backup`, or move {path.parent} aside to begin anew"


def is_whole(path: Path, *, is_alone: bool = False) -> bool:
    """Whether a ledger can be read from end to end by somebody who has nothing of it in memory.

    SQLite itself takes what a log lacks for zeros, and a page of zeros for a damaged one. A file
    that `is_alone` has no log and gets no side files.
    """
    how = "mode=ro&immutable=1" if is_alone else "mode=ro"
    try:
        connection = _connect(f"file:{_quoted(path)}?{how}")
        try:
            (said,) = connection.execute("pragma integrity_check(1)").fetchone()
        finally:
            connection.close()
    except sqlite3.Error:
        return False
    return str(said) == "ok"


def prepare_folder(folder: Path) -> None:
    """Make the ledger's folder. Raises NotReady where no ledger can be kept in it."""
    try:
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True)
            sync_folder(folder.parent)
    except OSError as error:
        raise NotReady(f"{folder} cannot be made: {error.strerror}") from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise NotReady(
            f"{folder} is not writable for this user",
            hint="run as the user who owns the repository",
        )
    require_local(folder)


def _connect(uri: str) -> sqlite3.Connection:
    return sqlite3.connect(
        uri,
        uri=True,
        timeout=BUSY_MAX_S,
        isolation_level=None,
        cached_statements=_STATEMENTS_MAX,
    )


def _quoted(path: Path) -> str:
    """A path as SQLite's file names in URIs have it."""
    return str(path.absolute()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _is_ours(path: Path) -> bool:
    return path.stat().st_uid == os.geteuid() and os.access(path.parent, os.W_OK)


def _traceless(path: Path) -> str:
    """How to read without making a file: the owner's side files must not become another user's.

    Without a WAL the file is complete by itself; with one, its index is only read. The owner also
    makes the index anew: a writer that was killed may have left one that fits no log.
    """
    has_wal, has_index = (path.with_name(path.name + side).exists() for side in SIDES)
    if not has_wal:
        return f"file:{_quoted(path)}?mode=ro&immutable=1"
    if _is_ours(path):
        return f"file:{_quoted(path)}?mode=ro"
    if has_index:
        return f"file:{_quoted(path)}?mode=ro&readonly_shm=1"
    raise NotReady(
        f"{path}-shm is missing, and only the ledger's owner may make it",
        hint="run any reading command as the owner once",
    )


def _require_known(path: Path, steps: Sequence[Step]) -> int:
    """The version of a file, 0 where there is none, by a look that does not change it.

    Raises where this program must not touch it.
    """
    require_sqlite(sqlite3.sqlite_version_info)
    trace = _trace_beside(path)
    refuse_lost(path)
    if not path.exists():
        return 0
    with translated(path):
        connection = _connect(_traceless(path))
        try:
            version = version_of(connection)
            application = connection.execute("pragma application_id").fetchone()[0]
            has_tables = connection.execute("select count(*) from sqlite_schema").fetchone()[0]
        finally:
            connection.close()
    if version > len(steps):
        raise NotReady(
            f"{path} is a ledger of version {version}; this Tidegate knows versions up to"
            f" {len(steps)}",
            hint="upgrade Tidegate; the file was not touched",
        )
    if application != APPLICATION_ID and (has_tables or version):
        raise IntegrityError(
            f"{path} is an SQLite file of another program",
            hint="move it away; the ledger's folder is Tidegate's own",
        )
    if version < 0 or (version == 0 and has_tables):
        raise IntegrityError(
            f"{path} says that it is of version {version}, which no ledger is; this Tidegate"
            f" knows versions up to {len(steps)}",
            hint=_restore(path),
        )
    if version == 0 and trace is not None:
        raise _lost(path, "a database with nothing in it", trace)
    return version


def _is_filled(folder: Path) -> bool:
    return folder.is_dir() and any(folder.iterdir())
