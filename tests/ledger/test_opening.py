"""Opening: what is no ledger of this version is left alone, and what is not safe is refused."""

import gc
import hashlib
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tidegate.core.errors import IntegrityError, NotReady, TidegateError, Unavailable
from tidegate.ledger.migration import load_steps
from tidegate.ledger.opening import make_durable, require_durable, require_sqlite
from tidegate.ledger.sqlite import SqliteLedger
from tidegate.testing.ledger_history import RUN, RUN_STARTED, UTC

LATEST = len(load_steps())
_LOG_HEADER_BYTES = 32
_INDEX_BYTES = 32768


def _contents(folder: Path) -> dict[str, str]:
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.iterdir()
        if path.name in ("ledger.db", "ledger.db-wal")
    }


def _make(path: Path, version: int) -> None:
    connection = sqlite3.connect(path)
    connection.execute("create table schema_version (v)")
    connection.execute(f"pragma user_version = {version}")
    connection.commit()
    connection.close()


def test_a_new_folder_gets_a_ledger(tmp_path: Path) -> None:
    """Where there is nothing a ledger is made; opened again it is the same one."""
    folder = tmp_path / "deep" / "tidegate"
    with SqliteLedger.open(folder) as ledger:
        ledger.create_run(RUN, RUN_STARTED, actor="owner", utc=UTC)
        head = ledger.head(RUN)
    with SqliteLedger.open(folder) as ledger:
        assert ledger.head(RUN) == head


def test_an_empty_file_becomes_a_ledger(tmp_path: Path) -> None:
    """A file that a crash left empty is a ledger that was not made yet."""
    (tmp_path / "ledger.db").touch()
    with SqliteLedger.open(tmp_path) as ledger:
        assert ledger.runs() == []


@pytest.mark.parametrize("trace", ["blobs/ab", "runs/20260101-0000", "hub.git/refs"])
@pytest.mark.parametrize("open_it", [SqliteLedger.open, SqliteLedger.open_read_only])
def test_an_emptied_ledger_is_not_begun_again(open_it: object, trace: str, tmp_path: Path) -> None:
    """An empty file beside what an earlier run has left is a loss, and stays as it is."""
    SqliteLedger.open(tmp_path).close()
    (tmp_path / "ledger.db").write_bytes(b"")
    (tmp_path / "ledger.db-wal").write_bytes(b"what is left of it")
    (tmp_path / trace).mkdir(parents=True)
    before = _contents(tmp_path)
    with pytest.raises(IntegrityError, match=r"is empty.*restore the file.*aside to begin anew"):
        open_it(tmp_path)  # type: ignore[operator]  # what it is given is the test's affair
    assert _contents(tmp_path) == before


@pytest.mark.parametrize("trace", ["blobs/ab", "runs/20260101-0000", "hub.git/refs"])
def test_a_ledger_that_is_gone_is_not_begun_again(trace: str, tmp_path: Path) -> None:
    """What an earlier run has left and no ledger is a loss: each issue would land twice."""
    SqliteLedger.open(tmp_path).close()
    (tmp_path / "ledger.db").unlink()
    (tmp_path / trace).mkdir(parents=True)
    before = _contents(tmp_path)
    for open_it in (SqliteLedger.open, SqliteLedger.open_read_only):
        with pytest.raises(IntegrityError, match=r"is gone.*restore the file.*aside to begin anew"):
            open_it(tmp_path)
    assert _contents(tmp_path) == before


