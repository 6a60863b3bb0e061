"""Whatever goes wrong, a tracker and a remote are told of each thing, and of nothing else."""

from pathlib import Path
from random import Random

import pytest

from tests.sim.plan import CONFIGURATION
from tests.sim.safety import require
from tests.sim.seeds import world_of
from tests.sim.trackers import BROKEN, GIVEN, SILENT, TAKEN, FakeTrackerJobs
from tests.sim.world import World
from tidegate.core import events as e
from tidegate.ports.trackers import Answer, Request

SEEDS = 24
OUTSIDE = '\n[tracker]\nkind = "command"\ncommand = "tracker"\n[land]\npublish = "origin"\n'


def outside(seed: int, folder: Path) -> World:
    """The world of a seed, with a remote and a tracker that fails now and then."""
    world = world_of(seed, folder, CONFIGURATION + OUTSIDE)
    random = Random(seed)  # noqa: S311 - it is to be the same each time, and no secret

    def says(request: Request) -> Answer:
        if request.do == "claim" and random.random() < 0.1:
            return TAKEN
        return random.choice([GIVEN, GIVEN, GIVEN, GIVEN, BROKEN, SILENT])

    world.maintenance = world.new_maintenance(random)
    world.tracker_jobs = FakeTrackerJobs(says, work_s=random.uniform(0.1, 20))
    return world


WANTED = {
    "landed": {"close"},
    "stopped": {"comment", "release"},
    "refused": {"comment", "release"},
    "abandoned": {"release"},
}
"""What a tracker is told of a lane that ended so."""


def check(world: World) -> None:
    """What holds of the newest run, which is over."""
    tracker, events = world.tracker_jobs, world.events()
    require(tracker, "there is a tracker")
    intents = {each.receipt: each for each in events if isinstance(each, e.EffectIntended)}
    settled = {each.receipt: each for each in events if isinstance(each, e.EffectSettled)}
    require(intents.keys() == settled.keys(), "an effect has no end", intents, settled)
    known = {each.receipt: each for each in events if isinstance(each, e.ReceiptReconciled)}
    opened = {each.issue for each in events if isinstance(each, e.LaneOpened)}
    claims = {
        each.issue: known.get(each.receipt, settled[each.receipt])
        for each in intents.values()
        if each.kind == "claim"
    }
    for issue in opened:
        require(claims[issue].outcome == "done", "a lane was opened without its claim", issue)
    left = {receipt for receipt, each in settled.items() if each.outcome == "unknown"} - {*known}
    require(not left, "the run is over, and something of it is unknown", left)
    outcomes = {name: str(lane.outcome) for name, lane in world.durable.lanes.items()}
    run = world.durable.run
    assert run is not None
    for issue, outcome in outcomes.items():
        kinds = {each.kind for each in intents.values() if each.issue == issue} - {"claim"}
        wanted = WANTED[outcome]
        is_open = outcome == "landed" and run.waiting
        require(kinds == wanted or is_open, "the tracker was told wrong", issue, kinds, outcome)
    if run.published is not None:
        require(world.git.remote[run.started.ref] == run.published, "the remote is elsewhere")
    for receipt, each in settled.items():
        assert tracker is not None
        is_known = each.outcome == "done"
        require(not is_known or receipt in tracker.done, "a deed that nobody did", receipt)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_each_thing_is_told_whatever_goes_wrong(seed: int, tmp_path: Path) -> None:
    """No lane without its claim, no end untold, nothing open when the run is over."""
    world = outside(seed, tmp_path)
    world.run_to_end()
    check(world)
