"""How a turn ends when it does not end by itself, and that nothing of it is left."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.runner.stage import Stage, python
from tests.waiting import until
from tidegate.ports.runners import EndReason
from tidegate.runner import ending, process_table
from tidegate.runner.supervision import SWEEP_GRACE_MAX_S

IGNORES_TERM = "trap '' TERM HUP INT; echo ready; while :; do sleep 0.1; done"
DOUBLE_FORK = """
import os
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            {prepare}
            os.execvp("sleep", ["sleep", "60"])
        os._exit(0)
    os.wait()
print("forked", flush=True)
{after}
"""


def test_deadline(stage: Stage) -> None:
    """An agent that is not done at its deadline is ended, and the reason says so."""
    _, end = stage.run("sleep", "60", deadline_s=0.1)
    assert (end.reason, end.signal) == (EndReason.DEADLINE, signal.SIGTERM)
    assert 0.1 <= end.active_s < 5


def test_output_cap_with_an_endless_writer(stage: Stage) -> None:
    """A writer without end is ended soon after its cap, and what it wrote is kept."""
    spec, end = stage.run("yes", output_max_bytes=100_000)
    assert (end.reason, end.signal) == (EndReason.OUTPUT_CAP, signal.SIGTERM)
    assert end.stdout_bytes == Path(spec.folder, "stdout").stat().st_size
    assert 100_000 < end.stdout_bytes < 1_000_000_000
    assert end.active_s < 2


def test_output_cap_counts_both_files(stage: Stage) -> None:
    """The cap is on both files together, and output after a long silence is seen at once."""
    script = "sleep 0.3; head -c 60000 /dev/zero; head -c 60000 /dev/zero >&2; exec sleep 60"
    _, end = stage.run("sh", "-c", script, output_max_bytes=100_000)
    assert end.reason == EndReason.OUTPUT_CAP
    assert (end.stdout_bytes, end.stderr_bytes) == (60000, 60000)
    assert end.active_s < 2


def test_writer_that_ignores_term_gets_no_grace(stage: Stage) -> None:
    """Past twice its cap a writer is killed, however long its grace would be."""
    _, end = stage.run("sh", "-c", "trap '' TERM; exec yes", output_max_bytes=100_000, grace_s=60.0)
    assert (end.reason, end.signal) == (EndReason.OUTPUT_CAP, signal.SIGKILL)
    assert end.active_s < SWEEP_GRACE_MAX_S


def test_agent_that_ignores_term_is_killed(stage: Stage) -> None:
    """After TERM and its grace comes KILL, whatever was trapped (G2-06)."""
    spec = stage.start("sh", "-c", IGNORES_TERM, grace_s=0.2)
    stage.hears(spec, "ready")
    stage.runners.request_stop(spec.folder, epoch=1, reason="test")
    end = stage.ended(spec)
    assert (end.reason, end.signal) == (EndReason.STOPPED, signal.SIGKILL)
    assert end.active_s >= 0.2
    assert stage.alive(spec) == ()


def test_each_step_of_an_end_is_on_record(stage: Stage) -> None:
    """An agent that heeds no TERM, HUP or INT: TERM, its grace, KILL, in the record (G2-06)."""
    stubborn = "trap '' TERM HUP INT; echo ready; while :; do sleep 1; done"
    spec = stage.start("sh", "-c", stubborn, grace_s=0.2)
    stage.hears(spec, "ready")
    stage.runners.request_stop(spec.folder, epoch=1, reason="test")
    end = stage.ended(spec)
    assert [step.partition(" s: ")[2].partition(" ")[0] for step in end.steps[:2]] == [
        "SIGTERM",
        "SIGKILL",
    ]
    assert stage.alive(spec) == ()


def test_a_tool_server_whose_launcher_was_reaped_is_ended_and_named(stage: Stage) -> None:
    """The launcher is gone before the agent is, and the server is in the record (G2-03)."""
    launcher = "setsid sh -c 'sleep 999 & echo $! server; wait' & launcher=$!"
    script = f"{launcher}; sleep 0.3; kill -9 $launcher; wait $launcher; exit 0"
    spec, end = stage.run("sh", "-c", script, grace_s=0.2)
    server = stage.said(spec).split()[0]
    assert (end.reason, end.leftovers) == (EndReason.EXITED, ())
    assert any(f"swept {server}" in step or server in step for step in end.steps), end.steps
    assert stage.alive(spec) == ()


def test_agent_may_use_its_grace(stage: Stage) -> None:
    """An agent that ends within its grace is not killed, and what it says last is kept."""
    script = "trap 'sleep 0.2; echo saved; exit 4' TERM; echo ready; while :; do sleep 0.05; done"
    spec = stage.start("sh", "-c", script)
    stage.hears(spec, "ready")
    stage.runners.request_stop(spec.folder, epoch=1, reason="test")
    end = stage.ended(spec)
    assert (end.reason, end.code) == (EndReason.STOPPED, 4)
    assert stage.said(spec) == "ready\nsaved\n"


def test_beats_go_on_during_the_grace(stage: Stage) -> None:
    """A runner that waits for its agent to end still beats."""
    spec = stage.start("sh", "-c", IGNORES_TERM, beat_s=0.02)
    stage.hears(spec, "ready")
    stage.runners.request_stop(spec.folder, epoch=1, reason="test")
    until(Path(spec.folder, "stopping.json").exists)
    stopped = stage.beat(spec).sequence
    stage.beat(spec, above=stopped + 2)


@pytest.mark.parametrize(
    "prepare", ["pass", "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)"]
)
def test_orphans_in_sessions_of_their_own_are_swept(stage: Stage, prepare: str) -> None:
    """Grandchildren that left the session and outlive the agent are ended and counted (G2-03)."""
    script = DOUBLE_FORK.format(prepare=prepare, after="")
    spec, end = stage.run(*python(script), grace_s=0.1)
    assert (end.reason, end.code) == (EndReason.EXITED, 0)
    assert (end.swept, end.leftovers) == (3, ())
    assert stage.alive(spec) == ()


def test_orphans_are_swept_after_a_stop(stage: Stage) -> None:
    """A stop ends the agent's group and whatever left it."""
    script = DOUBLE_FORK.format(prepare="pass", after="import time; time.sleep(60)")
    spec = stage.start(*python(script))
    stage.hears(spec, "forked")
    stage.runners.request_stop(spec.folder, epoch=1, reason="test")
    end = stage.ended(spec)
    assert (end.reason, end.swept, end.leftovers) == (EndReason.STOPPED, 3, ())
    assert stage.alive(spec) == ()


