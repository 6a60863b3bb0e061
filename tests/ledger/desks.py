"""An open ledger in SQLite with a run to write into."""

from pathlib import Path

from tidegate.ledger.sqlite import SqliteLedger
from tidegate.testing.ledger_backend import Desk
from tidegate.testing.ledger_history import RUN, RUN_STARTED, UTC, History


def sit(folder: Path) -> tuple[SqliteLedger, Desk]:
    """The ledger as what it is, and the desk that writes into it."""
    ledger = SqliteLedger.open(folder)
    ledger.create_run(RUN, RUN_STARTED, actor="owner", utc=UTC)
    fence = ledger.take_over(RUN, holder="host-1:1", utc=UTC)
    return ledger, Desk(ledger, fence, History())
