"""What lives is never taken for dead: locks, records and marks are asked, on real processes."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.runner.stage import Stage, python
from tests.waiting import until
from tidegate.ports.runners import EndReason, Over
from tidegate.runner import lock
from tidegate.verbs.proved_dead import doubt, fence_off, turn_folders

SLEEPER = python("import time; print('up', flush=True); time.sleep(60)")


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """A stage on which nothing is left."""
    made = Stage(tmp_path)
    yield made
    made.clear()


def test_a_runner_at_work_is_no_doubt_alive(stage: Stage) -> None:
    """Its lock says so."""
    spec = stage.start(*SLEEPER)
    stage.hears(spec, "up")
    assert doubt(stage.runners, [spec.folder]) == f"a runner is at work in {spec.folder}"
    assert fence_off(stage.runners, [spec.folder]) == ""
    assert not (Path(spec.folder) / "fence").exists()


def test_a_runner_that_is_over_with_all_its_processes_is_dead(stage: Stage) -> None:
    """There is a record, nobody holds the lock, and nobody carries the mark."""
    spec, _ = stage.run("true", mark=str(stage.root / "turn-0"))
    assert doubt(stage.runners, [spec.folder]) == ""


def test_what_a_dead_runner_left_alive_is_found_by_its_mark(stage: Stage) -> None:
    """The agent outlives a runner that was killed: no folder of it may go."""
    spec = stage.start(*SLEEPER, mark=str(stage.root / "turn-0"))
    agent = stage.beat(spec).agent_pid
    stage.hears(spec, "up")
    stage.runners._watch._pidfds.clear()
    for pid in stage.runner_pids():
        os.kill(pid, signal.SIGKILL)
    until(lambda: not stage.runner_pids())
    assert doubt(stage.runners, [spec.folder]) == f"processes of it live ({agent})"


def test_a_folder_without_a_record_is_fenced_before_it_counts_as_dead(stage: Stage) -> None:
    """A runner that comes too late finds the fence, and starts nothing."""
    spec = stage.spec("touch", str(stage.root / "late"))
    folder = Path(spec.folder)
    folder.mkdir()
    (folder / "spec.json").touch()
    assert doubt(stage.runners, [spec.folder]) == ""
    assert fence_off(stage.runners, [spec.folder]) == ""
    (folder / "spec.json").unlink()
    stage.runners.start(spec)
    stage.runners.wait(5.0)
    seen = stage.runners.look(spec.folder)
    assert isinstance(seen, Over)
    assert seen.exit.reason is EndReason.FENCED
    assert not (stage.root / "late").exists()


def test_who_begins_meanwhile_keeps_the_folder(stage: Stage) -> None:
    """Somebody holds the lock by the time that the fence is to be written."""
    folder = stage.root / "turn-9"
    folder.mkdir()
    (folder / "spec.json").touch()

    class Late:
        """Runners whose folder was free when it was looked at."""

        def look(self, at: str) -> object:
            """As it was a moment ago."""
            seen = stage.runners.look(at)
            self.held = lock.take(at)
            return seen

        declare_lost = stage.runners.declare_lost

    assert fence_off(Late(), [str(folder)]) == f"a runner began in {folder}"  # type: ignore[arg-type]  # no more is asked of it


def test_the_folders_of_an_attempt_are_those_of_no_other(tmp_path: Path) -> None:
    """Its turns and its jobs; 001-build-10 is another attempt than 001-build-1."""
    ours = ("attempts/001-build-1/turns/1", "jobs/001-build-1-prepare-0")
    others = ("attempts/001-build-10/turns/1", "jobs/001-build-10-remove-0", "jobs/deliver-1")
    for folder in (*ours, *others):
        (tmp_path / folder).mkdir(parents=True)
    named = (str(tmp_path / each) for each in ours)
    assert turn_folders(str(tmp_path), "001-build-1") == tuple(named)
    assert len(turn_folders(str(tmp_path))) == len(ours) + len(others)
