"""Dead runners: when a turn may be called lost, and what such a runner left behind."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.runner.stage import ELSEWHERE, Stage
from tests.waiting import until
from tidegate.core.errors import Unavailable
from tidegate.ports.runners import Absent, EndReason, Running, Unheld
from tidegate.runner import lock, process_table


def _kill_runner(stage: Stage, folder: str, pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    until(lambda: not lock.is_held(folder))
    stage.runners.wait(5.0)


def test_a_living_runner_is_not_lost(stage: Stage) -> None:
    """As long as a runner holds its lock, it cannot be declared lost, and no fence is written."""
    spec = stage.start("sleep", "60")
    stage.beat(spec)
    assert not stage.runners.declare_lost(spec.folder, epoch=2)
    assert not Path(spec.folder, "fence").exists()


def test_a_dead_runner_is_lost(stage: Stage) -> None:
    """A runner that was killed leaves its folder unheld, until somebody declares it lost."""
    spec = stage.start("sleep", "60")
    _kill_runner(stage, spec.folder, stage.beat(spec).runner_pid)
    assert isinstance(stage.runners.look(spec.folder), Unheld)
    assert stage.runners.declare_lost(spec.folder, epoch=2)
    assert Path(spec.folder, "fence").read_bytes() == b"2\n"
    assert not lock.is_held(spec.folder)


def test_a_fenced_runner_never_starts(stage: Stage) -> None:
    """A runner that begins after it was declared lost starts nothing and says why."""
    spec = stage.spec("echo", "started")
    assert stage.runners.declare_lost(spec.folder, epoch=2)
    assert stage.runners.look(spec.folder) == Absent()
    stage.runners.start(spec)
    end = stage.ended(spec)
    assert (end.reason, end.code, end.signal) == (EndReason.FENCED, None, None)
    assert not Path(spec.folder, "stdout").exists()


def test_a_runner_at_the_fence_starts(stage: Stage) -> None:
    """The fence shuts out what is below it, not the epoch that set it."""
    spec = stage.spec("true", epoch=2)
    assert stage.runners.declare_lost(spec.folder, epoch=2)
    stage.runners.start(spec)
    assert stage.ended(spec).reason == EndReason.EXITED


def test_a_fence_is_never_lowered(stage: Stage) -> None:
    """Who declares a turn lost under an older epoch does not let anybody in again."""
    spec = stage.spec("true", epoch=3)
    assert stage.runners.declare_lost(spec.folder, epoch=4)
    assert stage.runners.declare_lost(spec.folder, epoch=2)
    stage.runners.start(spec)
    assert stage.ended(spec).reason == EndReason.FENCED


def test_an_unreadable_fence_shuts_out(stage: Stage) -> None:
    """A fence that says nothing is a shut one."""
    spec = stage.spec("true")
    Path(spec.folder).mkdir()
    Path(spec.folder, "fence").write_bytes(b"open")
    stage.runners.start(spec)
    assert stage.ended(spec).reason == EndReason.FENCED


def test_a_runner_waits_for_the_lock(stage: Stage) -> None:
    """A runner that starts while its turn is being declared lost waits, and then sees the fence."""
    spec = stage.spec("echo", "started")
    Path(spec.folder).mkdir()
    held = lock.try_take(spec.folder)
    assert held is not None
    stage.runners.start(spec)
    until(lambda: _is_waiting_for_a_lock(spec.folder))
    Path(spec.folder, "fence").write_bytes(b"2\n")
    os.close(held)
    assert stage.ended(spec).reason == EndReason.FENCED


def test_a_fence_that_cannot_be_written(stage: Stage) -> None:
    """A turn whose fence cannot be written is not lost, and the errno is named."""
    file = stage.root / "file"
    file.touch()
    with pytest.raises(Unavailable, match="ENOTDIR"):
        stage.runners.declare_lost(str(file / "turn"), epoch=2)


@pytest.mark.slow
def test_a_look_never_disturbs_a_starting_runner(stage: Stage) -> None:
    """However often a folder is looked at while its runner starts, the runner gets its lock."""
    for _ in range(30):
        spec = stage.start("true")
        looks = 0
        while isinstance(stage.runners.look(spec.folder), Unheld | Running):
            looks += 1
        assert stage.ended(spec).reason == EndReason.EXITED
        assert looks > 10


def test_survivors_of_a_killed_runner(stage: Stage) -> None:
    """What outlives a killed runner is found by its mark, whatever session it is in, and ended."""
    script = "setsid sleep 60 & (setsid env -i sleep 61 & echo $!; sleep 60) & sleep 60"
    spec = stage.start("sh", "-c", script)
    bystander = stage.start("sleep", "60")
    beat, other = stage.beat(spec), stage.beat(bystander)
    until(lambda: len(stage.alive(spec)) == 5)
    _kill_runner(stage, spec.folder, beat.runner_pid)
    stage.hears(spec, "\n")
    without_mark = int(stage.said(spec))
    assert {beat.agent_pid, without_mark} <= set(stage.alive(spec))
    assert stage.runners.sweep(spec.mark, grace_s=5.0) == ()
    assert stage.alive(spec) == ()
    assert process_table.find(without_mark) is None or _is_zombie(without_mark)
    assert stage.alive(bystander) == (other.agent_pid,)


def test_sweep_kills_what_ignores_term(stage: Stage) -> None:
    """A sweep sends TERM, waits its grace, and sends KILL (G2-06)."""
    spec = stage.start("sh", "-c", "trap '' TERM; echo ready; while :; do sleep 60; done")
    stage.hears(spec, "ready")
    _kill_runner(stage, spec.folder, stage.beat(spec).runner_pid)
    assert stage.runners.sweep(spec.mark, grace_s=0.1) == ()
    assert stage.alive(spec) == ()


def test_sweep_reaps_what_came_to_init(stage: Stage) -> None:
    """A controller that is init inherits a dead runner's agents, and keeps no zombie (G2-23)."""
    script = """
import os, sys
from tidegate.runner import prctl, process_table
from tidegate.runner.local import LocalRunners
prctl.become_subreaper()
child = os.posix_spawn("/bin/sh", ["sh", "-c", "sleep 60 & sleep 60 & kill -KILL $$"],
                       {"TIDEGATE_MARK": sys.argv[1]})
os.waitpid(child, 0)
assert len(LocalRunners().survivors([sys.argv[1]])[sys.argv[1]]) == 2
assert LocalRunners().sweep(sys.argv[1], grace_s=0.01) == ()
print([p.pid for p in process_table.everyone().values() if p.parent == os.getpid()])
"""
    mark = stage.spec("unused").mark
    done = subprocess.run(
        [sys.executable, "-c", script, mark], stdout=subprocess.PIPE, check=True, env=ELSEWHERE
    )
    assert done.stdout == b"[]\n"


