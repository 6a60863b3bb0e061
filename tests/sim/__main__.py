"""Live through many worlds, and say how many and how fast.

    PYTHONPATH=src python -m tests.sim --seeds 100000 [--first 0] [--workers 2] [--json]

The same seeds are the same worlds. Where one breaks a rule its seed is named, the story of the
first is told, and the exit code is 1.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from multiprocessing import get_context

from tests.sim import replay
from tests.sim.survey import Survey, surveyed

CHUNK = 100
SAY_EVERY_S = 10.0


def _arguments(given: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.sim", description=__doc__)
    parser.add_argument("--seeds", type=int, default=1_500, help="how many worlds")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--workers", type=int, default=2, help="how many processes")
    parser.add_argument("--json", action="store_true", help="the result as one object")
    return parser.parse_args(given)


def survey_of(first: int, seeds: int, workers: int) -> Survey:
    """What the seeds come to, in chunks over so many processes."""
    last = first + seeds
    chunks = [range(at, min(at + CHUNK, last)) for at in range(first, last, CHUNK)]
    whole, began_s = Survey(), time.perf_counter()
    said_s = began_s
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for part in _ended([pool.submit(surveyed, chunk) for chunk in chunks]):
            whole.add(part)
            for failure in part.failures:
                sys.stderr.write(f"{failure}\n")
            if time.perf_counter() - said_s > SAY_EVERY_S:
                said_s = time.perf_counter()
                _say(whole, said_s - began_s, of=seeds)
    return whole


def _ended(parts: "Sequence[Future[Survey]]") -> Iterator[Survey]:
    for part in as_completed(parts):
        yield part.result()


def _say(survey: Survey, took_s: float, *, of: int) -> None:
    rate = survey.seeds / took_s
    sys.stderr.write(
        f"{survey.seeds} of {of} seeds, {rate:.1f} a second, {len(survey.failures)} violations\n"
    )


def main(given: Sequence[str]) -> int:
    """Survey, and answer; 1 where a rule was broken."""
    chosen = _arguments(given)
    began_s = time.perf_counter()
    survey = survey_of(chosen.first, chosen.seeds, chosen.workers)
    took_s = time.perf_counter() - began_s
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
