"""The host's clocks. The only place that reads them for the controller."""

import time
from datetime import UTC, datetime
from pathlib import Path

from tidegate.ports.clock import Reading


class HostClock:
    """See ports.clock.Clock."""

    def __init__(self) -> None:
        self._boot_id = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()

    def now(self) -> Reading:
        """Read wall, monotonic and boot time in one go."""
        wall = datetime.now(UTC).isoformat(timespec="milliseconds")
        return Reading(
            utc=wall.replace("+00:00", "Z"),
            monotonic_s=time.clock_gettime(time.CLOCK_MONOTONIC),
            boottime_s=time.clock_gettime(time.CLOCK_BOOTTIME),
            boot_id=self._boot_id,
        )
