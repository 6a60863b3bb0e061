"""A disk that fails, is full, or cannot be written: nothing is acknowledged that is not there.

When the disk works again the same command goes on. Each test sees first that its fault was there.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.crash import disks, injection
from tests.crash.disks import short_files, small_disk
from tests.crash.injection import Ended, Point, failed_sync, synced_again
from tests.crash.operation import Facts
from tests.crash.registry import load
from tests.crash.share import share
from tests.crash.sweep import Stage, Tally, Wrong, judge, picked
from tests.waiting import until
from tidegate.runner.local import PROGRAM

SYNCS = ("fsync", "fdatasync", "syncfs")
traced = pytest.mark.skipif(bool(injection.missing()), reason=injection.missing())
mounted = pytest.mark.skipif(bool(disks.missing()), reason=disks.missing())
NOWHERE = Point(call="none", nth=1)


def _goes_on(stage: Stage, ended: Ended, expected: Facts, point: Point = NOWHERE) -> list[str]:
    """What is wrong after the fault is gone and the same command was given again."""
    tally = Tally(operation=stage.operation.name, whose="")
    judge(stage, point, ended.acknowledged, expected, tally)
    return tally.wrong


def _failed_syncs(stage: Stage, cap: int | None, wrong_one: Wrong | None = None) -> list[str]:
    """Fail one sync after the other; what is wrong with what the product makes of it.

    Of a mutant the first fault that is found is enough.
    """
    expected = stage.undisturbed()
    stage.fresh()
    points = [point for point in stage.tracer.points(stage.work) if point.call in SYNCS]
    assert points
    wrong = []
    for point in wrong_one.suspects(points) if wrong_one else picked(points, cap):
        stage.fresh()
        ended = stage.tracer.faulty(stage.work, point, "error=EIO")
        assert ended.fired, point
        if ended.code == 0 and not _is_of_sqlites_folder(ended.log):
            wrong.append(f"{point}: it went on as if nothing had happened")
        if not _is_before_the_log(ended.log):
            wrong += [f"{point}: {path} was synced again" for path in synced_again(ended.log)]
        wrong += _goes_on(stage, ended, expected, point)
        if wrong_one and wrong:
            break
    return wrong


def _is_of_sqlites_folder(log: str) -> bool:
    """Whether SQLite synced a folder, of whose failure it tells nobody: that is out of our reach.

    On a journaled disk the file system itself ends then.
    """
    return failed_sync(log).endswith("/ledger") and "fdatasync" in log


def _is_before_the_log(log: str) -> bool:
    """Whether SQLite was making the file: it then writes what it was anew, and syncs that."""
    return failed_sync(log).endswith("/ledger.db") and "ledger.db-wal" not in log


@traced
@pytest.mark.parametrize(
    ("name", "cap"),
    [("publish", 4), ("ledger", 5), ("turn", 3), ("harvest", 2), ("land", 3), ("deliver", 2)],
)
def test_after_a_failed_sync_the_process_stops(name: str, cap: int, tmp_path: Path) -> None:
    """EIO at a sync: nothing more is acknowledged, and the same file is not synced again."""
    assert _failed_syncs(Stage(load(name), tmp_path / "stage"), share(cap)) == []


@traced
@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("publish", Wrong(mutant="pass_over_failed_syncs")),
        ("ledger", Wrong(mutant="write_on_after_failed_sync", calls=("fdatasync",))),
    ],
    ids=lambda each: each.mutant if isinstance(each, Wrong) else each,
)
def test_one_that_goes_on_after_a_failed_sync_is_caught(
    name: str, wrong: Wrong, tmp_path: Path
) -> None:
    """The same test finds a product that takes a failed sync for a sync, or asks once more."""
    stage = Stage(load(name), tmp_path / "stage", wrong.mutant)
    assert _failed_syncs(stage, None, wrong)


@traced
def test_a_git_whose_sync_fails_is_started_again(tmp_path: Path) -> None:
    """EIO in a git of a landing: the job tells of it, and done again it lands once."""
    stage = Stage(load("land"), tmp_path / "stage")
    expected = stage.undisturbed()
    stage.fresh()
    points = [point for point in stage.tracer.git_points(stage.work) if point.call in SYNCS]
    for point in picked(points, share(2)):
        stage.fresh()
        ended = stage.tracer.faulty(stage.work, point, "error=EIO")
        assert ended.fired, point
        assert _goes_on(stage, ended, expected, point) == []


@mounted
@pytest.mark.parametrize("name", ["publish", "ledger", "harvest", "land"])
def test_a_full_disk_is_told_and_outlived(name: str, tmp_path: Path) -> None:
    """G4-07: without room it is refused; when there is room the same command goes on."""
    with small_disk(tmp_path) as disk:
        stage = Stage(load(name), tmp_path / "stage", place=disk.mount / "place")
        expected = stage.undisturbed()
        stage.fresh()
        disk.fill()
        ended = stage.tracer.plain(stage.work)
        disk.empty()
        assert (ended.code, ended.acknowledged) == (1, ())
        assert "Traceback" not in ended.err
        assert _goes_on(stage, ended, expected) == []


@mounted
@pytest.mark.parametrize("name", ["publish", "ledger", "turn", "harvest", "land"])
def test_a_disk_that_cannot_be_written_is_told_and_outlived(name: str, tmp_path: Path) -> None:
    """A file system that became read-only: it is refused, and goes on when it can be written."""
    with small_disk(tmp_path) as disk:
        stage = Stage(load(name), tmp_path / "stage", place=disk.mount / "place")
        expected = stage.undisturbed()
        stage.fresh()
        disk.forbid()
        assert not os.access(stage.place, os.W_OK)
        ended = stage.tracer.plain(stage.work)
        disk.allow()
        assert (ended.code, ended.acknowledged) == (1, ())
        assert _goes_on(stage, ended, expected) == []


@pytest.mark.parametrize(
    ("name", "limit_bytes", "told"),
    [
        ("publish", 3_000, "File too large"),
        ("ledger", 200_000, "cannot be used just now"),
        ("turn", 100, "File too large"),
        ("harvest", 10_000, "exit code -25"),
    ],
)
def test_a_short_write_is_no_write(name: str, limit_bytes: int, told: str, tmp_path: Path) -> None:
    """A file may grow no further: the write is short, and what is there is never half of it."""
    stage = Stage(load(name), tmp_path / "stage")
    expected = stage.undisturbed()
    stage.fresh()
    ended = stage.tracer.plain(stage.work, short_files(limit_bytes))
    assert ended.code == 1
    assert told in ended.err
    assert _goes_on(stage, ended, expected) == []


def test_a_store_that_writes_in_place_is_caught(tmp_path: Path) -> None:
    """The same short write leaves half an artifact where one is not written aside."""
    stage = Stage(load("publish"), tmp_path / "stage", "write_in_place")
    expected = stage.undisturbed()
    stage.fresh()
    ended = stage.tracer.plain(stage.work, short_files(3_000))
    assert ended.code == 1
    assert _goes_on(stage, ended, expected)


@mounted
def test_a_runner_waits_for_room_for_its_record(tmp_path: Path) -> None:
    """The agent has filled the disk and ended: its record comes when there is room, unharmed."""
    with small_disk(tmp_path) as disk:
        folder, ended = disk.mount / "turn", tmp_path / "ended"
        folder.mkdir()
        fill = f"cat /dev/zero > {disk.mount}/filler 2>/dev/null; touch {ended}"
        spec = {
            "folder": str(folder),
            "argv": ["/bin/sh", "-c", fill],
            "cwd": str(tmp_path),
            "mark": str(tmp_path),
            "epoch": 1,
            "deadline_s": 30.0,
            "output_max_bytes": 1_000,
            "grace_s": 1.0,
            "beat_s": 30.0,
            "stdin_path": None,
        }
        (folder / "spec.json").write_text(json.dumps(spec), encoding="utf-8")
        command = (sys.executable, "-I", "-S", PROGRAM, str(folder / "spec.json"))
        runner = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        try:
            until(ended.exists)
            until(lambda: _waits(runner.pid))
            assert os.statvfs(disk.mount).f_bavail == 0
            assert not (folder / "exit.json").exists()
            (disk.mount / "filler").unlink()
            assert runner.wait(timeout=10) == 0
        finally:
            runner.kill()
            runner.wait()
        assert json.loads((folder / "exit.json").read_bytes())["code"] == 0


def _waits(pid: int) -> bool:
    """Whether a process has no child any more, and sleeps for a time."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8")
    place = Path(f"/proc/{pid}/wchan").read_text(encoding="utf-8")
    return not children and "nanosleep" in place
