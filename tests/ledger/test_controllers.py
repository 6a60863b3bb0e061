"""Controllers in processes of their own: one at a time writes, and a kill loses nothing.

The writers are real processes on one file. What they were told is recorded stands in a pipe before
they go on, so that it outlives them.
"""

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.ledger.controller_process import REFUSALS
from tests.ledger.twins import derived
from tests.lengths import IS_LONG
from tidegate.core import events as e
from tidegate.core.events import Recorded
from tidegate.ledger.chain import verify_chain
from tidegate.ledger.memory import MemoryLedger
from tidegate.ledger.sqlite import SqliteLedger
from tidegate.testing.ledger_history import RUN, RUN_STARTED, UTC

pytestmark = pytest.mark.slow

OTHER = "20260102-0000"
ROUNDS = 40 if IS_LONG else 2
ROUNDS_MAX = 10 * ROUNDS
"""Where a busy machine lets nobody be refused, more are made until somebody is."""
WRITERS = 4
"""How many write at once; in each run two, of which the later one fences the earlier."""


@contextmanager
def _controller(place: Path, run: str, name: str, *asks: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.ledger.controller_process", str(place), run, name, *asks],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def _hear(process: subprocess.Popen[str]) -> list[str]:
    assert process.stdout is not None
    return process.stdout.readline().split()


def _ask(process: subprocess.Popen[str]) -> list[str]:
    """Have it make one commit, and hear what became of it."""
    assert process.stdin is not None
    process.stdin.write("go on\n")
    process.stdin.flush()
    return _hear(process)


def _begin(place: Path, *runs: str) -> None:
    with SqliteLedger.open(place) as ledger:
        for run in runs:
            ledger.create_run(run, RUN_STARTED, actor="owner", utc=UTC)


def _whole(ledger: SqliteLedger, run: str) -> list[Recorded]:
    """The events of a run that is whole: its chain, its rows, its controllers, its batches."""
    events = list(ledger.read(run))
    assert verify_chain(ledger, run) is None
    assert derived(MemoryLedger.folded(events), run) == derived(ledger, run)
    holder, epochs = "owner", [0]
    for each in events[1:]:
        if isinstance(each.entry.event, e.ControllerTookOver):
            holder = each.entry.event.holder
            epochs.append(each.entry.event.controller_epoch)
        assert each.entry.actor == holder, "it wrote after another had taken over"
    assert epochs == sorted(set(epochs))
    lanes = [each.entry.lane for each in events if each.entry.lane]
    assert {lanes.count(lane) for lane in lanes} <= {3, 5}, "half of a batch was recorded"
    assert len(ledger.rows("turn", run)) == sum(lanes.count(lane) == 5 for lane in set(lanes))
    for row in ledger.rows("turn", run):
        assert ledger.lease(run, str(row["attempt_id"])).epoch == row["epoch"] == 1
    return events


def test_the_first_of_two_controllers_is_refused(tmp_path: Path) -> None:
    """C073, C087: once another has taken over, nothing of the first one is ever recorded."""
    _begin(tmp_path, RUN)
    with _controller(tmp_path, RUN, "one", "ask") as one:
        assert _hear(one) == ["took", "1"]
        made = [_ask(one) for _ in range(4)]
        with _controller(tmp_path, RUN, "two", "ask") as two:
            assert _hear(two) == ["took", "2"]
            assert _ask(one) == ["refused", "None", "1", "2"]
            made += [_ask(two) for _ in range(3)]
            assert [_ask(one)[0] for _ in range(REFUSALS - 1)] == ["refused"] * (REFUSALS - 1)
            made += [_ask(two) for _ in range(2)]
    assert {words[0] for words in made} == {"made"}
    with SqliteLedger.open(tmp_path) as ledger:
        events = _whole(ledger, RUN)
    assert [each.hash for each in events[1:]] == [word for words in made for word in words[1:]]


def test_a_controller_that_races_is_refused(tmp_path: Path) -> None:
    """C073: so it is where the first does not wait: its acknowledged commits all come before."""
    _begin(tmp_path, RUN)
    with _controller(tmp_path, RUN, "one") as one:
        heard = [_hear(one) for _ in range(10)]
        with _controller(tmp_path, RUN, "two") as two:
            while heard[-1][0] != "refused":
                heard.append(_hear(one))
            assert one.wait(60) == 0
            assert one.stdout is not None
            heard += [line.split() for line in one.stdout]
            after = [_hear(two) for _ in range(5)]
    assert [words for words in heard if words[0] == "refused"] == [
        ["refused", "None", "1", "2"]
    ] * REFUSALS
    with SqliteLedger.open(tmp_path) as ledger:
        events = _whole(ledger, RUN)
    theirs = [each.hash for each in events if each.entry.actor == "one"]
    assert theirs == [word for words in heard if words[0] == "made" for word in words[1:]]
    assert {word for words in after if words[0] == "made" for word in words[1:]} <= {
        each.hash for each in events
    }


def test_killed_controllers_lose_nothing_acknowledged(tmp_path: Path) -> None:
    """C082, C089: whatever was acknowledged to anybody is there after kills at any time, once."""
    runs = (RUN, OTHER)
    _begin(tmp_path, *runs)
    chance = random.Random(20260101)  # noqa: S311 - when to kill, the same in every run
    acknowledged: dict[str, list[str]] = {run: [] for run in runs}
    kills = refusals = number = 0
    while number < ROUNDS or (not refusals and number < ROUNDS_MAX):
        told, killed = _storm(tmp_path, number, chance)
        kills += killed
        number += 1
        for run, words in told:
            if words[0] == "made":
                acknowledged[run] += words[1:]
            refusals += words[0] == "refused"
    assert kills >= 2 * number  # in each run the later of the two is refused by nobody
    assert refusals > 0
    with SqliteLedger.open(tmp_path) as ledger:
        for run in runs:
            kept = [each.hash for each in _whole(ledger, run)]
            assert len(acknowledged[run]) == len(set(acknowledged[run])) > 0
            assert set(kept) >= set(acknowledged[run])
            in_flight = 5 * number * WRITERS // 2
            assert len(kept) <= len(acknowledged[run]) + 1 + in_flight


def _storm(
    place: Path, number: int, chance: random.Random
) -> tuple[Sequence[tuple[str, list[str]]], int]:
    """Controllers that write at once, each killed after some commits; all that they had heard."""
    told: list[tuple[str, list[str]]] = []
    killed = 0
    with ExitStack() as stack:
        writers = []
        for place_of_writer in range(WRITERS):
            run = (RUN, OTHER)[place_of_writer % 2]
            name = f"c{number}-{place_of_writer}"
            process = stack.enter_context(_controller(place, run, name))
            writers.append((run, process, chance.randint(2, 25)))
        for run, process, commits in writers:
            for _ in range(commits):
                words = _hear(process)
                if not words:  # it was refused for good
                    break
                told.append((run, words))
            process.send_signal(signal.SIGKILL)
            assert process.stdout is not None
            told += [(run, line.split()) for line in process.stdout if line.endswith("\n")]
            killed += process.wait(60) == -signal.SIGKILL
    return told, killed
