"""What the engine reads of a turn that is over."""

from pathlib import Path

import pytest

from tests.sim.process import Ending
from tidegate.engine.turns import check_result, read_tail
from tidegate.ports.runners import EndReason, Exit


def exit_of(ending: Ending) -> Exit:
    """The record of a process that ended so."""
    return Exit(
        reason=ending.reason,
        code=ending.code,
        signal=ending.signal,
        started_utc="",
        ended_utc="",
        active_s=1.0,
        stdout_bytes=0,
        stderr_bytes=0,
        leftovers=(),
        swept=0,
        error=ending.error,
    )


@pytest.mark.parametrize(
    ("ending", "fails", "is_external"),
    [
        (Ending(code=0), False, False),
        (Ending(code=1), True, False),
        (Ending(reason=EndReason.DEADLINE, signal=9), True, False),
        (Ending(reason=EndReason.OUTPUT_CAP, signal=9), True, False),
        (Ending(signal=9), True, True),
        (Ending(reason=EndReason.STOPPED, signal=15), True, True),
        (Ending(reason=EndReason.NOT_STARTED, error="ENOENT"), True, True),
        (Ending(reason=EndReason.FENCED), True, True),
    ],
)
def test_only_the_checks_own_end_is_a_verdict(
    *, ending: Ending, fails: bool, is_external: bool
) -> None:
    """An exit code, the deadline and a flood are a check's own; all else is nobody's FAIL."""
    result = check_result("make test", exit_of(ending), tail="2 failed")
    assert (result.failure is not None, result.is_external) == (fails, is_external)
    assert result.report.startswith("$ make test\n2 failed\n")


def test_a_long_output_is_read_from_a_lines_beginning(tmp_path: Path) -> None:
    """The end counts, and no line is shown in part."""
    place = tmp_path / "stdout"
    place.write_text("first\nsecond\nthird\n", encoding="utf-8")
    assert read_tail(str(place), 1000) == "first\nsecond\nthird\n"
    assert read_tail(str(place), 10) == "third\n"


def test_one_long_line_is_read_in_part_rather_than_not(tmp_path: Path) -> None:
    """Where no line ends, the last bytes are shown, whatever they cut in two."""
    place = tmp_path / "stdout"
    place.write_text("a" * 50 + "é", encoding="utf-8")
    assert read_tail(str(place), 4) == "aaé"
    assert read_tail(str(place), 1) == "�"


def test_no_output_is_an_empty_one(tmp_path: Path) -> None:
    """A turn that never began has no file."""
    assert read_tail(str(tmp_path / "stdout"), 10) == ""
