"""The faults. Each happens for real, to real processes, and says by what it is known to have.

A fault that finds nothing to strike says so, and is tried again later.
"""

import os
import resource
import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from random import Random

from tidegate.core.records import record
from tidegate.showcase.proving import child, sight
from tidegate.showcase.proving.child import Controller, Recovery, pause
from tidegate.showcase.proving.journal import read_journal
from tidegate.showcase.proving.sight import Turn
from tidegate.showcase.proving.world import LEASE_S, World
from tidegate.verbs.house import House

FIND_MAX_S = 20.0
"""How long to wait for something to strike."""
EFFECT_MAX_S = 30.0
"""How long to wait for what a fault must lead to."""
STEP_S = 7200.0
"""By how much the wall clock is off after a step."""
_WHILE_IT_STARTS = 1 / 3
_REFUSED = 4


class Fault(StrEnum):
    """What is done to a run."""

    KILL_CONTROLLER = "kill -9 of the controller"
    KILL_RUNNER = "kill -9 of a runner"
    KILL_AGENT = "kill -9 of an agent"
    STOP_CONTROLLER = "controller stopped too long"
    STOP_RUNNER = "runner stopped too long"
    DUPLICATE = "a second controller"
    TAKE_OVER = "taken over behind its back"
    FULL_DISK = "no write succeeds any more"
    CLOCK_STEPS = "clock 2 h on, then 4 h back"


@record
class Struck:
    """A fault that was injected: when, how it is known to have taken effect, and what followed.

    `seen` is empty where it did not take effect. `recovery` is the next controller's, where one
    had to be started.
    """

    fault: Fault
    at_s: float
    seen: str
    recovery: Recovery | None = None
    turn: tuple[str, int] | None = None
    """The turn that was killed, or whose runner was silent for so long that it may be ended:
    another attempt takes its place."""


@dataclass(kw_only=True)
class Stage:
    """What the faults act on: one world, one controller at a time, one clock, one sort of luck."""

    house: House
    world: World
    random: Random
    controller: Controller
    tell: Callable[[str], None]
    is_hasty: bool = False
    """A controller may be killed while it still starts."""
    is_starting: bool = False
    starts: list[Recovery] = field(default_factory=list)

    def now_s(self) -> float:
        """The monotonic clock."""
        return self.house.clock.now().monotonic_s

    def utc(self) -> str:
        """The wall clock, as the ledger writes it."""
        return self.house.clock.now().utc

    def restart(self, *, is_stepped: bool = False) -> Recovery | None:
        """Start the next controller, and watch it find its way."""
        self.controller = child.start(self.world, self.now_s, is_stepped=is_stepped)
        return self.settle()

    def settle(self) -> Recovery | None:
        """Watch the controller that was started last find its way."""
        self.is_starting = False
        recovery = child.settle(self.controller, self.world, self.now_s)
        if recovery is not None:
            self.starts.append(recovery)
        return recovery

    def wait_for(self, what: Callable[[], object], within_s: float) -> bool:
        """Whether something comes true in time."""
        limit_s = self.now_s() + within_s
        while not what():
            if self.now_s() > limit_s:
                return False
            pause(child.LOOK_S)
        return True

    def a_live_turn(self) -> Turn | None:
        """A builder's turn whose agent says itself that it has begun and has not ended."""
        found: list[Turn] = []

        def look() -> bool:
            notes = read_journal(self.world.journal)
            begun = {note.of for note in notes if note.what == "begin"}
            over = {note.of for note in notes if note.what == "end"}
            turns = sight.live_turns(self.world.home)
            found[:] = [t for t in turns if t.of in begun - over]
            return bool(found) or not self.controller.is_alive

        self.wait_for(look, FIND_MAX_S)
        return self.random.choice(found) if found else None


def strike(stage: Stage, fault: Fault) -> Struck | None:
    """Inject a fault; None where there was nothing to strike."""
    return _FAULTS[fault](stage)


def _kill_controller(stage: Stage) -> Struck | None:
    """At any moment of its life, its start included."""
    if not stage.controller.is_alive:
        return None
    at_s = stage.now_s()
    seen = "it ended by signal 9" if stage.controller.kill() else ""
    pause(stage.random.choice((0.0, stage.random.uniform(0.0, 0.5))))
    stage.is_starting = stage.is_hasty and stage.random.random() < _WHILE_IT_STARTS
    if stage.is_starting:
        stage.controller, recovery = child.start(stage.world, stage.now_s), None
    else:
        recovery = stage.restart()
    return Struck(fault=Fault.KILL_CONTROLLER, at_s=at_s, seen=seen, recovery=recovery)


