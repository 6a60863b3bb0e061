"""Run a program to its end and say what it took, with all that it started and waited for."""

import resource
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds on the clock, seconds of processor time, and what was said on standard output."""

    wall_s: float
    cpu_s: float
    stdout: str


def run(argv: Sequence[str], *, env: Mapping[str, str], cwd: Path, limit_s: float) -> Cost:
    """Run a program. Raises RuntimeError with its last words where it fails."""
    cpu_before_s, start_s = _children_cpu_s(), time.perf_counter()
    done = subprocess.run(
        argv,
        env=env,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=limit_s,
    )
    wall_s = time.perf_counter() - start_s
    if done.returncode:
        said = (done.stderr or done.stdout)[-2000:]
        raise RuntimeError(f"{' '.join(argv)} ended with {done.returncode}:\n{said}")
    return Cost(wall_s, _children_cpu_s() - cpu_before_s, done.stdout)


def _children_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
