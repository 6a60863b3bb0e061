"""A stage for runners: it starts them in folders of its own and leaves no process behind."""

import contextlib
import dataclasses
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.waiting import until
from tidegate.ports.runners import Beat, Exit, Over, RunnerSpec, Running
from tidegate.runner import process_table
from tidegate.runner.local import LocalRunners

PATH = os.environ["PATH"]
WITHIN_S = 10.0
WAITS_MAX = 20
ELSEWHERE = {**os.environ, "PYTHONPATH": os.pathsep.join(place for place in sys.path if place)}
"""The environment for a Python of its own that finds the package wherever this one did."""


class Stage:
    """One test's runners, and its view of them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.runners = LocalRunners()
        self.marks: list[str] = []

    def spec(self, *argv: str, **changes: object) -> RunnerSpec:
        """A spec in a folder that is not there yet, with short times; `changes` overrides it."""
        number = len(self.marks)
        plain = RunnerSpec(
            folder=str(self.root / f"turn-{number}"),
            epoch=1,
            argv=argv,
            env={"PATH": PATH},
            cwd=str(self.root),
            mark=f"{self.root.name}-{os.getpid()}-{number}",
            deadline_s=30.0,
            output_max_bytes=1_000_000,
            grace_s=5.0,
            beat_s=5.0,
        )
        spec = dataclasses.replace(plain, **changes)  # type: ignore[arg-type]  # what it is given is the test's affair
        self.marks.append(spec.mark)
        return spec

    def start(self, *argv: str, **changes: object) -> RunnerSpec:
        """Start a runner for this command."""
        spec = self.spec(*argv, **changes)
        self.runners.start(spec)
        return spec

    def run(self, *argv: str, **changes: object) -> tuple[RunnerSpec, Exit]:
        """Start a runner and wait for its end."""
        spec = self.start(*argv, **changes)
        return spec, self.ended(spec)

    def ended(self, spec: RunnerSpec) -> Exit:
        """Wait for the end of this runner."""
        for _ in range(WAITS_MAX):
            seen = self.runners.look(spec.folder)
            if isinstance(seen, Over):
                return seen.exit
            self.runners.wait(WITHIN_S / WAITS_MAX)
        raise AssertionError(f"{spec.argv} goes on for more than {WITHIN_S} s")

    def beat(self, spec: RunnerSpec, *, above: int = 0) -> Beat:
        """Wait for a beat with a sequence above this."""
        found: list[Beat] = []

        def is_there() -> bool:
            seen = self.runners.look(spec.folder)
            if isinstance(seen, Running) and seen.beat and seen.beat.sequence > above:
                found.append(seen.beat)
            return bool(found)

        until(is_there, within_s=WITHIN_S)
        return found[-1]

    def said(self, spec: RunnerSpec) -> str:
        """All that the agent has written to its standard output so far."""
        return Path(spec.folder, "stdout").read_text(encoding="utf-8")

    def hears(self, spec: RunnerSpec, word: str) -> None:
        """Wait until the agent has said this."""
        out = Path(spec.folder, "stdout")
        until(lambda: out.exists() and word in out.read_text(encoding="utf-8"), within_s=WITHIN_S)

    def alive(self, spec: RunnerSpec) -> tuple[int, ...]:
        """The live processes of this turn."""
        return self.runners.survivors([spec.mark])[spec.mark]

    def runner_pids(self) -> list[int]:
        """The runners at work on this stage, whether or not they have said who they are."""
        here = os.fsencode(self.root)
        found = []
        for pid in process_table.everyone():
            try:
                words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if any(word.startswith(here) and word.endswith(b"/spec.json") for word in words):
                found.append(pid)
        return found

    def clear(self) -> None:
        """End every runner and agent of this test."""
        for pidfd in self.runners._watch._pidfds.values():
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(pidfd, signal.SIGKILL)
        for pid in self.runner_pids():  # those that another process started
            os.kill(pid, signal.SIGKILL)
        for mark, pids in self.runners.survivors(self.marks).items():
            assert not pids or self.runners.sweep(mark, grace_s=0.01) == ()
        self.runners.wait(0.0)
        self.runners.close()


def python(script: str) -> tuple[str, ...]:
    """A command that runs a Python script, started as fast as can be."""
    return (sys.executable, "-I", "-S", "-c", script)


@contextlib.contextmanager
def within(seconds: float) -> Iterator[None]:
    """Fail what takes longer: a call that would go on waiting is cut off."""

    def cut_off(_number: int, _frame: object) -> None:
        raise AssertionError(f"not done within {seconds} s")

    before = signal.signal(signal.SIGALRM, cut_off)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
