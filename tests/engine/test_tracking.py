"""The tracker is asked before a lane is opened, and told of its end, each thing once."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import pytest

from tests.engine.scene import at, configured, outcomes, process, runs_in, scene, told
from tests.sim.builders import BAD, GOOD, Deed
from tests.sim.faults import SimulatedCrash
from tests.sim.trackers import BROKEN, GIVEN, SILENT, TAKEN, FakeTrackerJobs
from tests.sim.world import World
from tidegate.core import events as e
from tidegate.core.run import Told
from tidegate.core.word import Word
from tidegate.engine.engine import Engine
from tidegate.engine.tracking import advance_tracking
from tidegate.engine.wish import Wish
from tidegate.ports.trackers import Answer, Request
from tidegate.verbs.start import RunWish

PLAN = configured("[limits]", '[tracker]\nkind = "command"\ncommand = "tracker"\n[limits]')


def tracked(
    folder: Path, says: Callable[[Request], Answer] = lambda _: GIVEN, **deeds: Sequence[Deed]
) -> tuple[World, FakeTrackerJobs]:
    """A calm world with a tracker that answers as it is told to."""
    world = scene(folder, PLAN, **(deeds or {"fix": [GOOD]}))
    world.tracker_jobs = FakeTrackerJobs(says)
    return world, world.tracker_jobs


def only(kind: str, answer: Answer, *, times: int = 1000) -> Callable[[Request], Answer]:
    """Answer so to the first requests of a kind, and yes to all else."""
    left = [times]

    def says(request: Request) -> Answer:
        if request.do != kind or left[0] == 0:
            return GIVEN
        left[0] -= 1
        return answer

    return says


def dying(world: World, kind: type[e.Event]) -> None:
    """Let the controller die at the first tick that has made such an event durable."""

    def die(_: Engine) -> None:
        raise SimulatedCrash("at once")

    at(world, lambda _: told(world, kind), die)


def test_an_issue_is_claimed_before_its_lane_opens_and_closed_once_delivered(
    tmp_path: Path,
) -> None:
    """The close names what landed and where, and comes after the delivery."""
    world, tracker = tracked(tmp_path)
    world.run_to_end()
    assert tracker.kinds() == [("claim", "fix"), ("close", "fix")]
    order = [type(each) for each in world.events()]
    assert order.index(e.EffectSettled) < order.index(e.LaneOpened)
    assert order.index(e.DeliverySettled) < len(order) - order[::-1].index(e.EffectIntended)
    (landed,) = told(world, e.Landed)
    close = list(tracker.done.values())[-1]
    assert (close.commit, close.target) == (landed.commit, f"tidegate/{close.run}")
    assert order[-1] is e.RunEnded


def test_without_a_tracker_that_wants_to_know_nothing_is_told(tmp_path: Path) -> None:
    """Markdown files have no effects."""
    world = scene(tmp_path, fix=[GOOD])
    world.run_to_end()
    assert told(world, e.EffectIntended) == []


def test_what_somebody_else_has_is_not_built(tmp_path: Path) -> None:
    """A claim that is refused leaves the issue out, says who says so, and frees its place."""
    world, tracker = tracked(
        tmp_path,
        lambda request: TAKEN if request.issue == "first" else GIVEN,
        first=[GOOD],
        second=[GOOD],
    )
    result = world.run_to_end()
    assert outcomes(world) == {"second": "landed"}
    (refused,) = result.summary.refused
    assert (refused.issue, refused.kind, refused.reason) == ("first", "claimed", "ABC has it")
    assert result.exit_code == 1
    assert ("close", "first") not in tracker.kinds()


def test_a_refused_claim_keeps_no_other_issue_waiting(tmp_path: Path) -> None:
    """Of three issues with one place, the next is asked for as soon as the first is refused."""
    world, _ = tracked(
        tmp_path,
        lambda request: TAKEN if request.issue == "a" else GIVEN,
        a=[GOOD],
        b=[GOOD],
        c=[GOOD],
    )
    world.plan = type(world.plan)(
        deeds=world.plan.deeds, width=1, configuration=world.plan.configuration
    )
    begun_s: list[float] = []
    at(world, lambda _: told(world, e.LaneOpened), lambda _: begun_s.append(world.timeline.now_s))
    asked_s: list[float] = []
    at(
        world,
        lambda _: told(world, e.EffectSettled),
        lambda _: asked_s.append(world.timeline.now_s),
    )
    world.run_to_end()
    assert outcomes(world) == {"b": "landed", "c": "landed"}
    assert begun_s[0] - asked_s[0] < 6.0


def test_a_lane_that_stopped_is_told_with_its_report(tmp_path: Path) -> None:
    """The comment says why, and what was found last."""
    world, tracker = tracked(tmp_path, fix=[BAD, BAD, BAD])
    world.run_to_end()
    assert outcomes(world) == {"fix": "stopped"}
    assert tracker.kinds() == [("claim", "fix"), ("comment", "fix"), ("release", "fix")]
    text = list(tracker.done.values())[1].text or ""
    assert "did not land this issue (stopped)" in text
    assert "What was found last:" in text


@pytest.mark.parametrize(("answer", "outcome"), [(BROKEN, "failed"), (SILENT, "unknown")])
def test_a_tracker_that_does_not_answer_is_asked_again_in_bounds(
    tmp_path: Path, answer: Answer, outcome: str
) -> None:
    """Under the same key, as often as jobs are tried; then the run tells."""
    world, tracker = tracked(tmp_path, only("close", answer))
    result = world.live()
    assert result is not None
    assert outcomes(world) == {"fix": "landed"}
    assert len([key for key in tracker.asked if key.endswith("-close")]) == 4
    assert len(set(tracker.asked)) == 2
    (effect,) = result.summary.effects
    assert (effect.kind, effect.about, effect.outcome) == ("close", "fix", outcome)
    assert result.exit_code == 1
    assert world.is_ended is (outcome == "failed")


def test_once_unknown_it_stays_unknown(tmp_path: Path) -> None:
    """A try that may have been heard is not undone by later ones that failed."""
    answers = [SILENT, BROKEN, BROKEN, BROKEN]
    world, _ = tracked(tmp_path, lambda request: answers.pop(0) if request.do == "close" else GIVEN)
    result = world.live()
    assert result is not None
    assert [each.outcome for each in result.summary.effects] == ["unknown"]


def test_a_trouble_that_passes_is_nobodys_business(tmp_path: Path) -> None:
    """The effect is done in the end, and the run ends with 0."""
    world, tracker = tracked(tmp_path, only("close", BROKEN, times=2))
    result = world.run_to_end()
    assert (result.exit_code, result.summary.effects) == (0, ())
    assert ("close", "fix") in tracker.kinds()


@pytest.mark.parametrize(("answer", "outcome"), [(BROKEN, "failed"), (SILENT, "unknown")])
def test_an_issue_whose_claim_is_not_settled_is_not_built(
    tmp_path: Path, answer: Answer, outcome: str
) -> None:
    """Nobody knows whose it is: another run asks anew, or somebody has to look."""
    world, tracker = tracked(tmp_path, only("claim", answer))
    result = world.live()
    assert result is not None
    assert told(world, e.LaneOpened) == []
    assert [each.issue for each in result.summary.waiting] == ["fix"]
    waits_for = result.summary.waiting[0].waits_for
    assert (f"receipt {run_of(world)}-fix-claim to be reconciled" in waits_for) is (
        outcome == "unknown"
    )
    assert ("could not be asked for it" in waits_for) is (outcome == "failed")
    assert ("release", "fix") not in tracker.kinds()


@pytest.mark.parametrize("part", ["claim", "close"])
def test_a_runner_that_dies_after_the_deed_is_asked_again_and_it_is_done_once(
    tmp_path: Path, part: str
) -> None:
    """The request reaches the tracker twice under one key."""
    world, tracker = tracked(tmp_path)

    def kill(_: Engine) -> None:
        found = process(world, f"{part}-0")
        assert found is not None
        world.host.kill_runner(found, with_agent=True)

    def is_done(engine: Engine) -> bool:
        return runs_in(world, f"{part}-0")(engine) and any(
            key.endswith(part) for key in tracker.asked
        )

    tracker.work_s = 25.0
    at(world, is_done, kill)
    result = world.run_to_end()
    assert result.exit_code == 0
    assert len([key for key in tracker.asked if key.endswith(part)]) == 2
    assert tracker.kinds() == [("claim", "fix"), ("close", "fix")]
    assert {each.outcome for each in told(world, e.EffectSettled)} == {"done"}


@pytest.mark.parametrize("kind", [e.EffectIntended, e.LaneOpened, e.Landed, e.DeliverySettled])
def test_a_controller_that_dies_tells_each_thing_once(tmp_path: Path, kind: type[e.Event]) -> None:
    """Wherever it is cut short, the next one finds out what was told and what was not."""
    world, tracker = tracked(tmp_path)
    dying(world, kind)
    world.run_to_end()
    assert world.deaths == 1
    assert outcomes(world) == {"fix": "landed"}
    assert tracker.asked == [f"{run_of(world)}-fix-{each}" for each in ("claim", "close")]
    assert len(told(world, e.EffectIntended)) == len(told(world, e.EffectSettled)) == 2


def run_of(world: World) -> str:
    """The newest run's id."""
    return str(world.ledger.runs()[-1]["run_id"])


