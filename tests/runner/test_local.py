"""Starting a runner and seeing what becomes of it."""

import json
import os
import shutil
import signal
import stat
from pathlib import Path

import pytest

from tests.runner.stage import WITHIN_S, Stage, python, within
from tests.waiting import until
from tidegate.core.errors import Misused, Unavailable
from tidegate.ports.runners import Absent, EndReason, Over, Running, Unheld
from tidegate.runner import lock, process_table
from tidegate.runner.local import LocalRunners


def test_exit_code(stage: Stage) -> None:
    """The agent's exit code is on record, with its reason, its times and its bytes."""
    _, end = stage.run("sh", "-c", "echo out; echo err >&2; exit 3")
    assert (end.reason, end.code, end.signal) == (EndReason.EXITED, 3, None)
    assert (end.stdout_bytes, end.stderr_bytes, end.error) == (4, 4, None)
    assert end.started_utc <= end.ended_utc
    assert end.started_utc.endswith("Z")
    assert 0 < end.active_s < 5


def test_ended_by_a_signal_of_another(stage: Stage) -> None:
    """A signal that was not ours is an exit with that signal, not a stop."""
    _, end = stage.run("sh", "-c", "kill -KILL $$")
    assert (end.reason, end.code, end.signal) == (EndReason.EXITED, None, 9)
    assert end.oom_kills == 0


def test_where_a_folder_was_begun(stage: Stage) -> None:
    """It is on record from before the start, and stays so in a copy of the folder."""
    spec = stage.spec("true")
    assert stage.runners.begun_in(spec.folder) == ""
    stage.runners.start(spec)
    stage.ended(spec)
    assert stage.runners.begun_in(spec.folder) == spec.folder
    copied = shutil.copytree(spec.folder, f"{spec.folder}-copied")
    assert stage.runners.begun_in(copied) == spec.folder
    for said in ("nonsense", "[]", '{"folder": 3}'):
        Path(copied, "spec.json").write_text(said)
        assert stage.runners.begun_in(copied) == ""


def test_from_absent_to_over(stage: Stage) -> None:
    """A folder is absent, then unheld or running, then over."""
    spec = stage.spec("sleep", "60")
    assert stage.runners.look(spec.folder) == Absent()
    stage.runners.start(spec)
    assert isinstance(stage.runners.look(spec.folder), Unheld | Running)
    stage.beat(spec)
    assert stage.runners.look(spec.folder) != Absent()
    stage.runners.request_stop(spec.folder, epoch=1, reason="test")
    stage.ended(spec)
    assert isinstance(stage.runners.look(spec.folder), Over)


