"""The ledger's log: that it grows without an end is told wherever somebody looks."""

from tidegate.ports.ledger import WriteAhead

END_READER = "end what reads it without an end; the log is cut when the run goes on"


def log_alarm(log: WriteAhead) -> str:
    """How long the log is, and who is reading: one of them may be why."""
    by = ", ".join(log.readers) or "nobody that can be seen from here"
    return f"its log has grown to {log.size_bytes / 1e6:.0f} MB, and is being read by {by}"
