"""The rows follow from the events: folding them anew gives the same, in every backend."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ledger.story import CHECK, ONE, THREE, TWO, batches
from tidegate.core.errors import IntegrityError
from tidegate.core.events import KINDS, NAMES
from tidegate.ledger import attempt_rows, run_rows, turn_rows
from tidegate.ledger.attempt_rows import Change
from tidegate.ledger.memory import MemoryLedger
from tidegate.ledger.read import TABLES
from tidegate.ledger.schema import ATTEMPT, COLUMNS, KEYS
from tidegate.ledger.sqlite import SqliteLedger
from tidegate.ledger.writes import Insert, Update
from tidegate.ports.ledger import Ledger
from tidegate.testing.ledger_history import RUN, RUN_STARTED, UTC, History

LEASED = ("owner", "lease_token", "lease_epoch", "lease_expiry_utc")


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteLedger]:
    """A ledger in SQLite with the whole story; the tests only read it."""
    with SqliteLedger.open(tmp_path_factory.mktemp("story")) as ledger:
        _write(ledger)
        yield ledger


def _write(ledger: Ledger) -> None:
    ledger.create_run(RUN, RUN_STARTED, actor="owner", utc=UTC)
    fence = ledger.take_over(RUN, holder="host-1:1", utc=UTC)
    for batch in batches(History()):
        ledger.commit(fence, batch)


def _rows(ledger: Ledger, *, leased: bool) -> dict[str, object]:
    hidden = () if leased else LEASED
    tables = [table for table in TABLES if leased or table != "heartbeat"]
    return {
        "run": ledger.runs(),
        **{
            table: [
                {name: value for name, value in row.items() if name not in hidden}
                for row in ledger.rows(table, RUN)
            ]
            for table in tables
        },
    }


def test_the_story_has_every_kind_of_event(ledger: SqliteLedger) -> None:
    """No kind of event goes untested: a new one must be told in the story."""
    told = {NAMES[type(each.entry.event)] for each in ledger.read(RUN)}
    assert told == set(KINDS)


def test_folding_the_events_gives_the_rows(ledger: SqliteLedger) -> None:
    """C085: every row that is derived from events is what the events, read back, add up to."""
    folded = MemoryLedger.folded(list(ledger.read(RUN)))
    assert _rows(folded, leased=False) == _rows(ledger, leased=False)


def test_backends_keep_the_same(ledger: SqliteLedger) -> None:
    """The same batches leave the same rows, events, hashes, leases and looks in both backends."""
    memory = MemoryLedger()
    _write(memory)
    assert _rows(memory, leased=True) == _rows(ledger, leased=True)
    assert list(memory.read(RUN)) == list(ledger.read(RUN))
    assert memory.summary(RUN) == ledger.summary(RUN)
    assert memory.outcomes() == ledger.outcomes()
    for lane in ("001", "002", "003", "004"):
        assert memory.lane_line(RUN, lane) == ledger.lane_line(RUN, lane)
        assert memory.rows("attempt", RUN, lane=lane) == ledger.rows("attempt", RUN, lane=lane)
    for attempt in (ONE, CHECK, TWO, THREE):
        assert memory.lease(RUN, attempt) == ledger.lease(RUN, attempt)


def test_a_history_with_a_hole_does_not_fold(ledger: SqliteLedger) -> None:
    """An event that does not follow from those before it is no ledger's history."""
    events = list(ledger.read(RUN))
    without_birth = [each for each in events if each.sequence != 5]
    with pytest.raises(IntegrityError):
        MemoryLedger.folded(without_birth)
    twice = [*events[:5], events[4]]
    with pytest.raises(IntegrityError):
        MemoryLedger.folded(twice)


