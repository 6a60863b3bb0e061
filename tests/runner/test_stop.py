"""Stop requests: heard at once, acknowledged before anything dies, and harmless when repeated."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.runner.stage import Stage
from tests.waiting import until
from tidegate.core.errors import Unavailable
from tidegate.ports.runners import Absent, EndReason, Running
from tidegate.runner import files, lock

SAYS_SO = (
    "trap 'test -e stopping.json && echo acknowledged; exit 0' TERM;"
    "echo ready; while :; do sleep 0.02; done"
)


def test_acknowledged_before_the_agent_dies(stage: Stage) -> None:
    """When the agent is told to end, the acknowledgment is there already."""
    spec = stage.spec("sh", "-c", SAYS_SO)
    Path(spec.folder).mkdir()
    stage.runners.start(stage.spec("sh", "-c", SAYS_SO, folder=spec.folder, cwd=spec.folder))
    stage.hears(spec, "ready")
    stage.runners.request_stop(spec.folder, epoch=1, reason="superseded")
    assert stage.ended(spec).reason == EndReason.STOPPED
    assert stage.said(spec) == "ready\nacknowledged\n"
    acknowledgment = json.loads(Path(spec.folder, "stopping.json").read_bytes())
    assert acknowledgment == {"epoch": 1, "reason": "superseded"}


def test_heard_long_before_the_next_beat(stage: Stage) -> None:
    """A runner that sleeps until a far beat hears a stop at once."""
    spec = stage.start("sleep", "60", beat_s=60.0)
    stage.beat(spec)
    stage.runners.request_stop(spec.folder, epoch=1, reason="test")
    assert stage.ended(spec).reason == EndReason.STOPPED


def test_seen_as_stopping(stage: Stage) -> None:
    """While its agent uses the grace, a runner is seen running and stopping."""
    spec = stage.start("sh", "-c", "trap '' TERM; echo ready; exec sleep 60")
    stage.hears(spec, "ready")
    stage.runners.request_stop(spec.folder, epoch=1, reason="test")
    until(Path(spec.folder, "stopping.json").exists)
    seen = stage.runners.look(spec.folder)
    assert isinstance(seen, Running)
    assert seen.stopping


def test_twice_is_once(stage: Stage) -> None:
    """A second request, before or after the first is heard, changes nothing of the end."""
    script = "trap 'echo told' TERM; echo ready; while ! test -e go; do sleep 0.02; done"
    spec = stage.start("sh", "-c", script)
    stage.hears(spec, "ready")
    for reason in ("first", "second"):
        stage.runners.request_stop(spec.folder, epoch=1, reason=reason)
    until(Path(spec.folder, "stopping.json").exists)
    stage.runners.request_stop(spec.folder, epoch=2, reason="third")
    stage.hears(spec, "told")
    (stage.root / "go").touch()
    assert stage.ended(spec).reason == EndReason.STOPPED
    assert stage.said(spec) == "ready\ntold\n"
    assert json.loads(Path(spec.folder, "stopping.json").read_bytes())["reason"] == "first"
    stage.runners.request_stop(spec.folder, epoch=3, reason="after the end")
    assert stage.ended(spec).reason == EndReason.STOPPED


def test_before_the_agent_begins(stage: Stage) -> None:
    """A runner that finds a request when it begins acknowledges it and starts nothing."""
    spec = stage.spec("echo", "started")
    Path(spec.folder).mkdir()
    Path(spec.folder, "stop").write_text('{"epoch": 1, "reason": "drain"}', encoding="utf-8")
    stage.runners.start(spec)
    end = stage.ended(spec)
    assert (end.reason, end.code, end.signal) == (EndReason.STOPPED, None, None)
    assert not Path(spec.folder, "stdout").exists()
    assert Path(spec.folder, "stopping.json").exists()


def test_request_of_an_older_epoch_is_ignored(stage: Stage) -> None:
    """Who asks under an epoch below the runner's own has lost the right to ask."""
    spec = stage.start("sh", "-c", "echo ready; while ! test -e go; do sleep 0.02; done", epoch=5)
    stage.hears(spec, "ready")
    stage.runners.request_stop(spec.folder, epoch=4, reason="stale")
    (stage.root / "go").touch()
    assert stage.ended(spec).reason == EndReason.EXITED


def test_stop_file_by_hand(stage: Stage) -> None:
    """A `stop` that somebody made with touch means what its name says."""
    spec = stage.start("sleep", "60")
    stage.beat(spec)
    aside = stage.root / "stop"
    aside.touch()
    aside.rename(Path(spec.folder, "stop"))
    assert stage.ended(spec).reason == EndReason.STOPPED


