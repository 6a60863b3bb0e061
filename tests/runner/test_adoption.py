"""Runners outlive who started them: another process sees them, waits for them and ends them."""

import contextlib
import dataclasses
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.runner.stage import ELSEWHERE, WITHIN_S, Stage, within
from tests.waiting import until
from tidegate.ports.runners import EndReason, Exit, Over, Running
from tidegate.runner import lock, process_table
from tidegate.runner.watch import Identity, Watch

CONTROLLER = """
import json, sys
from tidegate.ports.runners import RunnerSpec
from tidegate.runner.local import LocalRunners
fields = json.loads(sys.argv[1])
LocalRunners().start(RunnerSpec(**{**fields, "argv": tuple(fields["argv"])}))
print("started", flush=True)
sys.stdin.read()
"""
UNTIL_GO = "while ! test -e go; do sleep 0.02; done; exit 5"


@contextlib.contextmanager
def started_elsewhere(stage: Stage, *argv: str) -> Iterator[tuple[int, str]]:
    """A controller in another process, in a group of its own, and the folder that it started."""
    spec = stage.spec(*argv)
    with subprocess.Popen(
        [sys.executable, "-c", CONTROLLER, json.dumps(dataclasses.asdict(spec))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=ELSEWHERE,
        process_group=0,
    ) as controller:
        assert controller.stdout is not None
        assert controller.stdout.readline() == b"started\n"
        until(Path(spec.folder, "beat.json").exists)
        yield controller.pid, spec.folder


def ended(stage: Stage, folder: str) -> Exit:
    """How the runner of this folder ended, after a single wait."""
    assert isinstance(stage.runners.look(folder), Running)
    (stage.root / "go").touch()
    with within(WITHIN_S):
        stage.runners.wait(3600.0)
    seen = stage.runners.look(folder)
    assert isinstance(seen, Over)
    return seen.exit


def test_adopted_after_the_death_of_the_controller(stage: Stage) -> None:
    """A controller killed with its whole group comes back, waits, and reads the end (G2-14)."""
    with started_elsewhere(stage, "sh", "-c", UNTIL_GO) as (controller, folder):
        os.killpg(controller, signal.SIGKILL)
    end = ended(stage, folder)
    assert (end.reason, end.code) == (EndReason.EXITED, 5)


def test_interrupt_reaches_the_controller_alone(stage: Stage) -> None:
    """^C goes to the terminal's process group: neither runner nor agent is in it (G2-19)."""
    with started_elsewhere(stage, "sh", "-c", UNTIL_GO) as (controller, folder):
        os.killpg(controller, signal.SIGINT)
    end = ended(stage, folder)
    assert (end.reason, end.code) == (EndReason.EXITED, 5)


def test_seen_beside_a_living_controller(stage: Stage) -> None:
    """Two processes may look at one runner, and the wait of each ends with it."""
    with started_elsewhere(stage, "sh", "-c", UNTIL_GO) as (_, folder):
        assert ended(stage, folder).code == 5


def test_adopted_runner_can_be_stopped(stage: Stage) -> None:
    """A runner that another process started is stopped through its folder alone."""
    with started_elsewhere(stage, "sleep", "60") as (controller, folder):
        os.kill(controller, signal.SIGKILL)
    stage.runners.request_stop(folder, epoch=2, reason="test")
    until(lambda: isinstance(stage.runners.look(folder), Over))
    seen = stage.runners.look(folder)
    assert isinstance(seen, Over)
    assert seen.exit.reason == EndReason.STOPPED


def test_reused_pid_is_not_adopted() -> None:
    """A pid of another boot, namespace or start is somebody else's, and is not waited for."""
    this = process_table.find(os.getpid())
    assert this is not None
    truth = Identity(
        boot_id=process_table.boot_id(),
        pid_namespace=process_table.pid_namespace(),
        runner_pid=this.pid,
        runner_start_ticks=this.start_ticks,
    )
    watch = Watch()
    watch.adopt("boot", dataclasses.replace(truth, boot_id="another"))
    watch.adopt("namespace", dataclasses.replace(truth, pid_namespace=1))
    watch.adopt("start", dataclasses.replace(truth, runner_start_ticks=this.start_ticks + 1))
    watch.adopt("gone", dataclasses.replace(truth, runner_pid=2**22))
    watch.adopt("truth", truth)
    names = ("boot", "namespace", "start", "gone", "truth")
    assert [name for name in names if name in watch] == ["truth"]
    watch.close()


@pytest.mark.parametrize("content", [None, b"{}"])
def test_wait_is_short_while_a_runner_is_unknown(stage: Stage, content: bytes | None) -> None:
    """A runner that has not said who it is cannot be waited for: it is looked at again soon."""
    folder = stage.spec("unused").folder
    Path(folder).mkdir()
    if content is not None:
        Path(folder, "beat.json").write_bytes(content)
    held = lock.try_take(folder)
    assert held is not None
    assert stage.runners.look(folder) == Running(None, stopping=False)
    with within(WITHIN_S):
        stage.runners.wait(3600.0)
    os.close(held)
