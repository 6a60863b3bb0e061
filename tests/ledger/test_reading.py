"""Reading: without a trace, without a right to write, without standing in the writer's way."""

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ledger.desks import sit
from tidegate.core import events as e
from tidegate.core.errors import NotReady, Refused
from tidegate.core.events import Entry, Failed, LaneEnded
from tidegate.core.values import Outcome
from tidegate.ledger import read
from tidegate.ledger.lock import WriteLock
from tidegate.ledger.log_readers import readers
from tidegate.ledger.opening import LOG_KEPT_BYTES
from tidegate.ledger.sqlite import SqliteLedger
from tidegate.ports.ledger import Batch, Fence
from tidegate.testing.ledger_backend import BUILD
from tidegate.testing.ledger_history import RUN, RUN_STARTED, UTC, History

NOBODY = 65534


@pytest.fixture
def shared_folder() -> Iterator[Path]:
    """A folder that every user of the machine can reach."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder) / "tidegate"


_PROGRAM = f"""
import os, sys
from pathlib import Path
from tidegate.ledger.migration import load_steps
from tidegate.ledger.lock import WriteLock
from tidegate.ledger.sqlite import SqliteLedger
load_steps()
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid({NOBODY})
    os.setuid({NOBODY})
with SqliteLedger.open_read_only(Path(sys.argv[1])) as ledger:
    print(len(ledger.runs()), ledger.summary({RUN!r}).attempts)
