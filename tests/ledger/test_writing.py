"""Writing: at once exclusive, whole or not at all, and in the process that opened the ledger."""

import os
import signal
import sqlite3
import sys
from pathlib import Path

import pytest

from tests.ledger.desks import sit
from tidegate.core.errors import IntegrityError, NoRoom, Unavailable
from tidegate.ledger import append
from tidegate.ledger.chain import verify_chain
from tidegate.ledger.faults import translation
from tidegate.ledger.sqlite import SqliteLedger
from tidegate.ledger.writer import SqliteTables
from tidegate.ports.ledger import Batch
from tidegate.testing.ledger_backend import BUILD, Desk
from tidegate.testing.ledger_history import RUN, UTC


def test_nobody_writes_between_a_reading_and_its_write(tmp_path: Path) -> None:
    """G4-01, C089: a transaction is exclusive before it reads: its write never comes too late."""
    ledger, desk = sit(tmp_path)
    stranger = sqlite3.connect(tmp_path / "ledger.db", isolation_level=None, timeout=0)
    refused = []

    def slip_in(statement: str) -> None:
        if statement.startswith("insert into lane"):
            try:
                stranger.execute("update run set reason = 'mine'")
            except sqlite3.OperationalError as error:
                refused.append(str(error))

    ledger._connection.set_trace_callback(slip_in)
    desk.write(desk.history.opened("001"))
    ledger._connection.set_trace_callback(None)
    assert set(refused) == {"database is locked"}
    assert ledger.runs()[0]["reason"] is None
    stranger.close()
    ledger.close()


def test_a_full_disk_leaves_nothing_half_written(tmp_path: Path) -> None:
    """G4-07: on a full disk a commit is refused whole, and works again when there is room."""
    ledger, desk = sit(tmp_path)
    desk.write(*desk.history.begun("001", BUILD))
    before = desk.snapshot()
    connection = ledger._connection
    pages = connection.execute("pragma page_count").fetchone()[0]
    connection.execute(f"pragma max_page_count = {pages + 2}")
    entries = [desk.history.opened(f"1{number:03}") for number in range(200)]
    with pytest.raises(Unavailable, match=r"full.*make room"):
        desk.write(*entries)
    assert not connection.in_transaction
    assert desk.snapshot() == before
    connection.execute("pragma max_page_count = 1000000")
    desk.write(*entries)
    assert verify_chain(ledger, RUN) is None
    ledger.close()


def test_a_limit_on_file_size_is_a_full_disk(tmp_path: Path) -> None:
    """G4-07: the same where the system itself refuses to let the log grow."""
    ledger, desk = sit(tmp_path)
    before = desk.snapshot()
    import resource  # noqa: PLC0415 - only here

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    entries = [desk.history.opened(f"{number:04}") for number in range(500)]
    resource.setrlimit(resource.RLIMIT_FSIZE, (ledger.log_size_bytes() + 4096, hard))
    try:
        with pytest.raises(Unavailable):
            desk.write(*entries)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, ignored)
    assert desk.snapshot() == before
    desk.write(*entries)
    assert verify_chain(ledger, RUN) is None
    ledger.close()


@pytest.mark.parametrize(
    "statement",
    [
        "update event set actor = 'nobody'",
        "delete from event",
        "insert or replace into event select * from event where sequence = 2",
        "replace into event select * from event where sequence = 3",
        "update heartbeat set utc = ''",
        "delete from heartbeat",
    ],
)
def test_events_are_only_added(statement: str, tmp_path: Path) -> None:
    """C091: no event and no heartbeat is changed, removed or replaced, also by who has a shell."""
    ledger, desk = sit(tmp_path)
    desk.write(*desk.history.begun("001", BUILD))
    desk.write(leases=(desk.history.grant(BUILD),))
    desk.write(leases=(desk.history.renewal(BUILD, 1),))
    before = desk.snapshot()
    shell = sqlite3.connect(tmp_path / "ledger.db", isolation_level=None)
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        shell.execute(statement)
    shell.close()
    assert desk.snapshot() == before
    ledger.close()


def test_a_ledger_is_not_used_after_a_fork(tmp_path: Path) -> None:
    """G4-05: a child that inherits an open ledger is refused each use; the parent goes on."""
    ledger, desk = sit(tmp_path)
    child = os.fork()
    if child == 0:
        os._exit(_refused_in_child(desk))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    desk.write(*desk.history.begun("001", BUILD))
    assert verify_chain(ledger, RUN) is None
    ledger.close()


def _refused_in_child(desk: Desk) -> int:
    ledger = desk.ledger
    assert isinstance(ledger, SqliteLedger)
    uses = (
        lambda: desk.write(desk.history.opened("001")),
        lambda: list(ledger.read(RUN)),
        lambda: ledger.summary(RUN),
        lambda: ledger.head(RUN),
        lambda: ledger.put_text("x"),
        ledger.checkpoint,
        ledger.close,
    )
    for use in uses:
        try:
            use()
        except RuntimeError:
            continue
        return 1
    return 0


