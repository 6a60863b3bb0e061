"""Live through many worlds, and say how many and how fast.

    PYTHONPATH=src python -m tests.sim --seeds 100000 [--first 0] [--workers 2] [--json] [--keep F]

The same seeds are the same worlds. Where one breaks a rule its seed is named, the story of the
first is told, and the exit code is 1. With `--keep FILE --subject NAME` what was lived through is
kept there, and the same command goes on from it.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

from tests.sim import replay
from tests.sim.kept import Kept
from tests.sim.survey import Survey, surveyed

CHUNK = 100
SAY_EVERY_S = 10.0


def _arguments(given: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.sim", description=__doc__)
    parser.add_argument("--seeds", type=int, default=1_500, help="how many worlds")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--workers", type=int, default=2, help="how many processes")
    parser.add_argument("--keep", type=Path, default=None, help="where chunks are kept")
    parser.add_argument("--subject", default="", help="what is surveyed, such as a commit")
    parser.add_argument("--json", action="store_true", help="the result as one object")
    return parser.parse_args(given)


def survey_of(first: int, seeds: int, workers: int, kept: Kept) -> Survey:
    """What the seeds come to, in chunks over so many processes."""
    last, whole = first + seeds, Survey()
    chunks = [range(at, min(at + CHUNK, last)) for at in range(first, last, CHUNK)]
    left = []
    for chunk in chunks:
        known = kept.chunks.get(chunk.start)
        if known is not None and known.seeds == len(chunk):
            whole.add(known)
        else:
            left.append(chunk)
    said_s = ended_s = time.perf_counter()
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        parts = {pool.submit(surveyed, chunk): chunk for chunk in left}
        for part in as_completed(parts):
            whole.add(part.result())
            now_s = time.perf_counter()
            kept.add(parts[part].start, part.result(), spent_s=now_s - ended_s)
            ended_s = now_s
            for failure in part.result().failures:
                sys.stderr.write(f"{failure}\n")
            if now_s - said_s > SAY_EVERY_S:
                said_s = now_s
                _say(whole, kept.spent_s, of=seeds)
    return whole


def _say(survey: Survey, took_s: float, *, of: int) -> None:
    rate = survey.seeds / took_s
    sys.stderr.write(
        f"{survey.seeds} of {of} seeds, {rate:.1f} a second, {len(survey.failures)} violations\n"
    )


def main(given: Sequence[str]) -> int:
    """Survey, and answer; 1 where a rule was broken."""
    chosen = _arguments(given)
    kept = Kept(chosen.keep, subject=chosen.subject)
    survey = survey_of(chosen.first, chosen.seeds, chosen.workers, kept)
    took_s = kept.spent_s
    told = {
        "seeds": survey.seeds,
        "first": chosen.first,
        "violations": len(survey.failures),
        "seconds": round(took_s, 1),
        "seeds_per_second": round(survey.seeds / took_s, 1),
        "controllers_died": survey.deaths,
        "ticks": survey.ticks,
        "faults": sum(survey.faults.values()),
        "kinds_of_faults": len(survey.faults),
        "kinds_of_moves": len(survey.moves),
    }
    said = json.dumps(told) if chosen.json else "\n".join(f"{k}: {v}" for k, v in told.items())
    sys.stdout.write(f"{said}\n")
    for failure in sorted(survey.failures):
        sys.stderr.write(f"{failure}\n")
    if survey.failed:
        replay.main(min(survey.failed))
    return 1 if survey.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
