"""Rows of rounds, and what is said of them."""

from bench.figures import AT_LEAST, AT_MOST, Goal, Kind, Row, Table
from bench.show import as_json, as_markdown, as_text, number

NOISY = Row(
    what="a lane",
    unit="ms",
    ours=[10.0, 200.0, 12.0],
    other=[10.0, 100.0, 10.0],
    goal=Goal(AT_MOST, 1.5),
)
TABLE = Table(name="lanes", title="Two lanes", ours="tidegate", other="by hand", rows=(NOISY,))


def test_sides_are_compared_round_by_round() -> None:
    """A round in which the machine was slow for both sides does not move the ratio."""
    assert NOISY.value == 1.2
    assert NOISY.is_met is True


def test_a_difference_keeps_its_unit() -> None:
    """A row of a difference tells by how much ours is more."""
    row = Row(what="status", unit="ms", ours=[160.0], other=[10.0], kind=Kind.DIFFERENCE)
    assert row.value == 150.0
    assert row.is_met is None


def test_a_goal_is_met_at_its_very_limit() -> None:
    """Both bounds include the limit."""
    assert Goal(AT_MOST, 2.0).is_met(2.0)
    assert Goal(AT_LEAST, 2.0).is_met(2.0)
    assert not Goal(AT_MOST, 2.0).is_met(2.1)
    assert not Goal(AT_LEAST, 2.0).is_met(1.9)


def test_a_missed_goal_is_told() -> None:
    """A table names the rows whose goal is missed, and shows it in each."""
    row = Row(what="tick", unit="ms", ours=[300.0], kind=Kind.OURS, goal=Goal(AT_MOST, 250.0))
    table = Table(name="tick", title="Ticks", ours="tidegate", other="", rows=(NOISY, row))
    assert list(table.missed()) == [row]
    assert "<= 250, MISSED" in as_text(table, "a machine")
    assert "<= 250, MISSED" in as_markdown(table)


def test_a_table_shows_medians_ratio_and_spread() -> None:
    """Every view has both medians, the comparison and its extremes; the text names the machine."""
    cells = ["12.0", "10.0", "1.20x", "1.00..2.00", "<= 1.5, met"]
    lines = as_text(TABLE, "2 x a processor").splitlines()
    assert lines[2].split("  ")[0] == "a lane, ms"
    assert all(cell in lines[2] for cell in cells)
    assert lines[-1] == "2 x a processor"
    assert f"| a lane, ms | {' | '.join(cells)} |" in as_markdown(TABLE)
    assert "`python -m bench --only lanes`" in as_markdown(TABLE)


def test_json_keeps_every_round() -> None:
    """A program gets all rounds, not only what was made of them."""
    rows = as_json(TABLE)["rows"]
    assert isinstance(rows, list)
    row = rows[0]
    assert row["ours"] == [10.0, 200.0, 12.0]
    assert row["value"] == 1.2
    assert row["goal"] == "<= 1.5"


def test_figures_have_no_more_digits_than_they_deserve() -> None:
    """Large ones are whole, small ones have two places."""
    assert [number(each) for each in (1.234, 12.34, 1234.5)] == ["1.23", "12.3", "1,234"]
