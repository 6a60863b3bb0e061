"""The host: runners and their processes as planned happenings, behind the port of the engine.

A start has two halves, the spec and the process, and a controller can die between them. A runner
takes a while until it holds its lock. Its agent can outlive it. All of it goes on while no
controller is there.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from tests.sim.process import Ending, Process, Script
from tests.sim.timeline import Timeline
from tidegate.core.errors import Unavailable
from tidegate.ports.runners import (
    Absent,
    EndReason,
    Over,
    RunnerSpec,
    Running,
    Sighting,
    Unheld,
)

Program = Callable[[RunnerSpec], Script | Ending]
"""What the command line of a spec is in this world, or why it cannot be started."""
_SWEEP_S = 2.0
"""How long a sweep waits for what does not die."""


class Fate(Protocol):
    """What befalls a host, beside what the engine asks of it."""

    def start_delay_s(self) -> float:
        """How long a runner takes until it holds its lock."""
        ...

    def stop_delay_s(self) -> float:
        """How long a stop takes."""
        ...

    def may_spawn(self) -> bool:
        """Whether there is room for a process."""
        ...

    def between_halves(self) -> None:
        """The controller may die here: the spec is written and there is no process."""
        ...

    def is_wake_missed(self) -> bool:
        """Whether a wait sleeps through a runner's end."""
        ...

    def on_begin(self, process: Process) -> None:
        """A process begins: plan what will happen to it."""
        ...


class Witness(Protocol):
    """Sees what is started, and says so where it should not be."""

    def asked(self, spec: RunnerSpec) -> None:
        """The engine starts a runner."""
        ...

    def begun(self, process: Process, living: Sequence[Process]) -> None:
        """A process begins beside those that live."""
        ...

    def stopping(self, process: Process, reason: str) -> None:
        """The engine asks a runner to end its process."""
        ...

    def killing(self, process: Process) -> None:
        """The engine ends a runner by force."""
        ...