def test_no_child_inherits_the_ledger(tmp_path: Path) -> None:
    """G4-05: no descriptor of the ledger is left open in a program that is started."""
    ledger, desk = sit(tmp_path)
    desk.write(desk.history.opened("001"))
    held = [
        int(link.name)
        for link in Path("/proc/self/fd").iterdir()
        if link.is_symlink() and str(link.readlink()).startswith(str(tmp_path))
    ]
    assert len(held) >= 4  # the file, its log, its index, the lock, the folder
    assert not any(os.get_inheritable(descriptor) for descriptor in held)
    ledger.close()


def test_the_log_is_empty_after_the_last_one(tmp_path: Path) -> None:
    """Who closes the ledger last leaves one file that is complete by itself."""
    ledger, desk = sit(tmp_path)
    desk.write(desk.history.opened("001"))
    ledger.close()
    assert not (tmp_path / "ledger.db-wal").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ledger.db", "ledger.lock"]


def test_nothing_is_committed_by_an_interruption(tmp_path: Path) -> None:
    """An interruption inside a transaction undoes it, and the next one works."""
    ledger, desk = sit(tmp_path)
    before = desk.snapshot()
    drafts = append.drafts_of(Batch(entries=(desk.history.opened("001"),)))

    def interrupted(tables: SqliteTables) -> None:
        append.commit(tables, desk.fence, drafts, ())
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        ledger._writing()._transact(interrupted)
    assert desk.snapshot() == before
    desk.write(*(draft.entry for draft in drafts))
    ledger.close()


def _error(code: int) -> sqlite3.Error:
    error = sqlite3.OperationalError("as SQLite says it")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (sqlite3.SQLITE_FULL, NoRoom),
        (sqlite3.SQLITE_BUSY, Unavailable),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, Unavailable),
        (sqlite3.SQLITE_IOERR_WRITE, Unavailable),
        (sqlite3.SQLITE_READONLY_DBMOVED, Unavailable),
        (sqlite3.SQLITE_CANTOPEN, Unavailable),
        (sqlite3.SQLITE_PROTOCOL, Unavailable),
        (sqlite3.SQLITE_IOERR_FSYNC, IntegrityError),
        (sqlite3.SQLITE_IOERR_DIR_FSYNC, IntegrityError),
        (sqlite3.SQLITE_CORRUPT, IntegrityError),
        (sqlite3.SQLITE_NOTADB, IntegrityError),
        (sqlite3.SQLITE_CONSTRAINT_NOTNULL, IntegrityError),
    ],
)
def test_an_error_says_whether_to_try_again(code: int, kind: type, tmp_path: Path) -> None:
    """What passes may be tried again; a sync that failed or a damaged file must not be."""
    told = translation(_error(code), tmp_path / "ledger.db")
    assert type(told) is kind
    assert "ledger.db" in str(told)


def test_after_a_failed_sync_nothing_is_written(tmp_path: Path) -> None:
    """A writer whose disk did not confirm a commit writes nothing more; reading goes on."""
    ledger, desk = sit(tmp_path)
    writer = ledger._writing()
    with pytest.raises(IntegrityError, match="did not confirm"):
        writer._undo(_error(sqlite3.SQLITE_IOERR_FSYNC))
    with pytest.raises(IntegrityError, match="did not confirm"):
        desk.write(desk.history.opened("001"))
    assert len(list(ledger.read(RUN))) == 1
    ledger.close()


def test_the_ledger_is_opened_by_nothing_but_sqlite(tmp_path: Path) -> None:
    """G4-04: closing any other descriptor of the file would drop SQLite's locks on it."""
    watched = tmp_path / "tidegate"
    opened: list[str] = []
    active = True

    def hear(event: str, arguments: tuple[object, ...]) -> None:
        if active and event == "open" and str(arguments[0]).startswith(str(watched / "ledger.db")):
            opened.append(str(arguments[0]))

    sys.addaudithook(hear)
    ledger, desk = sit(watched)
    desk.write(*desk.history.begun("001", BUILD))
    ledger.put_text("x")
    ledger.checkpoint()
    ledger.log_size_bytes()
    with SqliteLedger.open(watched) as second, SqliteLedger.open_read_only(watched) as reader:
        assert second.summary(RUN) == reader.summary(RUN)
        list(reader.read(RUN))
    desk.write(desk.history.opened("002"))
    ledger.close()
    active = False
    assert opened == []


def test_sqlite_keeps_its_locks_through_a_look(tmp_path: Path) -> None:
    """G4-04: opening the ledger once more in this process takes no lock from the first opening."""
    ledger, _ = sit(tmp_path)
    connection = ledger._connection
    connection.execute("begin immediate")
    with pytest.raises(Unavailable):
        _open_at_once(tmp_path)
    program = (
        "import sqlite3, sys\n"
        "try: sqlite3.connect(sys.argv[1], timeout=0).execute('begin immediate')\n"
        "except sqlite3.OperationalError as error: print(error)"
    )
    import subprocess  # noqa: PLC0415 - only here

    answer = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "ledger.db")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout == "database is locked\n"
    connection.execute("rollback")
    ledger.close()


def _open_at_once(folder: Path) -> None:
    ledger = SqliteLedger.open(folder)
    try:
        ledger._connection.execute("pragma busy_timeout = 0")
        ledger.take_over(RUN, holder="h", utc=UTC)
    finally:
        ledger.close()