def _empty_database(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.executescript("create table t (x); drop table t; vacuum")
    connection.close()


def _one_byte(path: Path) -> None:
    path.write_bytes(b"S")  # SQLite takes a file of one byte for an empty one


@pytest.mark.parametrize("empty_it", [_empty_database, _one_byte])
@pytest.mark.parametrize("open_it", [SqliteLedger.open, SqliteLedger.open_read_only])
def test_a_database_without_anything_is_not_begun_again(
    open_it: object, empty_it: Callable[[Path], None], tmp_path: Path
) -> None:
    """G4-08: a file in which SQLite finds nothing is as lost as one of no bytes."""
    SqliteLedger.open(tmp_path).close()
    (tmp_path / "ledger.db").unlink()
    empty_it(tmp_path / "ledger.db")
    (tmp_path / "blobs" / "ab").mkdir(parents=True)
    before = _contents(tmp_path)
    with pytest.raises(IntegrityError, match=r"nothing in it, and .*blobs.*aside to begin anew"):
        open_it(tmp_path)  # type: ignore[operator]  # what it is given is the test's affair
    assert _contents(tmp_path) == before


def test_a_database_without_anything_becomes_a_ledger(tmp_path: Path) -> None:
    """Where no run has left anything it is a ledger that was not made yet."""
    _empty_database(tmp_path / "ledger.db")
    with SqliteLedger.open(tmp_path) as ledger:
        assert ledger.runs() == []


@pytest.mark.parametrize("version", [0, -1])
@pytest.mark.parametrize("open_it", [SqliteLedger.open, SqliteLedger.open_read_only])
def test_a_ledger_of_no_version_is_left_alone(
    open_it: object, version: int, tmp_path: Path
) -> None:
    """G4-08: tables under a version that no ledger has are refused, and none is made again."""
    SqliteLedger.open(tmp_path).close()
    connection = sqlite3.connect(tmp_path / "ledger.db")
    connection.execute(f"pragma user_version = {version}")
    connection.close()
    before = _contents(tmp_path)
    with pytest.raises(IntegrityError, match=rf"of version {version}, .* up to {LATEST}.*restore"):
        open_it(tmp_path)  # type: ignore[operator]  # what it is given is the test's affair
    assert _contents(tmp_path) == before


@pytest.mark.parametrize("make_it", [Path.mkdir, os.mkfifo])
@pytest.mark.parametrize("open_it", [SqliteLedger.open, SqliteLedger.open_read_only])
def test_what_is_no_file_is_told_as_such(
    open_it: object, make_it: Callable[[Path], None], tmp_path: Path
) -> None:
    """A folder or a FIFO in the ledger's place is no word of the disk's."""
    make_it(tmp_path / "ledger.db")
    with pytest.raises(IntegrityError, match=r"ledger\.db is no file.*restore"):
        open_it(tmp_path)  # type: ignore[operator]  # what it is given is the test's affair


def test_a_rescued_copy_is_not_passed_over(tmp_path: Path) -> None:
    """G4-03: what stands in the ledger's place knows less than the copy does."""
    SqliteLedger.open(tmp_path).close()
    (tmp_path / "ledger.db").rename(tmp_path / "ledger.db.rescued")
    for _ in ("gone", "begun again"):
        with pytest.raises(IntegrityError, match=r"recorded when ledger\.db was lost.*put it"):
            SqliteLedger.open(tmp_path)
        (tmp_path / "ledger.db").write_bytes((tmp_path / "ledger.db.rescued").read_bytes())
    (tmp_path / "ledger.db.rescued").unlink()
    SqliteLedger.open(tmp_path).close()


def test_an_empty_folder_is_no_trace_of_a_run(tmp_path: Path) -> None:
    """A first start that died early has made folders and filled none."""
    (tmp_path / "ledger.db").touch()
    (tmp_path / "blobs").mkdir()
    SqliteLedger.open(tmp_path).close()


@pytest.mark.parametrize("open_it", [SqliteLedger.open, SqliteLedger.open_read_only])
def test_a_ledger_of_a_later_version_is_left_alone(open_it: object, tmp_path: Path) -> None:
    """G4-08: a later version is refused with both versions named, and no byte changes."""
    SqliteLedger.open(tmp_path).close()
    connection = sqlite3.connect(tmp_path / "ledger.db")
    connection.execute("pragma user_version = 999")
    connection.close()
    before = _contents(tmp_path)
    with pytest.raises(NotReady, match=rf"version 999.* up to {LATEST}\b.*upgrade"):
        open_it(tmp_path)  # type: ignore[operator]  # what it is given is the test's affair
    assert _contents(tmp_path) == before


def test_a_later_version_in_the_log_is_seen(tmp_path: Path) -> None:
    """G4-08: a version that is still in the log of a newer program at work counts too."""
    SqliteLedger.open(tmp_path).close()
    newer = sqlite3.connect(tmp_path / "ledger.db", isolation_level=None)
    newer.execute(f"pragma user_version = {LATEST + 1}")
    assert (tmp_path / "ledger.db-wal").stat().st_size > 0
    before = _contents(tmp_path)
    with pytest.raises(NotReady, match=rf"version {LATEST + 1}"):
        SqliteLedger.open(tmp_path)
    assert _contents(tmp_path) == before
    newer.close()


@pytest.mark.parametrize("version", [0, 1])
def test_another_programs_file_is_left_alone(version: int, tmp_path: Path) -> None:
    """G4-08: an SQLite file that is no ledger is refused, whatever version it claims."""
    _make(tmp_path / "ledger.db", version)
    before = _contents(tmp_path)
    with pytest.raises(IntegrityError, match="another program"):
        SqliteLedger.open(tmp_path)
    assert _contents(tmp_path) == before


def test_garbage_is_left_alone(tmp_path: Path) -> None:
    """G4-08: a file that is no database is refused, and stays for whoever can read it."""
    (tmp_path / "ledger.db").write_bytes(b"not a database at all" * 50)
    before = _contents(tmp_path)
    with pytest.raises(IntegrityError, match="damaged or no ledger"):
        SqliteLedger.open(tmp_path)
    assert _contents(tmp_path) == before


def test_a_log_that_was_only_begun_stops_nobody(tmp_path: Path) -> None:
    """An index that fits no log, as a killed writer leaves it, is made anew by who opens next."""
    made = tmp_path / "made"
    ledger = SqliteLedger.open(made)
    header = (made / "ledger.db-wal").read_bytes()[:_LOG_HEADER_BYTES]
    ledger.close()
    connection = sqlite3.connect(tmp_path / "ledger.db")
    connection.execute("pragma journal_mode = wal")
    connection.close()
    (tmp_path / "ledger.db-wal").write_bytes(header)
    (tmp_path / "ledger.db-shm").write_bytes(bytes(_INDEX_BYTES))
    with SqliteLedger.open(tmp_path) as ledger:
        assert ledger.runs() == []


def test_an_old_sqlite_is_named() -> None:
    """Where Python's SQLite is too old for the schema the refusal says which is needed."""
    with pytest.raises(NotReady, match=r"SQLite 3\.34\.1, and the ledger needs 3\.37\.0"):
        require_sqlite((3, 34, 1))
    require_sqlite((3, 37, 0))


def test_a_journal_that_is_no_log_is_refused() -> None:
    """A database that cannot have a write-ahead log is not written to."""
    connection = sqlite3.connect(":memory:")
    with pytest.raises(NotReady, match="journal memory"):
        make_durable(connection)
    connection.close()


def test_commits_that_are_not_synced_are_refused(tmp_path: Path) -> None:
    """A connection that does not sync each commit is not written to."""
    connection = sqlite3.connect(tmp_path / "x.db")
    mode = connection.execute("pragma journal_mode = wal").fetchone()[0]
    connection.execute("pragma synchronous = normal")
    with pytest.raises(NotReady, match="synchronous 1"):
        require_durable(connection, mode)
    connection.execute("pragma synchronous = full")
    require_durable(connection, mode)
    connection.close()


def test_an_open_ledger_syncs_each_commit(tmp_path: Path) -> None:
    """C082: the ledger's own connection has a write-ahead log and syncs each commit."""
    with SqliteLedger.open(tmp_path) as ledger:
        asked = ("journal_mode", "synchronous", "trusted_schema")
        found = [ledger._connection.execute(f"pragma {name}").fetchone()[0] for name in asked]
    assert found == ["wal", 2, 0]


def test_a_ledger_without_a_log_is_given_one(tmp_path: Path) -> None:
    """A ledger that somebody took the log away from gets it back, or is not opened."""
    SqliteLedger.open(tmp_path).close()
    other = sqlite3.connect(tmp_path / "ledger.db", isolation_level=None)
    assert other.execute("pragma journal_mode = delete").fetchone()[0] == "delete"
    other.execute("begin")
    other.execute("select * from run").fetchall()
    with pytest.raises((Unavailable, NotReady)):
        _open_impatiently(tmp_path)
    other.execute("rollback")
    other.close()
    test_an_open_ledger_syncs_each_commit(tmp_path)


def _open_impatiently(folder: Path) -> None:
    """Without the five seconds that SQLite would wait."""
    from tidegate.ledger import opening  # noqa: PLC0415 - only this test looks inside

    patience, opening.BUSY_MAX_S = opening.BUSY_MAX_S, 0.0
    try:
        SqliteLedger.open(folder)
    finally:
        opening.BUSY_MAX_S = patience


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    """Where a file stands in the folder's place the error says which."""
    (tmp_path / "tidegate").touch()
    with pytest.raises(NotReady, match="tidegate cannot be made"):
        SqliteLedger.open(tmp_path / "tidegate")


def test_nothing_to_read_is_no_error_of_the_disk(tmp_path: Path) -> None:
    """Where no run was ever started a reading command is told so, and makes nothing."""
    for folder in (tmp_path / "none", tmp_path):
        with pytest.raises(NotReady, match="no ledger in"):
            SqliteLedger.open_read_only(folder)
    assert list(tmp_path.iterdir()) == []


def test_paths_that_a_uri_could_misread_are_opened(tmp_path: Path) -> None:
    """A folder whose name has the signs of a URI is the folder that is meant."""
    folder = tmp_path / "50%20?mode=memory#x"
    with SqliteLedger.open(folder) as ledger:
        ledger.create_run(RUN, RUN_STARTED, actor="owner", utc=UTC)
        assert (folder / "ledger.db").exists()
    with SqliteLedger.open_read_only(folder) as reader:
        assert len(reader.runs()) == 1


def test_no_file_stays_open_after_a_refusal(tmp_path: Path) -> None:
    """Whatever an opening is refused for, it leaves no descriptor behind."""
    _make(tmp_path / "ledger.db", 999)
    gc.collect()  # what other tests left may otherwise go meanwhile
    before = _descriptors()
    for _ in range(3):
        with pytest.raises(TidegateError):
            SqliteLedger.open(tmp_path)
    assert _descriptors() == before


def _descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))
