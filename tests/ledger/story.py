"""A lawful run in which every kind of event happens, batch by batch."""

from collections.abc import Iterator

from tidegate.core import events as e
from tidegate.core.attempt import State
from tidegate.core.clock import Trust
from tidegate.core.liveness import Action, Classification, Lapse
from tidegate.core.monitor_events import Recovery
from tidegate.core.stop_matrix import Condition, Severity
from tidegate.core.values import About, Outcome, Refusal, Role, Ruling, Verdict
from tidegate.ports.ledger import Batch
from tidegate.testing.ledger_history import LATER, UTC, History, digest, tree

ONE, TWO, THREE = "001-build-1", "002-build-1", "003-build-1"
CHECK = "001-check-1"
CANDIDATE = e.CandidateMade(attempt=ONE, target=tree(0), tip=tree(3), commit=tree(7), tree=tree(2))


def batches(history: History) -> Iterator[Batch]:
    """What a controller would commit, tick by tick."""
    yield from _start(history)
    yield from _build(history)
    yield from _check_and_rework(history)
    yield from _land(history)
    yield from _replace(history)
    yield from _reopen(history)
    yield from _rule_by_the_owner(history)
    yield from _end(history)


def _start(h: History) -> Iterator[Batch]:
    took = e.ControllerTookOver(
        controller_epoch=1,
        holder="host-1:1",
        version="0",
        utc=UTC,
        monotonic_s=1.0,
        boottime_s=1.5,
        boot_id="b",
    )
    base = e.BaseChecked(commit=tree(0), tree=tree(1), verdict=Verdict.PASS, log_digest=digest(9))
    yield Batch(entries=(h.entry("", took), h.entry("", base)))


def _build(h: History) -> Iterator[Batch]:
    yield Batch(entries=tuple(h.begun("001", ONE)))
    ready = e.WorkspaceReady(attempt=ONE, environment_digest=digest(8))
    grant = h.grant(ONE)
    yield Batch(entries=(h.entry("001", ready), h.turn_opened("001", ONE)), leases=(grant,))
    yield Batch(entries=(h.turn_started("001", ONE),), leases=(h.renewal(ONE, 1),))
    again = h.grant(ONE, now_utc="2026-01-01T00:09:00.000Z")
    regranted = e.Regranted(attempt=ONE, turn=1, epoch=2)
    yield Batch(entries=(h.entry("001", regranted),), leases=(again,))
    yield Batch(entries=(h.checkpointed("001", ONE),))
    ended = h.turn_ended("001", ONE)
    yield Batch(entries=(ended, *_harvest(h, "001", ONE, 1)), leases=(h.give_back(ONE),))
    yield Batch(entries=(h.materialized("001", ONE),))


def _harvest(h: History, lane: str, attempt: str, turn: int) -> Iterator[e.Entry]:
    harvested = e.Harvested(
        attempt=attempt, turn=turn, tip=tree(3), tree=tree(2), is_empty=False, pins=4
    )
    staged = e.ArtifactStaged(
        attempt=attempt, turn=turn, path="a/1.md", digest=digest(5), is_valid=True
    )
    yield h.entry(lane, harvested)
    yield h.entry(lane, staged)


def _check_and_rework(h: History) -> Iterator[Batch]:
    yield Batch(entries=(h.entry("001", CANDIDATE),))
    yield Batch(entries=(h.requested("001", CHECK, role=Role.CHECK), h.dispatched("001", CHECK)))
    grant = h.grant(CHECK)
    opened = (h.turn_opened("001", CHECK), h.turn_started("001", CHECK))
    yield Batch(entries=opened, leases=(grant,))
    yield Batch(
        entries=(
            h.turn_ended("001", CHECK),
            h.checkpointed("001", CHECK),
            h.materialized("001", CHECK),
            h.judged("001", CHECK, Verdict.FAIL),
            h.entry("001", e.Accepted(attempt=CHECK), to=State.ACCEPTED),
            h.judged("001", ONE, Verdict.FAIL),
        ),
        leases=(h.give_back(CHECK),),
    )
    grant = h.grant(ONE)
    opened = (h.turn_opened("001", ONE), h.turn_started("001", ONE))
    yield Batch(entries=opened, leases=(grant,))
    ended = h.turn_ended("001", ONE)
    corrected = h.corrected("001", ONE, 10)
    yield Batch(
        entries=(ended, corrected, h.judged("001", ONE, Verdict.PASS)),
        leases=(h.give_back(ONE),),
    )


