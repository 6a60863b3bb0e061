"""Figures in the page, and who may write them."""

from pathlib import Path

import pytest

from bench.__main__ import PAGE
from bench.figures import Kind, Row, Table
from bench.machine import Meter, describe
from bench.page import BLOCK, written
from bench.parts import PARTS

ROW = Row(what="a lane", unit="ms", ours=[7.0], kind=Kind.OURS)
TABLE = Table(name="lanes", title="Lanes", ours="tidegate", other="", rows=(ROW,))
ASKS = (
    "Words.\n\n<!-- figures: lanes -->\nold\n<!-- /figures -->\n\n"
    "<!-- figures: tick -->\nkept\n<!-- /figures -->\n"
)


def test_only_what_was_measured_is_written() -> None:
    """A run of one benchmark leaves the figures of the others as they are."""
    page = written(ASKS, {"lanes": TABLE}, "2 x a processor")
    assert "old" not in page
    assert "| a lane, ms | 7.00 |" in page
    assert "Measured on 2 x a processor." in page
    assert page.endswith("<!-- figures: tick -->\nkept\n<!-- /figures -->\n")


def test_writing_twice_is_writing_once() -> None:
    """The places are still there after the figures were written."""
    once = written(ASKS, {"lanes": TABLE}, "m")
    assert written(once, {"lanes": TABLE}, "m") == once


def test_figures_without_a_place_are_not_lost_in_silence() -> None:
    """A page that has no place for a benchmark is an error that names the benchmark."""
    with pytest.raises(ValueError, match="the figures of runner"):
        written(ASKS, {"runner": TABLE}, "m")


def test_the_page_has_a_place_for_every_benchmark() -> None:
    """The page shows what is measured, all of it and nothing else."""
    places = [block["name"] for block in BLOCK.finditer(PAGE.read_text(encoding="utf-8"))]
    assert sorted(places) == sorted(PARTS)


def test_the_machine_is_told_in_one_line(tmp_path: Path) -> None:
    """Processor, memory, system, disk and versions, without the machine's own name."""
    told = describe(tmp_path)
    assert "\n" not in told
    assert all(word in told for word in ("GiB", "Linux", "Python", "git", "SQLite"))


def test_what_we_use_is_not_counted_as_others() -> None:
    """A machine that only we keep busy is not busy with others."""
    meter = Meter()
    meter._busy_s = 0.0
    meter._ours_s = -1e12
    assert meter.others_percent() == 0.0
    meter._ours_s = 1e12
    assert meter.others_percent() > 0.0
