"""What `show` tells of a lane, without a process: each finding once."""

from tidegate.cli.story import _story_lines
from tidegate.verbs.look import LaneLine
from tidegate.verbs.story import Finding, LaneStory


def story(*findings: Finding, reports: tuple[tuple[str, str], ...] = ()) -> list[str]:
    """The lines of a lane with these findings and reports."""
    lane = LaneLine(
        lane="001", title="T", stage="stopped", attempt="001-build-1", fails=2, commit="", reason=""
    )
    made = LaneStory(
        run="20260314-0915", lane=lane, attempts=(), target_checks=(), turns=(), findings=findings,
        reports=reports, troubles=(), prints=(), work=None,
    )  # fmt: skip
    return list(_story_lines(made))[3:]


def found(text: str, *, counts: bool = True) -> Finding:
    """A finding of the builder's."""
    return Finding(attempt="001-build-1", reason="exit 1", counts=counts, text=text)


def test_a_finding_is_told_word_for_word_once() -> None:
    """The second time its number is enough; one that differs is told whole."""
    lines = story(found("red", counts=False), found("red"), found("other"))
    assert lines == [
        "",
        "--- finding 1, 001-build-1: exit 1, not counted",
        "red",
        "",
        "--- finding 2, 001-build-1: exit 1",
        "word for word as finding 1",
        "",
        "--- finding 3, 001-build-1: exit 1",
        "other",
    ]


def test_a_report_that_is_a_finding_is_not_told_again() -> None:
    """A check's log is both."""
    lines = story(found("red"), reports=(("001-check-1, turn 1", "red"), ("x, turn 1", "fine")))
    assert [line for line in lines if line.startswith("---")] == [
        "--- finding 1, 001-build-1: exit 1",
        "--- report of x, turn 1",
    ]
