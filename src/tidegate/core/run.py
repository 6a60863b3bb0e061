"""What is known of a run as a whole: the fold of its own stream, lane ""."""

from collections.abc import Mapping
from dataclasses import field

from tidegate.core import events as e
from tidegate.core.clock import Reading, Trust
from tidegate.core.drain import Drain
from tidegate.core.errors import IllegalTransition
from tidegate.core.records import record, replace
from tidegate.core.values import Verdict


@record
class Told:
    """Something that the tracker is told, and what it made of it; None while nobody knows yet."""

    intent: e.EffectIntended
    outcome: str | None = None
    detail: str = ""


Intent = e.DeliveryIntended | e.PublishIntended | e.EffectIntended


@record
class Unknown:
    """Something outside of which nobody knows whether it happened: blocked until that is known."""

    intent: Intent
    detail: str

    @property
    def issue(self) -> str | None:
        """The issue that it is about, where it is about one."""
        return self.intent.issue if isinstance(self.intent, e.EffectIntended) else None


@record
class Run:
    """One frozen request. `target` is the commit that the run's ref is at in the hub."""

    id: str
    started: e.RunStarted
    version: int
    target: str
    target_tree: str
    base_verdict: Verdict | None = None
    base_log: str = ""
    delivery: e.DeliveryIntended | None = None
    """A delivery whose end is not known."""
    delivered: str | None = None
    waiting: str = ""
    """Why the newest delivery could not be made yet."""
    deliveries: int = 0
    publication: e.PublishIntended | None = None
    """A push whose end is not known."""
    published: str | None = None
    unpublished: str = ""
    """Why the newest push came to nothing."""
    publications: int = 0
    told: Mapping[str, Told] = field(default_factory=dict)
    """What the tracker is told, by its receipt, in the order in which it was intended."""
    unanswered: Mapping[str, e.EffectIntended] = field(default_factory=dict)
    """What it is told and has not answered yet, by its receipt: each tick looks at these alone."""
    ended: e.RunEnded | None = None
    anchor: Reading | None = None
    """The clocks as they were recorded last: what is read later is reconciled with them."""
    drain: Drain | None = None
    """Nothing new begins, whoever carries the run, until that is lifted."""
    unknown: Mapping[str, Unknown] = field(default_factory=dict)
    """What ended outside as nobody knows how, by its receipt, until that is reconciled."""
    passed: Mapping[str, str] = field(default_factory=dict)
    """Trees that passed this run's gate, and what said so."""

    @property
    def untold(self) -> tuple[e.EffectIntended, ...]:
        """What the tracker is to be told and has not answered yet."""
        return tuple(self.unanswered.values())

    @property
    def blocked(self) -> Mapping[str, str]:
        """The issues of which something outside is unknown, each with its receipt."""
        found = ((each.issue, receipt) for receipt, each in self.unknown.items())
        return {issue: receipt for issue, receipt in found if issue is not None}

    @property
    def unknown_push(self) -> e.PublishIntended | None:
        """The push of which nobody knows whether it happened: none may follow it before."""
        pushes = (each.intent for each in self.unknown.values())
        return next((each for each in pushes if isinstance(each, e.PublishIntended)), None)


def evolve_run(run: Run | None, run_id: str, entry: e.Entry) -> Run:
    """The run after an entry of its own stream."""
    event = entry.event
    if isinstance(event, e.RunStarted):
        return Run(
            id=run_id,
            started=event,
            version=entry.version,
            target=event.base,
            target_tree=event.base_tree,
        )
    if run is None:
        raise IllegalTransition(f"run {run_id} was never started")
    run = replace(run, version=entry.version)
    match event:
        case e.DrainAsked(by=by, reason=reason):
            return replace(run, drain=Drain(since=entry.utc, by=by, reason=reason))
        case e.DrainLifted():
            return replace(run, drain=None)
        case _:
            return _changed(run, event)


