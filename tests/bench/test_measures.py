"""The smaller benchmarks, each run once at a tiny size: they measure what they say they do."""

from pathlib import Path

import pytest

from bench import demo, idle, queue, runner, scope, status, ticks, workspaces

pytestmark = pytest.mark.slow


def test_status_is_measured_on_the_history_that_is_named(tmp_path: Path) -> None:
    """The ledger holds the attempts, the last lanes are open, and status shows it all."""
    table = status.measure(tmp_path, rounds=1, attempts=30)
    assert "30 attempts" in table.title
    assert all(value > 0 for row in table.rows for value in (*row.ours, *row.other))


def test_the_queue_is_measured_with_the_issues_that_are_named(tmp_path: Path) -> None:
    """Every issue is in the queue, and each command is measured on both sides."""
    table = queue.measure(tmp_path, rounds=1, issues=30)
    assert "30 issues" in table.title
    assert all(value > 0 for row in table.rows for value in (*row.ours, *row.other))


def test_a_runner_is_larger_than_a_bare_python(tmp_path: Path) -> None:
    """Memory and time are those of the runner and not of its agent."""
    table = runner.measure(tmp_path, rounds=1)
    for row in table.rows:
        assert min(row.ours) > max(row.other) > 0


def test_a_change_is_judged_as_it_should_be(tmp_path: Path) -> None:
    """One side finds nothing or something, as its footprint says; both make the commit."""
    table = scope.measure(tmp_path, rounds=1, files=1_000)
    assert "1,000 files" in table.title
    assert all(value > 0 for row in table.rows for value in (*row.ours, *row.other))


def test_workspaces_are_measured_with_all_that_they_take(tmp_path: Path) -> None:
    """Time of both sides, and disk of both: at least the files, many times over."""
    table = workspaces.measure(tmp_path, rounds=1, files=200, together=3)
    time_row, disk_row = table.rows
    assert min(*time_row.ours, *time_row.other) > 0
    files_mb = 3 * 200 * workspaces.LINES * 20 / workspaces.MEGABYTE
    assert min(*disk_row.ours, *disk_row.other) > files_mb


def test_a_percentile_is_not_exceeded_by_its_share() -> None:
    """Of a hundred values one is above the 99th percentile."""
    values = [float(number) for number in range(1, 101)]
    assert sum(value > ticks.percentile(values, 99) for value in values) == 1


def test_an_idle_controller_is_watched_and_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own time and memory, and those of its children; nothing of it is left."""
    monkeypatch.setattr(idle, "_SETTLE_S", 0.1)
    table = idle.measure(tmp_path, seconds=0.2)
    cpu, memory, _, others = (row.value for row in table.rows)
    assert cpu >= 0.0
    assert memory > 10.0 < others
    left = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert not any(str(tmp_path).encode() in words for words in left)


def test_the_demos_first_landing_comes_before_its_end(tmp_path: Path) -> None:
    """One demo, watched through what it says."""
    first, end = demo.measure(tmp_path, rounds=1).rows
    assert 0 < first.value < end.value
