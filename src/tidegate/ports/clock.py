"""The clock as a port: time is read once at the edge and handed down as a value."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One look at all clocks. Wall time (`utc`, ISO 8601 with Z) labels; it decides nothing."""

    utc: str
    monotonic_s: float
    boottime_s: float
    boot_id: str

    def utc_in(self, seconds: float) -> str:
        """The wall label of the instant so many seconds from this reading."""
        from datetime import datetime, timedelta  # noqa: PLC0415 - 5 ms that few callers need

        then = datetime.fromisoformat(self.utc) + timedelta(seconds=seconds)
        return then.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Clock(Protocol):
    """Where readings come from."""

    def now(self) -> Reading:
        """Read all clocks."""
        ...