def _changed(run: Run, event: e.Event) -> Run:
    match event:
        case e.BaseChecked(verdict=verdict, log_digest=log, tree=tree):
            passed = {**run.passed, tree: "base"} if verdict is Verdict.PASS else run.passed
            return replace(run, base_verdict=verdict, base_log=log, passed=passed)
        case e.DeliveryIntended():
            return replace(run, delivery=event, deliveries=run.deliveries + 1)
        case e.DeliverySettled(outcome=outcome, detail=detail):
            done = run.delivery.new if run.delivery and outcome == "delivered" else run.delivered
            waiting = "" if outcome == "delivered" else detail
            run = _with_unknown(run, run.delivery, outcome, detail)
            return replace(run, delivery=None, delivered=done, waiting=waiting)
        case e.RunEnded():
            return replace(run, ended=event)
        case e.ClockReconciled(trust=Trust.UNTRUSTED):
            return run  # what contradicts all that came before is nothing to go by
        case e.ClockReconciled() | e.MonitorRan():
            return replace(run, anchor=_anchor(event))
        case _:
            return _changed_outside(run, event)


def _anchor(event: e.ClockReconciled | e.MonitorRan) -> Reading:
    return Reading(
        utc=event.utc,
        monotonic_s=event.monotonic_s,
        boottime_s=event.boottime_s,
        boot_id=event.boot_id,
    )


def _changed_outside(run: Run, event: e.Event) -> Run:
    match event:
        case e.PublishIntended():
            return replace(run, publication=event, publications=run.publications + 1)
        case e.PublishSettled(outcome=outcome, detail=detail):
            is_done = outcome == "published"
            done = run.publication.new if run.publication and is_done else run.published
            run = _with_unknown(run, run.publication, outcome, detail)
            return replace(
                run, publication=None, published=done, unpublished="" if is_done else detail
            )
        case e.EffectIntended(receipt=receipt):
            told = {**run.told, receipt: Told(intent=event)}
            return replace(run, told=told, unanswered={**run.unanswered, receipt: event})
        case e.EffectSettled(receipt=receipt, outcome=outcome, detail=detail):
            run = _with_unknown(run, run.unanswered.get(receipt), outcome, detail)
            told = {**run.told, receipt: _answered(run, receipt, outcome, detail)}
            still = {name: each for name, each in run.unanswered.items() if name != receipt}
            return replace(run, told=told, unanswered=still)
        case e.ReceiptReconciled():
            return _reconciled(run, event)
        case _:
            return run


def _answered(run: Run, receipt: str, outcome: str, detail: str) -> Told:
    told = run.told.get(receipt)
    if told is None:
        raise IllegalTransition(f"run {run.id} never intended {receipt}")
    return replace(told, outcome=outcome, detail=detail)


def _with_unknown(run: Run, intent: Intent | None, outcome: str, detail: str) -> Run:
    """With what nobody knows the end of; a push whose end is known tells of those before it."""
    if intent is None:
        return run
    if outcome == "unknown":
        unknown = {**run.unknown, intent.receipt: Unknown(intent=intent, detail=detail)}
        return replace(run, unknown=unknown)
    if not isinstance(intent, e.PublishIntended) or run.unknown_push is None:
        return run
    others = {
        receipt: each
        for receipt, each in run.unknown.items()
        if not isinstance(each.intent, e.PublishIntended)
    }
    return replace(run, unknown=others)


def _reconciled(run: Run, event: e.ReceiptReconciled) -> Run:
    """The same as if the outcome had been known at once. What was recorded before stays."""
    found = run.unknown.get(event.receipt)
    if found is None:
        raise IllegalTransition(f"nothing of run {run.id} is unknown under {event.receipt}")
    still = {receipt: each for receipt, each in run.unknown.items() if receipt != event.receipt}
    run, is_done = replace(run, unknown=still), event.outcome == "done"
    match found.intent:
        case e.EffectIntended(receipt=receipt):
            told = _answered(run, receipt, event.outcome, event.reason)
            return replace(run, told={**run.told, receipt: told})
        case e.PublishIntended(new=new) if is_done:
            return replace(run, published=new, unpublished="")
        case e.DeliveryIntended(new=new) if is_done and run.target == new:
            return replace(run, delivered=new, waiting="")
        case _:
            return run


def with_lane_event(run: Run, event: e.Event, lane: str) -> Run:
    """The run after an event of a lane: landings move the target, passes are remembered."""
    match event:
        case e.Landed(commit=commit, tree=tree):
            return replace(run, target=commit, target_tree=tree)
        case e.Judged(verdict=Verdict.PASS, tree=tree, is_check=True):
            return replace(run, passed={**run.passed, tree: lane})
        case _:
            return run