def test_the_story_ends_as_it_should(ledger: SqliteLedger) -> None:
    """What became of each attempt, its artifact and its authorization is in its row."""
    rows = {row["attempt_id"]: row for row in ledger.rows("attempt", RUN)}
    shown = ("state", "artifact_status", "content_verdict", "authorization_status")
    assert {key: tuple(str(row[name]) for name in shown) for key, row in rows.items()} == {
        ONE: ("accepted", "promoted", "meets", "granted"),
        CHECK: ("accepted", "promoted", "needs_fixes", "withheld"),
        TWO: ("stopped", "missing", "unknown", "none"),
        "004-adjudicate-1": ("accepted", "promoted", "unknown", "none"),
        "004-build-1": ("dispatched", "none", "needs_fixes", "withheld"),
        "002-build-2": ("failed", "none", "unknown", "none"),
        THREE: ("blocked", "promoted", "meets", "withheld"),
        "003-build-2": ("dispatched", "none", "unknown", "none"),
    }
    assert rows[CHECK]["independence_status"] == "independent"
    assert rows[ONE]["source_digest"] == f"{10:040x}"
    assert rows[TWO]["lease_epoch"] == 2
    findings = [(row["lane"], row["source"], row["counts"]) for row in ledger.rows("finding", RUN)]
    assert findings == [
        ("001", "judged", 1),
        ("003", "judged", 0),
        ("003", "conflicted", 0),
        ("004", "vetoed", 1),
    ]
    line = ledger.lane_line(RUN, "001")
    assert line is not None
    assert (line["fails"], line["attempt_id"], line["landed_commit"]) == (1, CHECK, f"{7:040x}")
    receipts = {row["receipt"]: row["outcome"] for row in ledger.rows("receipt", RUN)}
    assert receipts == {
        "d-1": "waiting",
        "d-2": "unknown",
        "p-1": "published",
        "c-1": "done",
        "c-2": "refused",
        "c-3": "unknown",
    }
    known = {row["receipt"]: row["reconciled"] for row in ledger.rows("receipt", RUN)}
    assert known["c-3"] == "failed", "what is known later stands beside what was recorded"
    assert ledger.unknown_receipts() == []
    (run,) = ledger.runs()
    assert (run["drained_by"], run["drain_reason"]) == ("owner", "")
    about = {row["receipt"]: (row["kind"], row["issue"]) for row in ledger.rows("receipt", RUN)}
    assert (about["p-1"], about["c-1"]) == (("publication", None), ("close", "001"))


def test_the_schema_is_the_one_that_is_written_down(tmp_path: Path) -> None:
    """C086: columns and keys stand twice, in SQL and in Python, and are the same."""
    SqliteLedger.open(tmp_path).close()
    connection = sqlite3.connect(tmp_path / "ledger.db")
    for table, columns in COLUMNS.items():
        found = connection.execute(f"pragma table_info({table})").fetchall()
        assert tuple(row[1] for row in found) == columns
        keys = sorted((row for row in found if row[5]), key=lambda row: row[5])
        assert tuple(row[1] for row in keys) == KEYS[table]
    view = connection.execute("pragma table_info(attempt)").fetchall()
    assert tuple(row[1] for row in view) == ATTEMPT
    connection.close()


def test_every_table_is_strict(tmp_path: Path) -> None:
    """SQLite holds every column to its type."""
    SqliteLedger.open(tmp_path).close()
    connection = sqlite3.connect(tmp_path / "ledger.db")
    loose = connection.execute(
        "select name from pragma_table_list where schema = 'main' and type = 'table'"
        " and strict = 0 and name not like 'sqlite_%'"
    ).fetchall()
    connection.close()
    assert loose == []


def test_every_statement_fits_the_schema(tmp_path: Path) -> None:
    """Each write of the projection can be prepared, and meets a row by its key."""
    SqliteLedger.open(tmp_path).close()
    connection = sqlite3.connect(tmp_path / "ledger.db")
    statements = [
        statement
        for module in (run_rows, attempt_rows, turn_rows)
        for value in vars(module).values()
        for statement in ((value.still, value.moving) if isinstance(value, Change) else (value,))
        if isinstance(statement, Insert | Update)
    ]
    assert len(statements) > 30
    for statement in statements:
        places = [None] * statement.sql.count("?")
        plan = connection.execute(f"explain query plan {statement.sql}", places).fetchall()
        assert not any(str(row[3]).startswith("SCAN") for row in plan)
    connection.close()
