"""Run the long forms of the proof, and write what they came to into docs/explanation/proof.md.

    python -m scripts.prove [--only NAME]... [--seeds N] [--kills N] [--workers N] [--dry-run]

The parts: worlds (simulated), leases (exhaustive search), crashes (kills at durable calls, failing
calls, power cuts), kills (real SIGKILLs of the controller), tests (all of them, in their long
form). What is not run keeps its old figures and their date. It ends with 1 where a part fails, and
the figures of a part that fails are not written.
"""

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bench.machine import Meter, describe
from scripts.prove_page import PAGE, PARTS, written

LONG = {"TIDEGATE_PROVE": "full", "TIDEGATE_LONG": "1"}
"""What tells the tests, the search and the sweeps to do all that they can."""
LINES_MAX = 60
KEPT = Path(".proved-worlds.jsonl")
"""What simulated worlds came to: a run of hours that was ended goes on from there."""


class Failed(Exception):
    """A part did not hold, or could not be run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """How much of it is to be done."""

    seeds: int
    kills: int
    workers: int
    at: str
    """What is proved: a commit."""
    source: str
    """What simulated worlds run, by its content; empty where it was not what is committed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What a part runs, and what its output has to say on the page."""

    argv: Callable[[Asked], Sequence[str]]
    shown: Callable[[str], str]
    wants: Callable[[Asked], str] = lambda _: ""
    """What to add to `make prove ONLY=NAME` to have the same again."""


def _table(rows: Sequence[tuple[str, object]]) -> str:
    return "".join(
        ("| what | figure |\n", "| --- | --- |\n", *(f"| {a} | {b} |\n" for a, b in rows))
    )


def _of_worlds(said: str) -> str:
    told: Mapping[str, object] = json.loads(said.strip().splitlines()[-1])
    return _table(
        [
            ("simulated worlds (seeds, from 0 on)", told["seeds"]),
            ("rules broken", told["violations"]),
            ("faults struck", f"{told['faults']} of {told['kinds_of_faults']} kinds"),
            ("controllers died", told["controllers_died"]),
            ("ticks", told["ticks"]),
            ("kinds of moves between states", told["kinds_of_moves"]),
            ("seeds per second", told["seeds_per_second"]),
        ]
    )


def _of_kills(said: str) -> str:
    told = json.loads(said)
    (line,) = told["lines"]
    seen = told["looked_at"]
    return _table(
        [
            ("kill -9 of the controller", line["injected"]),
            ("that ended it", line["took_effect"]),
            ("lost", told["lost"]),
            ("done twice", told["doubled"]),
            ("live agents adopted", told["adopted_agents"]),
            ("until the first decision, median", f"{told['decided_median_s']} s"),
            ("until the first decision, at most", f"{told['decided_max_s']} s"),
            ("until all agents were adopted, median", f"{told['adopted_median_s']} s"),
            ("until all agents were adopted, at most", f"{told['adopted_max_s']} s"),
            ("issues, landings", f"{seen['issues']}, {seen['landings']}"),
            ("turns, commits of agents", f"{seen['turns']}, {seen['commits']}"),
            ("events", seen["events"]),
            ("seed", told["seed"]),
        ]
    )


def _as_it_is(said: str) -> str:
    """What a program printed, its end if that is long."""
    lines = [line.rstrip() for line in said.strip().splitlines()][-LINES_MAX:]
    return "```\n" + "\n".join(lines) + "\n```\n"


def _last_line(said: str) -> str:
    """What pytest says at its end."""
    return _table([("pytest", said.strip().splitlines()[-1].strip("= "))])


def _module(name: str, *arguments: str) -> Callable[[Asked], Sequence[str]]:
    def argv(_: Asked) -> Sequence[str]:
        if importlib.util.find_spec(name) is None:
            raise Failed(f"there is no {name} in this checkout")
        return (sys.executable, "-m", name, *arguments)

    return argv


def _worlds(asked: Asked) -> Sequence[str]:
    counts = ("--seeds", str(asked.seeds), "--workers", str(asked.workers))
    kept = ("--keep", str(KEPT), "--subject", asked.source) if asked.source else ()
    return (sys.executable, "-m", "tests.sim", *counts, *kept, "--json")


def _kills(asked: Asked) -> Sequence[str]:
    counts = ("--kills", str(asked.kills), "--seed", "1")
    return (sys.executable, "-m", "tidegate", "prove", *counts, "--json")


def _tests(asked: Asked) -> Sequence[str]:
    return (sys.executable, "-m", "pytest", "-q", "-n", str(asked.workers))


_ALL: Mapping[str, Part] = {
    "worlds": Part(argv=_worlds, shown=_of_worlds, wants=lambda asked: f" SEEDS={asked.seeds}"),
    "leases": Part(argv=_module("tidegate.testing.lease_proof", "6"), shown=_as_it_is),
    "crashes": Part(argv=_module("tests.crash"), shown=_as_it_is),
    "kills": Part(argv=_kills, shown=_of_kills, wants=lambda asked: f" KILLS={asked.kills}"),
    "tests": Part(argv=_tests, shown=_last_line),
}


def body_of(name: str, asked: Asked, said: str, *, took_s: float, others_percent: float) -> str:
    """What stands in a part's block. `others_percent` is how busy others kept the machine."""
    part = _ALL[name]
    command = f"make prove ONLY={name}{part.wants(asked)}"
    today = datetime.now(UTC).date()  # noqa: TID251 - the figures have the day of their run
    with tempfile.TemporaryDirectory() as folder:
        machine = describe(Path(folder))
    others = f"others used {others_percent:.0f} % of the processors meanwhile"
    how = f"Run on {today} with `{command}`, {took_s:.0f} s, at {asked.at}"
    where = f"{how}, on {machine}; {others}."
    return f"\n{part.shown(said)}\n{where}\n\n"


