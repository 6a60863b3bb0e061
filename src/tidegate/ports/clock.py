"""The clock as a port: time is read once at the edge and handed down as a value."""

from typing import Protocol

from tidegate.core.clock import Reading

__all__ = ["Clock", "Reading"]


class Clock(Protocol):
    """Where readings come from."""

    def now(self) -> Reading:
        """Read all clocks."""
        ...
