"""A run that is ended before its issues are decided: nothing is lost, and another begins."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path

from tests.engine.scene import at, die, outcomes, runs_in, scene, started, told
from tests.sim.builders import GOOD, HANGS, Deed
from tests.sim.faults import SimulatedCrash
from tests.sim.world import World
from tidegate.core import events as e
from tidegate.core.errors import Misused
from tidegate.engine.engine import Engine
from tidegate.engine.wish import Wish
from tidegate.ports.agents import Agent
from tidegate.ports.runners import RunnerSpec

EARLY = Deed(commits="early", work_s=1e9)


def begun_anew(world: World, part: str) -> list[e.Event]:
    """Detach once something is at work in a folder, then begin anew; the old run's events."""

    def detach(_: Engine) -> None:
        world.wish = lambda: Wish.DETACH

    at(world, runs_in(world, part), detach)
    world.live()
    old = str(world.ledger.runs()[-1]["run_id"])
    world.wish, world.anew = lambda: Wish.GO_ON, True
    world.run_to_end()
    return [recorded.entry.event for recorded in world.ledger.read(old)]


def ended(events: list[e.Event]) -> list[str]:
    """How the lanes of these events ended."""
    return [str(each.outcome) for each in events if isinstance(each, e.LaneEnded)]


def test_an_agent_at_work_is_stopped_and_its_work_is_kept(tmp_path: Path) -> None:
    """Its commit is in the hub, its issue is built again in the new run, and no workspace stays."""
    world = scene(tmp_path, fix=[EARLY, GOOD])
    old = begun_anew(world, "build-1/turns/1")
    assert ended(old) == ["abandoned"]
    (harvested,) = [each for each in old if isinstance(each, e.Harvested)]
    assert harvested.tip in world.git.kept
    assert isinstance(old[-1], e.RunEnded)
    assert len(world.ledger.runs()) == 2
    assert outcomes(world) == {"fix": "landed"}
    assert world.git.workspaces == {}


def test_a_run_that_somebody_began_meanwhile_is_taken_up_and_not_ended(tmp_path: Path) -> None:
    """G3: no run was open at first; behind the lock there is one, with an agent at work."""
    world = scene(tmp_path, fix=[Deed(work_s=500.0)])
    at(world, runs_in(world, "build-1/turns/1"), die)
    house = world.house

    def begun_meanwhile(_: str) -> AbstractContextManager[None]:
        world.house = house  # type: ignore[method-assign]  # the fault of this test
        assert world.live() is None
        return nullcontext()

    world.house = lambda: replace(house(), lock_controller=begun_meanwhile)  # type: ignore[method-assign]  # as above
    world.run_to_end()
    assert len(world.ledger.runs()) == 1
    assert outcomes(world) == {"fix": "landed"}
    assert started(world, "/attempts/fix-build-") == 1


def test_what_landed_is_not_done_again(tmp_path: Path) -> None:
    """Only the issues that were not decided are open again."""
    world = scene(tmp_path, one=[GOOD], two=[HANGS, GOOD])
    at(world, lambda _: told(world, e.Landed), lambda _: setattr(world, "wish", _detach))
    world.live()
    world.wish, world.anew = (lambda: Wish.GO_ON), True
    world.run_to_end()
    assert outcomes(world) == {"two": "landed"}
    first = str(world.ledger.runs()[0]["run_id"])
    rows = {str(row["lane"]): row["outcome"] for row in world.ledger.rows("lane", first)}
    assert rows == {"one": "landed", "two": "abandoned"}


def test_an_end_that_was_cut_short_is_finished_by_the_next_run(tmp_path: Path) -> None:
    """Lanes of a run that are abandoned cannot go on in it, whoever asks."""
    world = scene(tmp_path, fix=[HANGS, GOOD])
    at(world, runs_in(world, "build-1/turns/1"), lambda _: setattr(world, "wish", _detach))
    world.live()
    world.anew, world.wish = True, lambda: Wish.GO_ON
    at(world, lambda _: "abandoned" in ended(world.events()), lambda _: leave(world))
    result = world.live()
    assert result is not None
    assert (result.exit_code, len(world.ledger.runs())) == (130, 1)
    world.anew, world.wish = False, lambda: Wish.GO_ON
    world.run_to_end()
    assert len(world.ledger.runs()) == 2
    assert outcomes(world) == {"fix": "landed"}
    assert world.git.workspaces == {}


