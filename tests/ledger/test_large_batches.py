"""A recovery commits a thousand lanes at once: what is read ahead loosens no check."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.ledger.backends import memory_backend, sqlite_backend
from tests.ledger.desks import sit
from tidegate.core import events as e
from tidegate.core.errors import Refused, StaleEpoch, VersionConflict
from tidegate.core.lease import Acquire
from tidegate.testing.ledger_backend import Backend, Desk, refusal_of, sit_down
from tidegate.testing.ledger_history import LATER, RUN

LANES = 200
"""More than a few whole statements' places, and some that are left over."""


@pytest.fixture(params=["sqlite", "memory"])
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Backend:
    """Both, one after the other."""
    return sqlite_backend(tmp_path / "t") if request.param == "sqlite" else memory_backend()


def _lanes(count: int = LANES) -> list[tuple[str, str]]:
    return [(f"{number:04}", f"{number:04}-build-1") for number in range(count)]


def _begin(desk: Desk, count: int = LANES) -> None:
    """So many builds at work under leases, begun in two commits."""
    desk.write(*(each for lane, build in _lanes(count) for each in desk.history.begun(lane, build)))
    leases = tuple(desk.history.grant(build) for _, build in _lanes(count))
    turns = (
        made(lane, build)
        for lane, build in _lanes(count)
        for made in (desk.history.turn_opened, desk.history.turn_started)
    )
    desk.write(*turns, leases=leases)


def _regrants(desk: Desk) -> tuple[tuple[e.Entry, ...], tuple[Acquire, ...]]:
    """What adopts them all: a lease each under the next epoch, and the event that says so."""
    leases = tuple(desk.history.grant(build, now_utc=LATER) for _, build in _lanes())
    entries = tuple(
        desk.history.entry(lane, e.Regranted(attempt=build, turn=1, epoch=2))
        for lane, build in _lanes()
    )
    return entries, leases


def test_all_lanes_are_adopted_in_one_commit(backend: Backend) -> None:
    """Each lane gets its event and each attempt its epoch, in their order."""
    desk = sit_down(backend)
    _begin(desk)
    entries, leases = _regrants(desk)
    made = desk.write(*entries, leases=leases)
    assert [each.entry for each in made] == list(entries)
    assert {desk.ledger.lease(RUN, build).epoch for _, build in _lanes()} == {2}
    assert {row["epoch"] for row in desk.ledger.rows("turn", RUN)} == {2}
    assert not backend.verify(desk.ledger, RUN)


@pytest.mark.parametrize("place", [0, 1, 63, 64, 191, 192, LANES - 1])
def test_each_place_of_a_large_batch_is_checked(backend: Backend, place: int) -> None:
    """One wrong version, epoch or reading among the two hundred refuses all of them."""
    desk = sit_down(backend)
    _begin(desk)
    entries, leases = _regrants(desk)
    before = desk.snapshot()

    def write_with(entry: e.Entry, lease: Acquire) -> None:
        many, grants = list(entries), list(leases)
        many[place], grants[place] = entry, lease
        desk.write(*many, leases=tuple(grants))

    entry, lease = entries[place], leases[place]
    ahead, stale = replace(entry, version=9), replace(entry, epoch=1)
    slow = replace(lease, previous_epoch=0)
    refusal_of(VersionConflict, lambda: write_with(ahead, lease))
    refusal_of(StaleEpoch, lambda: write_with(replace(stale, epoch=3), lease))
    refusal_of(StaleEpoch, lambda: write_with(entry, slow))
    refusal_of(Refused, lambda: write_with(entry, replace(lease, now_utc="2026-01-01")))
    assert desk.snapshot() == before
    write_with(entry, lease)


def test_what_was_read_ahead_is_not_believed_after_a_change(backend: Backend) -> None:
    """Attempts that end in a batch are granted nothing behind it, though they lived before."""
    desk = sit_down(backend)
    _begin(desk, 2)
    failed = [
        desk.history.ended(lane, e.Failed(attempt=build, reason="x", detail=""))
        for lane, build in _lanes(2)
    ]
    leases = tuple(desk.history.grant(build, now_utc=LATER) for _, build in _lanes(2))
    before = desk.snapshot()
    refused = refusal_of(Refused, lambda: desk.write(*failed, leases=leases))
    assert "takes no lease" in str(refused)
    assert desk.snapshot() == before


def test_an_operation_sees_the_one_before_it(backend: Backend) -> None:
    """Two grants of one attempt in a batch are one grant and a refusal, however many others."""
    desk = sit_down(backend)
    _begin(desk, 2)
    (_, one), (_, two) = _lanes(2)
    leases = (
        desk.history.give_back(one),
        desk.history.give_back(two),
        desk.history.grant(one),
        replace(desk.history.grant(one), previous_epoch=1),
    )
    refusal_of(StaleEpoch, lambda: desk.write(leases=leases))
    desk.write(leases=leases[:3])
    assert desk.ledger.lease(RUN, one).epoch == 2


def test_a_large_batch_asks_few_questions(tmp_path: Path) -> None:
    """What two hundred lanes and leases need is read in a handful of statements."""
    ledger, desk = sit(tmp_path / "t")
    _begin(desk)
    entries, leases = _regrants(desk)
    statements: list[str] = []
    ledger._connection.set_trace_callback(statements.append)
    desk.write(*entries, leases=leases)
    ledger._connection.set_trace_callback(None)
    questions = [each for each in statements if each.startswith(("select", "with", "--"))]
    whole, left = divmod(LANES, 64)
    assert 0 < len(questions) <= 2 * (whole + left) + 1
    ledger.close()
