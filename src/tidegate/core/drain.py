"""A drain: nothing new begins in a run, whoever carries it, until that is lifted."""

from tidegate.core.records import record


@record
class Drain:
    """`since` is a label in UTC, and nothing is decided by it."""

    since: str
    by: str
    reason: str

    def __str__(self) -> str:
        why = f" ({self.reason})" if self.reason else ""
        return f"since {self.since} by {self.by}{why}"


def say_drain(run: str, drain: Drain | None) -> str:
    """Why nothing new begins in a run, and what lifts it; empty where it is not drained."""
    return f"run {run} is drained {drain}: `tidegate undrain` lifts it" if drain else ""
