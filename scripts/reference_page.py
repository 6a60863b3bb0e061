"""What the pages derived from the code share: a table, and how one is written or checked."""

from collections.abc import Iterable, Sequence
from pathlib import Path


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = (head, ["---"] * len(head), *rows)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def write(place: Path, fresh: str, arguments: Sequence[str]) -> int:
    """Write the page, or with --check only say whether it is current; 1 where it is not."""
    present = place.read_text(encoding="utf-8") if place.exists() else ""
    if fresh == present:
        return 0
    if "--check" in arguments:
        print(f"{place}: run `make docs`")
        return 1
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(fresh, encoding="utf-8")
    print(f"wrote {place}")
    return 0
