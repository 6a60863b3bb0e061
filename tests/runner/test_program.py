"""The runner's program by itself: what it loads, what it costs, how it behaves when run by hand."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.runner.stage import ELSEWHERE, Stage
from tests.waiting import until
from tidegate.runner import lock
from tidegate.runner.local import PROGRAM

RSS_MAX_KB = 12 * 1024


def _by_hand(stage: Stage, *argv: str, options: tuple[str, ...] = ()) -> tuple[str, str]:
    """Run the program on a spec in a folder of its own; the folder, and what it wrote to stderr."""
    spec = stage.spec(*argv)
    fields = {name: getattr(spec, name) for name in spec.__dataclass_fields__ if name != "env"}
    path = Path(spec.folder, "spec.json")
    path.parent.mkdir()
    path.write_text(json.dumps(fields), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-I", "-S", *options, PROGRAM, str(path)],
        input=f"PATH={os.environ['PATH']}\0".encode(),
        stderr=subprocess.PIPE,
        check=True,
    )
    return spec.folder, done.stderr.decode()


def test_by_hand(stage: Stage) -> None:
    """A spec and an environment on standard input are all that it needs."""
    folder, errors = _by_hand(stage, "sh", "-c", "echo $TIDEGATE_MARK")
    assert errors == ""
    assert Path(folder, "stdout").read_text("utf-8") == f"{stage.marks[-1]}\n"
    assert json.loads(Path(folder, "exit.json").read_bytes())["code"] == 0


def test_loads_nothing_heavy(stage: Stage) -> None:
    """It loads nothing of the package but its own folder, and nothing heavy of the library."""
    _, errors = _by_hand(stage, "true", options=("-X", "importtime"))
    loaded = {line.rpartition("|")[2].strip() for line in errors.splitlines()}
    ours = {name for name in loaded if name.startswith("tidegate")}
    assert "tidegate.runner.supervision" in ours
    assert {name for name in ours if not name.startswith("tidegate.runner")} == set()
    assert not ours & {"tidegate.runner.local", "tidegate.runner.watch", "tidegate.runner.clock"}
    heavy = {"sqlite3", "subprocess", "threading", "ctypes", "dataclasses", "pathlib", "typing"}
    assert not loaded & (heavy | {"msgspec", "site", "socket", "select", "selectors", "inspect"})


def test_stays_small(stage: Stage) -> None:
    """A runner at work takes at most 12 MB: there is one for each agent."""
    stage.run("true")  # so that the program has been compiled
    spec = stage.start("sleep", "60")
    status = Path(f"/proc/{stage.beat(spec).runner_pid}/status").read_text("ascii")
    peak_kb = next(int(line.split()[1]) for line in status.splitlines() if "VmHWM" in line)
    assert peak_kb <= RSS_MAX_KB


def test_sleeps_while_nothing_happens(stage: Stage) -> None:
    """Between beats a runner of a silent agent does not wake: it is told of what happens."""
    spec = stage.start("sleep", "60", beat_s=60.0)
    runner = stage.beat(spec).runner_pid
    seen: list[int] = []

    def is_settled() -> bool:
        seen.append(_wakes(runner))
        return len(seen) > 60 and seen[-1] == seen[-60]

    until(is_settled)


def test_writer_does_not_keep_it_busy(stage: Stage) -> None:
    """A runner needs little of the time that its agent spends on writing without end."""
    script = "while :; do echo x; done"
    spec = stage.start("sh", "-c", script, beat_s=60.0, output_max_bytes=10**9)
    beat = stage.beat(spec)
    before_ticks = _cpu_ticks(beat.runner_pid)
    until(lambda: _cpu_ticks(beat.agent_pid) > 20)
    assert _cpu_ticks(beat.runner_pid) - before_ticks < 5


def _cpu_ticks(pid: int) -> int:
    """Hundredths of a second that a process has computed, for itself and in the kernel."""
    fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    return int(fields[11]) + int(fields[12])


def _wakes(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("voluntary_ctxt"))


def test_holds_no_folder(stage: Stage) -> None:
    """A runner's own working directory is the root: it keeps no workspace from being removed."""
    spec = stage.start("sleep", "60")
    process = Path(f"/proc/{stage.beat(spec).runner_pid}")
    assert (process / "cwd").readlink() == Path("/")


