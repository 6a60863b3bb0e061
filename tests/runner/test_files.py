"""Files of a turn folder: whole or not there."""

import os
import subprocess
import sys
from pathlib import Path

from tests.runner.stage import ELSEWHERE
from tests.waiting import until
from tidegate.runner import files, lock


def test_create_is_won_once(tmp_path: Path) -> None:
    """Of two who create a file one is told so, and its content stands."""
    assert files.create(str(tmp_path), "spec.json", b"first", durable=True)
    assert not files.create(str(tmp_path), "spec.json", b"second", durable=True)
    assert [p.name for p in tmp_path.iterdir()] == ["spec.json"]
    assert files.read(str(tmp_path), "spec.json") == b"first"


def test_replace_leaves_nothing_beside(tmp_path: Path) -> None:
    """A file is replaced as a whole, and nothing of the writing is left."""
    for content in (b"one", b"another"):
        files.replace(str(tmp_path), "beat.json", content, durable=True)
        assert files.read(str(tmp_path), "beat.json") == content
    assert [p.name for p in tmp_path.iterdir()] == ["beat.json"]


def test_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    """Where there is no room, the old file stands and no remains take room."""
    files.replace(str(tmp_path), "beat.json", b"old", durable=True)
    script = (
        "import resource, signal, sys\n"
        "from tidegate.runner import files\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "files.replace(sys.argv[1], 'beat.json', b'x' * 200, durable=True)"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", script, str(tmp_path)],
        stderr=subprocess.PIPE,
        check=False,
        env=ELSEWHERE,
    )
    assert b"File too large" in done.stderr
    assert [(p.name, p.read_bytes()) for p in tmp_path.iterdir()] == [("beat.json", b"old")]


def test_what_is_not_there_is_none(tmp_path: Path) -> None:
    """A missing file, and one in a folder that is none, read as None."""
    (tmp_path / "file").touch()
    assert files.read(str(tmp_path), "beat.json") is None
    assert files.read(str(tmp_path / "file"), "beat.json") is None


def test_lock_is_asked_about_without_being_taken(tmp_path: Path) -> None:
    """Asking tells held from free, also to the holder's own process, and takes nothing."""
    folder = str(tmp_path)
    assert not lock.is_held(folder)
    held = lock.take(folder)
    assert lock.is_held(folder)
    assert lock.is_held(folder)
    assert lock.try_take(folder) is None
    os.close(held)
    assert not lock.is_held(folder)
    held = lock.take(folder)
    os.close(held)


def test_lock_is_free_when_its_holder_dies(tmp_path: Path) -> None:
    """The kernel lets go of a killed holder's lock."""
    script = (
        "import sys\nfrom tidegate.runner import lock\nlock.take(sys.argv[1])\n"
        "print('held', flush=True)\nsys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=ELSEWHERE,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        assert lock.is_held(str(tmp_path))
        holder.kill()
        until(lambda: not lock.is_held(str(tmp_path)))
