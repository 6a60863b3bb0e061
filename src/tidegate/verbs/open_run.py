"""The run that was not ended, and the configuration that it began with."""

from tidegate.config.load import Configuration, thaw
from tidegate.core.errors import IntegrityError, Refused
from tidegate.core.events import RunStarted
from tidegate.ports.ledger import Ledger
from tidegate.verbs.start import RunWish


def find_open_run(ledger: Ledger) -> str | None:
    """The run that was not ended; there is at most one at a time."""
    open_runs = [row for row in ledger.runs() if row["ended_at"] is None]
    return str(open_runs[-1]["run_id"]) if open_runs else None


def frozen(ledger: Ledger, run_id: str) -> Configuration:
    """The configuration that a run is held to, whatever the files say now."""
    first = next(ledger.read(run_id, lane=""), None)
    if first is None or not isinstance(first.entry.event, RunStarted):
        raise IntegrityError(f"run {run_id} does not begin with its start")
    return thaw(ledger.text(first.entry.event.config_digest).encode())


def refuse_other_base(open_run: str | None, wish: RunWish) -> None:
    """Raise Refused where a run that is under way is to start from somewhere else."""
    if open_run and wish.base is not None:
        raise Refused(
            f"run {open_run} is under way and has its base",
            hint="`tidegate run` without --base takes it up again, `--anew` ends it first",
        )
