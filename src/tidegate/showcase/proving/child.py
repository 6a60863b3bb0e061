"""The product's own `tidegate run` as a child process, and what can be seen of its recovery."""

import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import tidegate
from tidegate.core.records import record
from tidegate.showcase.proving.sight import live_turns, lives, number_asked, watched_by
from tidegate.showcase.proving.world import World
from tidegate.showcase.world import made_text

LOOK_S = 0.005
SETTLE_MAX_S = 60.0
_SAID_MAX = 2_000
"""Lines; more is forgotten, the oldest first."""
_READ_MAX_S = 2.0
_TOOK_OVER = "select max(sequence) from event where kind = 'controller_took_over'"


def pause(seconds: float) -> None:
    """Let time pass."""
    select.select([], [], [], max(0.0, seconds))


@record
class Recovery:
    """How long a controller took from the start of its process.

    `decided_s` is until its first tick was durable, `adopted_s` until it waited for the end of
    every agent that lived when it was started.
    """

    decided_s: float
    adopted_s: float
    agents: int


@dataclass(kw_only=True)
class Controller:
    """One `tidegate run`."""

    process: "subprocess.Popen[bytes]"
    began_s: float
    took_over_before: int
    alive_before: frozenset[int]
    said: list[str] = field(default_factory=list)
    """What it last said to people."""
    answered: list[str] = field(default_factory=list)
    """What it answered, in JSON."""
    _readers: list[threading.Thread] = field(default_factory=list)

    @property
    def pid(self) -> int:
        """Its process."""
        return self.process.pid

    @property
    def is_alive(self) -> bool:
        """It has not ended."""
        return self.process.poll() is None

    def send(self, number: signal.Signals) -> None:
        """Signal it."""
        self.process.send_signal(number)

    def kill(self) -> bool:
        """End it by SIGKILL; True where it was that which ended it."""
        self.process.kill()
        return self.wait(SETTLE_MAX_S) == -signal.SIGKILL

    def wait(self, limit_s: float) -> int | None:
        """Its exit code, once all that it said was read; None where it did not end in time."""
        try:
            code = self.process.wait(limit_s)
        except subprocess.TimeoutExpired:
            return None
        for reader in self._readers:
            reader.join(_READ_MAX_S)
        return code

    def listen(self) -> None:
        """Read what it says as it comes. A pipe takes its words also where no file would."""
        for stream, lines in (
            (self.process.stderr, self.said),
            (self.process.stdout, self.answered),
        ):
            assert stream is not None
            reader = threading.Thread(target=_read, args=(stream, lines), daemon=True)
            reader.start()
            self._readers.append(reader)


def _read(stream: IO[bytes], lines: list[str]) -> None:
    with stream:
        for line in stream:
            lines.append(line.decode(errors="replace").rstrip())
            del lines[:-_SAID_MAX]


def start(world: World, now_s: Callable[[], float], *, is_stepped: bool = False) -> Controller:
    """Start a controller over the made repository."""
    alive = frozenset(turn.runner for turn in live_turns(world.home))
    before = number_asked(world.home, _TOOK_OVER)
    began_s = now_s()
    process = subprocess.Popen(
        command(world, is_stepped=is_stepped),
        cwd=world.folder,
        env=environment(world.environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    made = Controller(process=process, began_s=began_s, took_over_before=before, alive_before=alive)
    made.listen()
    return made


def command(world: World, *, is_stepped: bool = False) -> Sequence[str]:
    """The command line of a controller."""
    of_run = ("-C", str(world.repository), "run", "--json")
    if is_stepped:
        program = made_text("stepped.py.txt")
        return (sys.executable, "-P", "-c", program, str(world.clock_offset), *of_run)
    return (sys.executable, "-P", "-m", "tidegate", *of_run)


def environment(given: Mapping[str, str]) -> Mapping[str, str]:
    """The user's environment, with the very package that is at work here found first.

    It may keep its bytecode, as it does for everybody else: to compile all of it at each start
    would be most of what a recovery takes.
    """
    source = str(Path(tidegate.__file__).parents[1])
    paths = [source, *filter(None, given.get("PYTHONPATH", "").split(os.pathsep))]
    kept = {name: given[name] for name in given if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": os.pathsep.join(paths)}


def settle(controller: Controller, world: World, now_s: Callable[[], float]) -> Recovery | None:
    """Watch until it has taken over and watches all agents that live; None where it ended first."""
    decided_s = adopted_s = 0.0
    limit_s = controller.began_s + SETTLE_MAX_S
    while not (decided_s and adopted_s):
        if not controller.is_alive or now_s() > limit_s:
            return None
        if not decided_s and number_asked(world.home, _TOOK_OVER) > controller.took_over_before:
            decided_s = now_s() - controller.began_s
        left = {pid for pid in controller.alive_before if lives(pid)}
        if not adopted_s and (left <= watched_by(controller.pid) if left else decided_s):
            adopted_s = now_s() - controller.began_s
        pause(LOOK_S)
    return Recovery(decided_s=decided_s, adopted_s=adopted_s, agents=len(controller.alive_before))
