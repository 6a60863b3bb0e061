"""Readings of the clocks, and what lies between two of them.

Wall time labels and persists; deadlines and liveness run on the monotonic clock, which stands still
while the machine sleeps (seed 002, line 254). The difference of boot time and monotonic time tells
how long it slept. After a gap, and above all after a restart, a reading is reconciled with the one
that was recorded before, and until it can be trusted nothing is concluded from it.
"""

from enum import StrEnum

from tidegate.core.records import record

SLEPT_MIN_S = 1.0
"""Less than this is the noise of reading two clocks one after the other."""
STEPPED_MIN_S = 2.0
DRIFT_MAX = 0.001
"""What a clock that is being disciplined may gain on the others, as a part of the time between."""
_OLDEST_UTC = "2024"
"""A machine without a clock of its own starts in a year before this program was written."""


@record
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


class Trust(StrEnum):
    """What a reading is, seen from the one before."""

    TRUSTED = "trusted"
    SUSPENDED = "suspended"
    """The machine slept; deadlines move by as long, since they count time awake."""
    STEPPED = "stepped"
    """The wall clock was set; nothing but labels changes."""
    REBOOTED = "rebooted"
    """No process of before lives, and no monotonic time of before means anything."""
    UNTRUSTED = "untrusted"
    """Clocks contradict each other, as after a snapshot was restored: nothing is concluded."""


@record
class Reconciliation:
    """What lies between two readings. A step back is negative."""

    trust: Trust
    suspended_s: float = 0.0
    stepped_s: float = 0.0


def reconcile(anchor: Reading, reading: Reading) -> Reconciliation:
    """Compare a reading with the one that was recorded before it."""
    if reading.utc < _OLDEST_UTC:
        return Reconciliation(trust=Trust.UNTRUSTED)
    wall_s = _seconds_between(anchor.utc, reading.utc)
    if reading.boot_id != anchor.boot_id:
        return Reconciliation(trust=Trust.REBOOTED, stepped_s=min(0.0, wall_s))
    awake_s = reading.monotonic_s - anchor.monotonic_s
    passed_s = reading.boottime_s - anchor.boottime_s
    slept_s = passed_s - awake_s
    if awake_s < 0 or passed_s < 0 or slept_s < -SLEPT_MIN_S:
        return Reconciliation(trust=Trust.UNTRUSTED)
    stepped_s = wall_s - passed_s
    if abs(stepped_s) < max(STEPPED_MIN_S, DRIFT_MAX * passed_s):
        stepped_s = 0.0
    if slept_s >= SLEPT_MIN_S:
        return Reconciliation(trust=Trust.SUSPENDED, suspended_s=slept_s, stepped_s=stepped_s)
    trust = Trust.STEPPED if stepped_s else Trust.TRUSTED
    return Reconciliation(trust=trust, stepped_s=stepped_s)


def _seconds_between(earlier_utc: str, later_utc: str) -> float:
    from datetime import datetime  # noqa: PLC0415 - as above

    later, earlier = datetime.fromisoformat(later_utc), datetime.fromisoformat(earlier_utc)
    return (later - earlier).total_seconds()