def _land(h: History) -> Iterator[Batch]:
    ruled = e.Ruled(attempt=ONE, ruling=Ruling.LAND, by="auto", tree=tree(10))
    intended = e.LandingIntended(
        attempt=ONE, ref="refs/heads/x", old=tree(0), new=tree(7), tree=tree(10)
    )
    refused = e.LandingRefused(attempt=ONE, actual=tree(11))
    landed = e.Landed(attempt=ONE, ref="refs/heads/x", commit=tree(7), tree=tree(10))
    yield Batch(entries=(h.entry("001", ruled), h.entry("001", intended)))
    again = (refused, CANDIDATE, ruled, intended)
    yield Batch(entries=tuple(h.entry("001", event) for event in again))
    yield Batch(
        entries=(
            h.entry("001", landed),
            h.entry("001", e.Accepted(attempt=ONE), to=State.ACCEPTED),
            h.entry("001", e.LaneEnded(outcome=Outcome.LANDED, reason="")),
            h.entry("001", e.WorkspaceRemoved(attempt=ONE)),
        )
    )


def _replace(h: History) -> Iterator[Batch]:
    """A runner dies; its attempt is fenced, stopped and replaced; the new one fails for good."""
    yield Batch(entries=tuple(h.begun("002", TWO)))
    grant = h.grant(TWO)
    opened = (h.turn_opened("002", TWO), h.turn_started("002", TWO))
    yield Batch(entries=opened, leases=(grant,))
    yield from _supervise(h)
    fence = h.give_back(TWO, fence=True)
    lost = (
        h.turn_ended("002", TWO, how="lost"),
        h.ended("002", e.Stale(attempt=TWO, reason="lost")),
        h.ended("002", e.Stopped(attempt=TWO, reason="lost")),
    )
    yield Batch(entries=lost, leases=(fence,))
    second = "002-build-2"
    born = h.requested("002", second, born=State.REPLACED, supersedes=TWO)
    yield Batch(entries=(born, h.dispatched("002", second)))
    failed = h.ended("002", e.Failed(attempt=second, reason="not_started", detail=""))
    yield Batch(entries=(failed,))


def _supervise(h: History) -> Iterator[Batch]:
    """A controller comes back, observes, acts, and keeps apart what comes too late."""
    seen = e.Observed(
        attempt=TWO,
        state="started",
        checkpoint=None,
        lease_epoch=1,
        deadline_utc=LATER,
        classification=Classification.STALE,
        beat_sequence=7,
        output_bytes=12,
        commit=None,
        silent_s=130.0,
        active_s=200.0,
        progress="nothing that can be seen",
        action=Action.STOP,
        key=f"{TWO}/1/missed_beats/stop",
        working="",
        not_working="missed beats",
        changed="nothing that can be seen",
        next="it is asked to end",
    )
    claimed = e.InterventionClaimed(
        attempt=TWO,
        turn=1,
        key=f"{TWO}/1/missed_beats/stop",
        action=Action.STOP,
        lapse=Lapse.MISSED_BEATS,
    )
    found = e.Recovered(attempt=TWO, outcome=Recovery.ADOPTED, controller_epoch=1)
    late = e.StaleWriteRefused(attempt=TWO, turn=1, what="beat", epoch=1, granted=2)
    apart = e.Quarantined(attempt=TWO, turn=1, path="quarantine/x", file_digest=digest(9))
    events = (found, seen, claimed, late, apart)
    yield Batch(entries=tuple(h.entry("002", event) for event in events))
    yield from _look_at_clocks(h)


def _look_at_clocks(h: History) -> Iterator[Batch]:
    """The machine slept, a round was made, and a row of the stop matrix came true."""
    slept = e.ClockReconciled(
        trust=Trust.SUSPENDED,
        suspended_s=60.0,
        stepped_s=0.0,
        utc=UTC,
        monotonic_s=1.0,
        boottime_s=2.0,
        boot_id="b",
    )
    ran = e.MonitorRan(
        observed=1,
        inconclusive=0,
        next_s=590.0,
        utc=UTC,
        monotonic_s=1.0,
        boottime_s=2.0,
        boot_id="b",
    )
    decided = e.Decided(
        condition=Condition.BUDGET_EXHAUSTED,
        severity=Severity.MEDIUM,
        authority="deadline controller",
        lane="002",
        attempt=None,
        evidence="missed_beats",
        owner="the lane's owner",
        recovery="one replacement",
    )
    yield Batch(entries=tuple(h.entry("", event) for event in (slept, ran, decided)))


def _reopen(h: History) -> Iterator[Batch]:
    """A change does not merge, git fails, the owner blocks it and opens it again."""
    yield Batch(entries=tuple(h.reviewed("003", THREE)))
    conflicted = e.Conflicted(
        attempt=THREE, target=tree(12), tip=tree(3), paths=("a",), finding_digest=digest(7)
    )
    job = e.JobFailed(attempt=THREE, job="merge", reason="disk", detail=digest(6))
    uncounted = h.judged("003", THREE, Verdict.FAIL, counts=False)
    yield Batch(entries=(uncounted, h.entry("003", conflicted), h.entry("003", job)))
    stop = e.Ruled(attempt=THREE, ruling=Ruling.STOP, by="owner", tree=tree(2))
    blocked = h.ended("003", e.Blocked(attempt=THREE, reason="stop"))
    yield Batch(entries=(blocked, h.entry("003", stop)))
    born = h.requested("003", "003-build-2", born=State.REOPENED, supersedes=THREE)
    yield Batch(entries=(born, h.dispatched("003", "003-build-2")))


