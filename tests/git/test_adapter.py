"""What the engine hears of a job: from its result, or from what it said where it left none."""

import json
from pathlib import Path

import pytest

from tidegate.git.adapter import GitJobs
from tidegate.ports.git import Moved, MoveRefused, MoveWork, WorkFailed

WORK = MoveWork(ref="refs/heads/x", old="1" * 40, new="2" * 40)


@pytest.fixture
def git(tmp_path: Path) -> GitJobs:
    """The jobs of a run that nobody carries on."""
    return GitJobs(
        hub=str(tmp_path / "hub.git"),
        repository=str(tmp_path),
        common_dir=str(tmp_path / ".git"),
        run="20260101-0000",
        style="merge",
        identity=("A", "a@example.org"),
        variables={},
    )


def result(git: GitJobs, folder: Path, said: object) -> object:
    """What is heard of a job that left this."""
    (folder / "result.json").write_text(json.dumps(said), encoding="utf-8")
    return git.result(WORK, str(folder))


def test_a_job_without_a_result_is_told_by_its_last_line(git: GitJobs, tmp_path: Path) -> None:
    """A person reads one line first; the whole of it is kept."""
    (tmp_path / "stderr").write_text("Traceback: …\n  line 7\nOSError: no luck\n", encoding="utf-8")
    failed = git.result(WORK, str(tmp_path))
    assert isinstance(failed, WorkFailed)
    assert (failed.reason, failed.is_integrity) == ("no_result", False)
    assert failed.headline == "it ended without a result: OSError: no luck"
    assert "line 7" in failed.message


def test_a_job_that_said_nothing_is_told_by_what_is_missing(git: GitJobs, tmp_path: Path) -> None:
    """Neither a result nor a word."""
    failed = git.result(WORK, str(tmp_path))
    assert isinstance(failed, WorkFailed)
    assert "result.json" in failed.headline


@pytest.mark.parametrize("kind", ["infra", "integrity"])
def test_an_error_is_a_failure(git: GitJobs, tmp_path: Path, kind: str) -> None:
    """Only what may have lost something says so."""
    error = {"kind": kind, "code": "git_failed", "message": "disk full"}
    assert result(git, tmp_path, {"error": error}) == WorkFailed(
        reason="git_failed", message="disk full", is_integrity=kind == "integrity"
    )


def test_a_move_that_was_refused_is_an_answer(git: GitJobs, tmp_path: Path) -> None:
    """It is none of the failures: the ref was elsewhere."""
    assert result(git, tmp_path, {"kind": "moved", "commit": WORK.new}) == Moved()
    assert result(git, tmp_path, {"kind": "elsewhere", "actual": "3" * 40}) == MoveRefused(
        actual="3" * 40
    )
    assert result(git, tmp_path, {"kind": "elsewhere", "actual": None}) == MoveRefused(
        actual="nowhere"
    )