class Host:
    """See ports.runners.Runners."""

    def __init__(self, timeline: Timeline, program: Program, fate: Fate, witness: Witness) -> None:
        self.processes: list[Process] = []
        self._timeline = timeline
        self._program = program
        self._fate = fate
        self._witness = witness
        self._folders: dict[str, Process] = {}
        self.fences: dict[str, int] = {}
        """The fences of folders in which nothing was ever started."""
        self._has_ended = False

    # --- the port ---------------------------------------------------------------------------

    def start(self, spec: RunnerSpec) -> None:
        """Write the spec, then make a process. A second start of the same folder does nothing."""
        if self._at(spec.folder) is not None:
            return
        self._witness.asked(spec)
        if not self._fate.may_spawn():
            raise Unavailable("no runner could be started: EAGAIN")
        Path(spec.folder).mkdir(parents=True, exist_ok=True)
        process = Process(spec=spec, pid=1000 + 2 * len(self.processes))
        process.fence = self.fences.get(spec.folder, 0)
        self._folders[spec.folder] = process
        self.processes.append(process)
        self._fate.between_halves()
        process.is_spawned = True
        self._timeline.after(self._fate.start_delay_s(), lambda: self._begin(process))

    def look(self, folder: str) -> Sighting:
        """Say what is in a folder."""
        process = self._at(folder)
        if process is None:
            return Absent()
        if process.exit is not None:
            return Over(process.exit)
        if process.is_held:
            return Running(process.beat(self._timeline.now_s), process.is_stopping)
        return Unheld(process.beat(self._timeline.now_s) if process.begun_s else None)

    def request_stop(self, folder: str, *, epoch: int, reason: str) -> None:
        """Ask a runner to end its process; asking again changes nothing."""
        process = self._at(folder)
        if process is None or process.is_stop_asked or epoch < process.spec.epoch or not reason:
            return
        self._witness.stopping(process, reason)
        process.is_stop_asked = True
        if process.is_held:
            self._heed(process, Ending(reason=EndReason.STOPPED, signal=15, asked=reason))

    def kill(self, folder: str) -> None:
        """End whoever holds the folder's lock; what it owned lives on."""
        process = self._at(folder)
        if process is not None:
            self._witness.killing(process)
            self.kill_runner(process, with_agent=False)

    def declare_lost(self, folder: str, *, epoch: int) -> bool:
        """Take the lock and write the fence, where no runner holds it."""
        process = self._at(folder)
        if process is None:
            self.fences[folder] = max(self.fences.get(folder, 0), epoch)
            return True
        if process.is_held:
            return False
        process.fence = max(process.fence, epoch)
        return True

    def survivors(self, marks: Sequence[str]) -> Mapping[str, tuple[int, ...]]:
        """Live processes of each mark."""
        return {mark: tuple(self._living_of(mark)) for mark in marks}

    def sweep(self, mark: str, *, grace_s: float) -> tuple[int, ...]:
        """End what carries the mark; what would not die."""
        found = self._living_of(mark)
        for process in found.values():
            if process.clings_until_s <= self._timeline.now_s:
                self._stop_work(process)
        if self._living_of(mark):
            self._timeline.pass_by(grace_s + _SWEEP_S)
        return tuple(self._living_of(mark))

    def sweep_all(self, marks: Sequence[str]) -> Mapping[str, tuple[int, ...]]:
        """End what carries these marks; what would not die."""
        return {mark: self.sweep(mark, grace_s=0.0) for mark in marks}

    def begun_in(self, folder: str) -> str:
        """Nothing is moved or copied here."""
        return folder

    def stand_down(self) -> None:
        """Nothing of this side's own is kept."""

    def wait(self, timeout_s: float) -> None:
        """Sleep until a runner ends, or the time is over."""
        self._has_ended = False
        until_s = self._timeline.now_s + timeout_s
        self._timeline.run_until(
            until_s, enough=lambda: self._has_ended and not self._fate.is_wake_missed()
        )

    # --- what befalls it --------------------------------------------------------------------

    def kill_runner(self, process: Process, *, with_agent: bool) -> None:
        """The runner dies without a word."""
        if not process.is_held:
            return
        process.is_held = process.is_spawned = False
        self._has_ended = True
        if with_agent:
            self._stop_work(process)

    def kill_agent(self, process: Process) -> None:
        """Somebody kills the owned process; its runner writes that down."""
        self._end_if_at_work(process, Ending(signal=9))

    def reboot(self) -> None:
        """The machine goes down with all that runs on it, and comes up again."""
        self._timeline.boots += 1
        for process in self.processes:
            process.is_spawned = process.is_held = False
            process.clings_until_s = 0.0
            self._stop_work(process)

    @property
    def living(self) -> list[Process]:
        """All that lives."""
        return [each for each in self.processes if each.is_alive]

    # --- inside -----------------------------------------------------------------------------

    def _at(self, folder: str) -> Process | None:
        process = self._folders.get(folder)
        if process is not None and not os.path.isdir(folder):  # noqa: PTH112 - asked very often
            del self._folders[folder]
            return None
        return process

    def _heed(self, process: Process, ending: Ending) -> None:
        """A runner that is frozen hears it when it is thawed."""
        thaw_s = process.thaws_in_s(self._timeline.now_s)
        if thaw_s > 0:
            self._timeline.after(thaw_s, lambda: self._heed(process, ending))
        elif process.is_held:
            process.is_stopping = True
            self._timeline.after(
                self._fate.stop_delay_s(), lambda: self._end_if_at_work(process, ending)
            )

    def _living_of(self, mark: str) -> dict[int, Process]:
        found = (each for each in self.processes if each.is_at_work and each.spec.mark == mark)
        return {each.pid + 1: each for each in found}

    def _begin(self, process: Process) -> None:
        """The runner takes its lock, re-reads its fence, and starts what it owns."""
        if not process.is_spawned or self._at(process.spec.folder) is not process:
            return  # killed, or its folder is gone and with it the spec
        process.begun_s = self._timeline.now_s
        process.boot_id = self._timeline.now().boot_id
        if process.fence > process.spec.epoch:
            self._record(process, Ending(reason=EndReason.FENCED))
        elif process.is_stop_asked:
            self._record(process, Ending(reason=EndReason.STOPPED, asked="interrupted"))
        else:
            self._work(process)

    def _work(self, process: Process) -> None:
        script = self._program(process.spec)
        if isinstance(script, Ending):
            self._record(process, script)
            return
        self._witness.begun(process, [each for each in self.living if each is not process])
        process.is_held = process.is_at_work = True
        process.script = script
        overtime = Ending(reason=EndReason.DEADLINE, signal=9)
        self._timeline.after(
            process.spec.deadline_s, lambda: self._end_if_at_work(process, overtime)
        )
        self._fate.on_begin(process)
        self._go_on(process)

    def _go_on(self, process: Process) -> None:
        if process.script is None or not process.is_at_work:
            return
        thaw_s = process.thaws_in_s(self._timeline.now_s)
        if thaw_s > 0:
            self._timeline.after(thaw_s, lambda: self._go_on(process))
            return
        try:
            pause_s = next(process.script)
        except StopIteration as over:
            self._end(process, over.value)
        else:
            self._timeline.after(pause_s, lambda: self._go_on(process))

    def _end_if_at_work(self, process: Process, ending: Ending) -> None:
        thaw_s = process.thaws_in_s(self._timeline.now_s)
        if thaw_s > 0 and ending.signal is not None and ending.reason is not EndReason.EXITED:
            self._timeline.after(thaw_s, lambda: self._end_if_at_work(process, ending))
        elif process.is_held and process.is_at_work:
            self._end(process, ending)

    def _end(self, process: Process, ending: Ending) -> None:
        """The owned process ends. Without a runner nobody writes it down."""
        clings = process.clings_until_s - self._timeline.now_s
        if clings > 0:
            process.script = None
            self._timeline.after(clings, lambda: self._stop_work(process))
        else:
            self._stop_work(process)
        if process.is_held:
            self._record(process, ending)

    def _stop_work(self, process: Process) -> None:
        process.is_at_work = False
        process.script = None

    def _record(self, process: Process, ending: Ending) -> None:
        now = self._timeline.now()
        process.exit = process.exit_with(ending, now_s=now.monotonic_s, utc=now.utc)
        process.is_held = process.is_spawned = False
        self._has_ended = True