def test_end_between_two_questions(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """A runner that ends while it is looked at is over, and never seems to have vanished."""
    spec = stage.start("sh", "-c", "while ! test -e go; do sleep 0.02; done; exit 5")
    stage.beat(spec)
    ask = lock.is_held

    def ask_after_the_end(folder: str) -> bool:
        (stage.root / "go").touch()
        until(lambda: not ask(folder))
        return ask(folder)

    monkeypatch.setattr(lock, "is_held", ask_after_the_end)
    assert isinstance(stage.runners.look(spec.folder), Over)


def test_beats_grow(stage: Stage) -> None:
    """Beats come by themselves, each with a higher sequence, a later clock and the bytes so far."""
    spec = stage.start("sh", "-c", "echo one; exec sleep 60", beat_s=0.02)
    first = stage.beat(spec)
    stage.hears(spec, "one")
    later = stage.beat(spec, above=first.sequence + 2)
    assert later.monotonic_s > first.monotonic_s
    assert later.stdout_bytes == 4
    assert (later.runner_pid, later.agent_pid) == (first.runner_pid, first.agent_pid)
    assert later.boot_id == Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()


def test_second_start_changes_nothing(stage: Stage) -> None:
    """A second start of a folder starts nothing and leaves its spec as it is."""
    spec = stage.start("sh", "-c", "echo started; exec sleep 60")
    other = stage.spec("sh", "-c", "echo another", folder=spec.folder)
    stage.runners.start(other)
    stage.hears(spec, "started")
    assert "another" not in Path(spec.folder, "spec.json").read_text("utf-8")
    stage.runners.request_stop(spec.folder, epoch=1, reason="test")
    stage.ended(spec)
    stage.runners.start(other)
    assert stage.said(spec) == "started\n"


def test_environment_is_exact_and_unwritten(stage: Stage) -> None:
    """The agent has its spec's environment and the mark alone; no file ever holds its values."""
    env = {"PATH": os.environ["PATH"], "KEY": "s3cr3t", "EMPTY": "", "LINES": "a\nb=c", "Ü": "é"}
    script = "import os,json; print(json.dumps(dict(os.environ)))"
    spec, _ = stage.run(*python(script), env=env)
    given = json.loads(stage.said(spec))
    given.pop("LC_CTYPE", None)  # Python's own, set when there is no locale at all
    assert given == {**env, "TIDEGATE_MARK": spec.mark}
    for file in Path(spec.folder).iterdir():
        assert file.name == "stdout" or b"s3cr3t" not in file.read_bytes()


def test_runner_holds_no_secret(stage: Stage) -> None:
    """A runner's own environment and command line hold nothing of its agent's environment."""
    spec = stage.start("sleep", "60", env={"PATH": os.environ["PATH"], "KEY": "s3cr3t"})
    process = Path(f"/proc/{stage.beat(spec).runner_pid}")
    assert b"s3cr3t" not in (process / "environ").read_bytes()
    assert b"s3cr3t" not in (process / "cmdline").read_bytes()
    assert (process / "fd" / "0").readlink() == Path(os.devnull)


def test_folder_is_private(stage: Stage) -> None:
    """The folder and its files can be read by their owner alone."""
    spec, _ = stage.run("true")
    folder = Path(spec.folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()} == {0o600}


def test_prompt_on_standard_input(stage: Stage) -> None:
    """A prompt of 200 KB with quotes and line ends reaches the agent through a file (G2-20)."""
    prompt = 'it\'s "quoted" $HOME `x` \\ \n' * 8000
    path = stage.root / "prompt.md"
    path.write_text(prompt, encoding="utf-8")
    spec, end = stage.run("cat", stdin_path=str(path))
    assert end.code == 0
    assert stage.said(spec) == prompt


def test_no_input_is_an_empty_one(stage: Stage) -> None:
    """Without a file the agent's standard input ends at once, so nothing waits for a person."""
    _, end = stage.run("sh", "-c", "read line; exit $?")
    assert end.code == 1


def test_agent_inherits_nothing(stage: Stage) -> None:
    """The agent has three descriptors and a session; no signal is blocked or ignored (G2-17)."""
    inheritable = os.pipe2(0)
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as under nohup
    script = "readlink -e /proc/$$/fd/*; grep -E 'Sig(Blk|Ign)|NSsid' /proc/self/status; echo $$"
    spec, _ = stage.run("sh", "-c", script)
    signal.signal(signal.SIGHUP, before)
    for descriptor in inheritable:
        os.close(descriptor)
    *descriptors, session, blocked, ignored, pid = stage.said(spec).splitlines()
    assert descriptors == [os.devnull, f"{spec.folder}/stdout", f"{spec.folder}/stderr"]
    standard = 2**31 - 1  # 32 and 33 are the C library's own: any posix_spawn has them ignored
    assert int(blocked.split()[1], 16) == 0
    assert int(ignored.split()[1], 16) & standard == 0
    assert session.split()[-1] == pid


def test_started_by_one_who_ignores_its_children(stage: Stage) -> None:
    """A runner sees its agent's status even where whoever started it has children auto-reaped."""
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    _, end = stage.run("sh", "-c", "exit 3")
    signal.signal(signal.SIGCHLD, before)
    assert end.code == 3


def test_unreadable_record(stage: Stage) -> None:
    """A record that no runner wrote is never taken for an end: its runner died without a word."""
    spec, _ = stage.run("true")
    Path(spec.folder, "exit.json").write_text('{"reason": "well"}', encoding="utf-8")
    assert isinstance(stage.runners.look(spec.folder), Unheld)


def test_a_record_while_the_lock_is_held_is_not_believed(stage: Stage) -> None:
    """An agent that writes a record of its own end is still at work while its runner is."""
    spec, _ = stage.run("true")
    record = Path(spec.folder, "exit.json").read_bytes()
    other = stage.start("sleep", "60")
    stage.beat(other)
    Path(other.folder, "exit.json").write_bytes(record)
    assert isinstance(stage.runners.look(other.folder), Running)


def test_unreadable_beat_is_none(stage: Stage) -> None:
    """A beat in another form is no sign of life, and no reason to fail."""
    spec = stage.start("sleep", "60")
    stage.beat(spec)
    Path(spec.folder, "beat.json").write_text("{}", encoding="utf-8")
    assert stage.runners.look(spec.folder) == Running(None, stopping=False)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"argv": ()}, "a runner needs a command"),
        ({"argv": ("echo", "a\0b")}, "zero byte"),
        ({"env": {"A": "1\0PATH=/evil"}}, "zero byte"),
        ({"env": {"A=B": "1"}}, "'A=B' cannot name a variable"),
    ],
)
def test_what_no_process_can_be_given(
    stage: Stage, changes: dict[str, object], message: str
) -> None:
    """A spec that no process can be given is refused before anything is written."""
    spec = stage.spec("true", **changes)
    with pytest.raises(Misused, match=message):
        stage.runners.start(spec)
    assert stage.runners.look(spec.folder) == Absent()


