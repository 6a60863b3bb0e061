"""What the engine may ask of runners: start one, look at one, ask one to stop, wait for any.

A runner owns one process for one turn or one job and outlives the controller. Everything it
knows is in its folder (DESIGN §18), so a controller that comes back needs nothing but the path.
This port never decides: it starts what it is told and reports what it sees.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from typing import Protocol

from tidegate.core.records import record


@record
class RunnerSpec:
    """All that a runner needs to know. It is written to ``spec.json`` before the start.

    `folder` is the turn folder, absolute; `argv` the whole command line, sandbox included. Times
    are seconds of active (monotonic) time, sizes bytes. `stdin_path` is a file, or None for none.
    `mark` is put into the environment of the agent's process as ``TIDEGATE_MARK``: what carries it
    belongs to this turn and to no other, which is how a sweep tells ours from anybody else's.
    """

    folder: str
    epoch: int
    argv: tuple[str, ...]
    env: Mapping[str, str] = field(repr=False)
    cwd: str
    mark: str
    deadline_s: float
    output_max_bytes: int
    grace_s: float
    beat_s: float
    stdin_path: str | None = None
    is_durable: bool = True
    """Its record has to outlive a power cut. What is simply done again needs none that does: half
    of the waiting for a disk in a small job was for that."""


class EndReason(StrEnum):
    """Why a runner's process is over, as the runner itself saw it."""

    EXITED = "exited"
    """It ended by itself, by an exit code or by a signal that was not ours."""
    STOPPED = "stopped"
    """It was ended because a stop was asked for: `asked` says with what words."""
    DEADLINE = "deadline"
    OUTPUT_CAP = "output_cap"
    NOT_STARTED = "not_started"
    """The command could not be started; `error` says why (the errno's name and the path)."""
    FENCED = "fenced"
    """The fence had moved past this runner's epoch before it began: nothing was started."""


@record
class Beat:
    """One sign of life. Only a sequence above the last one seen counts as new."""

    sequence: int
    monotonic_s: float
    boot_id: str
    runner_pid: int
    agent_pid: int
    stdout_bytes: int
    stderr_bytes: int
    started_monotonic_s: float | None = None
    """When its agent began, on the same clock; None where an older runner did not say."""


_KILL, _TERM = 9, 15
_SHELLS_WORD_FOR_KILLED = (128 + _KILL, 128 + _TERM)


@record
class Exit:
    """How a turn's process ended. Exactly one of `code` and `signal` is set where it ran at all."""

    reason: EndReason
    code: int | None
    signal: int | None
    started_utc: str
    ended_utc: str
    active_s: float
    stdout_bytes: int
    stderr_bytes: int
    leftovers: tuple[int, ...]
    """Pids that would not die: nothing may be started in this workspace while they live."""
    swept: int
    """Descendants that outlived the agent's process and were ended by the sweep."""
    error: str | None
    asked: str = ""
    """The reason that a request to stop gave; a signal to the runner has one of its own."""
    steps: tuple[str, ...] = ()
    """What was done to end it, in order, each with how many seconds after its start."""
    oom_kills: int = 0
    """How many processes this machine killed for want of memory meanwhile. With signal 9 and reason
    EXITED it is the likely cause, and then neither the agent nor its sign-in is to blame."""

    @property
    def was_killed(self) -> bool:
        """A signal from outside ended it, or what the shell around it waited for.

        A shell tells a child's KILL or TERM by a code of its own: an agent's work was cut short
        then. Of a check it may be the verdict, so there the signal alone counts.
        """
        is_signalled = self.signal is not None or self.code in _SHELLS_WORD_FOR_KILLED
        return self.reason is EndReason.EXITED and is_signalled

    @property
    def killed_by(self) -> str:
        """Who that was, as far as it can be told: the kernel for want of memory, or unknown."""
        if not self.was_killed:
            return ""
        is_hard = self.signal == _KILL or self.code == _SHELLS_WORD_FOR_KILLED[0]
        return "oom" if is_hard and self.oom_kills else "unknown"


@record(kw_only=False)
class Absent:
    """Nothing was ever started in that folder (there is no spec in it)."""


@record(kw_only=False)
class Running:
    """A runner holds its lock. `beat` is None until the first one is written."""

    beat: Beat | None
    stopping: bool
    """A stop request was acknowledged."""


@record(kw_only=False)
class Over:
    """The runner wrote how it ended. This is final."""

    exit: Exit


@record(kw_only=False)
class Unheld:
    """A spec, no lock holder and no exit: about to start, or dead. Only `declare_lost` can tell.

    `beat` is the last sign of life, where there was one: it names the boot that it belongs to.
    """

    beat: Beat | None = None


Sighting = Absent | Running | Over | Unheld


class Runners(Protocol):
    """The runners of this host."""

    def start(self, spec: RunnerSpec) -> None:
        """Start a runner for this folder. A second start of the same folder changes nothing.

        Raises Unavailable where a process cannot be made (errno, counts of processes).
        """
        ...

    def look(self, folder: str) -> Sighting:
        """Say what is in a folder, without taking its lock and without waiting."""
        ...

    def begun_in(self, folder: str) -> str:
        """The folder that this one was when its runner was started; empty where none ever was.

        It is another one where a repository was moved or copied since.
        """
        ...

    def request_stop(self, folder: str, *, epoch: int, reason: str) -> None:
        """Ask the runner to end its process: TERM, its grace, KILL, sweep. Idempotent."""
        ...

    def kill(self, folder: str) -> None:
        """End the runner that holds this folder's lock, by force. Its process may live on.

        For a runner that was asked to end and does not say that it heard: it is stopped, or stuck.
        """
        ...

    def declare_lost(self, folder: str, *, epoch: int) -> bool:
        """Take the folder's lock, write `epoch` as its fence and let go; True if that was done.

        False when a runner holds the lock: it lives. After True no runner below `epoch` can begin.
        """
        ...

    def survivors(self, marks: Sequence[str]) -> Mapping[str, tuple[int, ...]]:
        """Live processes of each of these marks: what a dead runner left behind.

        Every mark has its entry, empty where nobody carries it. Descendants of a carrier count.
        """
        ...

    def sweep(self, mark: str, *, grace_s: float) -> tuple[int, ...]:
        """End every process that carries this mark; the pids that would not die.

        It waits until they are gone: `grace_s` at most for those that heed TERM, some seconds more
        for those that only heed KILL. Without a grace it waits for a moment only: ask again for
        what is left.
        """
        ...

    def sweep_all(self, marks: Sequence[str]) -> Mapping[str, tuple[int, ...]]:
        """End every process that carries one of these marks, in one go; who would not die, of each.

        As `sweep` without a grace: it waits for a moment only.
        """
        ...

    def wait(self, timeout_s: float) -> None:
        """Sleep until a runner this process started or adopted ends, or the time is over.

        It may end early. A runner is adopted when a `look` first sees it running.
        """
        ...

    def stand_down(self) -> None:
        """Nothing more will be started for now: no process of this side's own stays behind."""
        ...
