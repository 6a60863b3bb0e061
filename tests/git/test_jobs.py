"""The job program: light to start, one file in, one out, and errors that say whose turn it is."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.git.world import PROGRAM, World, run_job, start_job
from tidegate.core.errors import IntegrityError, Misused, Unavailable
from tidegate.git import jobs
from tidegate.git.errors import GitFailed, NoMergeBase, SetupFailed

HEAVY = ("asyncio", "dataclasses", "hashlib", "inspect", "logging", "pathlib", "shutil", "tempfile")


@pytest.mark.parametrize("module", ["candidate", "delivery", "harvest", "landing"])
def test_a_job_starts_light(module: str) -> None:
    """What most jobs are made of does without the standard library's heavy modules."""
    code = (
        f"import sys; sys.path.insert(0, {str(PROGRAM.parent.parent)!r});"
        f"import tidegate.git.jobs, tidegate.git.{module}; print(*sys.modules)"
    )
    argv = (sys.executable, "-I", "-S", "-c", code)
    loaded = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.split()
    assert not set(loaded) & set(HEAVY)


def test_an_error_is_a_result(world: World) -> None:
    """A job that cannot be done says so in its result, with the exit code 1."""
    job: dict[str, object] = {
        "job": "hub",
        "hub": str(world.path / "new.git"),
        "repository": str(world.path),
        "commit": world.base,
    }
    error = run_job(world.path / "job", job)["error"]
    assert (error["kind"], error["code"]) == ("refused", "not_a_repository")
    assert str(world.path) in error["message"]


@pytest.mark.parametrize(
    "job",
    [
        {"job": "nope"},
        {},
        {"job": "pack"},
        {"job": "pack", "hub": "/x", "more": 1},
        {"job": "remove", "hub": "/x"},
        {"job": "harvest", "hub": "/x", "author": {"name": "x"}},
    ],
)
def test_a_job_that_is_not_understood_is_refused(job: dict[str, object]) -> None:
    """Unknown names and keys, and missing ones, are told before anything is done."""
    with pytest.raises(Misused):
        jobs.run(job)


def test_kinds_say_what_to_do() -> None:
    """Whose turn it is follows from the error's class alone."""
    git_failed = GitFailed(("git", "x"), returncode=1, stderr="disk full")
    kinds = {
        "setup": SetupFailed("x"),
        "refused": NoMergeBase("x"),
        "integrity": IntegrityError("x"),
        "infra": git_failed,
    }
    assert {jobs.as_error(error)["kind"]: error for error in kinds.values()} == kinds
    assert jobs.as_error(Unavailable("x"))["kind"] == "infra"
    assert jobs.as_error(OSError(28, "No space left"))["code"] == "os_error"
    assert "disk full" in jobs.as_error(git_failed)["message"]


def test_a_hub_is_packed_by_a_job(world: World) -> None:
    """The maintenance of the hub is a job like others."""
    assert run_job(world.path / "job", {"job": "pack", "hub": world.hub.path}) == {"kind": "packed"}
    assert list(Path(world.hub.objects).glob("pack/multi-pack-index"))


def test_a_bug_is_loud(world: World) -> None:
    """Without a job file there is no result to write: a traceback, and no silent success."""
    process = start_job(world.path / "job", {"job": "pack", "hub": 7}, wrapper=("env", "-i"))
    assert process.wait() == 1
    assert not (world.path / "job/result.json").exists()