def test_a_run_that_is_ended_gives_back_what_it_had(tmp_path: Path) -> None:
    """An abandoned lane's issue is released, and the next run claims it anew."""
    world, tracker = tracked(tmp_path)
    world.wish = lambda: Wish.STOP if told(world, e.TurnStarted) else Wish.GO_ON
    world.live()
    first = run_of(world)
    world.wish, world.anew = (lambda: Wish.GO_ON), True
    world.live()
    assert run_of(world) != first
    keys = [f"{first}-fix-claim", f"{first}-fix-release", f"{run_of(world)}-fix-claim"]
    assert list(tracker.done)[:3] == keys


@pytest.mark.parametrize("answer", [GIVEN, BROKEN])
def test_what_did_not_land_is_given_back_when_it_was_told_why(
    tmp_path: Path, answer: Answer
) -> None:
    """One after the other, also where the first failed: who opens it again must be given it."""
    world, _ = tracked(tmp_path, only("comment", answer), fix=[BAD, BAD, BAD])
    world.run_to_end()
    kinds = [
        f"{each.kind} {type(each).__name__}" if isinstance(each, e.EffectIntended) else "settled"
        for each in world.events()
        if isinstance(each, e.EffectIntended | e.EffectSettled)
    ]
    assert kinds[2:] == [
        "comment EffectIntended", "settled", "release EffectIntended", "settled",
    ]  # fmt: skip