def test_signalled_runner_ends_its_agent(stage: Stage) -> None:
    """SIGTERM to the runner is a stop request with the reason `signal`."""
    spec = stage.start("sleep", "60")
    os.kill(stage.beat(spec).runner_pid, signal.SIGTERM)
    end = stage.ended(spec)
    assert (end.reason, end.signal) == (EndReason.STOPPED, signal.SIGTERM)
    assert json.loads(Path(spec.folder, "stopping.json").read_bytes())["reason"] == "signal"


def test_signalled_while_it_starts(stage: Stage) -> None:
    """A SIGTERM in the runner's first instants is kept until it can be heard."""
    spec = stage.start("sleep", "60")
    until(stage.runner_pids)
    os.kill(stage.runner_pids()[0], signal.SIGTERM)
    assert stage.ended(spec).reason == EndReason.STOPPED


def test_other_signals_do_nothing(stage: Stage) -> None:
    """No signal but TERM and KILL ends a runner or disturbs its agent (G2-18)."""
    spec = stage.start("sh", "-c", "echo ready; while ! test -e go; do sleep 0.02; done")
    stage.hears(spec, "ready")
    runner = stage.beat(spec).runner_pid
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGTTOU, 50):
        os.kill(runner, number)
    (stage.root / "go").touch()
    end = stage.ended(spec)
    assert (end.reason, end.code) == (EndReason.EXITED, 0)


def test_nothing_to_stop(stage: Stage) -> None:
    """A request for a folder without a spec leaves no trace."""
    folder = str(stage.root / "nowhere")
    stage.runners.request_stop(folder, epoch=1, reason="test")
    assert stage.runners.look(folder) == Absent()


def test_stop_that_is_no_file(stage: Stage) -> None:
    """Whatever stands under the name `stop` ends the agent, and never the runner alone."""
    spec = stage.start("sleep", "60")
    stage.beat(spec)
    aside = stage.root / "stop"
    aside.mkdir()
    aside.rename(Path(spec.folder, "stop"))
    assert stage.ended(spec).reason == EndReason.STOPPED


def test_request_that_cannot_be_written(stage: Stage) -> None:
    """A request that cannot be written is an error with its errno, never a silent nothing."""
    spec, _ = stage.run("true")
    Path(spec.folder, "stop").mkdir()
    with pytest.raises(Unavailable, match=r"cannot be written into .*EISDIR"):
        stage.runners.request_stop(spec.folder, epoch=1, reason="test")


def test_a_frozen_runner_is_ended_by_force(stage: Stage) -> None:
    """C118: a runner that is stopped by a signal hears nothing; KILL ends it all the same."""
    spec = stage.start("sleep", "60")
    beat = stage.beat(spec)
    os.kill(beat.runner_pid, signal.SIGSTOP)
    stage.runners.request_stop(spec.folder, epoch=1, reason="missed_beats")
    assert not files.exists(spec.folder, files.STOPPING)
    stage.runners.kill(spec.folder)
    until(lambda: not lock.is_held(spec.folder))
    assert stage.runners.declare_lost(spec.folder, epoch=2)
    assert stage.runners.sweep(spec.mark, grace_s=1.0) == ()


def test_force_ends_whoever_holds_the_lock_and_nobody_else(stage: Stage) -> None:
    """Who that is the kernel says: a runner that gave no beat yet, and not its neighbour."""
    one, other = stage.start("sleep", "60"), stage.start("sleep", "60")
    stage.beat(one)
    stage.beat(other)
    Path(one.folder, files.BEAT).unlink()
    stage.runners.kill(one.folder)
    until(lambda: not lock.is_held(one.folder))
    assert lock.is_held(other.folder)


def test_force_spares_whoever_only_has_the_lock_open(stage: Stage) -> None:
    """A probe has the file open for a moment; a folder may be named by a link."""
    spec = stage.start("sleep", "60")
    stage.beat(spec)
    path = Path(spec.folder, files.LOCK)
    link = stage.root / "link"
    link.symlink_to(spec.folder)
    with path.open(encoding="utf-8") as file:
        probe = subprocess.Popen(("sleep", "60"), pass_fds=(file.fileno(),))
    try:
        stage.runners.kill(str(link))
        until(lambda: not lock.is_held(spec.folder))
        assert probe.poll() is None
    finally:
        probe.kill()
        probe.wait()


def test_a_beat_tells_when_its_agent_began(stage: Stage) -> None:
    """On the monotonic clock of this boot: how long it has worked can be told by anybody."""
    spec = stage.start("sleep", "60", beat_s=0.05)
    first = stage.beat(spec)
    second = stage.beat(spec, above=first.sequence)
    assert first.started_monotonic_s == second.started_monotonic_s
    assert first.started_monotonic_s is not None
    assert first.started_monotonic_s <= first.monotonic_s < second.monotonic_s
