"""What a run shows of itself, apart from any terminal."""

import sys
from types import SimpleNamespace
from typing import cast

import pytest

from tidegate.cli.outlet import Outlet
from tidegate.cli.progress import Doing, Lines, elapsed, lane_lines
from tidegate.core.lane import Lane
from tidegate.core.policy import Policy
from tidegate.core.values import Verdict
from tidegate.engine.engine import Engine
from tidegate.engine.tally import Tally
from tidegate.ports.clock import Reading


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.0, "0:00"), (7.9, "0:07"), (-1.0, "0:00"), (751.0, "12:31"), (3723.0, "1:02:03")],
)
def test_a_span_of_time_is_written_as_people_do(seconds: float, said: str) -> None:
    """Minutes and seconds; hours only where there are any."""
    assert elapsed(seconds) == said


def test_each_lane_is_a_line_and_the_title_comes_last() -> None:
    """Columns are aligned, one that is empty everywhere takes no room, and ids stand first."""
    doings = [
        Doing("001", "building", "", "A title", 10.0),
        Doing("00002", "checking", "", "Another", 8.0),
    ]
    assert lane_lines(doings, queued=3, now_s=70.5) == [
        "001    building  1:00  A title",
        "00002  checking  1:02  Another",
        "3 more in the queue",
    ]


def test_fails_are_shown_once_there_are_any() -> None:
    """The column appears for all lanes as soon as one has a FAIL."""
    doings = [Doing("001", "rework", "1 FAIL", "A", 0.0), Doing("002", "building", "", "B", 0.0)]
    assert lane_lines(doings, queued=0, now_s=1.0) == [
        "001  rework    0:01  1 FAIL  A",
        "002  building  0:01          B",
    ]


def test_nothing_under_way_is_nothing_to_show() -> None:
    """No lane and no queue: no line."""
    assert lane_lines([], queued=0, now_s=0.0) == []


def test_a_long_silence_is_broken_by_what_is_still_going_on(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Where nothing can be redrawn, a line every few minutes shows that time passes."""
    lines = Lines(Outlet(sys.stderr))
    lane = Lane(
        id="001", issue="001", title="T", issue_digest="", text_digest="", footprint=(),
        priority=0, version=1,
    )  # fmt: skip
    for second in range(0, 1000, 10):
        lines.state(looked_at(lane, 5000.0 + second))
    lines.close()
    said = capfd.readouterr().err.splitlines()
    assert said == [
        "09:15:00  run     001 preparing for 5:00",
        "09:15:00  run     001 preparing for 10:00",
        "09:15:00  run     001 preparing for 15:00",
    ]


def looked_at(lane: Lane, monotonic_s: float) -> Engine:
    """As much of an engine as is looked at: one open lane, and what time it is."""
    now = Reading(utc="2026-03-14T09:15:00Z", monotonic_s=monotonic_s, boottime_s=0.0, boot_id="")
    run = SimpleNamespace(base_verdict=Verdict.PASS, blocked={})
    tally = Tally()
    tally.note(lane)
    book = SimpleNamespace(lanes={lane.id: lane}, run=run, tally=tally)
    setup = SimpleNamespace(policy=Policy(), asks_owner=False, agent=lambda _: None)
    engine = SimpleNamespace(
        now=now, book=book, queue=[], setup=setup, running={"a folder"}, disk_note=None
    )
    return cast("Engine", engine)


def test_a_standstill_is_told_once(capfd: pytest.CaptureFixture[str]) -> None:
    """G8-01: an idle controller says that it waits, in one line."""
    lines = Lines(Outlet(sys.stderr))
    lane = Lane(
        id="001", issue="001", title="T", issue_digest="", text_digest="", footprint=(),
        priority=0, version=1,
    )  # fmt: skip
    for second in range(0, 200, 10):
        engine = looked_at(lane, 5000.0 + second)
        engine.running.clear()
        lines.state(engine)
    lines.close()
    said = capfd.readouterr().err.splitlines()
    assert said == ["09:15:00  run     waiting: nothing is under way (001 preparing)"]
