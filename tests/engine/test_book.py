"""The book: what is believed, and what of it is durable."""

from pathlib import Path

import pytest

from tests.engine.scene import at, runs_in, scene
from tests.sim.builders import BAD, GOOD
from tests.sim.faults import SimulatedCrash
from tidegate.core.commands import Rule
from tidegate.core.errors import Refused, StaleEpoch
from tidegate.core.events import Regranted
from tidegate.core.values import Ruling, Verdict
from tidegate.engine.book import open_book
from tidegate.engine.engine import Engine
from tidegate.ports.ledger import Fence


def test_a_book_that_is_opened_anew_is_the_same(tmp_path: Path) -> None:
    """At every tick the ledger alone tells what the controller believes."""
    world = scene(tmp_path, one=[BAD, GOOD], two=[GOOD])
    compared = 0

    def compare(engine: Engine) -> None:
        nonlocal compared
        made = open_book(world.ledger, engine.book.fence, engine.book.limits)
        made.forget_ended()
        assert (made.lanes, made.run.target) == (engine.book.lanes, engine.book.run.target)
        assert made.run.target_tree == engine.book.run.target_tree
        assert made.run.version == engine.book.run.version
        compared += 1

    world.at_tick.append(compare)
    world.run_to_end()
    assert compared > 50


def test_a_tree_that_passed_before_a_restart_has_passed(tmp_path: Path) -> None:
    """A verdict on a tree is kept: the new controller need not check that tree again."""
    world = scene(tmp_path, fix=[GOOD])

    def die(engine: Engine) -> None:
        lane = engine.book.lanes["fix"]
        assert lane.candidate is not None
        made = open_book(world.ledger, engine.book.fence, engine.book.limits)
        assert made.run.passed[lane.candidate.tree] == "fix"
        raise SimulatedCrash

    at(
        world,
        lambda engine: any(
            lane.candidate is not None and lane.candidate.verdict is Verdict.PASS
            for lane in engine.book.lanes.values()
        ),
        die,
    )
    assert world.live() is None


def test_what_is_refused_leaves_nothing(tmp_path: Path) -> None:
    """A book under a number that is not the run's any more records nothing at all."""
    world = scene(tmp_path, fix=[GOOD])
    at(world, runs_in(world, "fix-build-1/turns/1"), _die)
    assert world.live() is None
    run = str(world.ledger.runs()[-1]["run_id"])
    book = open_book(world.ledger, Fence(run=run, controller_epoch=0), world.durable.limits)
    before = len(world.events())
    with pytest.raises(Refused):
        book.record("fix", Rule(ruling=Ruling.LAND, by="nobody"))
    assert not book.entries
    book.record_event("fix", Regranted(attempt="fix-build-1", turn=1, epoch=2))
    with pytest.raises(StaleEpoch):
        book.flush()
    assert len(world.events()) == before


def _die(_: Engine) -> None:
    raise SimulatedCrash