def test_an_issue_that_is_opened_again_in_its_run_is_claimed_again(tmp_path: Path) -> None:
    """For its further lane, under a key of that: what it had was given back."""
    world, tracker = tracked(tmp_path, fix=[BAD, BAD, BAD, GOOD])
    at(
        world,
        lambda _: told(world, e.LaneEnded),
        lambda _: world.ledger.speak("fix", Word.OPEN, reason="again", actor="owner", utc=""),
    )
    world.run_to_end()
    assert outcomes(world) == {"fix": "stopped", "fix-2": "landed"}
    run = run_of(world)
    keys = ("fix-claim", "fix-comment", "fix-release", "fix-2-claim", "fix-2-close")
    assert list(tracker.done) == [f"{run}-{each}" for each in keys]


def test_a_drain_claims_nothing_and_forgets_nothing(tmp_path: Path) -> None:
    """An issue that was given to us while a drain began keeps the run open, and its lane opens."""
    world, tracker = tracked(tmp_path)
    tracker.work_s = 20.0
    world.wish = lambda: Wish.DRAIN if told(world, e.EffectIntended) else Wish.GO_ON
    result = world.live()
    assert result is not None
    assert told(world, e.LaneOpened) == []
    assert not world.is_ended
    world.wish = lambda: Wish.GO_ON
    world.run_to_end()
    assert tracker.kinds() == [("claim", "fix"), ("close", "fix")]
    assert len(world.ledger.runs()) == 1


def test_a_run_that_was_given_an_issue_is_not_over_before_its_lane(tmp_path: Path) -> None:
    """Two were claimed when a drain began; one is taken under --max 1, and the other stays ours."""
    world, tracker = tracked(tmp_path, a=[GOOD], b=[GOOD])
    tracker.work_s = 20.0
    world.wish = lambda: Wish.DRAIN if len(told(world, e.EffectIntended)) > 1 else Wish.GO_ON
    assert world.live() is not None
    world.wish, unlimited = (lambda: Wish.GO_ON), world.plan
    world.plan = replace(unlimited, wish=RunWish(opened_max=1))
    result = world.live()
    assert result is not None
    assert (result.exit_code, told(world, e.RunEnded)) == (0, [])
    world.plan = unlimited
    world.run_to_end()
    assert outcomes(world) == {"a": "landed", "b": "landed"}
    assert len(world.ledger.runs()) == 1


class Looked(dict[str, Any]):
    """A mapping in which things are looked up, and which nobody walks through."""

    def __iter__(self) -> NoReturn:
        raise AssertionError("all of it was walked through")

    keys = values = items = __iter__


def test_a_tick_looks_at_what_is_open_and_at_nothing_else(tmp_path: Path) -> None:
    """A thousand lanes have landed and were told of; one waits behind a dirty checkout."""
    world, _ = tracked(tmp_path)
    world.git.checkout.dirt = "part.txt was changed"
    assert world.live() is not None
    engine = world.engine
    assert engine is not None
    run, tracking = engine.book.run, engine.tracking
    old = {
        f"{run.id}-old{n}-{kind}": Told(
            intent=e.EffectIntended(
                receipt=f"{run.id}-old{n}-{kind}",
                kind=kind,
                issue=f"old{n}",
                text_digest=None,
                commit=None,
                target=None,
            ),
            outcome="done",
        )
        for n in range(1000)
        for kind in ("claim", "close")
    }
    for n in range(1000):
        tracking.note_landing(f"old{n}", f"commit {n}")
    tracking.landings, tracking.places = Looked(tracking.landings), Looked(tracking.places)
    engine.book.run = replace(run, told=Looked({**old, **run.told}))
    assert list(tracking.ends or ()) == ["fix"]
    advance_tracking(engine)
    assert list(tracking.ends or ()) == ["fix"]
    assert not engine.book.entries
    engine.book.run = replace(run, told={**old, **run.told}, delivered=run.target)
    advance_tracking(engine)
    assert [each.event.kind for each in engine.book.entries] == ["close"]  # type: ignore[union-attr]  # what a tracker is told


def test_nothing_is_closed_that_was_not_delivered(tmp_path: Path) -> None:
    """While the checkout cannot take it the issue stays open in the tracker."""
    world, tracker = tracked(tmp_path)
    world.git.checkout.dirt = "part.txt was changed"
    assert world.live() is not None
    assert tracker.kinds() == [("claim", "fix")]
    world.git.checkout.dirt = None
    world.run_to_end()
    assert tracker.kinds() == [("claim", "fix"), ("close", "fix")]
