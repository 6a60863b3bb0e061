"""Let a run go to its end, and do to it on its way what a package says is done to it.

A builder that is waited for says that it is at work through a pipe, so that nothing here depends on
how fast anything is. Then it is killed, or the controller is, which leaves it at work.
"""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from acceptance.place import Place, Told, Trouble, shown
from acceptance.wanted import Package

RUN_LIMIT_S = 420.0
MEETING_LIMIT_S = 60.0
_STOP_LIMIT_S = 60.0
_ARGV = (sys.executable, "-m", "tidegate", "run", "--json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What the run that came to its end said, and whom it met: a builder's process, or 0."""

    told: Told
    builder_killed: int = 0
    builder_left: int = 0


class Meeting:
    """The pipes through which the first builder of an issue says who it is, and is let go on."""

    def __init__(self, place: Place, issue: str, limit_s: float = MEETING_LIMIT_S) -> None:
        self._limit_s = limit_s
        self._here, self._go = (place.meetings / f"{issue}.{name}" for name in ("here", "go"))
        for pipe in (self._here, self._go):
            os.mkfifo(pipe)
        self._told = os.open(self._here, os.O_RDONLY | os.O_NONBLOCK)

    def builder(self) -> int:
        """Wait for the builder; its process, which waits until it is let go on."""
        if not select.select([self._told], [], [], self._limit_s)[0]:
            raise Trouble(f"nobody was at {self._here} within {self._limit_s:g} s")
        self._here.unlink()
        return int(os.read(self._told, 64))

    def go_on(self) -> None:
        """Let it go on."""
        with self._go.open("w", encoding="utf-8") as pipe:
            pipe.write("\n")

    def over(self) -> None:
        """Take away what is left of it."""
        os.close(self._told)
        for pipe in (self._here, self._go):
            pipe.unlink(missing_ok=True)


@contextmanager
def _met(place: Place, issue: str) -> Iterator[Meeting]:
    meeting = Meeting(place, issue)
    try:
        yield meeting
    finally:
        meeting.over()


def run(place: Place, package: Package) -> Ran:
    """`tidegate run --json`, twice where its controller is killed."""
    if package.builder_killed:
        with _met(place, package.builder_killed) as meeting, _started(place) as process:
            builder = meeting.builder()
            os.kill(builder, signal.SIGKILL)
            return Ran(told=_to_its_end(place, process), builder_killed=builder)
    if package.controller_killed:
        with (
            _met(place, package.controller_killed) as left,
            _met(place, package.taken_later) as later,
        ):
            builder = _killed_at_work(place, left)
            with _started(place) as process:
                later.builder()
                left.go_on()
                later.go_on()
                return Ran(told=_to_its_end(place, process), builder_left=builder)
    with _started(place) as process:
        return Ran(told=_to_its_end(place, process))


def _killed_at_work(place: Place, meeting: Meeting) -> int:
    """Start a run and kill its controller when a builder is at work; the builder's process."""
    with _started(place) as process:
        builder = meeting.builder()
        process.kill()
        process.wait(_STOP_LIMIT_S)
    return builder


def _answer(place: Place) -> Path:
    return place.folder / "answer.json"


@contextmanager
def _started(place: Place) -> Iterator[subprocess.Popen[bytes]]:
    """A run, which is ended where something is wrong here. Its answer is in a file."""
    with _answer(place).open("wb") as answer:
        process = subprocess.Popen(
            _ARGV,
            cwd=place.repository,
            env=place.environment(),
            stdin=subprocess.DEVNULL,
            stdout=answer,
        )
    try:
        yield process
    finally:
        _stop(process)


def _to_its_end(place: Place, process: subprocess.Popen[bytes]) -> Told:
    try:
        code = process.wait(RUN_LIMIT_S)
    except subprocess.TimeoutExpired as error:
        raise Trouble(f"{shown(_ARGV)} did not end within {RUN_LIMIT_S:g} s") from error
    output = _answer(place).read_text(encoding="utf-8", errors="replace")
    return Told(command=shown(_ARGV), code=code, output=output)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End a run that is still at work, and its agents, as a person would: by two interrupts."""
    for _ in range(2):
        if process.poll() is not None:
            return
        process.send_signal(signal.SIGINT)
        try:
            process.wait(_STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            continue
    process.kill()
    process.wait(_STOP_LIMIT_S)
