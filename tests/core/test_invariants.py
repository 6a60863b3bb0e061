"""Each rule of a lawful history is broken by a history that was forged to break it."""

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from functools import cache
from typing import Any, get_args

import pytest

from tests.playbooks.answers import Answer
from tests.playbooks.story import LANE, Story
from tidegate.core import events as e
from tidegate.core.attempt import State
from tidegate.core.history import Breach
from tidegate.core.invariants import FOLLOWS, INVARIANTS, Watch
from tidegate.core.liveness import Action, Lapse
from tidegate.core.monitor_events import Recovery
from tidegate.core.values import Outcome, Role, Verdict
from tidegate.testing.ledger_history import RUN, RUN_STARTED, UTC

Entries = list[e.Entry]
REF = "refs/heads/x"
DELIVERY = e.DeliveryIntended(receipt="d-1", ref=REF, old=None, new="n")
DELIVERED = e.DeliverySettled(receipt="d-1", outcome="delivered", detail="")
TOOK_OVER = e.ControllerTookOver(
    controller_epoch=1, holder="h", version="1", utc=UTC, monotonic_s=1.0, boottime_s=1.0,
    boot_id="b",
)  # fmt: skip


BUILD, CHECK = f"{LANE}-build-1", f"{LANE}-check-1"
RECOVERED = e.Recovered(attempt=BUILD, outcome=Recovery.ADOPTED, controller_epoch=1)
CLAIMED = e.InterventionClaimed(
    attempt=BUILD, turn=1, key=f"{BUILD}/1/missed_beats/stop", action=Action.STOP,
    lapse=Lapse.MISSED_BEATS,
)  # fmt: skip


@cache
def lawful() -> tuple[e.Entry, ...]:
    """A run of one lane: it fails its check once, answers, lands, and is delivered."""
    story = Story(check=(Answer.FAILS, Answer.FAILS, Answer.PASSES)).run()
    assert story.outcome is Outcome.LANDED
    before = (of_run(RUN_STARTED), of_run(TOOK_OVER))
    after = (of_run(DELIVERY), of_run(DELIVERED))
    watched_over = added(e.TurnStarted, RECOVERED, CLAIMED, attempt=BUILD)
    return (*watched_over([*before, *story.entries, *after]),)


def of_run(event: e.RunEvent) -> e.Entry:
    """An entry of the run's own stream."""
    return e.Entry(
        lane="", version=0, attempt=None, epoch=0, event=event, actor="controller", previous=None,
        next=None, reason="", utc=UTC,
    )  # fmt: skip


def numbered(entries: Entries) -> Entries:
    """The same, counted anew in each stream."""
    versions: dict[str, int] = {}
    for entry in entries:
        versions[entry.lane] = versions.get(entry.lane, 0) + 1
    counts: dict[str, int] = {}
    made = []
    for entry in entries:
        counts[entry.lane] = counts.get(entry.lane, 0) + 1
        made.append(replace(entry, version=counts[entry.lane]))
    return made


def watched(entries: Sequence[e.Entry]) -> tuple[Watch, list[Breach]]:
    """Every breach of a history, in order."""
    watch = Watch(RUN)
    recorded = [
        e.Recorded(run=RUN, sequence=number, entry=entry, previous_hash="", hash="")
        for number, entry in enumerate(entries, 1)
    ]
    return watch, list(watch.all(recorded))


def place(entries: Sequence[e.Entry], kind: type, nth: int = 0, **says: object) -> int:
    """Where the nth event of a kind is that says this."""
    found = [
        number
        for number, entry in enumerate(entries)
        if isinstance(entry.event, kind)
        and all(getattr(entry.event, name) == value for name, value in says.items())
    ]
    return found[nth]


def doubled(kind: type) -> Callable[[Entries], Entries]:
    """The last event of a kind happens once more, at once."""

    def forge(entries: Entries) -> Entries:
        at = place(entries, kind, -1)
        return numbered([*entries[: at + 1], entries[at], *entries[at + 1 :]])

    return forge


def without(kind: type) -> Callable[[Entries], Entries]:
    """No event of a kind ever happened."""
    return lambda entries: numbered([each for each in entries if not isinstance(each.event, kind)])


def _saying(event: e.Event, **says: Any) -> Any:
    """The event with other words."""
    return type(event)(**{**{f.name: getattr(event, f.name) for f in fields(event)}, **says})


