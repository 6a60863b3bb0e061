"""The run that was not ended."""

from tidegate.core.errors import Refused
from tidegate.ports.ledger import Ledger
from tidegate.verbs.start import RunWish


def find_open_run(ledger: Ledger) -> str | None:
    """The run that was not ended; there is at most one at a time."""
    open_runs = [row for row in ledger.runs() if row["ended_at"] is None]
    return str(open_runs[-1]["run_id"]) if open_runs else None


def refuse_other_base(open_run: str | None, wish: RunWish) -> None:
    """Raise Refused where a run that is under way is to start from somewhere else."""
    if open_run and wish.base is not None:
        raise Refused(
            f"run {open_run} is under way and has its base",
            hint="`tidegate run` without --base takes it up again, `--anew` ends it first",
        )