"""


def _status(folder: Path) -> subprocess.CompletedProcess[str]:
    """What a reading command does in a process that may not write there."""
    return subprocess.run(
        [sys.executable, "-B", "-c", _PROGRAM, str(folder)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )


def _without_right_to_write(folder: Path) -> None:
    """For root another user is asked; for others the folder is closed."""
    if os.geteuid() != 0:
        folder.chmod(0o555)


def test_another_user_reads_a_ledger_at_rest(shared_folder: Path) -> None:
    """G4-18: without the right to write, status works, and no file is made by another user."""
    ledger, desk = sit(shared_folder)
    desk.write(*desk.history.begun("001", BUILD))
    ledger.close()
    before = sorted(path.name for path in shared_folder.iterdir())
    _without_right_to_write(shared_folder)
    answer = _status(shared_folder)
    shared_folder.chmod(0o755)
    assert answer.stdout == "1 {'dispatched': 1}\n", answer.stderr
    assert sorted(path.name for path in shared_folder.iterdir()) == before


def test_another_user_reads_after_the_owner_did(shared_folder: Path) -> None:
    """G4-18: the empty side files that the owner's own look leaves are in nobody's way."""
    ledger, desk = sit(shared_folder)
    desk.write(*desk.history.begun("001", BUILD))
    ledger.close()
    with SqliteLedger.open_read_only(shared_folder) as reader:
        assert reader.summary(RUN).attempts == {"dispatched": 1}
    _without_right_to_write(shared_folder)
    answer = _status(shared_folder)
    shared_folder.chmod(0o755)
    assert answer.stdout == "1 {'dispatched': 1}\n", answer.stderr
    with SqliteLedger.open(shared_folder) as again:
        assert again.summary(RUN).attempts == {"dispatched": 1}


def test_another_user_reads_a_ledger_at_work(shared_folder: Path) -> None:
    """G4-18: what a writer has committed and not yet moved out of its log is seen too."""
    ledger, desk = sit(shared_folder)
    desk.write(*desk.history.begun("001", BUILD))
    _without_right_to_write(shared_folder)
    answer = _status(shared_folder)
    shared_folder.chmod(0o755)
    assert answer.stdout == "1 {'dispatched': 1}\n", answer.stderr
    assert {path.stat().st_uid for path in shared_folder.iterdir()} == {os.geteuid()}
    ledger.close()


def test_another_user_reads_what_a_crash_left(shared_folder: Path) -> None:
    """G4-18: a log that no process has open is read where it lies."""
    ledger, desk = sit(shared_folder)
    desk.write(*desk.history.begun("001", BUILD))
    left = shared_folder.with_name("left")
    shutil.copytree(shared_folder, left)
    ledger.close()
    _without_right_to_write(left)
    answer = _status(left)
    left.chmod(0o755)
    assert answer.stdout == "1 {'dispatched': 1}\n", answer.stderr


def test_what_is_missing_is_named_to_another_user(shared_folder: Path) -> None:
    """G4-18: a log without its index cannot be read by another user, and the error says so."""
    ledger, _ = sit(shared_folder)
    left = shared_folder.with_name("left")
    shutil.copytree(shared_folder, left)
    ledger.close()
    (left / "ledger.db-shm").unlink()
    if os.geteuid() == 0:
        os.chown(left / "ledger.db", NOBODY, NOBODY)
    else:
        left.chmod(0o555)
    with pytest.raises(NotReady, match=r"ledger\.db-shm is missing"):
        SqliteLedger.open_read_only(left)
    left.chmod(0o755)


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    """A ledger that is open for reading refuses whatever would change it."""
    ledger, desk = sit(tmp_path)
    reader = SqliteLedger.open_read_only(tmp_path)
    for write in (
        lambda: reader.commit(desk.fence, Batch()),
        lambda: reader.take_over(RUN, holder="h", utc=UTC),
        lambda: reader.create_run("x", RUN_STARTED, actor="o", utc=UTC),
        lambda: reader.put_text("x"),
        reader.checkpoint,
    ):
        with pytest.raises(Refused, match="reading only"):
            write()
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        reader._connection.execute("delete from lease")
    reader.close()
    ledger.close()


def test_a_reader_is_given_no_token(tmp_path: Path) -> None:
    """A lease read for a person says that it is held and by whom; its token stays inside."""
    ledger, desk = sit(tmp_path)
    desk.write(*desk.history.begun("001", BUILD))
    desk.write(leases=(desk.history.grant(BUILD),))
    with SqliteLedger.open_read_only(tmp_path) as reader:
        lease = reader.lease(RUN, BUILD)
    assert (lease.token, lease.owner, lease.epoch) == ("[held]", "host-1", 1)
    shell = sqlite3.connect(tmp_path / "ledger.db")
    seen = shell.execute("select * from attempt").fetchall()
    shell.close()
    assert "token-" not in repr(seen)
    ledger.close()


def test_a_slow_reader_pins_no_log(tmp_path: Path) -> None:
    """G4-10: somebody who reads event by event for hours does not keep the log from being cut."""
    ledger, desk = sit(tmp_path)
    reader = SqliteLedger.open_read_only(tmp_path)
    slow = reader.read(RUN)
    next(slow)
    for number in range(30):
        desk.write(desk.history.opened(f"{number:03}"))
    assert ledger.log_size_bytes() > 0
    ledger.checkpoint()
    assert ledger.log_size_bytes() == 0
    assert list(slow) == []  # it saw the run as it was when it asked
    assert len(list(reader.read(RUN))) == 31
    reader.close()
    ledger.close()


def test_a_reader_of_many_events_asks_in_parts(tmp_path: Path) -> None:
    """G4-10: a long history comes whole, in parts that are each read at once."""
    ledger, desk = sit(tmp_path)
    many = 2 * read._PAGE + 7
    desk.write(*(desk.history.opened(f"{number:04}") for number in range(many)))
    assert len(list(ledger.read(RUN))) == many + 1
    assert len(list(ledger.read(RUN, limit=read._PAGE + 3))) == read._PAGE + 3
    ledger.close()


def test_a_pinned_log_is_seen_and_not_waited_for(tmp_path: Path) -> None:
    """G4-10: a reader that stays pins the log; its size shows it, and the writer goes on."""
    ledger, desk = sit(tmp_path)
    stays = sqlite3.connect(tmp_path / "ledger.db", isolation_level=None)
    stays.execute("begin")
    stays.execute("select count(*) from event").fetchall()
    desk.write(*desk.history.begun("001", BUILD))
    ledger.checkpoint()
    assert ledger.log_size_bytes() > 0
    stays.execute("rollback")
    stays.close()
    ledger.checkpoint()
    assert ledger.log_size_bytes() == 0
    ledger.close()


def test_who_reads_is_named(tmp_path: Path) -> None:
    """G4-10: a process that has a reading open is named, and none that has ended it."""
    ledger, desk = sit(tmp_path)
    assert ledger.write_ahead().readers == ()
    program = (
        "import sqlite3, sys\n"
        "reader = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "reader.execute('begin')\n"
        "reader.execute('select count(*) from event').fetchall()\n"
        "print('reads', flush=True)\n"
        "sys.stdin.readline()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path / "ledger.db")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as stays:
        assert stays.stdout is not None
        assert stays.stdout.readline() == "reads\n"
        desk.write(*desk.history.begun("001", BUILD))
        log = ledger.write_ahead()
        stays.communicate("\n")
    assert log.size_bytes == ledger.log_size_bytes() > 0
    assert len(log.readers) == 1
    assert log.readers[0].startswith(f"process {stays.pid} (")
    assert ledger.write_ahead().readers == ()
    ledger.close()


def test_without_a_list_of_locks_nobody_is_named(tmp_path: Path) -> None:
    """Where the kernel tells nothing, or of other files, there is nobody to be named."""
    index = tmp_path / "index"
    assert readers(index) == ()
    index.touch()
    assert readers(index, tmp_path / "none") == ()
    lines = (
        "1: POSIX  ADVISORY  WRITE {pid} 08:01:{inode} 123 123",
        "2: FLOCK  ADVISORY  READ {pid} 08:01:{inode} 0 EOF",
        "3: POSIX  ADVISORY  READ {pid} 08:01:{inode} 128 128",
        "4: POSIX  ADVISORY  READ {pid} 08:01:1{inode} 123 123",
        "5: -> POSIX  ADVISORY  READ {pid} 08:01:{inode} 123 123",
        "6: POSIX  ADVISORY  READ 999999999 08:01:{inode} 123 123",
    )
    told = "\n".join(lines).format(pid=os.getpid(), inode=index.stat().st_ino)
    (tmp_path / "locks").write_text(told)
    assert readers(index, tmp_path / "locks") == ()
    (tmp_path / "locks").write_text(told.replace("128 128", "124 124"))
    assert len(readers(index, tmp_path / "locks")) == 1


def test_a_log_that_was_pinned_shrinks_while_the_run_goes_on(tmp_path: Path) -> None:
    """G4-10: when the reader is gone the log is cut by the next commits, without an idle moment."""
    ledger, desk = sit(tmp_path)
    stays = sqlite3.connect(tmp_path / "ledger.db", isolation_level=None)
    stays.execute("begin")
    stays.execute("select count(*) from event").fetchall()
    reason = "words of many colours " * 400
    number = 0
    while ledger.log_size_bytes() <= LOG_KEPT_BYTES:
        entries = [desk.history.entry("", _ended(reason)) for _ in range(200)]
        desk.write(*entries)
        number += 1
        assert number < 100
    stays.execute("rollback")
    stays.close()
    for _ in range(3):
        desk.write(desk.history.entry("", _ended("")))
    assert ledger.log_size_bytes() <= LOG_KEPT_BYTES
    ledger.close()


def _ended(reason: str) -> e.RunEnded:
    return e.RunEnded(landed=0, stopped=0, waiting=0, reason=reason)


def test_a_log_is_not_cut_under_a_writer(tmp_path: Path) -> None:
    """While another process has its turn to write, cutting the log waits for another moment."""
    ledger, desk = sit(tmp_path)
    desk.write(*desk.history.begun("001", BUILD))
    other = WriteLock(tmp_path / "ledger.lock")
    other.acquire()
    ledger.checkpoint()
    assert ledger.log_size_bytes() > 0
    other.release()
    other.close()
    ledger.checkpoint()
    assert ledger.log_size_bytes() == 0
    ledger.close()


def test_a_look_shows_one_moment(tmp_path: Path) -> None:
    """What is committed while a look is taken is in none of its parts."""
    ledger, desk = sit(tmp_path)
    desk.write(*desk.history.begun("001", BUILD))
    reader = SqliteLedger.open_read_only(tmp_path)
    later = [tuple(desk.history.begun(name, f"{name}-build-1")) for name in "abcdef"]

    def commit(statement: str) -> None:
        if later and not statement.startswith(("begin", "rollback")):
            desk.write(*later.pop(0))

    reader._connection.set_trace_callback(commit)
    seen = reader.summary(RUN)
    reader._connection.set_trace_callback(None)
    assert len(later) < 4
    assert sum(seen.attempts.values()) == len(seen.open_lanes)
    reader.close()
    ledger.close()


def test_open_lanes_are_found_without_the_others(tmp_path: Path) -> None:
    """What is asked at each look uses an index, and scans neither ended lanes nor other runs."""
    ledger, _ = sit(tmp_path)
    asked = {
        read._OPEN_LINES: "lane_open",
        read._SQL["events"]: "event_of_run",
        read._SQL["events_of_lane"]: "sqlite_autoindex_event_1",
        read._SQL["head"]: "event_of_run",
        read._LINES_OF_LANE: "sqlite_autoindex_lane_1",
    }
    for statement, index in asked.items():
        places = [None] * statement.count("?")
        plan = ledger._connection.execute(f"explain query plan {statement}", places)
        steps = [str(row[3]) for row in plan]
        assert any(index in step for step in steps), steps
        assert not any(step.startswith("SCAN") for step in steps if "CONSTANT" not in step), steps
    ledger.close()


def test_a_look_at_ten_thousand_attempts_is_quick(tmp_path: Path) -> None:
    """A summary's work grows by a row count and not by rows: far under a tick's budget."""
    ledger, desk = sit(tmp_path)
    _write_many(ledger, desk.fence, desk.history, 2_000)
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    ledger._connection.set_progress_handler(count, 1_000)
    seen = ledger.summary(RUN)
    ledger._connection.set_progress_handler(None, 0)
    assert seen.attempts == {"dispatched": 10, "failed": 2_000}
    assert steps < 100  # thousands of SQLite's instructions
    ledger.close()


def _write_many(ledger: SqliteLedger, fence: Fence, history: History, count: int) -> None:
    entries: list[Entry] = []
    for number in range(count):
        lane, attempt = f"x{number}", f"x{number}-build-1"
        entries += history.begun(lane, attempt)
        entries.append(history.ended(lane, Failed(attempt=attempt, reason="x", detail="")))
        entries.append(history.entry(lane, LaneEnded(outcome=Outcome.STOPPED, reason="x")))
    for number in range(10):
        entries += history.begun(f"o{number}", f"o{number}-build-1")
    ledger.commit(fence, Batch(entries=tuple(entries)))
