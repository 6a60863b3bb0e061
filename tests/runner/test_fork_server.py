"""Runners of a program of ours are forked from a server that has it ready."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.runner.stage import ELSEWHERE, Stage, python
from tests.waiting import until
from tidegate.ports.runners import Absent, EndReason, Over
from tidegate.runner import local, process_table
from tidegate.runner.fork_client import Forkable
from tidegate.runner.local import LocalRunners

pytestmark = pytest.mark.slow
HERE = Path(__file__).parent
PROGRAM = Forkable(command=("prepared",), module="prepared_program")
TELL = """
import os, signal
print(sorted(name for name in os.environ if name != "LC_CTYPE"), os.environ["TIDEGATE_MARK"])
print(os.getcwd(), os.getsid(0) == os.getpid(), signal.pthread_sigmask(signal.SIG_BLOCK, ()))
print([signal.getsignal(n) for n in (signal.SIGTERM, signal.SIGCHLD, signal.SIGPIPE)])
print(os.read(0, 99), sorted(map(int, os.listdir("/proc/self/fd"))))
os.system("echo from $TIDEGATE_MARK")
"""


@pytest.fixture
def forking(stage: Stage) -> Iterator[Stage]:
    """A stage whose runners are forked: a Python of its own finds the program of these tests."""
    found = stage.root / "python"
    found.write_text(
        f'#!/bin/sh\nshift\nPYTHONPATH={HERE} exec {sys.executable} "$@"\n', encoding="utf-8"
    )
    found.chmod(0o700)
    plain, stage.runners = stage.runners, LocalRunners(python=str(found), forkable=PROGRAM)
    yield stage
    stage.runners.stand_down()
    plain.close()


def server_of(stage: Stage) -> int:
    """The pid of the stage's fork server."""
    return stage.runners._fork_server._pid


def test_a_forked_program_sees_what_a_started_one_does(forking: Stage) -> None:
    """Environment, folder, session, signals, input and output, and what it starts itself."""
    given = forking.root / "given"
    given.write_text("input", encoding="utf-8")
    changes = {"stdin_path": str(given), "mark": "one", "env": {"PATH": os.environ["PATH"]}}
    forked, its_end = forking.run("prepared", TELL, **changes)
    started, other_end = forking.run(*python(TELL), **changes)
    assert forking.said(forked) == forking.said(started)
    assert "from one" in forking.said(forked)
    assert (its_end.reason, its_end.code) == (other_end.reason, other_end.code)
    assert (its_end.reason, its_end.code) == (EndReason.EXITED, 0)


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("code = 7", 7),
        ("raise SystemExit(3)", 3),
        ("raise SystemExit", 0),
        ("raise SystemExit('no')", 1),
        ("raise RuntimeError('a bug')", 1),
        ("import os; os._exit(9)", 9),
    ],
)
def test_a_forked_program_ends_as_a_program_does(forking: Stage, script: str, code: int) -> None:
    """By what it returns, by an exit, or by an error that is told on its standard error."""
    spec, ending = forking.run("prepared", script)
    assert (ending.code, ending.signal) == (code, None)
    told = Path(spec.folder, "stderr").read_text(encoding="utf-8")
    assert ("RuntimeError: a bug" in told) is ("a bug" in script)


def test_a_forked_program_that_is_killed_is_said_to_be(forking: Stage) -> None:
    """Its signal is on record."""
    _, ending = forking.run("prepared", "import os; os.kill(os.getpid(), 9)")
    assert (ending.code, ending.signal) == (None, signal.SIGKILL)


def test_a_forked_program_is_stopped(forking: Stage) -> None:
    """TERM reaches it and what it started, though it was forked with every signal held back."""
    spec = forking.start("prepared", "import os; print('on', flush=True); os.system('sleep 60')")
    forking.hears(spec, "on")
    forking.runners.request_stop(spec.folder, epoch=1, reason="test")
    ending = forking.ended(spec)
    assert (ending.reason, ending.signal) == (EndReason.STOPPED, signal.SIGTERM)
    assert forking.alive(spec) == ()


@pytest.mark.parametrize(
    ("changes", "reason"),
    [({"deadline_s": 0.2}, EndReason.DEADLINE), ({"output_max_bytes": 10}, EndReason.OUTPUT_CAP)],
)
def test_a_forked_program_has_its_limits(
    forking: Stage, changes: dict[str, object], reason: EndReason
) -> None:
    """They are its runner's affair, as they are for any other."""
    script = "print('x' * 99, flush=True); import time; time.sleep(60)"
    _, ending = forking.run("prepared", script, **changes)
    assert ending.reason is reason


def test_a_forked_program_carries_its_mark(forking: Stage) -> None:
    """A sweep finds it as it finds any other, and its runner is not taken for it."""
    spec = forking.start("prepared", "print('on', flush=True); import time; time.sleep(60)")
    forking.hears(spec, "on")
    assert forking.alive(spec) == (forking.beat(spec).agent_pid,)
    assert forking.runners.sweep(spec.mark, grace_s=1.0) == ()
    assert forking.ended(spec).signal == signal.SIGTERM


