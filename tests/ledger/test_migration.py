"""Steps from version to version: whole, copied before, and the same as a ledger made today."""

import sqlite3
from pathlib import Path

import pytest

from tests.ledger.desks import sit
from tidegate.core.errors import IntegrityError, NotReady
from tidegate.ledger.lock import WriteLock
from tidegate.ledger.migration import Step, load_steps, version_of
from tidegate.ledger.opening import open_reader, open_writer
from tidegate.ledger.sqlite import SqliteLedger
from tidegate.testing.ledger_history import RUN

LATEST = len(load_steps())
ADD = Step(number=LATEST + 1, name="mood", sql="alter table lane add column mood text;\n")
KEEP = Step(
    number=LATEST + 2,
    name="note",
    sql="""
create table note (text text) strict;

create trigger note_is_kept before delete on note
begin
    select raise(abort, 'no');
end;
""",
)
BROKEN = Step(
    number=LATEST + 3,
    name="broken",
    sql="create table ok (x text) strict;\ninsert into none values (1);\n",
)


def _steps(*more: Step) -> tuple[Step, ...]:
    known = load_steps()
    return (*known, *more)


def _open(folder: Path, steps: tuple[Step, ...]) -> sqlite3.Connection:
    folder.mkdir(exist_ok=True)
    lock = WriteLock(folder / "ledger.lock")
    try:
        return open_writer(folder, lock, steps)
    finally:
        lock.close()


def _schema(connection: sqlite3.Connection) -> list[tuple[object, ...]]:
    rows = connection.execute("select type, name, sql from sqlite_schema order by name").fetchall()
    pragmas = [connection.execute(f"pragma {name}").fetchone() for name in _NUMBERS]
    return [*rows, *pragmas]


_NUMBERS = ("application_id", "user_version")


def test_steps_are_numbered_without_a_gap() -> None:
    """The files of the steps are counted from one, and each has a name."""
    steps = load_steps()
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))
    assert all(step.name and step.sql for step in steps)


def test_a_migrated_ledger_is_as_a_new_one(tmp_path: Path) -> None:
    """From each earlier version the steps lead to the schema that a new ledger gets."""
    steps = _steps(ADD, KEEP)
    fresh = _open(tmp_path / "fresh", steps)
    for version in range(1, len(steps)):
        folder = tmp_path / f"from-{version}"
        _open(folder, steps[:version]).close()
        migrated = _open(folder, steps)
        assert _schema(migrated) == _schema(fresh)
        migrated.close()
    fresh.close()


def test_a_ledger_is_copied_before_it_is_changed(tmp_path: Path) -> None:
    """Beside a migrated ledger lies the old one, whole, under its version's name."""
    ledger, _ = sit(tmp_path)
    head = ledger.head(RUN)
    ledger.close()
    _open(tmp_path, _steps(ADD)).close()
    again = tmp_path / "again"
    again.mkdir()
    (tmp_path / f"ledger.db.v{len(load_steps())}").rename(again / "ledger.db")
    with SqliteLedger.open(again) as old:
        assert old.head(RUN) == head


def test_a_new_ledger_needs_no_copy(tmp_path: Path) -> None:
    """Where there was nothing there is nothing to be copied."""
    _open(tmp_path, _steps(ADD)).close()
    assert not list(tmp_path.glob("*.v*"))


def test_a_step_is_whole_or_not_at_all(tmp_path: Path) -> None:
    """G4-09: a step that fails in its middle leaves the ledger at the version before it."""
    _open(tmp_path, _steps(ADD, KEEP)).close()
    copy = f"ledger.db.v{LATEST + 2}"
    with pytest.raises(
        IntegrityError, match=rf"version {LATEST + 3} \(broken\) does not fit.*{copy}"
    ):
        _open(tmp_path, _steps(ADD, KEEP, BROKEN))
    connection = _open(tmp_path, _steps(ADD, KEEP))
    assert version_of(connection) == LATEST + 2
    assert connection.execute("select 1 from sqlite_schema where name = 'ok'").fetchall() == []
    connection.close()


def test_a_new_ledger_is_whole_or_not_at_all(tmp_path: Path) -> None:
    """G4-09: nobody who looks while it is made sees it at an earlier version."""
    with pytest.raises(IntegrityError, match="broken"):
        _open(tmp_path, _steps(ADD, KEEP, BROKEN))
    shell = sqlite3.connect(tmp_path / "ledger.db")
    assert version_of(shell) == 0
    assert shell.execute("select count(*) from sqlite_schema").fetchone() == (0,)
    shell.close()


def test_a_half_applied_step_is_recognised(tmp_path: Path) -> None:
    """G4-09: a ledger in which somebody did half of a step by hand is named, and left as it is."""
    _open(tmp_path, _steps()).close()
    shell = sqlite3.connect(tmp_path / "ledger.db")
    shell.execute("alter table lane add column mood text")
    shell.close()
    before = (tmp_path / "ledger.db").read_bytes()
    with pytest.raises(IntegrityError, match=r"duplicate column name: mood.*by hand"):
        _open(tmp_path, _steps(ADD))
    assert (tmp_path / "ledger.db").read_bytes() == before


def test_each_step_is_done_once(tmp_path: Path) -> None:
    """Opening a ledger of this version changes nothing."""
    _open(tmp_path, _steps(ADD)).close()
    before = (tmp_path / "ledger.db").read_bytes()
    _open(tmp_path, _steps(ADD)).close()
    assert (tmp_path / "ledger.db").read_bytes() == before


def test_an_older_ledger_is_not_read_as_a_newer_one(tmp_path: Path) -> None:
    """A reading command does not guess at an older schema, and says who brings it up to date."""
    _open(tmp_path, _steps()).close()
    with pytest.raises(NotReady, match=rf"version {LATEST}.* version {LATEST + 1}.*up to date"):
        open_reader(tmp_path, _steps(ADD))
