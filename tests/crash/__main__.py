"""Every point, every fault and many power cuts, in one table.

    python -m tests.crash [--json] [--cap N] [--cuts N] [--only OPERATION]…

The long form takes every durable call of every operation, of our own process and of its gits, and a
hundred power cuts on each file system. It ends with 1 where anything was lost, doubled, broken or
did not go on, and where a fault did not fire. What this machine cannot do is said, and is no proof.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path

from tests.crash import injection, power
from tests.crash.cuts import Cut, cut
from tests.crash.registry import NAMES, WITH_GIT, load
from tests.crash.share import CUTS
from tests.crash.sweep import SEED, Tally, sweep

CUT = ("ledger", "publish", "move", "land", "harvest")
"""The operations during which the power is cut."""
_COLUMNS = (
    ("operation", 10),
    ("whose", 14),
    ("points", 7),
    ("killed at", 10),
    ("fired", 6),
    ("recovered", 10),
    ("lost", 5),
    ("doubled", 8),
    ("broken", 7),
    ("seconds", 8),
)

Proof = Callable[[Path], Tally]


def main(argv: list[str]) -> int:
    """Do what is asked for, and print the table as it grows."""
    asked = _arguments(argv)
    power.clear_left()
    tallies: list[Tally] = []
    if not asked.json:
        print("".join(f"{name:<{width}}" for name, width in _COLUMNS), flush=True)
    with tempfile.TemporaryDirectory(prefix="tidegate-crash-") as folder:
        for number, proof in enumerate(_proofs(asked)):
            tallies.append(proof(Path(folder, str(number))))
            if not asked.json:
                print(_row(tallies[-1]), flush=True)
    skipped = list(_skipped())
    failed = [tally for tally in tallies if not tally.is_proved]
    if asked.json:
        told = [asdict(tally) | {"is_proved": tally.is_proved} for tally in tallies]
        print(json.dumps({"seed": SEED, "proofs": told, "skipped": skipped}, indent=1))
    else:
        _tell(failed, skipped)
    return 1 if failed else 0


def _arguments(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.crash", description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object in place of the table")
    parser.add_argument("--cap", type=int, help="kill at so many points of each operation at most")
    parser.add_argument("--cuts", type=int, default=CUTS, help="power cuts on each file system")
    parser.add_argument("--only", action="append", choices=NAMES, help="these operations alone")
    return parser.parse_args(argv)


def _proofs(asked: argparse.Namespace) -> Iterator[Proof]:
    names = asked.only or NAMES
    if not injection.missing():
        for name in names:
            yield partial(_swept, name, of_git=False, cap=asked.cap)
            if name in WITH_GIT:
                yield partial(_swept, name, of_git=True, cap=asked.cap)
        each = max(1, asked.cuts // len(CUT))
        for kind in power.KINDS if asked.cuts else ():
            if not power.missing(kind):
                yield from (
                    partial(_cut, name, Cut(kind=kind, count=each)) for name in CUT if name in names
                )


def _swept(name: str, folder: Path, *, of_git: bool, cap: int | None) -> Tally:
    return sweep(load(name), folder, of_git=of_git, cap=cap)


def _cut(name: str, how: Cut, folder: Path) -> Tally:
    return cut(load(name), folder, how)


def _skipped() -> Iterator[str]:
    if reason := injection.missing():
        yield reason
    yield from (f"{kind}: {power.missing(kind)}" for kind in power.KINDS if power.missing(kind))


def _row(tally: Tally) -> str:
    cells = (
        tally.operation,
        tally.whose,
        tally.points,
        tally.killed_at,
        tally.fired,
        tally.recovered,
        len(tally.lost),
        len(tally.doubled),
        len(tally.broken),
        f"{tally.seconds:.1f}",
    )
    return "".join(
        f"{cell:<{width}}" for cell, (_, width) in zip(cells, _COLUMNS, strict=True)
    ).rstrip()


def _tell(failed: list[Tally], skipped: list[str]) -> None:
    for reason in skipped:
        print(f"not done: {reason}")
    for tally in failed:
        for wrong in tally.wrong:
            print(f"{tally.operation}, {tally.whose}: {wrong}")
        print(f"{tally.operation}, {tally.whose}: not proved")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