def changed(
    kind: type, nth: int = 0, *, event: dict[str, Any] | None = None, **entry: Any
) -> Callable[[Entries], Entries]:
    """One event says something else."""

    def forge(entries: Entries) -> Entries:
        at = place(entries, kind, nth)
        said = _saying(entries[at].event, **(event or {}))
        return [*entries[:at], replace(entries[at], event=said, **entry), *entries[at + 1 :]]

    return forge


def added(after: type, *events: e.LaneEvent, **says: Any) -> Callable[[Entries], Entries]:
    """Further events of the lane behind one; each moves nothing."""

    def forge(entries: Entries) -> Entries:
        at = place(entries, after, **says)
        more = [_beside(entries[at], event, entries) for event in events]
        return numbered([*entries[: at + 1], *more, *entries[at + 1 :]])

    return forge


def _beside(entry: e.Entry, event: e.LaneEvent, entries: Entries) -> e.Entry:
    attempt = getattr(event, "attempt", None)
    own = [each.epoch for each in entries[: entries.index(entry) + 1] if each.attempt == attempt]
    born = event.born if isinstance(event, e.Requested) else None
    epoch = own[-1] if own and attempt else 0
    return replace(
        entry, event=event, attempt=attempt, epoch=epoch, previous=None, next=born, reason=""
    )


_VETO = e.Vetoed(attempt=CHECK, items=1, finding_digest="f", by="owner")
_FAIL = e.Judged(
    attempt=BUILD, by="controller", verdict=Verdict.FAIL, tree="t", counts=True,
    finding_digest="f", reason="exit 1",
)  # fmt: skip
_SECOND = e.Requested(
    attempt=f"{LANE}-build-2", role=Role.BUILD, agent="shell", born=State.REQUESTED,
    supersedes=None, cause=None, commit=None,
)  # fmt: skip


def _skipped(entries: Entries) -> Entries:
    at = place(entries, e.TurnOpened)
    later = [
        replace(each, version=each.version + 1) if each.lane == LANE else each
        for each in entries[at:]
    ]
    return [*entries[:at], *later]


def _landed_elsewhere(entries: Entries) -> Entries:
    return changed(e.LandingIntended, event={"tree": "another"})(entries)


def _granted_again(entries: Entries) -> Entries:
    """The builder's second turn goes under the epoch of its first."""
    at = place(entries, e.TurnOpened, 1, attempt=BUILD)
    old = entries[place(entries, e.TurnOpened, 0, attempt=BUILD)].epoch
    event = _saying(entries[at].event, epoch=old)
    return [*entries[:at], replace(entries[at], event=event, epoch=old), *entries[at + 1 :]]


def _staged_anew(entries: Entries) -> Entries:
    at = place(entries, e.ArtifactStaged)
    again = _saying(entries[at].event, digest="another")
    return numbered([*entries[: at + 1], replace(entries[at], event=again), *entries[at + 1 :]])


