"""The chain shows every edit, and with a head that was written down also a cut."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from tests.ledger.story import batches
from tidegate.ledger.chain import COLUMNS, GENESIS, Stored, seal, verify_chain
from tidegate.ledger.memory import MemoryLedger
from tidegate.ports.ledger import Head
from tidegate.testing.ledger_history import RUN, RUN_STARTED, UTC, History


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows that were taken out of a ledger, and perhaps changed."""

    rows: tuple[Stored, ...]

    def stored(self, run: str) -> Iterator[Stored]:
        """Those of a run."""
        return (row for row in self.rows if row.run_id == run)


@pytest.fixture(scope="module")
def rows() -> tuple[Stored, ...]:
    """The story's rows."""
    ledger = MemoryLedger()
    ledger.create_run(RUN, RUN_STARTED, actor="owner", utc=UTC)
    fence = ledger.take_over(RUN, holder="host-1:1", utc=UTC)
    for batch in batches(History()):
        ledger.commit(fence, batch)
    return tuple(ledger.stored(RUN))


def test_a_whole_chain_holds(rows: tuple[Stored, ...]) -> None:
    """A chain as it was recorded has no broken link, and begins from nothing."""
    assert verify_chain(Rows(rows), RUN) is None
    assert rows[0].previous_hash == GENESIS


def test_an_event_says_who_from_where_to_where_why_and_when(rows: tuple[Stored, ...]) -> None:
    """C088: each has its actor, time and digest, and each move its states and its reason."""
    assert all(row.actor and row.utc and len(row.hash) == 64 for row in rows)
    (stale,) = (row for row in rows if row.kind == "stale")
    said = (stale.actor, stale.previous_state, stale.next_state, stale.reason, stale.utc)
    assert said == ("controller", "started", "stale", "lost", UTC)


@pytest.mark.parametrize("column", [name for name in COLUMNS if name != "run_id"])
def test_an_edit_of_any_column_is_found(rows: tuple[Stored, ...], column: str) -> None:
    """Whatever is edited in an event, the chain breaks there or at the next link."""
    place = 7
    value = getattr(rows[place], column)
    other = value + 1 if isinstance(value, int) else f"{value}x"
    edited = rows[place]._replace(**{column: other})  # type: ignore[arg-type]  # what it is given is the test's affair
    broken = verify_chain(Rows((*rows[:place], edited, *rows[place + 1 :])), RUN)
    assert broken is not None
    assert broken.sequence in (edited.sequence, rows[place + 1].sequence)


def test_an_edit_with_a_new_hash_breaks_the_next_link(rows: tuple[Stored, ...]) -> None:
    """Who edits an event and seals it anew is betrayed by the event after it."""
    edited = rows[7]._replace(reason="all is well")
    edited = edited._replace(hash=seal(edited[:-1]))
    broken = verify_chain(Rows((*rows[:7], edited, *rows[8:])), RUN)
    assert broken is not None
    assert (broken.sequence, broken.reason) == (
        rows[8].sequence,
        "does not follow the event before it",
    )


def test_a_removed_event_is_found(rows: tuple[Stored, ...]) -> None:
    """An event that is taken out of the middle is missed."""
    broken = verify_chain(Rows((*rows[:7], *rows[8:])), RUN)
    assert broken is not None
    assert broken.sequence == rows[8].sequence


def test_a_rewritten_history_must_count(rows: tuple[Stored, ...]) -> None:
    """Also a chain that is sealed anew from the start must number its lanes' events."""
    skipped = rows[0]._replace(version=2)
    skipped = skipped._replace(hash=seal(skipped[:-1]))
    broken = verify_chain(Rows((skipped,)), RUN)
    assert broken is not None
    assert "version 2" in broken.reason


def test_a_cut_is_found_by_a_head_that_was_kept(rows: tuple[Stored, ...]) -> None:
    """A chain that lost its end holds by itself, but not against a head that was kept."""
    head = Head(sequence=rows[-1].sequence, hash=rows[-1].hash)
    cut = Rows(rows[:-2])
    assert verify_chain(Rows(rows), RUN, head=head) is None
    assert verify_chain(cut, RUN) is None
    broken = verify_chain(cut, RUN, head=head)
    assert broken is not None
    assert broken.sequence == rows[-3].sequence
    assert verify_chain(Rows(rows), RUN, head=replace(head, hash=GENESIS)) is not None
    earlier = Head(sequence=rows[3].sequence, hash=rows[3].hash)
    assert verify_chain(Rows(rows), RUN, head=earlier) is None


def test_the_hash_needs_nothing_of_ours(rows: tuple[Stored, ...]) -> None:
    """Anyone can compute it: sha256 over the columns before it, as a JSON list without spaces."""
    nasty = rows[5]._replace(reason='"\\ \x00\x1f\x7f\t é 漢 🌊 </script> \u2028')
    for row in (*rows, nasty):
        text = json.dumps(row[:-1], separators=(",", ":"), ensure_ascii=False)
        assert hashlib.sha256(text.encode()).hexdigest() == seal(row[:-1])
