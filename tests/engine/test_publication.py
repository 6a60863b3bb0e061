"""What was delivered is pushed to a remote: once, in order, and never over anybody's work."""

from pathlib import Path

import pytest

from tests.engine.scene import at, configured, outcomes, process, runs_in, scene, told
from tests.engine.test_landing import broken, target_of
from tests.sim.builders import GOOD
from tests.sim.faults import SimulatedCrash
from tests.sim.world import World
from tidegate.core import events as e
from tidegate.engine.engine import Engine
from tidegate.ports.git import PublishWork

PLAN = configured("[limits]", '[land]\npublish = "origin shared"\n[limits]')
SHARED = "refs/heads/shared"


def published(folder: Path) -> World:
    """A calm world whose landings go to a remote."""
    return scene(folder, PLAN, fix=[GOOD])


def ends(world: World) -> list[tuple[str, str]]:
    """What became of each push."""
    return [(each.receipt[-1], each.outcome) for each in told(world, e.PublishSettled)]


def dying(world: World, kind: type[e.Event]) -> None:
    """Let the controller die at the first tick that has made such an event durable."""

    def die(_: Engine) -> None:
        raise SimulatedCrash("at once")

    at(world, lambda _: told(world, kind), die)


def test_what_was_delivered_is_published(tmp_path: Path) -> None:
    """After the delivery, to the branch that is named, and the run ends after it."""
    world = published(tmp_path)
    result = world.run_to_end()
    assert result.exit_code == 0
    assert world.git.remote == {SHARED: target_of(world)}
    order = [type(each) for each in world.events()]
    assert order.index(e.DeliverySettled) < order.index(e.PublishIntended)
    assert order.index(e.PublishSettled) < order.index(e.RunEnded)


def test_nothing_is_published_where_no_remote_is_named(tmp_path: Path) -> None:
    """It is the user's word alone that sends anything anywhere."""
    world = scene(tmp_path, fix=[GOOD])
    world.run_to_end()
    assert (world.git.remote, told(world, e.PublishIntended)) == ({}, [])


def test_nothing_is_published_that_was_not_delivered(tmp_path: Path) -> None:
    """A dirty checkout keeps both back."""
    world = published(tmp_path)
    world.git.checkout.dirt = "part.txt was changed"
    world.live()
    assert world.git.remote == {}
    world.git.checkout.dirt = None
    world.run_to_end()
    assert world.git.remote == {SHARED: target_of(world)}


def test_a_remote_that_is_elsewhere_is_told_and_left_alone(tmp_path: Path) -> None:
    """Once: the run ends, its summary says so, and nothing is forced."""
    world = published(tmp_path)
    strange = world.git.commit({"strange": "1"}, (), "strange")
    world.git.remote[SHARED] = strange
    result = world.run_to_end()
    assert world.git.remote == {SHARED: strange}
    assert ends(world) == [("1", "refused")]
    (effect,) = result.summary.effects
    assert (effect.kind, effect.about, effect.outcome) == (
        "publication",
        "origin shared",
        "refused",
    )
    assert strange in effect.detail
    assert (result.exit_code, outcomes(world)) == (1, {"fix": "landed"})


def test_a_push_that_fails_is_tried_again_in_bounds(tmp_path: Path) -> None:
    """Each try has a receipt of its own; then it is given up, and told."""
    world = published(tmp_path)
    broken(world, PublishWork, after_effect=False, times=2)
    assert world.run_to_end().exit_code == 0
    assert ends(world) == [("1", "failed"), ("2", "failed"), ("3", "published")]


def test_a_push_that_goes_on_failing_is_given_up(tmp_path: Path) -> None:
    """The run is over, and says what was not done."""
    world = published(tmp_path)
    broken(world, PublishWork, after_effect=False, times=100)
    result = world.run_to_end()
    assert ends(world) == [(str(number), "failed") for number in range(1, 5)]
    assert [each.outcome for each in result.summary.effects] == ["failed"]
    assert world.is_ended


def test_a_push_whose_end_was_not_heard_is_not_made_twice(tmp_path: Path) -> None:
    """The remote moved and the job failed to say so: it is looked at and not pushed again."""
    world = published(tmp_path)
    broken(world, PublishWork, after_effect=True, times=1)
    assert world.run_to_end().exit_code == 0
    assert world.git.pushes == [target_of(world)]
    assert ends(world) == [("1", "failed"), ("2", "published")]


def test_a_push_whose_runner_died_is_unknown_and_made_again(tmp_path: Path) -> None:
    """Nobody can say what became of it, so the next one finds out."""
    world = published(tmp_path)

    def kill(_: Engine) -> None:
        found = process(world, "publication-1")
        assert found is not None
        world.host.kill_runner(found, with_agent=True)

    at(world, runs_in(world, "publication-1"), kill)
    assert world.run_to_end().exit_code == 0
    assert ends(world) == [("1", "unknown"), ("2", "published")]
    assert world.git.pushes == [target_of(world)]


@pytest.mark.parametrize("kind", [e.PublishIntended, e.DeliverySettled, e.PublishSettled])
def test_a_controller_that_dies_publishes_once(tmp_path: Path, kind: type[e.Event]) -> None:
    """Between intent and outcome, and on either side of both."""
    world = published(tmp_path)
    dying(world, kind)
    world.run_to_end()
    assert world.deaths == 1
    assert world.git.pushes == [target_of(world)]
    assert ends(world) == [("1", "published")]
