"""What ended outside as nobody knows how blocks its issue, and no other, until it is known."""

from pathlib import Path

import pytest

from tests.engine.scene import at, configured, outcomes, process, runs_in, scene, told
from tests.engine.test_tracking import dying, only, run_of, tracked
from tests.sim.builders import BAD, GOOD
from tests.sim.trackers import GIVEN, SILENT, TAKEN
from tests.sim.world import World
from tidegate.core import events as e
from tidegate.core.word import Word
from tidegate.engine.engine import Engine
from tidegate.ports.git import PublishWork
from tidegate.ports.inbox import Reply, Request


def say(world: World, verb: str, **says: str) -> Request:
    """The owner's word to the newest run, which lies in the inbox until a controller takes it."""
    row = world.ledger.runs()[-1]
    request = Request(
        id=f"{len(world.inbox.replies)}-{len(world.inbox.requests)}-{verb}",
        run=str(row["run_id"]),
        controller_epoch=int(str(row["controller_epoch"])),
        verb=verb,
        by="owner",
        lane="",
        says=says,
        items=(),
    )
    world.inbox.requests.append(request)
    return request


def reply_to(world: World, request: Request) -> Reply:
    """What the controller said."""
    return world.inbox.replies[request.id]


def silent_close(folder: Path) -> World:
    """A world in which `fix` has landed and nobody knows whether its tracker closed it."""
    world, _ = tracked(folder, only("close", SILENT), fix=[GOOD], other=[GOOD])
    return world


def test_an_unknown_receipt_keeps_the_run_open_and_holds_up_no_other_issue(
    tmp_path: Path,
) -> None:
    """C167: both issues land, the run is told to be unfinished with the remedy, exit 1."""
    world = silent_close(tmp_path)
    result = world.live()
    assert result is not None
    assert outcomes(world) == {"fix": "landed", "other": "landed"}
    assert (result.exit_code, world.is_ended) == (1, False)
    details = {each.about: each.detail for each in result.summary.effects}
    assert set(details) == {"fix", "other"}
    assert f"tidegate reconcile {run_of(world)}-fix-close done" in details["fix"]


def test_the_next_controller_asks_again_under_the_same_key(tmp_path: Path) -> None:
    """A tracker that is there again says it by itself: nobody is bothered, and the run ends."""
    world, tracker = tracked(tmp_path, only("close", SILENT, times=4))
    assert world.live() is not None
    assert world.live() is not None
    (known,) = told(world, e.ReceiptReconciled)
    assert (known.outcome, known.by) == ("done", "controller")
    assert world.is_ended
    assert len({key for key in tracker.asked if key.endswith("-close")}) == 1
    settled = [each.outcome for each in told(world, e.EffectSettled)]
    assert settled == ["done", "unknown"], "the unknown receipt is history and stays"


def test_a_question_under_way_is_not_put_by_a_second_process(tmp_path: Path) -> None:
    """G2: the next controller listens to the runner that asks already, before it asks itself."""
    world, _ = tracked(tmp_path, only("close", SILENT))
    world.live()
    at(
        world,
        runs_in(world, "fix-close-again"),
        lambda _: setattr(world.faults, "crash_at", world.faults.calls + 1),
    )
    assert world.live() is None
    assert _asking(world)
    asking: set[str] = set()
    world.at_tick.append(lambda _: asking.update(_asking(world)))
    world.live()
    assert len(asking) == 1, "nobody else asked: the one that was under way had its answer"


def _asking(world: World) -> set[str]:
    """The folders of the questions under way; two at once are two processes."""
    found = {x.spec.folder for x in world.host.living if "-close-again" in x.spec.folder}
    assert len(found) <= 1
    return found


def test_a_tracker_that_hangs_when_it_is_asked_again_is_ended(tmp_path: Path) -> None:
    """G7: its runner gives no sign of life; the run comes to its end, and the receipt stays."""
    world, _ = tracked(tmp_path, only("close", SILENT))
    world.live()

    def hang(_: Engine) -> None:
        found = process(world, "fix-close-again")
        assert found is not None
        found.frozen_s = (world.timeline.now_s, world.timeline.now_s + 1e9)

    at(world, runs_in(world, "fix-close-again"), hang)
    assert world.live() is not None
    assert process(world, "fix-close-again") is None
    assert world.timeline.now_s < 3600
    assert told(world, e.ReceiptReconciled) == []


