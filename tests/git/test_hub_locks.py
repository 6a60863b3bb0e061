"""A lock that a killed git left in the hub: it stops nothing, and a living git's is left alone."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.git.world import World, run_job
from tidegate.git import locks

REF = "refs/heads/tidegate/20260101-0000"
LONG_AGO_S = 3600.0


def move(world: World) -> dict[str, object]:
    """The job that makes the ref."""
    return {"job": "move", "hub": world.hub.path, "ref": REF, "new": world.base, "old": None}


def planted(world: World, name: str) -> Path:
    """A lock in the hub that was made long ago."""
    lock = Path(world.hub.path, f"{name}.lock")
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.touch()
    made_s = lock.stat().st_mtime - LONG_AGO_S
    os.utime(lock, (made_s, made_s))
    return lock


@contextmanager
def at_work(world: World) -> Iterator[None]:
    """A process that works on the hub."""
    process = subprocess.Popen(["sleep", "60"], env={**os.environ, "GIT_DIR": world.hub.path})
    try:
        yield
    finally:
        process.kill()
        process.wait()


def test_a_lock_that_was_left_stops_no_job(world: World) -> None:
    """The job finds it in its way, takes it away, and is done."""
    lock = planted(world, REF)
    assert run_job(world.path / "job", move(world))["kind"] == "moved"
    assert not lock.exists()


@pytest.mark.parametrize("name", ["HEAD", "packed-refs", REF, "objects/pack/multi-pack-index"])
def test_locks_are_found_where_git_makes_them(world: World, name: str) -> None:
    """On the hub's own files, on refs and on its packs."""
    lock = planted(world, name)
    assert locks.clear_hub(world.hub.path) == (f"{name}.lock",)
    assert not lock.exists()


def test_a_lock_that_a_living_git_may_hold_is_left_alone(world: World) -> None:
    """The job fails, to be tried again, and names what is in its way."""
    with at_work(world):
        lock = Path(world.hub.path, f"{REF}.lock")
        lock.parent.mkdir(parents=True, exist_ok=True)
        lock.touch()
        error = run_job(world.path / "job", move(world))["error"]
        assert (error["kind"], REF in error["message"]) == ("infra", True)
        assert lock.exists()
    assert run_job(world.path / "job", move(world))["kind"] == "moved"


def test_a_process_that_began_later_holds_no_old_lock(world: World) -> None:
    """Others may work on the hub meanwhile, as they always do in a run."""
    lock = planted(world, REF)
    with at_work(world):
        assert locks.clear_hub(world.hub.path) == (f"{REF}.lock",)
    assert not lock.exists()
