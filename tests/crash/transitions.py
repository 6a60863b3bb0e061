"""Ledger transitions: make a ledger, take a run over, commit batch after batch, store a text."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tests.crash.operation import FAULT, Facts, Operation, acknowledge, stuck
from tests.ledger.story import batches
from tidegate.core.errors import Refused, TidegateError
from tidegate.ledger.chain import verify_chain
from tidegate.ledger.memory import MemoryLedger
from tidegate.ledger.read import TABLES
from tidegate.ledger.sqlite import SqliteLedger
from tidegate.ports.ledger import Batch, Ledger
from tidegate.testing.ledger_history import RUN, RUN_STARTED, UTC, History

_LEASED = ("owner", "lease_token", "lease_epoch", "lease_expiry_utc")
_BATCHES_MAX = 8
"""Enough for a lane from its opening through leases and beats to its first artifact."""


def folder_of(place: Path) -> Path:
    """Where the ledger is."""
    return place / "ledger"


def _begin(place: Path) -> None:
    place.mkdir()


def _work(place: Path) -> None:
    with SqliteLedger.open(folder_of(place)) as ledger:
        if not ledger.runs():
            ledger.create_run(RUN, RUN_STARTED, actor="owner", utc=UTC)
        fence = ledger.take_over(RUN, holder="host-1:1", utc=UTC)
        for batch in _not_recorded(ledger, story()):
            recorded = ledger.commit(fence, batch)
            acknowledge(f"event {recorded[-1].sequence} {recorded[-1].hash}")
            acknowledge(f"text {ledger.put_text(f'after {recorded[-1].sequence}')}")


def story() -> list[Batch]:
    """What is recorded. One event at least in each batch."""
    told = list(batches(History()))
    return told[1 : 1 + _BATCHES_MAX]  # the first one tells of a controller by its number


def _not_recorded(ledger: Ledger, batches: Sequence[Batch]) -> Iterator[Batch]:
    """What is left of them. A batch that is half there is a defect, and ends it."""
    sequence = 1
    recorded = ledger.head(RUN).sequence
    for batch in batches:
        sequence += len(batch.entries)
        if sequence > recorded:
            if recorded > sequence - len(batch.entries):
                stuck(f"{FAULT}half a batch is recorded, up to {recorded}")
            yield batch


def _lost(place: Path, acknowledged: Sequence[str]) -> Iterable[str]:
    said = {line for line in acknowledged if line.startswith(("event", "text"))}
    if not said:
        return
    try:
        with SqliteLedger.open_read_only(folder_of(place)) as ledger:
            there = _events(ledger) | {line for line in said if _has_text(ledger, line)}
    except TidegateError as error:
        there = set()
        yield f"the ledger: {error}"
    yield from sorted(said - there)


def _has_text(ledger: Ledger, line: str) -> bool:
    kind, digest = line.split(" ", 1)
    return kind == "text" and bool(ledger.text(digest))


def _events(ledger: Ledger) -> set[str]:
    return {f"event {each.sequence} {each.hash}" for each in ledger.read(RUN)}


def _facts(place: Path) -> Facts:
    with SqliteLedger.open_read_only(folder_of(place)) as ledger:
        return Counter([*_events(ledger), *faults(ledger, RUN)])


def faults(ledger: SqliteLedger, run: str) -> Iterator[str]:
    """What is wrong with the chain of a run, and rows that are not what its events add up to."""
    broken = verify_chain(ledger, run)
    if broken is not None:
        yield f"{FAULT}event {broken.sequence} {broken.reason}"
    try:
        folded = MemoryLedger.folded(list(ledger.read(run)))
    except Refused as refused:
        yield f"{FAULT}the events do not fold: {refused}"
        return
    for table in TABLES:
        if table != "heartbeat" and _rows(folded, table, run) != _rows(ledger, table, run):
            yield f"{FAULT}{table} is not what the events add up to"


def _rows(ledger: Ledger, table: str, run: str) -> list[dict[str, object]]:
    return [
        {name: value for name, value in row.items() if name not in _LEASED}
        for row in ledger.rows(table, run)
    ]


TRANSITIONS = Operation(name="ledger", begin=_begin, work=_work, facts=_facts, lost=_lost)