@pytest.mark.parametrize("outcome", ["done", "failed"])
def test_the_owners_word_settles_it(tmp_path: Path, outcome: str) -> None:
    """It is a further event with the reason; the run ends by it, and says what was not done."""
    world, _ = tracked(tmp_path, only("close", SILENT))
    world.live()
    request = say(
        world, "reconcile", receipt=f"{run_of(world)}-fix-close", outcome=outcome, reason="seen"
    )
    result = world.live()
    assert result is not None
    assert reply_to(world, request).is_done
    (known,) = told(world, e.ReceiptReconciled)
    assert (known.outcome, known.by, known.reason) == (outcome, "owner", "seen")
    assert world.is_ended
    assert [each.outcome for each in result.summary.effects] == (
        [] if outcome == "done" else ["failed"]
    )


@pytest.mark.parametrize(
    ("receipt", "outcome", "why"),
    [
        ("{run}-fix-close", "perhaps", "cannot be perhaps"),
        ("{run}-fix-claim", "done", "is no receipt of run"),
        ("nothing", "done", "is no receipt of run"),
    ],
)
def test_what_is_known_is_not_reconciled(
    tmp_path: Path, receipt: str, outcome: str, why: str
) -> None:
    """Only what is unknown, and only to an end that there is."""
    world, _ = tracked(tmp_path, only("close", SILENT))
    world.live()
    name = receipt.format(run=run_of(world))
    request = say(world, "reconcile", receipt=name, outcome=outcome)
    world.live()
    assert not reply_to(world, request).is_done
    assert why in reply_to(world, request).message
    assert told(world, e.ReceiptReconciled) == []


def test_an_unknown_claim_opens_no_lane_before_it_is_reconciled(tmp_path: Path) -> None:
    """Nor is anything told to its tracker; once the owner says it was given, the lane is opened."""
    world, tracker = tracked(tmp_path, only("claim", SILENT))
    for _ in range(2):
        assert world.live() is not None
        assert told(world, e.LaneOpened) == []
    assert set(tracker.kinds()) == {("claim", "fix")}
    say(world, "reconcile", receipt=f"{run_of(world)}-fix-claim", outcome="done")
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed"}
    assert ("close", "fix") in tracker.kinds()


def test_an_unknown_claim_that_somebody_else_has_leaves_the_queue(tmp_path: Path) -> None:
    """Asked again the tracker says no: it is not ours, and the run ends without it."""
    answers = [SILENT] * 4 + [TAKEN]
    world, _ = tracked(tmp_path, lambda each: answers.pop(0) if each.do == "claim" else GIVEN)
    assert world.live() is not None
    assert world.live() is not None
    assert [each.outcome for each in told(world, e.ReceiptReconciled)] == ["failed"]
    assert told(world, e.LaneOpened) == []


def test_nothing_more_is_told_of_an_issue_before(tmp_path: Path) -> None:
    """A stop whose comment is unknown is not given back until that is known; then it is."""
    world, tracker = tracked(tmp_path, only("comment", SILENT), fix=[BAD, BAD, BAD])
    world.live()
    assert tracker.kinds() == [("claim", "fix"), ("comment", "fix")]
    say(world, "reconcile", receipt=f"{run_of(world)}-fix-comment", outcome="failed")
    world.run_to_end()
    assert tracker.kinds()[2:] == [("release", "fix")]


def test_the_next_lane_of_the_issue_waits_for_it(tmp_path: Path) -> None:
    """What is opened again gets no lane before its last receipt is known."""
    world, _ = tracked(tmp_path, only("comment", SILENT), fix=[BAD, BAD, BAD, GOOD])
    world.live()
    world.ledger.speak("fix", Word.OPEN, reason="again", actor="owner", utc="2030")
    world.live()
    assert outcomes(world) == {"fix": "stopped"}
    say(world, "reconcile", receipt=f"{run_of(world)}-fix-comment", outcome="done")
    world.run_to_end()
    assert outcomes(world) == {"fix": "stopped", "fix-2": "landed"}


