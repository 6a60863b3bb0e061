"""A controller in a process of its own: it takes a run over and commits, telling each commit.

    python -m tests.ledger.controller_process PLACE RUN NAME [ask]

It says what was acknowledged before it begins the next commit. With `ask` it waits for a line
before each one. Once it was refused it tries a few times more, as one that does not know, and ends.
"""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tidegate.core import events as e
from tidegate.core.errors import StaleEpoch
from tidegate.ledger.sqlite import SqliteLedger
from tidegate.ports.ledger import Batch, Fence
from tidegate.testing.ledger_history import UTC, History

REFUSALS = 5


def main(place: str, run: str, name: str, *asks: str) -> None:
    """Until it is killed, asked no more, or was refused for good."""
    with SqliteLedger.open(Path(place)) as ledger:
        fence = ledger.take_over(run, holder=name, utc=UTC)
        _say("took", fence.controller_epoch)
        refused = 0
        for batch in _batches(ledger, fence, name):
            if refused == REFUSALS or (asks and not sys.stdin.readline()):
                break
            try:
                made = ledger.commit(fence, batch)
            except StaleEpoch as stale:
                refused += 1
                _say("refused", stale.attempt, stale.epoch, stale.granted)
            else:
                _say("made", *(each.hash for each in made))


def _batches(ledger: SqliteLedger, fence: Fence, name: str) -> Iterator[Batch]:
    """That it took over; then lanes, each begun, and given a lease and a turn in one commit."""
    history = History(fence.run)
    took = e.ControllerTookOver(
        controller_epoch=fence.controller_epoch,
        holder=name,
        version="0",
        utc=UTC,
        monotonic_s=0.0,
        boottime_s=0.0,
        boot_id="b",
    )
    version = len(list(ledger.read(fence.run, lane=""))) + 1
    yield Batch(entries=(replace(history.entry("", took), version=version, actor=name),))
    number = 0
    while True:
        lane = f"{name}-{number}"
        build = f"{lane}-build-1"
        begun = tuple(replace(each, actor=name) for each in history.begun(lane, build))
        yield Batch(entries=begun)
        grant = history.grant(build)
        turn = (history.turn_opened(lane, build), history.turn_started(lane, build))
        yield Batch(entries=tuple(replace(each, actor=name) for each in turn), leases=(grant,))
        number += 1


def _say(*words: object) -> None:
    sys.stdout.write(f"{' '.join(map(str, words))}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