@pytest.mark.slow
def test_a_process_that_only_execs_is_found(stage: Stage) -> None:
    """In the middle of an execve a process shows no environment; it is found all the same."""
    path = stage.root / "again"
    path.write_text('exec sh "$0"', encoding="utf-8")
    spec = stage.start("sh", str(path))
    stage.beat(spec)
    assert all(stage.alive(spec) for _ in range(30))


def test_one_that_slips_through_is_found(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is called gone after a single reading of the table: it is not one instant's."""
    spec = stage.start("sleep", "60")
    agent = stage.beat(spec).agent_pid
    readings = [process_table.everyone(), process_table.everyone()]
    del readings[0][agent]
    monkeypatch.setattr(process_table, "everyone", lambda: readings.pop(0))
    assert stage.alive(spec) == (agent,)
    monkeypatch.undo()


def test_a_begun_turn_is_not_begun_again(stage: Stage) -> None:
    """A second runner in a folder whose first one died starts no second agent, and says so."""
    spec = stage.start("sh", "-c", "echo started; exec sleep 60")
    stage.hears(spec, "started")
    _kill_runner(stage, spec.folder, stage.beat(spec).runner_pid)
    Path(spec.folder, "spec.json").rename(stage.root / "aside")
    stage.runners.start(spec)
    stage.runners.wait(5.0)
    assert isinstance(stage.runners.look(spec.folder), Unheld)
    assert stage.said(spec) == "started\n"
    assert "is not begun again" in Path(spec.folder, "runner.log").read_text("utf-8")


def _is_waiting_for_a_lock(folder: str) -> bool:
    inode = Path(folder, "lock").stat().st_ino
    lines = Path("/proc/locks").read_text("ascii").splitlines()
    return any("->" in line and f":{inode} " in line for line in lines)


def _is_zombie(pid: int) -> bool:
    process = process_table.find(pid)
    return process is not None and process.is_zombie


def test_what_many_dead_runners_left_is_ended_in_one_go(stage: Stage) -> None:
    """G1, G2: each mark has its answer; whoever carries another mark lives on."""
    specs = [stage.start("sleep", "60") for _ in range(3)]
    for spec in specs:
        _kill_runner(stage, spec.folder, stage.beat(spec).runner_pid)
    dead, other = [spec.mark for spec in specs[:2]], specs[2].mark
    assert stage.runners.sweep_all([]) == {}
    stage.runners.sweep_all(dead)
    until(lambda: not any(stage.runners.survivors(dead).values()))
    assert stage.runners.sweep_all(dead) == dict.fromkeys(dead, ())
    assert len(stage.runners.survivors([other])[other]) == 1