def leave(world: World) -> None:
    """Leave with the next look at the wishes."""
    world.wish = _detach


def test_what_was_not_delivered_is_told(tmp_path: Path) -> None:
    """The run is over all the same: a branch that is gone for good must not keep it open."""
    world = scene(tmp_path, fix=[GOOD])
    world.git.checkout.dirt = "there are uncommitted changes"
    world.live()
    world.anew = True
    result = world.live()
    assert result is not None
    assert result.exit_code == 1
    assert "there are uncommitted changes" in result.summary.note
    assert world.is_ended


def test_an_agent_that_is_not_installed_any_more_is_no_hindrance(tmp_path: Path) -> None:
    """Nothing of it is needed to end its run."""
    world = scene(tmp_path, fix=[HANGS, GOOD])
    at(world, runs_in(world, "build-1/turns/1"), lambda _: setattr(world, "wish", _detach))
    world.live()
    house, loads = world.house(), iter([False, True])

    def load(name: str) -> Agent:
        if next(loads, False):
            raise Misused("there is no agent of that name")
        return house.load_agent(name)

    world.house = lambda: replace(house, load_agent=load)  # type: ignore[method-assign]  # an agent that is gone when it is first asked for
    world.anew, world.wish = True, lambda: Wish.GO_ON
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed"}


def test_a_landing_under_way_comes_to_its_end_first(tmp_path: Path) -> None:
    """It may have happened: the lane has landed, and nothing is left to be abandoned."""
    world = scene(tmp_path, fix=[GOOD])
    old = begun_anew(world, "-land-")
    assert ended(old) == ["landed"]


def test_a_check_and_a_set_up_under_way_are_ended(tmp_path: Path) -> None:
    """Neither is a verdict on anything."""
    for number, part in enumerate(("check-1/turns/1", "build-1-prepare-0")):
        folder = tmp_path / str(number)
        folder.mkdir()
        world = scene(folder, fix=[GOOD, GOOD])
        assert ended(begun_anew(world, part)) == ["abandoned"]
        assert outcomes(world) == {"fix": "landed"}
        assert world.git.workspaces == {}


def test_a_turn_that_was_never_begun_is_fenced(tmp_path: Path) -> None:
    """Its controller died between the grant and the start: no runner may come for it later."""
    world = scene(tmp_path, fix=[GOOD, GOOD])
    start = world.host.start

    def dies(spec: RunnerSpec) -> None:
        if "TIDEGATE_ATTEMPT" in spec.env:
            world.host.start = start  # type: ignore[method-assign]  # only the first turn's fails
            world.anew = True
            raise SimulatedCrash
        start(spec)

    world.host.start = dies  # type: ignore[method-assign]  # the fault of this test
    assert world.live() is None
    (granted,) = [each for each in told(world, e.TurnOpened) if each.attempt == "fix-build-1"]
    first = str(world.ledger.runs()[0]["run_id"])
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed"}
    assert len(world.ledger.runs()) == 2
    folders = [each for each in world.host.processes if f"/{first}/" in each.spec.folder]
    assert not [each for each in folders if each.spec.folder.endswith("fix-build-1/turns/1")]
    place = f"{world.repositories.repository.home}/runs/{first}/attempts/fix-build-1/turns/1"
    assert world.host.fences[place] > granted.epoch


def test_without_an_open_run_it_is_a_run_like_any(tmp_path: Path) -> None:
    """There is nothing to end."""
    world = scene(tmp_path, fix=[GOOD])
    world.anew = True
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed"}
    assert len(world.ledger.runs()) == 1


def _detach() -> Wish:
    return Wish.DETACH