def _rule_by_the_owner(h: History) -> Iterator[Batch]:
    """An adjudicator refuses, the owner builds it all the same, rules, vetoes, and ends it."""
    judge, build = "004-adjudicate-1", "004-build-1"
    begun = (h.opened("004"), h.requested("004", judge, role=Role.ADJUDICATE))
    yield Batch(entries=(*begun, h.dispatched("004", judge)))
    grant = h.grant(judge)
    opened = (h.turn_opened("004", judge), h.turn_started("004", judge))
    yield Batch(entries=opened, leases=(grant,))
    found = e.Adjudicated(
        attempt=judge,
        kind=Refusal.STALE,
        footprint=("src/**",),
        fixture="tests/test_it.py",
        report_digest=digest(8),
    )
    refused = e.Asked(
        attempt=judge,
        question="004-q1",
        about=About.REFUSAL,
        options=("refuse", "build", "defer"),
        detail_digest=digest(8),
    )
    yield Batch(
        entries=(
            h.turn_ended("004", judge),
            h.checkpointed("004", judge),
            h.materialized("004", judge),
            h.entry("004", found, to=State.REVIEWED),
            h.entry("004", e.Accepted(attempt=judge), to=State.ACCEPTED),
            h.entry("004", refused),
        ),
        leases=(h.give_back(judge),),
    )
    answered = e.Answered(
        attempt=judge, question="004-q1", answer="build", by="owner", words_digest=None
    )
    built = e.Ruled(attempt=judge, ruling=Ruling.BUILD, by="owner", tree="")
    reserved = e.Reserved(footprint=("src/**",))
    yield Batch(entries=tuple(h.entry("004", event) for event in (answered, built, reserved)))
    yield Batch(entries=(h.requested("004", build), h.dispatched("004", build)))
    yield from _ask_of_a_landing(h, build)


def _ask_of_a_landing(h: History, build: str) -> Iterator[Batch]:
    """It has passed and is asked about; its owner vetoes it, and then ends the lane."""
    asked = e.Asked(
        attempt=build,
        question="004-q2",
        about=About.LANDING,
        options=("land", "stop", "defer"),
        detail_digest=None,
    )
    released = e.Released(reason="it waits for its owner")
    vetoed = e.Vetoed(attempt=build, items=2, finding_digest=digest(9), by="owner")
    stop = e.StopAsked(reason="not now", by="owner")
    evicted = e.WorkspaceEvicted(attempt=build)
    cleared = e.WorkspaceCleared(attempt=build)
    yield Batch(
        entries=tuple(
            h.entry("004", event) for event in (asked, released, evicted, cleared, vetoed, stop)
        )
    )


def _end(h: History) -> Iterator[Batch]:
    first = e.DeliveryIntended(receipt="d-1", ref="refs/heads/x", old=None, new=tree(7))
    second = e.DeliveryIntended(receipt="d-2", ref="refs/heads/x", old=None, new=tree(7))
    waits = e.DeliverySettled(receipt="d-1", outcome="waiting", detail="a dirty checkout")
    yield from _outside(h)
    done = e.RunEnded(landed=1, stopped=1, waiting=1, reason="")
    yield Batch(entries=(h.entry("", first), h.entry("", waits), h.entry("", second)))
    yield Batch(entries=(h.entry("", done),))


def _outside(h: History) -> Iterator[Batch]:
    """A branch is published, the tracker has one thing done and says no to another."""
    pushed = e.PublishIntended(
        receipt="p-1", remote="origin", ref="refs/heads/x", old=None, new=tree(7)
    )
    close = e.EffectIntended(
        receipt="c-1", kind="close", issue="001", commit=tree(7), target="refs/heads/x"
    )
    told = e.EffectIntended(receipt="c-2", kind="comment", issue="002", text_digest=digest(4))
    intents = (pushed, close, told)
    outcomes = (
        e.PublishSettled(receipt="p-1", outcome="published", detail=""),
        e.EffectSettled(receipt="c-1", outcome="done", detail=""),
        e.EffectSettled(receipt="c-2", outcome="refused", detail="it is locked"),
    )
    lost = e.EffectIntended(receipt="c-3", kind="release", issue="002")
    unknown = e.EffectSettled(receipt="c-3", outcome="unknown", detail="no answer")
    known = e.ReceiptReconciled(receipt="c-3", outcome="failed", by="owner", reason="I looked")
    held = (e.DrainAsked(by="owner", reason="an upgrade"), e.DrainLifted(by="owner"))
    again = e.DrainAsked(by="owner", reason="")
    for batch in (intents, outcomes, (lost, unknown), (known, *held, again)):
        yield Batch(entries=tuple(h.entry("", event) for event in batch))
