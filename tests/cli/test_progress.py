"""What a run shows of itself, apart from any terminal."""

import pytest

from tidegate.cli.progress import Doing, elapsed, lane_lines


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