def test_a_lane_under_way_waits_too_and_lets_others_pass(tmp_path: Path) -> None:
    """It begins nothing and does not land; one that is behind it in the queue does."""
    world = scene(tmp_path, configured("width = 2", "width = 3"), fix=[GOOD], other=[GOOD])

    def lose(engine: Engine) -> None:
        intent = e.EffectIntended(receipt="r-close", kind="close", issue="fix")
        engine.book.record_run(intent)
        lost = e.EffectSettled(receipt="r-close", outcome="unknown", detail="no answer")
        engine.book.record_run(lost)
        engine.book.flush()

    at(world, lambda _: len(told(world, e.TurnStarted)) > 1, lose)
    result = world.live()
    assert result is not None
    assert outcomes(world) == {"fix": "open", "other": "landed"}
    assert (result.exit_code, world.is_ended) == (1, False)
    say(world, "reconcile", receipt="r-close", outcome="done")
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed", "other": "landed"}


def test_another_run_does_not_take_the_issue_before_it_is_known(tmp_path: Path) -> None:
    """`--anew` ends the run, and the receipt still blocks its issue."""
    world, _ = tracked(tmp_path, only("claim", SILENT))
    world.live()
    first, world.anew = run_of(world), True
    result = world.live()
    assert result is not None
    assert first == run_of(world), "no run is begun in which nothing could be taken"
    assert f"receipt {first}-fix-claim to be reconciled" in result.summary.waiting[0].waits_for


@pytest.mark.parametrize("after_effect", [False, True])
def test_a_push_whose_runner_died_is_asked_for_before_another_is_made(
    tmp_path: Path, *, after_effect: bool
) -> None:
    """The remote says whether it came; it is pushed once, and its history has both."""
    world = scene(
        tmp_path, configured("[limits]", '[land]\npublish = "origin"\n[limits]'), fix=[GOOD]
    )

    def kill(_: Engine) -> None:
        found, run = process(world, "publication-1"), world.durable.run
        assert found is not None
        assert run is not None
        assert run.publication is not None
        if after_effect:
            world.git.publish(
                PublishWork(remote="", ref=run.publication.ref, old=None, new=run.publication.new)
            )
        world.host.kill_runner(found, with_agent=True)

    at(world, runs_in(world, "publication-1"), kill)
    assert world.run_to_end().exit_code == 0
    assert [each.outcome for each in told(world, e.ReceiptReconciled)] == [
        "done" if after_effect else "failed"
    ]
    assert len(world.git.pushes) == 1


def test_a_delivery_that_waits_tells_nothing_of_the_one_before(tmp_path: Path) -> None:
    """What is in the way may have come after it: nobody says that it failed. The next one tells."""
    world = scene(tmp_path, fix=[GOOD])

    def lose(_: Engine) -> None:
        found = process(world, "delivery-1")
        assert found is not None
        world.git.checkout.dirt = "there are uncommitted changes"
        world.host.kill_runner(found, with_agent=True)

    at(world, runs_in(world, "delivery-1"), lose)
    assert world.live() is not None
    settled = [each.outcome for each in told(world, e.DeliverySettled)]
    assert settled == ["unknown", "waiting"]
    assert (told(world, e.ReceiptReconciled), world.is_ended) == ([], False)
    world.git.checkout.dirt = None
    world.run_to_end()
    assert [each.outcome for each in told(world, e.ReceiptReconciled)] == ["done"]


def test_a_controller_that_dies_reconciles_once(tmp_path: Path) -> None:
    """What was recorded is not recorded again by the next one."""
    world, _ = tracked(tmp_path, only("close", SILENT, times=4))
    world.live()
    dying(world, e.ReceiptReconciled)
    world.run_to_end()
    assert world.deaths == 1
    assert len(told(world, e.ReceiptReconciled)) == 1