def _kill_runner(stage: Stage) -> Struck | None:
    turn = stage.a_live_turn()
    if turn is None:
        return None
    at_s = stage.now_s()
    is_gone = _killed(stage, turn.runner)
    if turn.is_over:
        return None  # it was faster, and wrote its record
    is_lost = stage.wait_for(lambda: _ending(stage.world, turn) == ("lost", None), EFFECT_MAX_S)
    seen = f"{turn.attempt} was found lost" if is_gone and is_lost else ""
    return Struck(fault=Fault.KILL_RUNNER, at_s=at_s, seen=seen, turn=turn.of)


def _kill_agent(stage: Stage) -> Struck | None:
    turn = stage.a_live_turn()
    if turn is None:
        return None
    at_s = stage.now_s()
    is_gone = _killed(stage, turn.agent)
    stage.wait_for(lambda: _ending(stage.world, turn) is not None, EFFECT_MAX_S)
    ending = _ending(stage.world, turn)
    if ending is not None and ending[1] is None:
        return None  # it had ended by itself
    is_told = is_gone and ending == ("exited", signal.SIGKILL)
    seen = f"{turn.attempt} was found ended by signal 9" if is_told else ""
    return Struck(fault=Fault.KILL_AGENT, at_s=at_s, seen=seen, turn=turn.of)


def _killed(stage: Stage, pid: int) -> bool:
    _signal(pid, signal.SIGKILL)
    return stage.wait_for(lambda: not sight.lives(pid), EFFECT_MAX_S)


def _ending(world: World, turn: Turn) -> tuple[object, object] | None:
    """How the ledger says that a turn ended, and by which signal; None while it is open."""
    rows = sight.asked(
        world.home,
        "select how, signal from turn where attempt_id = ? and turn = ? and ended_at is not null",
        turn.attempt,
        turn.number,
    )
    return (rows[0][0], rows[0][1]) if rows else None


def _stop_controller(stage: Stage) -> Struck | None:
    """It wakes up with leases that have run out, and must not believe that it is still time."""
    controller = stage.controller
    if stage.a_live_turn() is None or not controller.is_alive:
        return None
    at_s = stage.now_s()
    controller.send(signal.SIGSTOP)
    try:
        is_stopped = stage.wait_for(lambda: sight.state_of(controller.pid) == "T", EFFECT_MAX_S)
        pause(LEASE_S + stage.random.uniform(0.3, 1.0))
        expired = sight.expired_leases(stage.world.home, stage.utc())
    finally:
        controller.send(signal.SIGCONT)
    if is_stopped and not expired:
        return None  # all that it had at work ended before it was stopped
    seen = f"{expired} leases had run out when it went on" if is_stopped else ""
    return Struck(fault=Fault.STOP_CONTROLLER, at_s=at_s, seen=seen)


def _stop_runner(stage: Stage) -> Struck | None:
    """Its agent works on; the beats stay out until the lease is over, and it may be ended for that.

    What it must not do is to come back and work beside whoever took its place.
    """
    turn = stage.a_live_turn()
    if turn is None:
        return None
    at_s = stage.now_s()
    _signal(turn.runner, signal.SIGSTOP)
    try:
        is_stopped = stage.wait_for(lambda: sight.state_of(turn.runner) == "T", EFFECT_MAX_S)
        is_late = stage.wait_for(
            lambda: (
                sight.expired_leases(stage.world.home, stage.utc(), turn.attempt)
                or not stage.controller.is_alive
            ),
            EFFECT_MAX_S,
        )
        pause(stage.random.uniform(0.0, 1.0))
    finally:
        _signal(turn.runner, signal.SIGCONT)
    if turn.is_over and not is_late:
        return None
    seen = f"the lease of {turn.attempt} had run out" if is_stopped and is_late else ""
    return Struck(fault=Fault.STOP_RUNNER, at_s=at_s, seen=seen, turn=turn.of)