def test_holds_no_inherited_descriptor(stage: Stage) -> None:
    """What the controller left inheritable is closed, in the runner as in the agent (G2-17)."""
    precious = stage.root / "precious.lock"
    descriptor = os.open(precious, os.O_RDWR | os.O_CREAT)
    os.set_inheritable(descriptor, True)  # noqa: FBT003 - os offers no keyword
    spec = stage.start("sleep", "60")
    os.close(descriptor)
    beat = stage.beat(spec)
    for pid in (beat.runner_pid, beat.agent_pid):
        links = [link.readlink() for link in Path(f"/proc/{pid}/fd").iterdir()]
        assert precious not in links


def test_agent_does_not_inherit_the_lock(stage: Stage) -> None:
    """When the runner dies its lock is free, although its agent lives on (G2-17)."""
    spec = stage.start("sleep", "60")
    beat = stage.beat(spec)
    assert lock.is_held(spec.folder)
    os.kill(beat.runner_pid, 9)
    until(lambda: not lock.is_held(spec.folder))
    assert stage.alive(spec) == (beat.agent_pid,)


@pytest.mark.parametrize("moment", range(4))
def test_killed_at_any_moment(stage: Stage, moment: int) -> None:
    """However early a runner is killed, its folder can be read and its turn can be given up."""
    spec = stage.start("sleep", "60", beat_s=0.001)
    steps = [
        lambda: True,
        lambda: lock.is_held(spec.folder),
        lambda: Path(spec.folder, "stdout").exists(),
        lambda: Path(spec.folder, "beat.json").exists(),
    ]
    until(steps[moment])
    until(stage.runner_pids)
    os.kill(stage.runner_pids()[0], 9)
    until(lambda: not lock.is_held(spec.folder))
    stage.runners.look(spec.folder)
    assert stage.runners.declare_lost(spec.folder, epoch=2)
    assert stage.runners.sweep(spec.mark, grace_s=1.0) == ()
    assert stage.alive(spec) == ()


FULL_DISK = """
import json, os, sys
from tests.waiting import until
from tidegate.ports.runners import Over, Running, RunnerSpec
from tidegate.runner.local import LocalRunners
runners, folder = LocalRunners(), sys.argv[1] + "/turn"
spec = RunnerSpec(folder=folder, epoch=1, argv=("sh", "-c", "sleep 0.1; cat /dev/zero; exit 3"),
                  env={"PATH": os.environ["PATH"]}, cwd="/", mark=sys.argv[2], deadline_s=30.0,
                  output_max_bytes=10**9, grace_s=1.0, beat_s=0.02)
open(sys.argv[1] + "/reserve", "wb").write(bytes(20_000))
runners.start(spec)
until(lambda: isinstance(runners.look(folder), Running))
until(lambda: not runners.survivors([spec.mark])[spec.mark])
runners.wait(0.3)
assert isinstance(runners.look(folder), Running), runners.look(folder)
os.unlink(sys.argv[1] + "/reserve")
until(lambda: isinstance(runners.look(folder), Over))
print(runners.look(folder).exit.code)
"""


@pytest.mark.slow
def test_full_disk(stage: Stage) -> None:
    """On a full disk a runner lives on with its lock, and records the end when there is room."""
    mark, mount = stage.spec("unused").mark, "mount -t tmpfs -o size=200k full "
    argv = ["unshare", "-rm", "sh", "-c", mount + '"$1" && shift && exec "$@"', "sh"]
    if subprocess.run([*argv, stage.root, "true"], check=False, capture_output=True).returncode:
        pytest.skip("this machine lets no user mount a file system of his own")
    done = subprocess.run(
        [*argv, stage.root, sys.executable, "-c", FULL_DISK, stage.root, mark],
        stdout=subprocess.PIPE,
        check=True,
        env=ELSEWHERE,
    )
    assert done.stdout == b"3\n"
