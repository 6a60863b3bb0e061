"""The configuration that a run began with, and keeps to its end."""

from tidegate.config.load import Configuration, thaw
from tidegate.core.errors import IntegrityError
from tidegate.core.events import RunStarted
from tidegate.ports.ledger import Ledger


def frozen(ledger: Ledger, run_id: str) -> Configuration:
    """Read it from the ledger. Raises IntegrityError where it is not there any more."""
    first = next(ledger.read(run_id, lane=""), None)
    if first is None or not isinstance(first.entry.event, RunStarted):
        raise IntegrityError(f"run {run_id} does not begin with its start")
    return thaw(ledger.text(first.entry.event.config_digest).encode())
