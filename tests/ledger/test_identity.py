"""A ledger whose files are taken away while it is in use: seen, stopped, and copied first."""

import os
import sqlite3
from pathlib import Path

import pytest

from tests.ledger.desks import sit
from tidegate.core.errors import IntegrityError
from tidegate.ledger.chain import verify_chain
from tidegate.ledger.sqlite import SqliteLedger
from tidegate.testing.ledger_backend import BUILD, Desk
from tidegate.testing.ledger_history import RUN

FILES = ("ledger.db", "ledger.db-wal", "ledger.db-shm")


def _taken(folder: Path, name: str) -> tuple[SqliteLedger, Desk]:
    """A ledger at work that loses a file."""
    ledger, desk = sit(folder)
    desk.write(*desk.history.begun("001", BUILD))
    (folder / name).unlink()
    return ledger, desk


def rescued_in(folder: Path) -> SqliteLedger:
    """The copy that a writer has left, opened in the place of a ledger."""
    again = folder / "again"
    again.mkdir()
    (folder / "ledger.db.rescued").rename(again / "ledger.db")
    return SqliteLedger.open(again)


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_removed_stops_the_writer(name: str, tmp_path: Path) -> None:
    """G4-03: when a file of the ledger is removed the next commit is refused."""
    ledger, desk = _taken(tmp_path, name)
    with pytest.raises(IntegrityError, match=r"removed or replaced.*agents go on"):
        desk.write(desk.history.opened("002"))
    with pytest.raises(IntegrityError, match="removed or replaced"):
        ledger.checkpoint()
    ledger.close()


def test_a_file_that_is_replaced_stops_the_writer(tmp_path: Path) -> None:
    """G4-03: a new log in the old one's place is not taken for it."""
    ledger, desk = sit(tmp_path)
    log = tmp_path / "ledger.db-wal"
    log.rename(tmp_path / "aside")
    log.write_bytes((tmp_path / "aside").read_bytes())
    with pytest.raises(IntegrityError, match="removed or replaced"):
        desk.write(desk.history.opened("001"))
    ledger.close()


@pytest.mark.parametrize("left_bytes", [0, 4000, 20_000])
def test_a_log_that_is_cut_stops_the_writer(left_bytes: int, tmp_path: Path) -> None:
    """G4-03: what was acknowledged into a log that somebody cut is rescued, and no more follows."""
    ledger, desk = sit(tmp_path)
    desk.write(*desk.history.begun("001", BUILD))
    events = list(ledger.read(RUN))
    os.truncate(tmp_path / "ledger.db-wal", left_bytes)
    with pytest.raises(IntegrityError, match=r"cut while.*recorded is in .*ledger\.db\.rescued"):
        desk.write(desk.history.opened("002"))
    assert not list(tmp_path.glob("ledger.db.rescued-*"))
    with pytest.raises(IntegrityError, match="cut while"):
        ledger.checkpoint()
    ledger.close()
    with rescued_in(tmp_path) as rescued:
        assert list(rescued.read(RUN)) == events


def test_a_cut_log_that_is_only_closed_is_left_as_it_is(tmp_path: Path) -> None:
    """G4-03: nothing of it is moved into the ledger's file when the writer ends."""
    ledger, desk = sit(tmp_path)
    desk.write(*desk.history.begun("001", BUILD))
    os.truncate(tmp_path / "ledger.db-wal", 0)
    before = (tmp_path / "ledger.db").read_bytes()
    with pytest.raises(IntegrityError, match="cut while"):
        ledger.close()
    assert (tmp_path / "ledger.db").read_bytes() == before


def test_a_copy_with_holes_is_none(tmp_path: Path) -> None:
    """G4-03: what is neither in the log nor in memory any more is not promised to anybody."""
    ledger, desk = sit(tmp_path)
    desk.write(*desk.history.begun("001", BUILD))
    ledger._writing()._connection.execute("pragma shrink_memory")
    os.truncate(tmp_path / "ledger.db-wal", 0)
    with pytest.raises(IntegrityError, match=r"no copy could be made.*fsck"):
        desk.write(desk.history.opened("002"))
    assert not (tmp_path / "ledger.db.rescued").exists()
    ledger.close()


