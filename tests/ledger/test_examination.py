"""A ledger's file is told to be whole, or what is wrong with it, and its rows are made anew."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ledger.story import batches
from tidegate.core import events as e
from tidegate.core.errors import IntegrityError, NotReady
from tidegate.core.word import Word
from tidegate.ledger.examination import ROWS_SHOWN_MAX, SqliteExaminer, _names_of_texts
from tidegate.ledger.folding import TABLES, fold, kept_rows
from tidegate.ledger.sqlite import SqliteLedger
from tidegate.testing.ledger_history import RUN, RUN_STARTED, UTC, History, digest

EXAMINER = SqliteExaminer()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A ledger with the whole story, closed."""
    with SqliteLedger.open(tmp_path) as ledger:
        ledger.create_run(RUN, RUN_STARTED, actor="owner", utc=UTC)
        fence = ledger.take_over(RUN, holder="host-1:1", utc=UTC)
        for batch in batches(History()):
            ledger.commit(fence, batch)
    return tmp_path


def codes(home: Path) -> list[str]:
    """The flaws' names, in order."""
    return [each.code for each in EXAMINER.flaws(str(home))]


def change(home: Path, *statements: str) -> None:
    """Change rows that have no guard."""
    connection = sqlite3.connect(home / "ledger.db", isolation_level=None)
    for statement in statements:
        assert connection.execute(statement).rowcount, statement
    connection.close()


def rows(home: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every derived row, in the order in which readers get them."""
    connection = sqlite3.connect(home / "ledger.db")
    found = {
        table: connection.execute(f"select * from {table} order by rowid").fetchall()  # noqa: S608 - our own tables
        for table in TABLES
    }
    connection.close()
    return found


def test_the_whole_story_has_no_flaw(home: Path) -> None:
    """C085: whatever kind of event happens, the rows are what the events add up to."""
    assert codes(home) == []


@pytest.mark.parametrize("table", TABLES)
def test_rows_of_any_table_are_missed_and_made_anew(home: Path, table: str) -> None:
    """C085: in one transaction, to the last value and in the same order."""
    before = rows(home)
    change(home, f"delete from {table}")  # noqa: S608 - our own tables
    assert set(codes(home)) == {"row-missing"}
    assert EXAMINER.rebuild(str(home)) == [table]
    assert rows(home) == before
    assert codes(home) == []


def test_rows_that_are_right_are_left_alone(home: Path) -> None:
    """Only a table of which a row differs is written."""
    more = (
        "insert into finding select run_id, lane, 99, attempt_id, source, found_by, tree, counts,"
        " digest, reason, found_at from finding limit 1"
    )
    change(home, "update turn set how = 'another'", more)
    assert set(codes(home)) == {"row-differs", "row-extra"}
    assert EXAMINER.rebuild(str(home)) == ["finding", "turn"]
    assert EXAMINER.rebuild(str(home)) == []


def test_of_many_rows_the_rest_is_counted(home: Path) -> None:
    """A table that is gone does not fill the screen."""
    change(home, *(f"delete from {table}" for table in TABLES))  # noqa: S608 - our own tables
    found = list(EXAMINER.flaws(str(home)))
    assert len(found) == ROWS_SHOWN_MAX + 1
    assert "more rows differ" in found[-1].message


def test_a_controller_that_is_ahead_of_its_event_stays_so(home: Path) -> None:
    """G2: its epoch is what keeps an older controller out, and no repair takes it back."""
    change(home, "update run set controller_epoch = 7, controller = 'it', base = 'other'")
    assert EXAMINER.rebuild(str(home)) == ["run"]
    (row,) = rows(home)["run"]
    assert 7 in row
    assert "it" in row
    assert "other" not in row


def test_a_rebuild_that_is_refused_changes_nothing(home: Path) -> None:
    """G1: beside a broken chain the rows may be the last that is true."""
    connection = sqlite3.connect(home / "ledger.db", isolation_level=None)
    connection.execute("drop trigger event_is_not_changed")
    connection.execute("update event set actor = 'another' where sequence = 5")
    connection.close()
    change(home, "update lane set title = 'another'")
    before = rows(home)
    with pytest.raises(IntegrityError, match="event 5"):
        EXAMINER.rebuild(str(home))
    assert rows(home) == before
    assert EXAMINER.restore_guards(str(home)) == ["event_is_not_changed"]
    assert EXAMINER.restore_guards(str(home)) == []
    assert set(codes(home)) == {"chain-broken", "row-differs"}


def test_a_copy_is_of_one_moment_while_somebody_writes(home: Path) -> None:
    """G4-10: the writer is not held up, and what it writes then is not in the copy."""
    with SqliteLedger.open(home) as ledger:
        fence = ledger.take_over(RUN, holder="host-1:2", utc=UTC)
        EXAMINER.copy(str(home), str(home / "copy"))
        assert fence.controller_epoch == 2
        ledger.speak("001", Word.GATED, reason="later", actor="owner", utc=UTC)
        assert ledger.words()
    with EXAMINER.open(str(home / "copy")) as copied:
        assert list(copied.words()) == []
        assert copied.head(RUN).sequence > 0
    assert codes(home / "copy") == []


def test_without_a_ledger_there_is_nothing_to_copy(tmp_path: Path) -> None:
    """It is told, and no file is made."""
    with pytest.raises(NotReady, match="no ledger"):
        EXAMINER.copy(str(tmp_path), str(tmp_path / "copy"))


def test_texts_are_told_with_the_event_that_names_them(home: Path) -> None:
    """Stored texts only: what merely tells whether something is the same is no text."""
    found = EXAMINER.texts(str(home))
    assert found[digest(4)].startswith("event ")
    assert RUN_STARTED.config_digest in found
    assert RUN_STARTED.gate_digest not in found
    assert digest(8) in found  # a report's; it is a workspace's environment too
    assert _names_of_texts(e.WorkspaceReady) == ()
    assert set(_names_of_texts(e.TurnEnded)) == {"report_digest", "failure_digest"}
    assert set(_names_of_texts(e.ArtifactStaged)) == {"digest"}
    assert _names_of_texts(e.Checkpointed) == ()


def test_a_fold_tells_the_last_epoch_of_each_attempt(home: Path) -> None:
    """G2: the lease has to be where the events have it."""
    with SqliteLedger.open_read_only(home) as ledger:
        folded = fold(_read(ledger))
    assert folded.epochs[RUN, "001-build-1"] == 3
    connection = sqlite3.connect(home / "ledger.db")
    assert kept_rows(connection) == folded.rows
    connection.close()
    change(home, "update lease set epoch = epoch + 1 where attempt_id = '001-build-1'")
    assert codes(home) == ["lease-differs"]


def _read(ledger: SqliteLedger) -> Iterator[e.Recorded]:
    yield from ledger.read(RUN)
