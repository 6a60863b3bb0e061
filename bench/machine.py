"""What was measured on, and how much of it others used: one line that stands below every table."""

import os
import platform
import resource
import sqlite3
import subprocess
import time
from pathlib import Path

_BUSY = slice(0, 3), slice(5, 8)
"""The columns of /proc/stat in which a processor does something: user, nice, system; interrupts,
soft interrupts, and what the host took for somebody else."""


class Meter:
    """How much of the processors others used since it was made.

    What this process and its children used is ours, children that were waited for, that is: so it
    is read when they are over.
    """

    def __init__(self) -> None:
        self._start_s = time.monotonic()
        self._busy_s, self._ours_s = _busy_s(), _ours_s()

    def others_percent(self) -> float:
        """Percent of all processors' time."""
        elapsed_s = (time.monotonic() - self._start_s) * (os.cpu_count() or 1)
        others_s = _busy_s() - self._busy_s - (_ours_s() - self._ours_s)
        return max(0.0, 100 * others_s / elapsed_s) if elapsed_s else 0.0


def _busy_s() -> float:
    first, _, _ = Path("/proc/stat").read_text(encoding="ascii").partition("\n")
    ticks = [int(each) for each in first.split()[1:]]
    return sum(sum(ticks[part]) for part in _BUSY) / os.sysconf("SC_CLK_TCK")


def _ours_s() -> float:
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


def describe(folder: Path) -> str:
    """Processor, memory, system, disk and versions.

    `folder` is where the benchmarks write: its file system decides what a sync costs.
    """
    memory_gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    parts = (
        f"{os.cpu_count()} x {_processor()}",
        f"{memory_gib:.0f} GiB",
        f"Linux {platform.release()}",
        _file_system(folder),
        f"Python {platform.python_version()}",
        _git_version(),
        f"SQLite {sqlite3.sqlite_version}",
    )
    return "; ".join(parts)


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.machine()


def _file_system(folder: Path) -> str:
    argv = ("stat", "--file-system", "--format=%T", str(folder))
    return subprocess.run(argv, check=True, capture_output=True, text=True).stdout.strip()


def _git_version() -> str:
    said = subprocess.run(("git", "--version"), check=True, capture_output=True, text=True).stdout
    return said.strip().replace(" version", "")