def _signal(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def _duplicate(stage: Stage) -> Struck | None:
    """The lock of the repository turns it away."""
    if not stage.controller.is_alive:
        return None
    at_s = stage.now_s()
    second = child.start(stage.world, stage.now_s)
    code = second.wait(EFFECT_MAX_S)
    if stage.controller.wait(0) is not None:  # it ended in time for the second to be the first
        if code is None:
            stage.controller = second
        return None
    if code is None:
        second.kill()
    is_refused = code == _REFUSED and "controller runs already" in " ".join(second.answered)
    seen = "it was refused, and named the first" if is_refused else ""
    return Struck(fault=Fault.DUPLICATE, at_s=at_s, seen=seen)


def _take_over(stage: Stage) -> Struck | None:
    """Past the lock, by the ledger's own door: what the first one writes next must be refused."""
    open_run = sight.asked(stage.world.home, "select run_id from run where ended_at is null")
    if not stage.controller.is_alive or not open_run:
        return None
    at_s = stage.now_s()
    repository = stage.house.repositories.find(str(stage.world.repository))
    ledger = stage.house.open_ledger(repository)
    try:
        ledger.take_over(str(open_run[0][0]), holder="tidegate prove", utc=stage.utc())
    finally:
        ledger.close()
    code = stage.controller.wait(EFFECT_MAX_S)
    if code is None:
        stage.controller.kill()
    seen = "its next write was refused, and it left" if code == _REFUSED else ""
    recovery = stage.restart()
    return Struck(fault=Fault.TAKE_OVER, at_s=at_s, seen=seen, recovery=recovery)


def _full_disk(stage: Stage) -> Struck | None:
    """Each write to a file fails with EFBIG from one moment on; needs no root, and no full disk."""
    controller = stage.controller
    if not controller.is_alive:
        return None
    at_s = stage.now_s()
    paused, again = _said(controller, _PAUSED), _said(controller, _AGAIN)
    soft, hard = resource.prlimit(controller.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(controller.pid, resource.RLIMIT_FSIZE, (0, hard))
    is_told = _says(stage, _PAUSED, paused)
    if not is_told:
        controller.kill()
        return Struck(fault=Fault.FULL_DISK, at_s=at_s, seen="", recovery=stage.restart())
    resource.prlimit(controller.pid, resource.RLIMIT_FSIZE, (soft, hard))
    goes_on = _says(stage, _AGAIN, again)
    seen = "it said that it waits for room, and went on when there was" if goes_on else ""
    return Struck(fault=Fault.FULL_DISK, at_s=at_s, seen=seen)


_PAUSED, _AGAIN = "paused: ", "there is room again"


def _said(controller: Controller, words: str) -> int:
    """How often it said this."""
    return sum(words in line for line in controller.said)


def _says(stage: Stage, words: str, before: int) -> bool:
    """Whether the controller says this in time, more often than before, and lives on."""
    controller = stage.controller
    is_over = stage.wait_for(
        lambda: _said(controller, words) > before or not controller.is_alive, EFFECT_MAX_S
    )
    return is_over and controller.is_alive


def _clock_steps(stage: Stage) -> Struck | None:
    """A controller with a clock of its own, that goes two hours on, and then four hours back."""
    controller = stage.controller
    if stage.a_live_turn() is None or not controller.is_alive:
        return None
    place = stage.world.clock_offset
    _write(place, "0")
    controller.send(signal.SIGHUP)
    if controller.wait(EFFECT_MAX_S) is None:
        controller.kill()
    recovery = stage.restart(is_stepped=True)
    at_s = stage.now_s()
    if recovery is None:
        return None
    is_seen = [_stepped(stage, offset_s) for offset_s in (STEP_S, -STEP_S)]
    _write(place, "0")
    if stage.controller.wait(0) is not None:
        return None
    seen = "leases were kept under both times" if all(is_seen) else ""
    return Struck(fault=Fault.CLOCK_STEPS, at_s=at_s, seen=seen, recovery=recovery)


def _stepped(stage: Stage, offset_s: float) -> bool:
    """Step the clock, and wait until what is recorded has the other time."""
    home = stage.world.home
    after = sight.newest_sequence(home)
    beats_before = sight.number_asked(home, "select max(rowid) from heartbeat")
    _write(stage.world.clock_offset, str(offset_s))
    sign = ">" if offset_s > 0 else "<"
    bound = stage.house.clock.now().utc_in(offset_s / 2)
    events = f"select count(*) from event where sequence > ? and utc {sign} ?"  # noqa: S608 - a sign
    beats = f"select count(*) from heartbeat where rowid > ? and utc {sign} ?"  # noqa: S608 - as above
    return stage.wait_for(
        lambda: (
            sight.number_asked(home, events, after, bound)
            or sight.number_asked(home, beats, beats_before, bound)
            or not stage.controller.is_alive
        ),
        EFFECT_MAX_S,
    )


def _write(place: Path, text: str) -> None:
    """Put it in place by rename: a reader never finds half of it."""
    aside = place.with_name(f"{place.name}.new")
    aside.write_text(text, encoding="ascii")
    aside.replace(place)


_FAULTS: Mapping[Fault, Callable[[Stage], Struck | None]] = {
    Fault.KILL_CONTROLLER: _kill_controller,
    Fault.KILL_RUNNER: _kill_runner,
    Fault.KILL_AGENT: _kill_agent,
    Fault.STOP_CONTROLLER: _stop_controller,
    Fault.STOP_RUNNER: _stop_runner,
    Fault.DUPLICATE: _duplicate,
    Fault.TAKE_OVER: _take_over,
    Fault.FULL_DISK: _full_disk,
    Fault.CLOCK_STEPS: _clock_steps,
}
ALL: Sequence[Fault] = tuple(Fault)
