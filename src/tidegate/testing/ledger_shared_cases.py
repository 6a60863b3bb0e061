"""Cases of a ledger that several processes open: nothing is lost between them, or by a kill."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

from tidegate.core import events as e
from tidegate.core.errors import StaleEpoch
from tidegate.ports.ledger import Batch
from tidegate.testing.ledger_backend import Backend, Case, Desk, refusal_of, sit_down
from tidegate.testing.ledger_history import RUN, RUN_STARTED, UTC, History

_EVENTS = 40
_KILL_AFTER = 25


def two_processes_lose_no_event(backend: Backend) -> None:
    """Two processes that write at once lose no event, and the chains of both runs hold."""
    desk = sit_down(backend)
    runs = ("20260102-0000", "20260103-0000")
    for run in runs:
        desk.ledger.create_run(run, RUN_STARTED, actor="owner", utc=UTC)
    with _writer(backend, runs[0], _EVENTS) as one, _writer(backend, runs[1], _EVENTS) as two:
        assert one.wait(_WAIT_S) == 0
        assert two.wait(_WAIT_S) == 0
    for run in runs:
        assert len(list(desk.ledger.read(run))) == 2 + _EVENTS
        assert not backend.verify(desk.ledger, run)
    numbers = [each.sequence for run in (RUN, *runs) for each in desk.ledger.read(run)]
    assert sorted(numbers) == list(range(1, len(numbers) + 1))


def a_killed_writer_loses_nothing_acknowledged(backend: Backend) -> None:
    """Whatever a writer was told is recorded is there after `kill -9`, and the chain holds."""
    desk = sit_down(backend)
    with _writer(backend, RUN, 1_000_000) as writer:
        assert writer.stdout is not None
        acknowledged = [int(writer.stdout.readline()) for _ in range(_KILL_AFTER)]
        writer.kill()
        acknowledged += [int(line) for line in writer.stdout if line.endswith("\n")]
    kept = {each.sequence for each in desk.ledger.read(RUN)}
    assert kept.issuperset(acknowledged)
    assert len(kept) <= len(acknowledged) + 3  # the run's start, its take-over, one in flight
    assert not backend.verify(desk.ledger, RUN)


def another_process_that_takes_over_stops_this_one(backend: Backend) -> None:
    """A take-over in another process is seen by the very next commit of this one."""
    desk = sit_down(backend)
    desk.write(desk.history.opened("001"))
    with _writer(backend, RUN, 1) as writer:
        assert writer.wait(_WAIT_S) == 0
    refusal_of(StaleEpoch, lambda: desk.write(desk.history.opened("002")))
    assert [each.entry.lane for each in desk.ledger.read(RUN)] == ["", "001", "", "lane-0"]


def a_reader_sees_whole_batches(backend: Backend) -> None:
    """A reader beside a writer sees batches whole, and never waits for the writer's next one."""
    desk = sit_down(backend)
    reader = backend.open()
    for number in range(20):
        lane = f"{number:03}"
        seen = reader.read(RUN)
        next(seen)
        desk.write(*desk.history.begun(lane, f"{lane}-build-1"))
        assert len(list(reader.read(RUN))) == 1 + 3 * (number + 1)
        assert reader.head(RUN) == desk.ledger.head(RUN)
    reader.close()


def two_openings_in_one_process_take_turns(backend: Backend) -> None:
    """Two openings of one ledger see each other's commits at once."""
    desk = sit_down(backend)
    second = Desk(backend.open(), desk.fence, desk.history)
    for number in range(10):
        writer = (desk, second)[number % 2]
        writer.write(writer.history.opened(f"{number:03}"))
    assert second.snapshot() == desk.snapshot()
    assert not backend.verify(second.ledger, RUN)
    second.ledger.close()


_WAIT_S = 60.0


@contextmanager
def _writer(backend: Backend, run: str, events: int) -> Iterator[subprocess.Popen[str]]:
    """A process that takes a run over and writes lanes into it, telling each number it got."""
    module = "tidegate.testing.ledger_shared_cases"
    arguments = (backend.opener, backend.place, run, str(events))
    process = subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait(_WAIT_S)
        if process.stdout is not None:
            process.stdout.close()


CASES: tuple[Case, ...] = (
    two_processes_lose_no_event,
    a_killed_writer_loses_nothing_acknowledged,
    another_process_that_takes_over_stops_this_one,
    a_reader_sees_whole_batches,
    two_openings_in_one_process_take_turns,
)


def main(opener: str, place: str, run: str, events: str) -> None:
    """The writer's process."""
    module, _, name = opener.partition(":")
    ledger = getattr(import_module(module), name)(place)
    fence = ledger.take_over(run, holder=f"host-2:{run}", utc=UTC)
    history = History(run)
    took = e.ControllerTookOver(
        controller_epoch=fence.controller_epoch,
        holder="host-2",
        version="0",
        utc=UTC,
        monotonic_s=0.0,
        boottime_s=0.0,
        boot_id="b",
    )
    ledger.commit(fence, Batch(entries=(history.entry("", took),)))
    for number in range(int(events)):
        made = ledger.commit(fence, Batch(entries=(history.opened(f"lane-{number}"),)))
        sys.stdout.write(f"{made[0].sequence}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