def test_no_process_to_be_had(stage: Stage) -> None:
    """Where no runner can be started, the errno is named and a later start still counts."""
    spec = stage.spec("true")
    broken = LocalRunners(python=str(stage.root / "no-python"))
    with pytest.raises(Unavailable, match=r"ENOENT .*; there are \d+ processes, \d+ of them zomb"):
        broken.start(spec)
    broken.close()
    assert stage.runners.look(spec.folder) == Absent()
    stage.runners.start(spec)
    assert stage.ended(spec).code == 0


def test_no_room_for_the_folder(stage: Stage) -> None:
    """A folder that cannot be made is the world's fault, and says which errno."""
    (stage.root / "file").touch()
    with pytest.raises(Unavailable, match="cannot be made: ENOTDIR"):
        stage.runners.start(stage.spec("true", folder=str(stage.root / "file" / "turn")))


def test_wait_ends_with_a_runner(stage: Stage) -> None:
    """A wait ends when a runner does, and its status has been taken."""
    of_others = own_zombies()  # whatever test left them
    spec = stage.start("true")
    with within(WITHIN_S):
        stage.runners.wait(3600.0)
    assert isinstance(stage.runners.look(spec.folder), Over)
    assert own_zombies() <= of_others


def own_zombies() -> set[int]:
    """Children of this process that have ended, and whose status nobody took."""
    table = process_table.everyone().values()
    return {p.pid for p in table if p.parent == os.getpid() and p.is_zombie}


def test_wait_leaves_other_children_alone(stage: Stage) -> None:
    """A child that is not a runner's keeps its status for whoever started it."""
    other = os.posix_spawn("/bin/sh", ["sh", "-c", "exit 7"], {})
    spec = stage.start("true")
    stage.ended(spec)
    until(lambda: os.waitid(os.P_PID, other, os.WEXITED | os.WNOHANG | os.WNOWAIT))
    stage.runners.wait(0.0)
    assert os.waitstatus_to_exitcode(os.waitpid(other, 0)[1]) == 7


def test_wake_ends_a_wait(stage: Stage) -> None:
    """A wake that came before the wait ends it, once."""
    stage.start("sleep", "60")
    stage.runners.wake()
    with within(WITHIN_S):
        stage.runners.wait(3600.0)
    with pytest.raises(AssertionError, match="not done"), within(0.1):
        stage.runners.wait(3600.0)
