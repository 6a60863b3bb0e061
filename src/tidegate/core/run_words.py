"""What an owner may say of a run as a whole, and when it is refused. Pure."""

from tidegate.core.errors import Refused
from tidegate.core.run import Run
from tidegate.core.run_events import DrainAsked, DrainLifted, ReceiptReconciled

DONE, FAILED = "done", "failed"
"""How what was unknown turned out."""


def ask_drain(run: Run, *, by: str, reason: str) -> DrainAsked:
    """Have nothing new begin in the run until that is lifted. Refused where it is so already."""
    if run.drain is not None:
        raise Refused(
            f"run {run.id} is drained already, {run.drain}",
            hint="`tidegate undrain` lifts it",
        )
    return DrainAsked(by=by, reason=reason)


def lift_drain(run: Run, *, by: str) -> DrainLifted:
    """Let the run go on. Refused where nothing holds it."""
    if run.drain is None:
        raise Refused(f"run {run.id} is not drained", hint="see `tidegate status`")
    return DrainLifted(by=by)


def reconcile(run: Run, receipt: str, outcome: str, *, by: str, reason: str) -> ReceiptReconciled:
    """Say how something outside turned out. Refused where that is known, or was never intended."""
    if outcome not in (DONE, FAILED):
        raise Refused(f"{receipt} cannot be {outcome}", hint=f"say {DONE} or {FAILED}")
    if receipt not in run.unknown:
        raise Refused(
            f"{receipt} is no receipt of run {run.id} whose outcome is unknown",
            hint="`tidegate receipts` lists them",
        )
    return ReceiptReconciled(receipt=receipt, outcome=outcome, by=by, reason=reason)
