"""Leases in a ledger: the fence in its statements is core's, and nothing is replaced under one."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.ledger.backends import memory_backend, sqlite_backend
from tests.ledger.desks import sit
from tidegate.core import events as e
from tidegate.core.attempt import State
from tidegate.core.errors import IllegalTransition, StaleEpoch
from tidegate.core.lease import Lease, admits
from tidegate.ledger.attempt_rows import TOUCHED
from tidegate.ledger.writer import SqliteTables
from tidegate.testing.ledger_backend import BUILD, Backend, Desk, at_work, refusal_of
from tidegate.testing.ledger_history import RUN

SECOND = "001-build-2"


@pytest.fixture(params=["sqlite", "memory"])
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Backend:
    """Both, one after the other."""
    return sqlite_backend(tmp_path / "t") if request.param == "sqlite" else memory_backend()


def test_the_statement_admits_what_core_admits(tmp_path: Path) -> None:
    """C089: under each grant SQL lets those epochs write that the rule admits, and no other."""
    ledger, desk = sit(tmp_path)
    desk.write(*desk.history.begun("001", BUILD))
    write = TOUCHED.of(RUN, desk.history.checkpointed("001", BUILD))
    still = TOUCHED.of(RUN, replace(desk.history.turn_opened("001", BUILD), previous=None))
    assert write.statement is not still.statement

    def compare(tables: SqliteTables) -> None:
        for granted in range(4):
            lease = Lease(run_id=RUN, attempt_id=BUILD, epoch=granted)
            if granted:  # at 0 there is no row yet, which is the same
                tables.put_lease(lease)
            for epoch in range(-1, 6):
                assert tables.apply(still, epoch) is admits(lease, epoch)

    ledger._writing()._transact(compare)
    ledger.close()


def test_nothing_takes_the_place_of_a_holder(backend: Backend) -> None:
    """C095: an attempt is replaced only once its lease is fenced: epoch + 1, and no token."""
    desk = at_work(backend)
    end, born = _end(desk), _born(desk)
    desk.write(*end)
    refused = refusal_of(IllegalTransition, lambda: desk.write(born))
    assert "holds its lease still" in str(refused)
    desk.write(leases=(desk.history.give_back(BUILD, fence=True),))
    lease = desk.ledger.lease(RUN, BUILD)
    assert (lease.epoch, lease.token) == (2, None)
    desk.write(born)
    late = replace(desk.history.turn_ended("001", BUILD), epoch=1)
    refusal_of(StaleEpoch, lambda: desk.write(late))


def test_a_fence_and_what_it_makes_room_for_are_one_commit(backend: Backend) -> None:
    """C095: in one batch the fence comes first, wherever the end and the successor stand in it."""
    desk = at_work(backend)
    fence = desk.history.give_back(BUILD, fence=True)
    end, born = _end(desk), _born(desk)
    early = tuple(replace(each, epoch=1) for each in end)
    before = desk.snapshot()
    wrong = (replace(born, version=end[0].version), *_moved(end, 1))
    refusal_of(IllegalTransition, lambda: desk.write(*wrong, leases=(fence,)))
    assert desk.snapshot() == before
    desk.write(*early, born, leases=(fence,))
    assert desk.ledger.lease(RUN, BUILD).epoch == 2
    assert desk.ledger.lease(RUN, SECOND).epoch == 0


def _end(desk: Desk) -> tuple[e.Entry, ...]:
    history = desk.history
    return (
        history.turn_ended("001", BUILD, how="lost"),
        history.ended("001", e.Stale(attempt=BUILD, reason="lost")),
        history.ended("001", e.Stopped(attempt=BUILD, reason="lost")),
    )


def _moved(entries: tuple[e.Entry, ...], by: int) -> tuple[e.Entry, ...]:
    return tuple(replace(each, version=each.version + by) for each in entries)


def _born(desk: Desk) -> e.Entry:
    return desk.history.requested("001", SECOND, born=State.REPLACED, supersedes=BUILD)
