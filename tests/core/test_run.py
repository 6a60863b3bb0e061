"""What a run is after its own stream and after the events of its lanes."""

from dataclasses import replace
from functools import reduce

import pytest

from tests.core.samples import made
from tidegate.core import events as e
from tidegate.core.errors import IllegalTransition
from tidegate.core.run import Run, evolve_run, with_lane_event
from tidegate.core.values import Verdict

STARTED = made(e.RunStarted, base="base", base_tree="tree-base")
INTENT = made(e.DeliveryIntended, receipt="r", new="new")


def folded(*events: e.RunEvent) -> Run:
    """The run after these events."""
    run = None
    for version, event in enumerate((STARTED, *events), start=1):
        entry = made(
            e.Entry, lane="", version=version, event=event, attempt=None, previous=None, next=None
        )
        run = evolve_run(run, "run", entry)
    assert run is not None
    return run


def test_a_run_begins_at_its_base() -> None:
    """Its target is the commit that it started from; nothing has passed yet."""
    run = folded()
    assert (run.target, run.target_tree, run.version) == ("base", "tree-base", 1)
    assert (run.base_verdict, run.passed, run.ended) == (None, {}, None)


def test_nothing_happens_in_a_run_that_was_never_started() -> None:
    """The first event of a run starts it."""
    entry = made(e.Entry, lane="", event=INTENT, attempt=None, previous=None, next=None)
    with pytest.raises(IllegalTransition, match="never started"):
        evolve_run(None, "run", entry)


@pytest.mark.parametrize(("verdict", "passed"), [(Verdict.PASS, {"tree"}), (Verdict.FAIL, set())])
def test_a_base_that_passed_is_remembered(verdict: Verdict, passed: set[str]) -> None:
    """Its very tree need not be checked again; a red one is no pass."""
    run = folded(made(e.BaseChecked, verdict=verdict, tree="tree", log_digest="log"))
    assert (run.base_verdict, run.base_log) == (verdict, "log")
    assert set(run.passed) == passed


def test_a_delivery_is_open_until_its_end_is_known() -> None:
    """The intent stays until it is settled, and each has a number of its own."""
    run = folded(INTENT)
    assert (run.delivery, run.deliveries, run.delivered) == (INTENT, 1, None)
    run = folded(INTENT, made(e.DeliverySettled, outcome="delivered"), INTENT)
    assert (run.delivery, run.deliveries, run.delivered) == (INTENT, 2, "new")


def test_a_delivery_that_waits_keeps_its_reason() -> None:
    """Nothing counts as delivered that was not."""
    run = folded(INTENT, made(e.DeliverySettled, outcome="waiting", detail="dirty"))
    assert (run.delivery, run.delivered, run.waiting) == (None, None, "dirty")
    run = folded(INTENT, made(e.DeliverySettled, outcome="waiting", detail="dirty"), INTENT,
                 made(e.DeliverySettled, outcome="delivered", detail="x"))  # fmt: skip
    assert (run.delivered, run.waiting) == ("new", "")


def test_a_push_is_open_until_its_end_is_known() -> None:
    """What is published is what was pushed; a push that came to nothing keeps its reason."""
    intent = made(e.PublishIntended, new="new")
    assert folded(intent).publication == intent
    refused = folded(intent, made(e.PublishSettled, outcome="refused", detail="elsewhere"))
    assert (refused.publication, refused.published) == (None, None)
    assert (refused.unpublished, refused.publications) == ("elsewhere", 1)
    done = folded(intent, made(e.PublishSettled, outcome="published", detail=""))
    assert (done.publication, done.published, done.unpublished) == (None, "new", "")


def test_the_tracker_is_told_each_thing_once() -> None:
    """What it was to be told stays under its receipt, and is open until it has answered."""
    claim = made(e.EffectIntended, receipt="one", kind="claim")
    close = made(e.EffectIntended, receipt="two", kind="close")
    run = folded(claim, close, made(e.EffectSettled, receipt="one", outcome="done", detail=""))
    assert run.untold == (close,)
    assert [(each.intent.kind, each.outcome) for each in run.told.values()] == [
        ("claim", "done"),
        ("close", None),
    ]


def test_no_answer_comes_to_what_was_never_asked() -> None:
    """An outcome without its intent is no history."""
    with pytest.raises(IllegalTransition, match="never intended two"):
        folded(made(e.EffectSettled, receipt="two"))


def test_a_landing_moves_the_target() -> None:
    """The next change is merged onto what landed last."""
    landings = [made(e.Landed, commit=f"c{n}", tree=f"t{n}") for n in range(3)]
    run = reduce(lambda run, event: with_lane_event(run, event, "lane"), landings, folded())
    assert (run.target, run.target_tree) == ("c2", "t2")


def test_a_tree_that_passed_is_remembered_with_its_lane() -> None:
    """A FAIL, a verifier's PASS, which is no check's, and any other event are not."""
    passed, failed = (
        made(e.Judged, verdict=v, is_check=True) for v in (Verdict.PASS, Verdict.FAIL)
    )
    run = with_lane_event(folded(), replace(passed, tree="t"), "lane")
    run = with_lane_event(run, replace(failed, tree="u"), "lane")
    run = with_lane_event(run, replace(passed, tree="v", is_check=False), "lane")
    run = with_lane_event(run, made(e.Accepted), "lane")
    assert run.passed == {"t": "lane"}


def test_the_end_of_a_run_is_kept() -> None:
    """A run that a controller takes over stays as it was, and its end is final."""
    run = folded(made(e.ControllerTookOver), made(e.RunEnded, reason="done"))
    assert run.ended == made(e.RunEnded, reason="done")
    assert run.version == 3
