"""Removal: at once out of sight, no link followed, and what was begun is finished."""

import os
import stat
from pathlib import Path

import pytest

from tests.git.world import World, start_job, write
from tests.waiting import until
from tidegate.git import trash


def test_links_are_removed_and_not_followed(tmp_path: Path) -> None:
    """G3-11: what a link leads to stays, file by file."""
    write(tmp_path, {"shared/keep1": "1", "shared/deep/keep2": "2", "w/x": "1"})
    (tmp_path / "w/node_modules").symlink_to(tmp_path / "shared")
    (tmp_path / "w/file").symlink_to(tmp_path / "shared/keep1")
    assert trash.remove(str(tmp_path / "w"), str(tmp_path / "trash")).failures == ()
    assert not (tmp_path / "w").exists()
    assert len([path for path in (tmp_path / "shared").rglob("*") if path.is_file()]) == 2


def test_read_only_folders_are_removed(tmp_path: Path) -> None:
    """A cache that nobody may write to goes like everything else."""
    write(tmp_path, {"w/cache/deep/file": "1"})
    for folder in ("w/cache/deep", "w/cache", "w"):
        (tmp_path / folder).chmod(0o555)
    assert trash.remove(str(tmp_path / "w"), str(tmp_path / "trash")).failures == ()
    assert list((tmp_path / "trash").iterdir()) == []


def test_a_removal_that_is_killed_is_finished_by_the_next(world: World) -> None:
    """G3-35: SIGKILL in the middle of a job; the path was free at once, and nothing is left."""
    world.prepare()
    (world.path / "shared").mkdir()
    write(world.path / "shared", {"keep": "1"})
    (world.workspace / "link").symlink_to(world.path / "shared")
    for number in range(60):
        (world.workspace / f"many/{number}").mkdir(parents=True)
        for name in range(150):
            (world.workspace / f"many/{number}/{name}").touch()
    (world.workspace / "many/7").chmod(0o555)
    bin_folder = world.path / "w/t"
    job: dict[str, object] = {
        "job": "remove",
        "hub": world.hub.path,
        "workspace": str(world.workspace),
        "trash": str(bin_folder),
    }
    files = len(list(world.workspace.rglob("*")))
    process = start_job(world.path / "job", job)
    until(lambda: bin_folder.exists() and len(list(bin_folder.iterdir())) > 40)
    process.kill()
    assert process.wait() < 0
    assert not world.workspace.exists()
    left = len(list(bin_folder.rglob("*")))
    assert 0 < left < files
    assert world.prepare().reused is False  # the path can be used meanwhile
    assert trash.empty(str(bin_folder)).failures == ()
    assert list(bin_folder.iterdir()) == []
    assert (world.path / "shared/keep").exists()


def test_depth_costs_nothing(tmp_path: Path) -> None:
    """A thousand folders inside each other, longer than any path may be, are removed."""
    bottom = os.open(tmp_path, os.O_RDONLY)
    for name in ("w", *["d" * 50] * 1000):
        os.mkdir(name, dir_fd=bottom)
        inner = os.open(name, os.O_RDONLY, dir_fd=bottom)
        os.close(bottom)
        bottom = inner
    os.close(bottom)
    assert trash.remove(str(tmp_path / "w"), str(tmp_path / "trash")).removed == 1001
    assert list((tmp_path / "trash").iterdir()) == []


def test_what_a_killed_removal_left_is_finished(tmp_path: Path) -> None:
    """G3-35: the folder is gone at once; whatever lies in the trash goes with the next removal."""
    write(tmp_path, {"trash/w.0/half": "1", "trash/123.4/moved/up": "1", "w/x": "1"})
    outcome = trash.remove(str(tmp_path / "w"), str(tmp_path / "trash"))
    assert outcome.failures == ()
    assert list((tmp_path / "trash").iterdir()) == []
    assert trash.remove(str(tmp_path / "w"), str(tmp_path / "trash")).removed == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a file immovable")
def test_one_that_cannot_be_removed_stops_no_other(tmp_path: Path) -> None:
    """A failure is told with its path, and the rest is removed."""
    write(tmp_path, {"trash/a/stuck/file": "1", "trash/b/file": "1"})
    stuck = tmp_path / "trash/a/stuck"
    if os.system(f"mount --bind {stuck} {stuck} 2>/dev/null") != 0:  # noqa: S605 - our own path
        pytest.skip("no mounts here")
    try:
        outcome = trash.empty(str(tmp_path / "trash"))
        assert len(outcome.failures) == 2
        assert "busy" in outcome.failures[0]
        assert not (tmp_path / "trash/b").exists()
    finally:
        os.system(f"umount {stuck}")  # noqa: S605 - our own path
    assert trash.empty(str(tmp_path / "trash")).failures == ()


def test_setting_aside_never_takes_a_name_twice(tmp_path: Path) -> None:
    """What was set aside before stays; where there is nothing, nothing is done."""
    for number in range(2):
        write(tmp_path, {"w/x": str(number)})
        target = trash.set_aside(str(tmp_path / "w"), str(tmp_path / "aside"))
        assert target == str(tmp_path / f"aside/w.{number}")
    assert trash.set_aside(str(tmp_path / "w"), str(tmp_path / "aside")) is None
    assert (tmp_path / "aside/w.0/x").read_text() == "0"


def test_a_link_in_place_of_a_folder_is_moved_as_a_link(tmp_path: Path) -> None:
    """A workspace that was replaced by a link is removed; what it leads to is not."""
    write(tmp_path, {"elsewhere/keep": "1"})
    (tmp_path / "w").symlink_to(tmp_path / "elsewhere")
    trash.remove(str(tmp_path / "w"), str(tmp_path / "trash"))
    assert (tmp_path / "elsewhere/keep").exists()
    assert not (tmp_path / "w").is_symlink()


def test_the_mode_of_what_stays_is_not_changed(tmp_path: Path) -> None:
    """Opening folders for removal touches nothing outside the trash."""
    write(tmp_path, {"shared/keep": "1", "w/x": "1"})
    (tmp_path / "shared").chmod(0o555)
    (tmp_path / "w/link").symlink_to(tmp_path / "shared")
    trash.remove(str(tmp_path / "w"), str(tmp_path / "trash"))
    assert stat.S_IMODE((tmp_path / "shared").stat().st_mode) == 0o555
