"""A command that is asked answers in time and in bounds, or is given up, and leaves nothing."""

import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest

from tests.waiting import until
from tidegate.ports.consult import Answer
from tidegate.runner.consult import consult

LIMIT_S = 30.0


def ask(
    command: str, folder: Path, *, question: str = "", limit_s: float = LIMIT_S, most: int = 10_000
) -> Answer:
    """Ask a command in a folder, with a plain environment."""
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C"}
    return consult(
        command,
        question,
        folder=str(folder),
        environment=environment,
        limit_s=limit_s,
        bytes_max=most,
    )


def test_it_gets_the_question_and_its_answer_is_taken(tmp_path: Path) -> None:
    """Standard input is the question, standard output the answer, the folder is the one named."""
    assert ask("cat", tmp_path, question="zażółć\n") == Answer(text="zażółć\n", code=0)
    assert ask("pwd", tmp_path).text.strip() == str(tmp_path)
    assert ask("echo $HOME$SECRET", tmp_path) == Answer(text="\n", code=0)


def test_a_long_question_and_a_long_answer_pass_each_other(tmp_path: Path) -> None:
    """More than a pipe holds goes both ways at once."""
    question = "x" * 1_000_000
    assert ask("cat", tmp_path, question=question, most=2_000_000).text == question


def test_a_question_need_not_be_read(tmp_path: Path) -> None:
    """A command may answer without having read anything."""
    assert ask("echo 1", tmp_path, question="x" * 1_000_000) == Answer(text="1\n", code=0)


@pytest.mark.parametrize(
    ("command", "fault"),
    [
        ("exit 3", "it ended with code 3"),
        ("echo no; echo first >&2; echo why >&2; exit 1", "it ended with code 1: why"),
        ("no-such-program-at-all", "it ended with code 127: "),
        ("kill -9 $$", "it ended with signal 9"),
        ("printf '\\377'", "byte 0 of what it printed is not UTF-8"),
        ("yes", "it printed more than 10000 bytes"),
    ],
)
def test_what_is_no_answer_is_a_fault(tmp_path: Path, command: str, fault: str) -> None:
    """A wrong exit code, bytes that are no text and too much of it are told, and nothing raises."""
    answer = ask(command, tmp_path)
    assert answer.text == ""
    assert answer.fault.startswith(fault)


def test_it_cannot_hold_anybody_up(tmp_path: Path) -> None:
    """A command that never ends is given up at its limit, whether or not it keeps its pipes."""
    for command in ("sleep 1000", "exec >&- 2>&- <&-; sleep 1000"):
        assert ask(command, tmp_path, limit_s=0.2) == Answer(fault="it took longer than 0.2 s")


def test_a_command_that_drips_is_given_up_too(tmp_path: Path) -> None:
    """The limit is for the whole answer: each line that comes in time does not lengthen it."""
    for drips in ("while :; do echo x; sleep 0.05; done", "yes >&2"):
        assert ask(drips, tmp_path, limit_s=0.4).fault == "it took longer than 0.4 s"


def test_how_it_ended_is_told_beside_the_fault(tmp_path: Path) -> None:
    """Its code, and the end of standard error in full; no code where it was given up."""
    answer = ask("seq 9999 >&2; echo one >&2; echo two >&2; exit 3", tmp_path)
    assert (answer.code, answer.complaint[-8:]) == (3, "\none\ntwo")
    assert len(answer.complaint) <= 4096
    given_up = ask("echo slow >&2; sleep 1000", tmp_path, limit_s=0.4)
    assert (given_up.code, given_up.complaint) == (None, "slow")
    assert ask("kill -9 $$", tmp_path).code == -9


def test_what_its_group_writes_on_after_its_end_has_limits_too(tmp_path: Path) -> None:
    """Size and time hold for whatever has the pipes, not for the command alone."""
    flood = ask("yes & sleep 0.2; exit 0", tmp_path)
    assert flood.fault == "it printed more than 10000 bytes"
    beside = ask("yes >&2 & sleep 0.2; exit 0", tmp_path, limit_s=1.0)
    assert beside.fault in ("", "it took longer than 1 s")


@pytest.mark.parametrize("end", ["exit 0", "exit 1", "sleep 1000"])
def test_nothing_of_its_group_stays(tmp_path: Path, end: str) -> None:
    """What it left in the background ends with it, and does not hold up the answer."""
    pid_file = tmp_path / "pid"
    ask(f"sleep 1000 & echo $! > {pid_file}; {end}", tmp_path, limit_s=2.0)
    pid = int(pid_file.read_text())
    try:
        until(lambda: not _lives(pid))
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _lives(pid: int) -> bool:
    """A zombie that nobody has collected yet is dead."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_a_folder_that_is_gone_is_a_fault(tmp_path: Path) -> None:
    """What cannot be started at all is told as every other fault."""
    assert ask("true", tmp_path / "gone").fault == (
        "it cannot be started (No such file or directory)"
    )
