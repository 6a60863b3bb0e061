"""The two backends at empty places, and how they are damaged behind their own back."""

import sqlite3
from pathlib import Path

from tidegate.ledger.chain import HasStored, verify_chain
from tidegate.ledger.memory import MemoryLedger
from tidegate.ledger.sqlite import SqliteLedger
from tidegate.ports.ledger import Ledger
from tidegate.testing.ledger_conformance import Backend


def sqlite_backend(place: Path) -> Backend:
    """A ledger in a folder."""
    return Backend(
        open=lambda: SqliteLedger.open(place),
        verify=_verify,
        damage_event=lambda _, sequence: edit_event(place, sequence),
        damage_text=lambda _, name: edit_text(place, name),
        opener="tests.ledger.backends:open_sqlite",
        place=str(place),
    )


def memory_backend() -> Backend:
    """A ledger in memory, the same one at each opening."""
    ledger = MemoryLedger()
    return Backend(
        open=lambda: ledger,
        verify=_verify,
        damage_event=lambda _, sequence: _edit_memory_event(ledger, sequence),
        damage_text=lambda _, name: ledger._texts.update({name: b"another"}),
    )


def open_sqlite(place: str) -> SqliteLedger:
    """What another process opens."""
    return SqliteLedger.open(Path(place))


def edit_event(place: Path, sequence: int, change: str = "body = replace(body, 'a', 'b')") -> None:
    """Change an event as somebody would who has a shell: the triggers are taken away first."""
    connection = sqlite3.connect(place / "ledger.db", isolation_level=None)
    connection.execute("drop trigger event_is_not_changed")
    assert connection.execute(
        f"update event set {change} where sequence = ?",  # noqa: S608 - the test's own words
        (sequence,),
    ).rowcount
    connection.close()


def edit_text(place: Path, name: str) -> None:
    """Change a stored text."""
    path = place / "blobs" / name[:2] / name[2:]
    path.write_bytes(path.read_bytes() + b"!")


def _verify(ledger: Ledger, run: str) -> object:
    assert isinstance(ledger, SqliteLedger | MemoryLedger)
    stored: HasStored = ledger
    return verify_chain(stored, run)


def _edit_memory_event(ledger: MemoryLedger, sequence: int) -> None:
    for events in ledger._tables._events.values():
        for place, row in enumerate(events):
            if row.sequence == sequence:
                events[place] = row._replace(body=row.body.replace("a", "b"))
