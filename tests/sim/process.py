"""A runner of the simulated host, and the process it owns. Either can die without the other."""

from collections.abc import Generator
from dataclasses import dataclass

from tidegate.ports.runners import Beat, EndReason, Exit, RunnerSpec

FIRST_BEAT_S = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a process ended by itself, or why it never began."""

    code: int | None = None
    signal: int | None = None
    reason: EndReason = EndReason.EXITED
    error: str | None = None
    asked: str = ""


Script = Generator[float, None, Ending]
"""What a process does: it acts, says how long the next piece of work takes, and acts again."""


@dataclass(slots=True)
class Process:
    """What a turn folder stands for. The folder's state outlives controllers and runners."""

    spec: RunnerSpec
    pid: int
    boot_id: str = ""
    is_spawned: bool = False
    """The runner's process exists; it may not have begun."""
    is_held: bool = False
    """The runner has its lock, and owns a process."""
    is_at_work: bool = False
    """The owned process lives, with or without its runner."""
    script: Script | None = None
    begun_s: float = 0.0
    frozen_s: tuple[float, float] = (0.0, 0.0)
    """From when to when all of it is stopped by a signal: no beat, no work."""
    clings_until_s: float = 0.0
    """Until then no signal ends the owned process: it waits for a disk."""
    fence: int = 0
    is_stop_asked: bool = False
    is_stopping: bool = False
    exit: Exit | None = None

    @property
    def is_alive(self) -> bool:
        """Something of it could still write."""
        return self.is_held or self.is_at_work

    def thaws_in_s(self, now_s: float) -> float:
        """How long it is still stopped by a signal; 0 or less where it is not."""
        since_s, until_s = self.frozen_s
        return until_s - now_s if since_s <= now_s else 0.0

    def beat(self, now_s: float) -> Beat | None:
        """The newest sign of life."""
        since_s, until_s = self.frozen_s
        seen_s = now_s - self.begun_s - max(0.0, min(now_s, until_s) - since_s)
        if seen_s < FIRST_BEAT_S:
            return None
        last_s = now_s if self.thaws_in_s(now_s) <= 0 else since_s
        return Beat(
            sequence=1 + int(seen_s / self.spec.beat_s),
            monotonic_s=last_s - seen_s % self.spec.beat_s,
            boot_id=self.boot_id,
            runner_pid=self.pid,
            agent_pid=self.pid + 1,
            stdout_bytes=int(seen_s),
            stderr_bytes=0,
            started_monotonic_s=self.begun_s,
        )

    def exit_with(self, ending: Ending, *, now_s: float, utc: str) -> Exit:
        """The record that its runner writes."""
        has_run = ending.reason not in (EndReason.NOT_STARTED, EndReason.FENCED)
        clings = self.clings_until_s > now_s
        return Exit(
            reason=ending.reason,
            code=ending.code,
            signal=ending.signal,
            started_utc=utc,
            ended_utc=utc,
            active_s=now_s - self.begun_s if has_run else 0.0,
            stdout_bytes=0,
            stderr_bytes=0,
            leftovers=(self.pid + 1,) if clings and has_run else (),
            swept=0,
            error=ending.error,
            asked=ending.asked,
        )
