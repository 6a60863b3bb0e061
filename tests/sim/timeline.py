"""Virtual time: whatever happens in the simulated world happens at an instant of it.

Nothing here waits. `run_until` jumps from one planned happening to the next.
"""

import heapq
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from tidegate.ports.clock import Reading

_START = datetime(2030, 1, 1, tzinfo=UTC)
Action = Callable[[], None]


class Timeline:
    """The clock of the world, as a port, and what is planned to happen."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.boots = 0
        self.wall_offset_s = 0.0
        """How far the wall clock was stepped; it must not matter to anybody."""
        self.slept_s = 0.0
        """How long the machine was suspended in all: processes and their clocks stood still."""
        self.lie_s = 0.0
        """How far back the next reading of the time since the boot is, and it alone."""
        self._planned: list[tuple[float, int, Action]] = []
        self._count = 0

    def after(self, delay_s: float, action: Action) -> None:
        """Plan something; of two things planned for one instant the first planned is first."""
        self._count += 1
        heapq.heappush(self._planned, (self.now_s + delay_s, self._count, action))

    def run_until(self, instant_s: float, *, enough: Callable[[], bool] = lambda: False) -> None:
        """Let happen what is planned up to an instant; stop early where `enough` holds."""
        while self._planned and self._planned[0][0] <= instant_s:
            due_s, _, action = heapq.heappop(self._planned)
            self.now_s = max(self.now_s, due_s)
            action()
            if enough():
                return
        self.now_s = max(self.now_s, instant_s)

    def pass_by(self, seconds: float) -> None:
        """Let time pass, with all that it brings."""
        self.run_until(self.now_s + seconds)

    def now(self) -> Reading:
        """Read all clocks (ports.clock.Clock)."""
        since_s = self.now_s + self.slept_s
        wall = _START + timedelta(seconds=since_s + self.wall_offset_s)
        lie_s, self.lie_s = self.lie_s, 0.0
        return Reading(
            utc=wall.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            monotonic_s=self.now_s,
            boottime_s=since_s - lie_s,
            boot_id=f"boot {self.boots}",
        )
