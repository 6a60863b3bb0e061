"""What goes wrong in a simulated world, drawn from one random source, until it calms down.

After that nothing more goes wrong, and what was wrong is mended: only then may a run be asked to
come to an end.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from random import Random
from typing import Any, TypeVar, cast

from tests.sim.process import Process
from tests.sim.timeline import Timeline
from tidegate.core.errors import NoRoom
from tidegate.ports.git import Work, WorkFailed

Port = TypeVar("Port")
CALL_S = 0.0005
"""How long a call of a port takes."""
_WRITES = frozenset(
    f"{call}:before"
    for call in (
        "ledger.commit",
        "ledger.put_text",
        "ledger.take_over",
        "store.promote",
        "runners.start",
        "runners.request_stop",
        "runners.declare_lost",
        "inbox.reply",
    )
)


_OF_CLOCKS = frozenset({"wall_step", "suspend", "clock_lies"})


class SimulatedCrash(BaseException):
    """The controller dies here. Nothing can catch it, and nothing in memory is left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Odds:
    """How likely each fault is where it could happen; none by default."""

    crash: float = 0.0
    reboot: float = 0.0
    """A controller that dies takes the whole machine with it."""
    pause: float = 0.0
    refusal: float = 0.0
    """The disk takes nothing."""
    usurped: float = 0.0
    """Another controller takes the run over; this one does not know, and writes."""
    no_process: float = 0.0
    slow_start: float = 0.0
    wake_missed: float = 0.0
    runner_dies: float = 0.0
    orphan: float = 0.0
    """The runner dies and its process lives on."""
    killed: float = 0.0
    frozen: float = 0.0
    clings: float = 0.0
    job_fails: float = 0.0
    flaky: float = 0.0
    wall_step: float = 0.0
    suspend: float = 0.0
    """The machine sleeps, and everything on it."""
    clock_lies: float = 0.0
    """A reading contradicts the one before."""
    drain: float = 0.0
    stop: float = 0.0
    detach: float = 0.0


class Faults:
    """The fate of controller, host and jobs. `pause_s` is the longest pause of the controller."""

    def __init__(
        self, timeline: Timeline, random: Random, odds: Odds, *, calm_at_s: float, pause_s: float
    ) -> None:
        self.crash_at: int | None = None
        """Die at this call of a port, counted from 1, whatever the odds."""
        self.calls = 0
        self.counts: dict[str, int] = {}
        self._writes = _WRITES
        self.sick: type[Work] | None = None
        """The kind of job that cannot succeed now."""
        self.random = random
        self._chances = {
            each.name: value for each in fields(odds) if (value := getattr(odds, each.name))
        }
        self._is_misled = not self._chances.keys().isdisjoint(_OF_CLOCKS)
        self._timeline = timeline
        self._calm_at_s = calm_at_s
        self._pause_s = pause_s

    def stop(self) -> None:
        """Enough went wrong."""
        self._chances.clear()

    def run_out_of_room(self, odds: float, *, of: str = "") -> None:
        """From here on so many writes, of one port or all, find no room; all else goes well."""
        self.crash_at, self._chances = None, {"refusal": odds}
        self._writes = frozenset(each for each in _WRITES if each.startswith(of))

    @property
    def is_calm(self) -> bool:
        """Nothing goes wrong any more."""
        return self._timeline.now_s >= self._calm_at_s

    def strikes(self, name: str) -> bool:
        """Whether a fault happens now."""
        odds = self._chances.get(name)
        if odds is None or self.is_calm or self.random.random() >= odds:
            return False
        self.counts[name] = self.counts.get(name, 0) + 1
        return True

    # --- the controller ---------------------------------------------------------------------

    def gate(self, call: str) -> None:
        """Before and after each call of a port: time passes, or everything ends."""
        self.calls += 1
        self._timeline.now_s += CALL_S
        if not self._chances and self.crash_at is None:
            return
        if self.calls == self.crash_at or self.strikes("crash"):
            raise SimulatedCrash(call)
        if self.strikes("pause"):
            self._timeline.pass_by(self.random.uniform(0, self._pause_s))
        if self._is_misled:
            self._mislead()
        if call in self._writes and self.strikes("refusal"):
            self.refuse()
            raise NoRoom(f"no space left for {call}")
        if call == "ledger.commit:before" and self.strikes("usurped"):
            self.usurp()

    def _mislead(self) -> None:
        """The clocks do what they should not, or stand still with all else."""
        timeline, draw = self._timeline, self.random.uniform
        if self.strikes("wall_step"):
            timeline.wall_offset_s += draw(-self._pause_s, self._pause_s)
        if self.strikes("suspend"):
            timeline.slept_s += draw(0, 20 * self._pause_s)
        if self.strikes("clock_lies"):
            timeline.lie_s = draw(5, self._pause_s)

    def between_halves(self) -> None:
        """See host.Fate."""
        self.gate("runners.start:middle")

    # --- the host ---------------------------------------------------------------------------

    def may_spawn(self) -> bool:
        """See host.Fate."""
        return not self.strikes("no_process")

    def start_delay_s(self) -> float:
        """See host.Fate."""
        if self.strikes("slow_start"):
            return self.random.uniform(2, 12)
        return self.random.uniform(0.02, 0.5)

    def stop_delay_s(self) -> float:
        """See host.Fate."""
        return self.random.uniform(0.05, 8)

    def is_wake_missed(self) -> bool:
        """See host.Fate."""
        return self.strikes("wake_missed")

    def on_begin(self, process: Process) -> None:
        """See host.Fate."""
        for name in ("runner_dies", "orphan", "killed", "frozen", "clings"):
            if self.strikes(name):
                delay_s = self.random.uniform(0, min(process.spec.deadline_s, 90) / 2)
                if self.random.random() < 0.5:
                    delay_s /= 40  # many pieces of work are over in a moment
                self._befall(name, process, delay_s)

    def _befall(self, name: str, process: Process, delay_s: float) -> None:
        self._timeline.after(delay_s, lambda: self.befall(name, process))

    befall: Callable[[str, Process], None]
    """Set by the world: what happens later needs the host."""
    usurp: Callable[[], None]
    """Set by the world: it needs the ledger."""
    refuse: Callable[[], None]
    """Set by the world: the controller forgets all, and lives on."""

    # --- jobs and checks --------------------------------------------------------------------

    def job_s(self) -> float:
        """See git.Pace."""
        return self.random.uniform(0.05, 1.5)

    def trouble(self, work: Work) -> WorkFailed | None:
        """See git.Pace."""
        if type(work) is self.sick or self.strikes("job_fails"):
            name, is_worse = type(work).__name__, self.random.random() < 0.1
            return WorkFailed(
                reason="disk", message=f"no space left for {name}", is_integrity=is_worse
            )
        return None


class Gated:
    """A port with a gate before and after each of its calls."""

    def __init__(self, port: object, name: str, gate: Callable[[str], None]) -> None:
        self._port = port
        self._name = name
        self._gate = gate

    def __getattr__(self, method: str) -> Any:
        value = getattr(self._port, method)
        if not callable(value):
            return value
        call, gate = f"{self._name}.{method}", self._gate

        def gated(*args: Any, **kwargs: Any) -> Any:
            gate(f"{call}:before")
            result = value(*args, **kwargs)
            gate(f"{call}:after")
            return result

        return gated


def gated(port: Port, name: str, gate: Callable[[str], None]) -> Port:
    """The port, with gates."""
    return cast("Port", Gated(port, name, gate))
