"""The turn to write: one at a time, in the order of asking, and never waited for without end."""

import fcntl
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.waiting import until
from tidegate.core.errors import NotReady, Unavailable
from tidegate.ledger.lock import WriteLock

_HOLDER = """
import fcntl, sys
file = open(sys.argv[1])
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.readline()
"""


@contextmanager
def _held(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process has the lock until it is told to go on."""
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLDER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    try:
        yield holder
    finally:
        holder.kill()
        holder.communicate()


def _is_free(path: Path) -> bool:
    probe = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(probe, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(probe)
    return True


def _waiters(path: Path) -> int:
    """How many wait for the lock, as the kernel lists them."""
    number = f":{path.stat().st_ino} "
    lines = Path("/proc/locks").read_text(encoding="ascii").splitlines()
    return sum("->" in line and number in line for line in lines)


def test_a_lock_is_taken_and_given_back(tmp_path: Path) -> None:
    """Who has the lock keeps others out until it is released."""
    lock = WriteLock(tmp_path / "lock")
    lock.acquire()
    assert not _is_free(tmp_path / "lock")
    assert not WriteLock(tmp_path / "lock").try_acquire()
    lock.release()
    assert _is_free(tmp_path / "lock")
    lock.close()


def test_a_fifo_in_the_locks_place_is_refused(tmp_path: Path) -> None:
    """It is told by its name, and nobody waits for somebody at its other end."""
    os.mkfifo(tmp_path / "lock")
    with pytest.raises(NotReady, match=r"lock is no plain file.*move it away"):
        WriteLock(tmp_path / "lock")


def test_a_waiter_gets_the_lock_when_it_is_free(tmp_path: Path) -> None:
    """Who waits has the lock as soon as the holder lets go of it."""
    path = tmp_path / "lock"
    path.touch()
    lock = WriteLock(path)
    with _held(path) as holder:
        done = threading.Event()

        def wait() -> None:
            lock.acquire()
            done.set()

        waiter = threading.Thread(target=wait)
        waiter.start()
        until(lambda: _waiters(path) == 1)
        assert not done.is_set()
        assert holder.stdin is not None
        holder.stdin.write("\n")
        holder.stdin.flush()
        assert done.wait(10)
        waiter.join()
    assert not _is_free(path)
    lock.release()
    lock.close()


def test_nobody_waits_without_end(tmp_path: Path) -> None:
    """Behind a process that is stopped a writer gives up, says so, and can try again."""
    path = tmp_path / "lock"
    path.touch()
    lock = WriteLock(path, wait_max_s=0.05)
    with _held(path):
        for _ in range(2):
            with pytest.raises(Unavailable, match=r"for 0.05 s.*may be stopped"):
                lock.acquire()
    until(lambda: _waiters(path) == 0)
    lock.acquire()
    lock.release()
    lock.close()


def test_who_gave_up_keeps_nothing(tmp_path: Path) -> None:
    """A lock that is granted to somebody who has given up is free again at once."""
    path = tmp_path / "lock"
    path.touch()
    lock = WriteLock(path, wait_max_s=0.05)
    with _held(path), pytest.raises(Unavailable):
        lock.acquire()
    until(lambda: _is_free(path))
    lock.close()


def test_the_first_to_ask_is_the_first_to_write(tmp_path: Path) -> None:
    """Those who wait are served in the order in which they came."""
    path = tmp_path / "lock"
    path.touch()
    served: list[int] = []

    def write(number: int, lock: WriteLock) -> None:
        lock.acquire()
        served.append(number)
        lock.release()
        lock.close()

    with _held(path):
        waiters = []
        for number in range(5):
            waiter = threading.Thread(target=write, args=(number, WriteLock(path)))
            waiter.start()
            waiters.append(waiter)
            until(lambda n=number: _waiters(path) == n + 1)  # type: ignore[misc]  # the loop's own value, bound at once
    for waiter in waiters:
        waiter.join(10)
    assert served == [0, 1, 2, 3, 4]
