"""Tables as text for a terminal, as Markdown for a page, and as JSON for a program."""

import statistics
from collections.abc import Iterator, Sequence

from bench.figures import Kind, Row, Table

_EXACT_BELOW = 10
_WHOLE_FROM = 1000


def as_text(table: Table, machine: str) -> str:
    """A table with its columns in line, and the machine below it."""
    grid = [_head(table), *(_cells(row) for row in table.rows)]
    widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
    lines = ["  ".join(_padded(cells, widths)).rstrip() for cells in grid]
    return "\n".join([f"{table.name}: {table.title}", *lines, *table.notes, machine]) + "\n"


def _padded(cells: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    for place, (cell, width) in enumerate(zip(cells, widths, strict=True)):
        yield cell.rjust(width) if place else cell.ljust(width)


def as_markdown(table: Table) -> str:
    """The same for a page."""
    head = _head(table)
    rows = (head, ["---", *["---:"] * (len(head) - 1)], *(_cells(row) for row in table.rows))
    grid = "".join(f"| {' | '.join(cells)} |\n" for cells in rows)
    notes = "".join(f"\n{note}\n" for note in table.notes)
    sizes = " --long" if table.is_long else ""
    command = f"python -m bench --only {table.name}{sizes}"
    return f"### {table.title}\n\n`{command}`\n\n{grid}{notes}"


def as_json(table: Table) -> dict[str, object]:
    """All rounds, and what was made of them."""
    return {
        "name": table.name,
        "title": table.title,
        "ours": table.ours,
        "other": table.other,
        "rows": [_row_as_json(row) for row in table.rows],
        "notes": list(table.notes),
    }


def _row_as_json(row: Row) -> dict[str, object]:
    return {
        "what": row.what,
        "unit": row.unit,
        "kind": row.kind,
        "value": round(row.value, 4),
        "goal": f"{row.goal.bound} {row.goal.limit:g}" if row.goal else None,
        "is_met": row.is_met,
        "ours": [round(each, 4) for each in row.ours],
        "other": [round(each, 4) for each in row.other],
    }


def _head(table: Table) -> list[str]:
    return ["", table.ours, table.other, "compared", "min..max", "goal"]


def _cells(row: Row) -> list[str]:
    compared = row.compared
    return [
        f"{row.what}, {row.unit}",
        number(statistics.median(row.ours)),
        number(statistics.median(row.other)) if row.other else "-",
        _compared(row),
        f"{number(min(compared))}..{number(max(compared))}" if len(compared) > 1 else "-",
        _goal(row),
    ]


def _compared(row: Row) -> str:
    match row.kind:
        case Kind.RATIO:
            return f"{number(row.value)}x"
        case Kind.DIFFERENCE:
            return f"{'+' if row.value >= 0 else ''}{number(row.value)}"
        case Kind.OURS:
            return "-"


def _goal(row: Row) -> str:
    if row.goal is None:
        return "-"
    return f"{row.goal.bound} {row.goal.limit:g}, {'met' if row.is_met else 'MISSED'}"


def number(value: float) -> str:
    """A figure with as many digits as it deserves."""
    size = abs(value)
    if size >= _WHOLE_FROM:
        return f"{value:,.0f}"
    return f"{value:.2f}" if size < _EXACT_BELOW else f"{value:.1f}"