def test_a_forked_runner_leads_a_session(forking: Stage) -> None:
    """No terminal's signal reaches it, and its server's end is none of its own."""
    spec = forking.start("prepared", "print('on', flush=True); import time; time.sleep(60)")
    forking.hears(spec, "on")
    runner = forking.beat(spec).runner_pid
    assert os.getsid(runner) == runner != os.getsid(server_of(forking))


def test_runners_that_are_over_are_reaped(forking: Stage) -> None:
    """With the next request: their number does not grow."""
    for _ in range(4):
        forking.run("prepared", "code = 0")
    zombies = [p for p in process_table.everyone().values() if p.parent == server_of(forking)]
    assert len(zombies) <= 1


@pytest.mark.parametrize("script", ["raise RuntimeError('a bug')", "print('x')"])
def test_a_forked_program_ends_where_not_even_its_words_can_be_written(
    forking: Stage, script: str
) -> None:
    """On a full disk it must not run on as the runner that it was forked from."""
    full = "import sys; sys.stdout = open('/dev/full', 'w'); sys.stderr = open('/dev/full', 'w')"
    _, ending = forking.run("prepared", f"{full}\n{script}")
    assert (ending.reason, ending.error) == (EndReason.EXITED, None)
    assert ending.code == int("bug" in script)


def test_a_forked_program_dies_with_its_runner(forking: Stage) -> None:
    """Nobody is left to end it."""
    spec = forking.start("prepared", "print('on', flush=True); import time; time.sleep(60)")
    forking.hears(spec, "on")
    beat = forking.beat(spec)
    os.kill(beat.runner_pid, signal.SIGKILL)
    until(lambda: process_table.find(beat.agent_pid) is None, within_s=5.0)


def test_runners_outlive_the_server(forking: Stage) -> None:
    """It may be killed at any moment: what it forked goes on, and the next start has another."""
    held = forking.root / "held"
    os.mkfifo(held)
    spec = forking.start("prepared", f"print('on', flush=True); open({str(held)!r}).read(1)")
    forking.hears(spec, "on")
    before = server_of(forking)
    os.kill(before, signal.SIGKILL)
    assert forking.run("prepared", "code = 5")[1].code == 5
    held.write_text(".", encoding="utf-8")
    assert forking.ended(spec).code == 0
    assert server_of(forking) != before


def test_a_server_that_does_not_answer_is_done_without(forking: Stage) -> None:
    """It is killed, and another one does what was asked."""
    forking.run("prepared", "code = 0")
    forking.runners._fork_server._channel.settimeout(0.05)  # type: ignore[union-attr]  # it was just used
    hung = server_of(forking)
    os.kill(hung, signal.SIGSTOP)
    assert forking.run("prepared", "code = 6")[1].code == 6
    assert process_table.find(hung) is None


def test_an_environment_may_be_read_twice() -> None:
    """Where a server began and could not say so, a second runner is begun with the same file."""
    with local._memory(b"A=1\0") as memory:
        os.read(memory, 2)
        script = "from tidegate.runner.spec import take_environment as t; print(t())"
        done = subprocess.run(
            [sys.executable, "-c", script], stdin=memory, stdout=-1, env=ELSEWHERE, check=True
        )
    assert done.stdout == b"{b'A': b'1'}\n"


def test_a_server_that_cannot_begin_is_done_without(stage: Stage) -> None:
    """What it would have called is started as the program that it is."""
    command = python("print('as a program')")
    nobody = Forkable(command=command[:4], module="tidegate.no_such_module")
    runners, stage.runners = stage.runners, LocalRunners(forkable=nobody)
    runners.close()
    spec, ending = stage.run(*command)
    assert (ending.code, stage.said(spec)) == (0, "as a program\n")


def test_nothing_stands_by_after_the_end(forking: Stage) -> None:
    """The server is gone, and reaped; a later start has a new one."""
    forking.run("prepared", "code = 0")
    server = server_of(forking)
    forking.runners.stand_down()
    assert process_table.find(server) is None
    assert forking.run("prepared", "code = 4")[1].code == 4


def test_a_server_ends_with_its_controller(tmp_path: Path) -> None:
    """Also with one that is killed and cannot tell it."""
    script = f"""
import os, signal, sys
from tidegate.runner.fork_client import Forkable
from tidegate.runner.local import LocalRunners
from tidegate.ports.runners import RunnerSpec
runners = LocalRunners(forkable=Forkable(command=("git",), module="tidegate.git.forkable"))
runners.start(RunnerSpec(
    folder={str(tmp_path / "job")!r}, epoch=1, argv=("git", "nothing"), env={{}}, cwd="/",
    mark="x", deadline_s=9.0, output_max_bytes=999999, grace_s=1.0, beat_s=9.0))
print(runners._fork_server._pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, env=ELSEWHERE, check=False
    )
    assert done.returncode == -signal.SIGKILL
    server = int(done.stdout)
    until(lambda: process_table.find(server) is None)
    until(lambda: isinstance(LocalRunners().look(str(tmp_path / "job")), Over))


def test_another_command_is_started_as_ever(forking: Stage) -> None:
    """Only the prepared program's command lines are forked."""
    spec, _ = forking.run(*python("print(1)"))
    assert server_of(forking) == 0
    assert not isinstance(forking.runners.look(spec.folder), Absent)
    assert not PROGRAM.is_meant_by(("other", "prepared"))
