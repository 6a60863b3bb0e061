"""The owner's words as rows: their own chain, of no run, sealed as the events are.

Whoever edits one breaks its hash, and whoever takes one out breaks the link of the next. As with
events a cut at the end shows only against a head that was written down elsewhere.
"""

from collections.abc import Iterable
from typing import NamedTuple

from tidegate.core.word import Spoken, Word
from tidegate.ledger.chain import GENESIS, Break, digest_of
from tidegate.ledger.masking import mask
from tidegate.ledger.tables import Tables


class StoredWord(NamedTuple):
    """A word as its row has it; the order of the columns is part of the hash."""

    sequence: int
    issue: str
    word: str
    reason: str
    actor: str
    utc: str
    after_sequence: int
    previous_hash: str
    hash: str


class WordsEnd(NamedTuple):
    """The end of the words' chain, and the newest event's sequence."""

    sequence: int
    hash: str
    newest_event: int


NO_WORD = (0, GENESIS)
"""The end of a chain that has no word yet."""


def speak(tables: Tables, issue: str, word: Word, *, reason: str, actor: str, utc: str) -> Spoken:
    """Record one word behind the last one."""
    end = WordsEnd(*tables.words_end())
    row = (end.sequence + 1, issue, word.value, mask(reason), actor, utc, end.newest_event)
    unsealed = (*row, end.hash)
    stored = StoredWord(*unsealed, digest_of(unsealed))
    tables.append_word(stored)
    return spoken(stored)


def spoken(row: StoredWord) -> Spoken:
    """A stored word as the rest of the program knows it."""
    return Spoken(
        sequence=row.sequence,
        issue=row.issue,
        word=Word(row.word),
        reason=row.reason,
        actor=row.actor,
        utc=row.utc,
        after_sequence=row.after_sequence,
    )


def verify_words(rows: Iterable[StoredWord]) -> Break | None:
    """The first broken link of the words' chain, or None."""
    last, previous = NO_WORD
    for row in rows:
        if row.sequence != last + 1:
            return Break(sequence=row.sequence, reason=f"is not word {last + 1}")
        if row.previous_hash != previous:
            return Break(sequence=row.sequence, reason="does not follow the word before it")
        if digest_of(row[:-1]) != row.hash:
            return Break(sequence=row.sequence, reason="was changed after it was said")
        last, previous = row.sequence, row.hash
    return None
