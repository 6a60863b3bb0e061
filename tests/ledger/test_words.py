"""The owner's words stand in a chain of their own, and no shell takes one back unseen."""

import sqlite3
from pathlib import Path

import pytest

from tidegate.core.word import Word
from tidegate.ledger.chain import GENESIS
from tidegate.ledger.sqlite import SqliteLedger
from tidegate.ledger.words import StoredWord, verify_words
from tidegate.testing.ledger_history import UTC


@pytest.fixture
def rows(tmp_path: Path) -> list[StoredWord]:
    """Three words as they are stored."""
    with SqliteLedger.open(tmp_path) as ledger:
        for issue in ("001", "002", "001"):
            ledger.speak(issue, Word.GATED, reason=f"of {issue}", actor="owner", utc=UTC)
        return list(ledger.stored_words())


def test_a_whole_chain_of_words_holds(rows: list[StoredWord]) -> None:
    """The words as they were said have no broken link, and begin from nothing."""
    assert verify_words(rows) is None
    assert verify_words([]) is None
    assert rows[0].previous_hash == GENESIS


@pytest.mark.parametrize("column", StoredWord._fields)
def test_an_edit_of_any_column_of_a_word_is_found(rows: list[StoredWord], column: str) -> None:
    """Whatever is edited in a word, the chain breaks there or at the next link."""
    value = getattr(rows[1], column)
    other = value + 5 if isinstance(value, int) else f"{value}x"
    edited = rows[1]._replace(**{column: other})  # type: ignore[arg-type]  # what it is given is the test's affair
    assert verify_words([rows[0], edited, rows[2]]) is not None


def test_a_word_that_was_taken_out_is_missed(rows: list[StoredWord]) -> None:
    """A word that is gone from the middle or the beginning breaks the chain."""
    assert verify_words([rows[0], rows[2]]) is not None
    assert verify_words(rows[1:]) is not None


@pytest.mark.parametrize(
    "statement",
    [
        "update word set reason = 'no' where sequence = 1",
        "delete from word where sequence = 1",
        "insert or replace into word values (1, '1', 'open', '', '', '', 0, '', '')",
    ],
)
def test_no_word_is_changed_by_a_shell(
    tmp_path: Path, rows: list[StoredWord], statement: str
) -> None:
    """The table is append-only by trigger: an edit, a removal and a replacement are refused."""
    shell = sqlite3.connect(tmp_path / "ledger.db", isolation_level=None)
    with pytest.raises(sqlite3.IntegrityError, match="word is append-only"):
        shell.execute(statement)
    shell.close()
    with SqliteLedger.open_read_only(tmp_path) as ledger:
        assert list(ledger.stored_words()) == rows