FORGERIES: dict[str, tuple[type, Callable[[Entries], Entries]]] = {
    FOLLOWS: (e.TurnStarted, changed(e.TurnStarted, event={"turn": 7})),
    "a run begins once, with its start": (e.RunStarted, doubled(e.RunStarted)),
    "events are numbered": (e.TurnOpened, _skipped),
    "controller epochs grow": (e.ControllerTookOver, doubled(e.ControllerTookOver)),
    "an effect is intended once": (e.DeliveryIntended, doubled(e.DeliveryIntended)),
    "an effect is intended before it is settled": (
        e.DeliverySettled, changed(e.DeliverySettled, event={"receipt": "d-2"}),
    ),
    "an effect is settled once": (e.DeliverySettled, doubled(e.DeliverySettled)),
    "every move is in the table": (e.TurnStarted, changed(e.TurnStarted, next=State.ACCEPTED)),
    "every birth is in the table": (
        e.Requested, changed(e.Requested, event={"born": State.REPLACED}, next=State.REPLACED),
    ),
    "one live attempt of a lane and role": (e.Requested, added(e.Requested, _SECOND)),
    "nothing of an ended attempt changes": (e.Vetoed, added(e.Accepted, _VETO)),
    "each grant raises the epoch": (e.TurnOpened, _granted_again),
    "an event carries the epoch that was granted": (
        e.TurnStarted, changed(e.TurnStarted, epoch=9),
    ),
    "rounds are bounded": (e.Judged, added(e.Judged, *(_FAIL,) * 3, attempt=BUILD)),
    "a landing is intended before it happens": (e.Landed, without(e.LandingIntended)),
    "a lane lands once": (e.Landed, doubled(e.Landed)),
    "what lands has passed": (e.LandingIntended, _landed_elsewhere),
    "a lane ends once": (e.LaneEnded, doubled(e.LaneEnded)),
    "a lane ends with all its attempts": (
        e.LaneEnded, added(e.TurnStarted, e.LaneEnded(outcome=Outcome.STOPPED, reason="")),
    ),
    "an artifact is staged once": (
        e.ArtifactStaged, _staged_anew,
    ),
    "an artifact is staged before it is promoted": (
        e.Materialized, changed(e.Materialized, event={"digest": "another"}),
    ),
    "a recovery is told once": (e.Recovered, doubled(e.Recovered)),
    "an intervention is claimed once": (
        e.InterventionClaimed, doubled(e.InterventionClaimed),
    ),
    "a workspace goes after its harvest": (e.WorkspaceRemoved, without(e.Harvested)),
}  # fmt: skip
"""For each rule the event that breaks it first, and how a lawful history becomes such a one."""


def test_a_lawful_history_breaks_no_rule_and_every_rule_is_asked() -> None:
    """G2, G9: what the product does is lawful, and no rule goes unasked in it."""
    watch, breaches = watched(lawful())
    assert breaches == []
    assert watch.events == len(lawful())
    assert min(watch.checked.values()) > 0, watch.checked


@pytest.mark.parametrize("name", [FOLLOWS, *(each.name for each in INVARIANTS)])
def test_a_forged_history_is_caught_by_the_rule_that_it_breaks(name: str) -> None:
    """Each rule has a forgery, which breaks it at the very event that was forged."""
    kind, forge = FORGERIES[name]
    forged = forge(list(lawful()))
    assert forged != list(lawful())
    _, breaches = watched(forged)
    first = breaches[0].sequence
    assert name in {each.invariant for each in breaches if each.sequence == first}, breaches
    assert isinstance(forged[first - 1].event, kind)
    assert all(each.about for each in breaches)


def test_every_kind_of_event_is_asked_of_by_some_rule() -> None:
    """None passes by unseen: at the least its number is looked at."""
    asked = {kind for each in INVARIANTS for kind in each.of}
    assert asked == {*get_args(e.RunEvent), *get_args(e.LaneEvent)}


def test_behind_an_event_that_does_not_follow_its_lane_is_left() -> None:
    """What comes after is told by its number, and is no further breach; other lanes go on."""
    watch, breaches = watched(changed(e.TurnStarted, event={"turn": 7})(list(lawful())))
    assert {each.invariant for each in breaches} == {FOLLOWS}
    assert watch.not_followed > 0
    assert watch.checked["an effect is settled once"] == 1


def test_what_nobody_knew_may_be_settled_later() -> None:
    """An effect of which nobody knows is settled once more, and then for good."""
    unknown = replace(DELIVERED, outcome="unknown")
    known = [*lawful()[:-1], of_run(unknown), of_run(DELIVERED)]
    assert watched(numbered(known))[1] == []
    again = numbered([*known, of_run(DELIVERED)])
    assert [each.invariant for each in watched(again)[1]] == ["an effect is settled once"]


def test_how_something_turned_out_is_said_once() -> None:
    """C167: a reconciliation of what is known is told at that very event; the run goes on."""
    said = e.ReceiptReconciled(receipt="d-1", outcome="done", by="owner", reason="")
    unknown = replace(DELIVERED, outcome="unknown")
    once = [*lawful()[:-1], of_run(unknown), of_run(said)]
    assert watched(numbered(once))[1] == []
    late = numbered([*once, of_run(DELIVERED)])
    assert [each.invariant for each in watched(late)[1]] == ["an effect is settled once"]
    twice = numbered([*once, of_run(said), of_run(e.DrainLifted(by="owner"))])
    (breach,) = watched(twice)[1]
    assert (breach.invariant, breach.sequence) == (FOLLOWS, len(twice) - 1)
