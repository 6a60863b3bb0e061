"""Run benchmarks, and print one table for each.

    python -m bench [--long] [--only NAME]... [--json] [--write] [--folder PATH]

It ends with 0 once everything has been measured; a goal that was missed is said, and is no failure
of the measurement. With `--write` the figures go into the page that shows them, too.
"""

import argparse
import json
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from bench.figures import Table
from bench.machine import Meter, describe
from bench.page import written
from bench.parts import PARTS
from bench.show import as_json, as_text

PAGE = Path(__file__).resolve().parents[1] / "docs" / "explanation" / "performance.md"


def _arguments(given: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description="What Tidegate costs.")
    parser.add_argument("--long", action="store_true", help="the sizes of the published figures")
    parser.add_argument(
        "--only", action="append", choices=list(PARTS), metavar="NAME", help=", ".join(PARTS)
    )
    parser.add_argument("--json", action="store_true", help="all rounds, as one document")
    parser.add_argument("--write", action="store_true", help=f"put the figures into {PAGE.name}")
    parser.add_argument("--folder", type=Path, help="where to work; else where TMPDIR says")
    return parser.parse_args(given)


def _measured(chosen: argparse.Namespace, folder: Path) -> Iterator[Table]:
    for name, part in PARTS.items():
        if chosen.only and name not in chosen.only:
            continue
        measure = part.long if chosen.long or part.short is None else part.short
        if part.short is None and not (chosen.long or chosen.only):
            continue
        place = folder / name
        place.mkdir()
        meter = Meter()
        table = measure(place)
        others = f"Others used {meter.others_percent():.0f} % of the processors meanwhile."
        yield replace(table, notes=(*table.notes, others), is_long=chosen.long)


def main(given: Sequence[str]) -> int:
    """Measure what was asked for, and show it as it comes."""
    # What was started in the background has left this ignored, for all that it starts as well.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    chosen = _arguments(given)
    tables: list[Table] = []
    with tempfile.TemporaryDirectory(prefix="bench-", dir=chosen.folder) as folder:
        machine = describe(Path(folder))
        for table in _measured(chosen, Path(folder)):
            tables.append(table)
            if not chosen.json:
                print(as_text(table, machine), flush=True)
    if chosen.json:
        print(json.dumps({"machine": machine, "tables": [as_json(table) for table in tables]}))
    if chosen.write:
        page = PAGE.read_text(encoding="utf-8")
        by_name = {table.name: table for table in tables}
        PAGE.write_text(written(page, by_name, machine), encoding="utf-8")
    _say_missed(tables)
    return 0


def _say_missed(tables: Sequence[Table]) -> None:
    missed = [f"{table.name}: {row.what}" for table in tables for row in table.missed()]
    if missed:
        print(f"missed: {'; '.join(missed)}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