def _commit() -> str:
    """What was proved; `-dirty` where it was not what is committed."""
    argv = ("git", "log", "-1", "--format=%h", "--abbrev=7")
    ran = subprocess.run(argv, capture_output=True, text=True, check=False)
    if ran.returncode:
        return "no commit"
    # The page has the figures of the part before this one.
    changed = ("git", "status", "--porcelain", "--", ".", f":!{PAGE}")
    status = subprocess.run(changed, capture_output=True, text=True, check=False).stdout
    return f"commit {ran.stdout.strip()}{'-dirty' if status else ''}"


def source_of(at: str) -> str:
    """The trees that worlds are made of: commits that change nothing else go on with a survey."""
    argv = ("git", "rev-parse", "HEAD:src", "HEAD:tests/sim")
    ran = subprocess.run(argv, capture_output=True, text=True, check=False)
    return "" if ran.returncode or at.endswith("-dirty") else "-".join(ran.stdout.split())


def run_part(name: str, asked: Asked) -> str:
    """Run a part and return its block's body. Raises Failed."""
    argv = _ALL[name].argv(asked)
    print(f"{name}: {' '.join(argv[1:])}", flush=True)
    began_s, meter = time.perf_counter(), Meter()
    done = subprocess.run(
        argv, env={**os.environ, **LONG}, stdout=subprocess.PIPE, text=True, check=False
    )
    took_s = time.perf_counter() - began_s
    if done.returncode:
        print(done.stdout)
        raise Failed(f"it ended with {done.returncode}")
    percent = meter.others_percent()
    return body_of(name, asked, done.stdout, took_s=took_s, others_percent=percent)


def _arguments(given: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m scripts.prove", description=__doc__)
    parser.add_argument("--only", action="append", choices=PARTS, metavar="NAME", default=None)
    parser.add_argument("--seeds", type=int, default=100_000)
    parser.add_argument("--kills", type=int, default=1_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--dry-run", action="store_true", help="show the figures, write nothing")
    return parser.parse_args(given)


def main(given: Sequence[str]) -> int:
    """Run what was asked for; 1 where any of it fails."""
    chosen = _arguments(given)
    at = _commit()
    asked = Asked(
        seeds=chosen.seeds,
        kills=chosen.kills,
        workers=chosen.workers,
        at=at,
        source=source_of(at),
    )
    failed = []
    for name in chosen.only or PARTS:
        try:
            body = run_part(name, asked)
        except Failed as failure:
            print(f"FAILED  {name}: {failure}", file=sys.stderr)
            failed.append(name)
            continue
        print(body)
        if not chosen.dry_run:
            page = PAGE.read_text(encoding="utf-8")
            PAGE.write_text(written(page, name, body), encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
