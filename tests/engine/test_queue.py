"""Which issues become lanes, and when: the queue's rules as the engine keeps to them."""

from dataclasses import replace
from pathlib import Path

from tests.engine.scene import at, outcomes, scene, told
from tests.sim.builders import BAD, GOOD
from tests.sim.plan import Plan
from tests.sim.world import World
from tidegate.core import events as e
from tidegate.core.word import Word
from tidegate.engine.engine import Engine
from tidegate.verbs.start import RunWish

UTC = "2026-01-01T00:00:00.000Z"


def says(world: World, issue: str, word: Word) -> None:
    """The owner says a word, in another process."""
    world.ledger.speak(issue, word, reason="so it is", actor="owner", utc=UTC)


def order(world: World) -> list[str]:
    """The beginnings and the ends of lanes, in order: `+one`, `-one`."""
    marks = {e.LaneOpened: "+", e.LaneEnded: "-"}
    runs = [str(row["run_id"]) for row in world.ledger.runs()]
    entries = [each.entry for run in runs for each in world.ledger.read(run)]
    return [f"{marks[type(x.event)]}{x.lane}" for x in entries if type(x.event) in marks]


def test_overlapping_issues_are_never_at_work_together(tmp_path: Path) -> None:
    """The second waits until the first one's lane is over; the third goes before it."""
    plan = replace(
        Plan(deeds={}),
        footprints={"a": ("src/",), "b": ("src/x.py",), "c": ("docs/**",)},
    )
    world = scene(tmp_path, plan, a=[GOOD], b=[GOOD], c=[GOOD])
    world.run_to_end()
    assert outcomes(world) == {"a": "landed", "b": "landed", "c": "landed"}
    assert order(world)[:2] == ["+a", "+c"]
    assert order(world).index("-a") < order(world).index("+b")


def test_a_lane_that_is_taken_up_again_still_holds_its_footprint(tmp_path: Path) -> None:
    """What overlaps a lane of an earlier controller waits for it as for one of its own."""
    plan = replace(Plan(deeds={}), footprints={"a": ("src/",), "b": ("src/",)})
    world = scene(tmp_path, plan, a=[GOOD], b=[GOOD])

    def die(_: Engine) -> None:
        world.faults.crash_at = world.faults.calls + 3

    at(world, lambda engine: engine.book.lanes, die)
    world.run_to_end()
    assert world.deaths == 1
    assert order(world) == ["+a", "-a", "+b", "-b"]


def test_no_more_lanes_are_opened_than_were_asked_for(tmp_path: Path) -> None:
    """B18: with a limit of one a run takes one issue and ends, whatever the width."""
    plan = replace(Plan(deeds={}), wish=RunWish(opened_max=1))
    world = scene(tmp_path, plan, one=[GOOD], two=[GOOD])
    result = world.live()
    assert result is not None
    assert result.exit_code == 0
    assert order(world) == ["+one", "-one"]
    assert [each.reason for each in told(world, e.RunEnded)] == ["--max 1 is reached"]


def test_only_what_was_named_is_taken(tmp_path: Path) -> None:
    """The run ends though there are others, and they wait for a run that may take them."""
    plan = replace(Plan(deeds={}), wish=RunWish(only=("two",)))
    world = scene(tmp_path, plan, one=[GOOD], two=[GOOD])
    result = world.live()
    assert result is not None
    assert order(world) == ["+two", "-two"]
    assert [(each.issue, each.waits_for) for each in result.summary.waiting] == [
        ("one", "a run without --only")
    ]


def test_a_word_that_is_said_meanwhile_keeps_an_issue_back(tmp_path: Path) -> None:
    """D18: it binds a run that is under way, as far as the issue was not taken yet."""
    world = scene(tmp_path, replace(Plan(deeds={}), width=1), one=[GOOD], two=[GOOD])
    at(world, lambda engine: engine.book.lanes, lambda _: says(world, "two", Word.GATED))
    result = world.run_to_end()
    assert order(world) == ["+one", "-one"]
    assert result.exit_code == 0
    assert [(each.issue, each.waits_for) for each in result.summary.waiting] == [
        ("two", "the owner's word (it is gated)")
    ]


def test_an_issue_that_is_opened_again_gets_a_lane_of_its_own(tmp_path: Path) -> None:
    """The run that stopped it takes it once more, under a further lane, and may land it."""
    plan = replace(Plan(deeds={}), width=1)
    world = scene(tmp_path, plan, one=[BAD, BAD, BAD, GOOD], two=[GOOD])
    at(
        world,
        lambda engine: "two" in engine.book.lanes,
        lambda _: says(world, "one", Word.OPEN),
    )
    result = world.run_to_end()
    assert order(world) == ["+one", "-one", "+two", "-two", "+one-2", "-one-2"]
    assert sorted(each.issue for each in result.summary.landed) == ["one", "two"]
    assert (result.exit_code, result.summary.stopped) == (0, ())
