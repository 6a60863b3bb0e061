"""What is interrupted: one operation of the product, its beginning, and the facts it leaves.

An operation works in one folder, always at the same path. What it has acknowledged it says on its
standard output, a line each. What is there afterwards is told as facts that can be counted: the
same operation, undisturbed, says how many of each there have to be. One too few is lost, one too
many was done twice.
"""

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

Facts = Counter[str]

FAULT = "fault: "
"""Begins what must never be the case, whatever was interrupted."""


def nothing_lost(_place: Path, _acknowledged: Sequence[str]) -> Iterable[str]:
    """For an operation whose facts say it all."""
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """`begin` makes the folder, `work` does it, `recover` is what the next controller does.

    All three run in processes of their own. `lost` looks at what the interruption left, before
    anything is recovered: what of the acknowledged is not there, and what is broken. `facts` tells
    what there is in the end.
    """

    name: str
    begin: Callable[[Path], None]
    work: Callable[[Path], None]
    facts: Callable[[Path], Facts]
    recover: Callable[[Path], None] | None = None
    lost: Callable[[Path, Sequence[str]], Iterable[str]] = nothing_lost
    variables: Callable[[Path], Mapping[str, str]] = lambda _: {}
    is_timed: bool = False
    """How many calls it makes depends on time: a fault at a late one may not fire."""

    def command(self, step: str, place: Path, mutant: str = "") -> tuple[str, ...]:
        """The command line of a process for `begin`, `work` or `recover`."""
        return (sys.executable, "-m", "tests.crash.worker", self.name, step, str(place), mutant)


def acknowledge(line: str) -> None:
    """Say that something is done for good, in one write."""
    os.write(1, f"{line}\n".encode())


def stuck(reason: str) -> None:
    """End the process: this cannot be done now."""
    sys.stderr.write(f"{reason}\n")
    sys.exit(1)
