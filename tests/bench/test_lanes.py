"""The benchmark of whole runs: both sides do the work, and their runners are counted rightly."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from bench import lanes, starts, ticks
from bench.world import World, expected_files, files_at, make_world
from tidegate.core import events as e
from tidegate.ledger.sqlite import SqliteLedger
from tidegate.ports.runners import RunnerSpec
from tidegate.runner.local import LocalRunners

pytestmark = pytest.mark.slow


def test_by_hand_every_change_lands(tmp_path: Path) -> None:
    """After the script every lane's line is in the user's repository, and no workspace is left."""
    run = lanes.by_hand(tmp_path, 2)
    world = World(tmp_path)
    assert files_at(world, lanes.BY_HAND) == expected_files(2)
    assert files_at(world, "main") == expected_files(0)
    assert list((tmp_path / "work" / "workspaces").iterdir()) == []
    assert run.runners == starts.PER_BASE + 2 * starts.PER_LANE


def test_by_hand_a_failing_check_lands_nothing(tmp_path: Path) -> None:
    """The script believes its runners' records: with a check that fails on the base it ends."""
    with pytest.raises(RuntimeError, match="base-check failed"):
        lanes.by_hand(tmp_path, 1, check="test -e missing")


def test_a_run_that_changed_nothing_does_not_count(tmp_path: Path) -> None:
    """A side whose lanes did not all land is an error and never a fast run."""
    world = make_world(tmp_path, 1)
    with pytest.raises(RuntimeError, match="part-01"):
        lanes._require(world, 1, "main")


def test_the_events_tell_how_many_runners_were_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is counted from a run's events is what the engine started, one by one."""
    world = make_world(tmp_path, 2)
    for name, value in world.environment.items():
        monkeypatch.setenv(name, value)
    started: list[str] = []
    plain = LocalRunners.start

    def counted(self: LocalRunners, spec: RunnerSpec) -> None:
        started.append(spec.folder)
        plain(self, spec)

    monkeypatch.setattr(LocalRunners, "start", counted)
    result, durations_ms = ticks.run_timed(world.repository)
    assert len(result.summary.landed) == 2
    assert len(started) == len(set(started)) == starts.runners_started(_events(world.repository))
    assert len(started) >= starts.PER_BASE + 2 * starts.PER_LANE - 1
    assert len(durations_ms) >= len(started) / os.cpu_count()  # type: ignore[operator]  # what it is given is the test's affair


def _events(repository: Path) -> Sequence[e.Event]:
    ledger = SqliteLedger.open_read_only(repository / ".git" / "tidegate")
    try:
        run = str(ledger.runs()[-1]["run_id"])
        return [recorded.entry.event for recorded in ledger.read(run)]
    finally:
        ledger.close()