def test_orphan_without_the_mark_is_swept(stage: Stage) -> None:
    """A descendant that cleaned its environment is still a descendant."""
    seconds = f"60.{os.getpid()}"
    _, end = stage.run("sh", "-c", f"env -i setsid sleep {seconds} & sleep 0.1")
    assert end.swept == 1
    assert not [pid for pid in process_table.everyone() if seconds.encode() in _command(pid)]


def test_carrier_outside_the_tree_is_swept(stage: Stage) -> None:
    """What carries the mark is of this turn, even where it is no descendant of the runner."""
    spec = stage.spec("true")
    outsider = os.posix_spawn(
        "/bin/sleep", ["sleep", "60"], {"TIDEGATE_MARK": spec.mark}, setpgroup=0
    )
    stage.runners.start(spec)
    end = stage.ended(spec)
    assert (end.swept, end.leftovers) == (1, ())
    assert os.WTERMSIG(os.waitpid(outsider, 0)[1]) == signal.SIGTERM


def test_orphans_leave_no_zombie(stage: Stage) -> None:
    """200 orphans that end by themselves are reaped, and the agent's own status is kept (G2-23)."""
    script = (
        "import os\n"
        "for _ in range(200):\n"
        "    if os.fork() == 0:\n"
        "        if os.fork() == 0: os._exit(9)\n"
        "        os._exit(8)\n"
        "    os.wait()\n"
        "print('forked', flush=True)\n"
        "os.read(0, 1)\n"
        "os._exit(7)"
    )
    fifo = stage.root / "go"
    os.mkfifo(fifo)
    writer = os.open(fifo, os.O_RDWR)
    spec = stage.start(*python(script), stdin_path=str(fifo))
    runner = stage.beat(spec).runner_pid
    stage.hears(spec, "forked")
    until(lambda: _zombies_of(runner) == [])
    os.write(writer, b"x")
    end = stage.ended(spec)
    assert (end.code, end.swept) == (7, 0)
    os.close(writer)


def test_leftovers_are_named() -> None:
    """What does not die within the limit is named; nothing waits for it for ever."""
    zombie = os.posix_spawn("/bin/true", ["true"], {})  # dead to every signal, and still there
    until(lambda: (found := process_table.find(zombie)) and found.is_zombie)
    process = process_table.find(zombie)
    assert process is not None
    told, leftovers = ending.end_all(
        lambda: [process], grace_s=0.0, kill_max_s=0.05, pause=lambda _: None
    )
    assert (told, leftovers) == ({zombie}, (zombie,))
    os.waitpid(zombie, 0)


def _zombies_of(parent: int) -> list[int]:
    table = process_table.everyone().values()
    return [p.pid for p in table if p.parent == parent and p.is_zombie]


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def test_whoever_is_found_is_signalled_however_long_it_took_to_find_them() -> None:
    """G2: on a machine with many processes a look takes longer than a sweep may wait.

    A sweep that gave up before it had sent anything left an orphan at work for good.
    """
    with subprocess.Popen(("sleep", "60")) as child:
        found = process_table.find(child.pid)
        assert found is not None
        told, leftovers = ending.end_all(
            lambda: [found], grace_s=0.0, kill_max_s=0.0, pause=lambda _: None
        )
        assert (told, leftovers) == ({child.pid}, (child.pid,))
        assert child.wait(10.0) == -signal.SIGKILL
