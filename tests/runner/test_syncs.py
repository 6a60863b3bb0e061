"""What a runner has the disk hold before it is over, as the kernel sees it."""

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.runner.stage import Stage
from tidegate.runner.local import PROGRAM

pytestmark = pytest.mark.slow


def synced(stage: Stage, script: str, *, is_durable: bool) -> list[str]:
    """Run one runner to its end and name what it synced, in that order."""
    spec = stage.spec("/bin/sh", "-c", script, is_durable=is_durable)
    folder, trace = Path(spec.folder), stage.root / "trace"
    folder.mkdir()
    fields = {key: value for key, value in dataclasses.asdict(spec).items() if key != "env"}
    (folder / "spec.json").write_text(json.dumps(fields), encoding="utf-8")
    command = [sys.executable, "-I", "-S", PROGRAM, str(folder / "spec.json")]
    watched = ["-f", "-y", "-e", "trace=fsync,fdatasync,syncfs", "-o", str(trace)]
    try:
        subprocess.run(["strace", *watched, *command], stdin=subprocess.DEVNULL, check=True)
    except FileNotFoundError:
        pytest.skip("strace is not installed")
    assert (folder / "exit.json").exists()
    calls = trace.read_text(encoding="utf-8").splitlines()
    paths = [line.partition("<")[2].partition(">")[0] for line in calls if "sync(" in line]
    return [os.path.relpath(path, folder).partition(".json")[0] for path in paths]


def test_a_turn_is_on_the_disk_before_its_runner_is_over(stage: Stage) -> None:
    """What was said, then the record, then its name. Of what said nothing there is nothing."""
    assert synced(stage, "echo said", is_durable=True) == ["stdout", ".exit", "."]


def test_what_is_simply_done_again_waits_for_no_disk(stage: Stage) -> None:
    """A job's record is there to be read, and is gone after a power cut, like the job."""
    assert synced(stage, "echo said", is_durable=False) == []