def test_a_checkpoint_of_somebody_else_is_no_loss(tmp_path: Path) -> None:
    """Whoever has a shell may move the log into the file and cut it: the ledger is whole."""
    ledger, desk = sit(tmp_path)
    desk.write(*desk.history.begun("001", BUILD))
    shell = sqlite3.connect(tmp_path / "ledger.db")
    assert shell.execute("pragma wal_checkpoint(truncate)").fetchone()[0] == 0
    shell.close()
    assert (tmp_path / "ledger.db-wal").stat().st_size == 0
    desk.write(desk.history.opened("002"))
    ledger.close()


def test_a_loss_is_seen_also_later(tmp_path: Path) -> None:
    """G4-03: also when the folder was quiet for long, a loss is seen at the next commit."""
    ledger, desk = sit(tmp_path)
    os.utime(tmp_path, (1_000_000_000, 1_000_000_000))
    desk.write(desk.history.opened("001"))
    identity = ledger._writing()._identity
    assert identity._changed_ns == 1_000_000_000 * 10**9
    assert not identity.is_lost()
    (tmp_path / "something-else").touch()
    assert not identity.is_lost()
    (tmp_path / "ledger.db-wal").unlink()
    with pytest.raises(IntegrityError, match="removed or replaced"):
        desk.write(desk.history.opened("002"))
    ledger.close()


def test_a_folder_that_has_just_changed_is_looked_into_again(tmp_path: Path) -> None:
    """G4-03: two changes within one tick of a coarse clock are told apart by looking."""
    ledger, desk = sit(tmp_path)
    desk.write(desk.history.opened("001"))
    identity = ledger._writing()._identity
    assert identity._changed_ns == 0
    before = tmp_path.stat()
    (tmp_path / "ledger.db-wal").unlink()
    os.utime(tmp_path, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(IntegrityError, match="removed or replaced"):
        desk.write(desk.history.opened("002"))
    ledger.close()


@pytest.mark.parametrize("name", FILES)
def test_what_was_acknowledged_is_rescued(name: str, tmp_path: Path) -> None:
    """G4-03: all that was acknowledged is in the copy, which is a ledger that goes on."""
    ledger, desk = _taken(tmp_path, name)
    events = list(ledger.read(RUN))
    with pytest.raises(IntegrityError, match=r"all that was recorded is in .*ledger\.db\.rescued"):
        desk.write(desk.history.opened("002"))
    ledger.close()
    with rescued_in(tmp_path) as rescued:
        assert list(rescued.read(RUN)) == events
        assert verify_chain(rescued, RUN) is None
        assert Desk(rescued, desk.fence, desk.history).snapshot()


def test_a_lost_ledger_is_left_as_it_is(tmp_path: Path) -> None:
    """G4-03: closing it writes nothing of the old log into the file that others use by now."""
    ledger, desk = _taken(tmp_path, "ledger.db-wal")
    with pytest.raises(IntegrityError):
        desk.write(desk.history.opened("002"))
    before = (tmp_path / "ledger.db").read_bytes()
    ledger.close()
    assert (tmp_path / "ledger.db").read_bytes() == before
    assert not (tmp_path / "ledger.db-wal").exists()


def test_a_loss_that_is_seen_at_the_end_counts(tmp_path: Path) -> None:
    """G4-03: also a ledger that only closes leaves a foreign file alone."""
    ledger, _ = _taken(tmp_path, "ledger.db-wal")
    before = (tmp_path / "ledger.db").read_bytes()
    ledger.close()
    assert (tmp_path / "ledger.db").read_bytes() == before


def test_a_copy_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    """G4-03: where no copy can be made the error does not promise one."""
    ledger, desk = _taken(tmp_path, "ledger.db-wal")
    (tmp_path / "ledger.db.rescued.new").mkdir()
    with pytest.raises(IntegrityError, match="no copy could be made"):
        desk.write(desk.history.opened("002"))
    ledger.close()


def test_others_that_come_and_go_are_no_loss(tmp_path: Path) -> None:
    """Openings and closings by others remove no file that is in use."""
    ledger, desk = sit(tmp_path)
    for number in range(3):
        SqliteLedger.open(tmp_path).close()
        shell = sqlite3.connect(tmp_path / "ledger.db")
        shell.execute("select count(*) from event").fetchone()
        shell.execute("pragma wal_checkpoint(truncate)")
        shell.close()
        desk.write(desk.history.opened(f"{number:03}"))
    ledger.close()
