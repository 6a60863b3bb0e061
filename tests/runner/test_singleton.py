"""One controller a repository: the lock says who holds it, really."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.runner.stage import ELSEWHERE, python
from tests.waiting import until
from tidegate.core.errors import Refused
from tidegate.runner import files
from tidegate.runner.singleton import controller_holder, controller_lock

HOLDS = """
import sys, time
from tidegate.runner.singleton import controller_lock
with controller_lock(sys.argv[1], holder="a host, process 1"):
    open(sys.argv[1] + "/held", "w").close()
    time.sleep(60)
"""


def test_the_holder_is_named_with_pid_start_and_command(tmp_path: Path) -> None:
    """Whoever comes second is told whom to look at, and how to take over safely (G2-17)."""
    holder = subprocess.Popen((sys.executable, "-c", HOLDS, str(tmp_path)), env=ELSEWHERE)
    try:
        until((tmp_path / "held").exists)
        with pytest.raises(Refused) as refused, controller_lock(str(tmp_path), holder="me"):
            pass
        assert f"process {holder.pid}, since 20" in refused.value.message
        assert sys.executable in refused.value.message
        assert f"kill {holder.pid}" in refused.value.hint
    finally:
        holder.kill()
        holder.wait()
    assert controller_holder(str(tmp_path)) is None, "it dies with its holder"


def test_an_orphan_that_holds_the_lock_is_named_and_not_what_is_written(tmp_path: Path) -> None:
    """A holder that is gone has left its descriptor to a child: the child is named (G2-17)."""
    with controller_lock(str(tmp_path), holder="a host, process 1"):
        path = tmp_path / "controller" / files.LOCK
        (ours,) = [
            int(each.name)
            for each in Path("/proc/self/fd").iterdir()
            if each.is_symlink() and each.readlink() == path
        ]
        orphan = subprocess.Popen(python("import time; time.sleep(60)"), pass_fds=(ours,))
    try:
        with pytest.raises(Refused) as refused, controller_lock(str(tmp_path), holder="me"):
            pass
        assert f"process {orphan.pid}, since 20" in refused.value.message
    finally:
        orphan.kill()
        orphan.wait()


def test_what_is_started_meanwhile_does_not_inherit_the_lock(tmp_path: Path) -> None:
    """The descriptor is closed on exec: a child that lives on keeps nobody out (G2-17)."""
    with controller_lock(str(tmp_path), holder="me"):
        child = subprocess.Popen(python("import time; time.sleep(60)"), close_fds=False)
    try:
        until(lambda: controller_holder(str(tmp_path)) is None)
        with controller_lock(str(tmp_path), holder="another"):
            assert controller_holder(str(tmp_path)) == "another"
    finally:
        child.kill()
        child.wait()


def test_a_fifo_in_the_locks_place_keeps_nobody_waiting(tmp_path: Path) -> None:
    """Nobody can hold it, and nobody can take it: that is told by its path."""
    folder = tmp_path / "controller"
    folder.mkdir()
    os.mkfifo(folder / files.LOCK)
    assert controller_holder(str(tmp_path)) is None
    with (
        pytest.raises(OSError, match="no plain file") as told,
        controller_lock(str(tmp_path), holder="me"),
    ):
        pass
    assert told.value.filename == str(folder / files.LOCK)
