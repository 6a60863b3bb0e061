"""Processes are named so that a signal cannot reach another one, and marks are told apart."""

import contextlib
import os
import signal
from collections.abc import Iterator

import pytest

from tests.waiting import until
from tidegate.runner import process_table
from tidegate.runner.agent import Agent
from tidegate.runner.process_table import Process


@pytest.fixture
def sleeper() -> Iterator[int]:
    """A process of ours that carries a mark and sleeps."""
    mark = {"OTHER": "1", "TIDEGATE_MARK": f"mark-{os.getpid()}"}
    pid = os.posix_spawn("/bin/sleep", ["sleep", "60"], mark, setpgroup=0)
    yield pid
    with contextlib.suppress(ChildProcessError):
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)  # not reaped yet?
        _end(pid)


def _end(pid: int) -> int:
    """End a child by SIGTERM; the signal that it died of, another's if that came first."""
    os.kill(pid, signal.SIGTERM)
    return os.WTERMSIG(os.waitpid(pid, 0)[1])


def test_signal_reaches_the_named_process(sleeper: int) -> None:
    """A process named by its pid and its start is signalled."""
    process = process_table.find(sleeper)
    assert process is not None
    process_table.send(process, signal.SIGKILL)
    assert os.WTERMSIG(os.waitpid(sleeper, 0)[1]) == signal.SIGKILL


def test_signal_does_not_reach_a_reused_pid(sleeper: int) -> None:
    """Where the pid is another process's by now, or nobody's, nobody is signalled."""
    process = process_table.find(sleeper)
    assert process is not None
    process.start_ticks -= 1
    process_table.send(process, signal.SIGKILL)
    process.pid = 2**22
    process_table.send(process, signal.SIGKILL)
    assert _end(sleeper) == signal.SIGTERM


def test_group_of_a_reaped_agent_is_left_alone(sleeper: int) -> None:
    """Once an agent has been reaped its number may be another group's, and is not signalled."""
    agent = Agent(sleeper)
    agent.status = 0
    agent.signal_group(signal.SIGKILL)
    assert _end(sleeper) == signal.SIGTERM


def test_group_that_may_not_be_signalled(sleeper: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the kernel forbids signalling the group, each member gets the signal (G2-06)."""
    forbidden: list[int] = []

    def forbid(group: int, _number: int) -> None:
        forbidden.append(group)
        raise PermissionError

    monkeypatch.setattr(os, "killpg", forbid)
    Agent(sleeper).signal_group(signal.SIGKILL)
    assert forbidden == [sleeper]
    assert _end(sleeper) == signal.SIGKILL


def test_zombies_do_not_live(sleeper: int) -> None:
    """What is dead and only not yet reaped is not counted among the living."""
    os.kill(sleeper, signal.SIGKILL)
    until(lambda: (found := process_table.find(sleeper)) and found.is_zombie)
    table = process_table.everyone()
    assert sleeper not in {process.pid for process in process_table.living(table, {os.getpid()})}


def test_marks_are_whole(sleeper: int) -> None:
    """A mark is matched as a whole: neither its beginning nor another variable's value counts."""
    table = process_table.everyone()
    mark = f"mark-{os.getpid()}"
    found = process_table.carriers(table, [mark, mark[:-1], "1"])
    assert found == {mark: {sleeper}, mark[:-1]: set(), "1": set()}


def test_execve_is_waited_for(sleeper: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that shows nothing, as in the middle of an execve, is looked at again."""
    read = process_table._read
    hidden = [f"/proc/{sleeper}/{name}" for name in ("environ", "cmdline", "environ", "cmdline")]

    def read_during_execve(path: str) -> bytes | None:
        if path not in hidden:
            return read(path)
        hidden.remove(path)
        return b""

    monkeypatch.setattr(process_table, "_read", read_during_execve)
    mark = f"mark-{os.getpid()}"
    table = process_table.everyone()
    assert process_table.carriers(table, [mark]) == {mark: {sleeper}}


def test_names_with_brackets_and_blanks() -> None:
    """A program's name may hold anything, and does not shift what is read after it."""
    process = Process(7, b"7 (S) Z 1) R 5 7 7 0 -1 0" + b" 0" * 12 + b" 99 0 0")
    assert (process.parent, process.is_zombie, process.start_ticks) == (5, False, 99)


def test_descendants(sleeper: int) -> None:
    """Descendants are found through any number of generations, the asker is not among them."""
    table = process_table.everyone()
    living = {process.pid for process in process_table.living(table, {os.getpid()})}
    assert sleeper in living
    assert os.getpid() not in living


def test_out_of_memory_counter() -> None:
    """The kernel's count of out-of-memory kills is a number that never falls."""
    first = process_table.out_of_memory_kills()
    assert 0 <= first <= process_table.out_of_memory_kills()
