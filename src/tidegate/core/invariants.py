"""What is true of every history that Tidegate recorded: one small function a rule, each by name.

Nothing here trusts what wrote the events. `Watch` folds them with the very functions that a
controller decides by, and asks each rule of each event that it is about. Pure, so that a real
ledger, a forged one and a simulated world are held to the same. A run's own events and those of
its lanes come in the order of their sequence.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from operator import attrgetter
from typing import get_args

from tidegate.core import events as e
from tidegate.core.attempt import State, may_move, may_succeed
from tidegate.core.errors import IllegalTransition
from tidegate.core.evolve import evolve, moves_to
from tidegate.core.history import Breach, Invariant, Past, Step
from tidegate.core.lane import NEVER_RAN, Attempt
from tidegate.core.liveness import claim_key
from tidegate.core.records import replace
from tidegate.core.run import Run, evolve_run
from tidegate.core.settle import HARVESTED
from tidegate.core.values import LANDABLE, Outcome, Verdict

# --- the run's own stream ---------------------------------------------------------------------


def _begins(past: Past, step: Step) -> str:
    is_first, is_start = past.run is None, isinstance(step.entry.event, e.RunStarted)
    if is_first and not is_start:
        return "it begins with something else"
    return "it begins twice" if is_start and not is_first else ""


def _numbered(past: Past, step: Step) -> str:
    if step.entry.lane == "":
        last = past.run.version if past.run else 0
    else:
        last = step.before.version if step.before else 0
    version = step.entry.version
    return f"it is number {version} and follows number {last}" if version != last + 1 else ""


def _takes_over_once(past: Past, step: Step) -> str:
    assert isinstance(step.entry.event, e.ControllerTookOver)
    epoch = step.entry.event.controller_epoch
    if epoch > past.controller_epoch:
        return ""
    return f"a controller took over under epoch {epoch}, after epoch {past.controller_epoch}"


_Intended = e.DeliveryIntended | e.PublishIntended | e.EffectIntended
_Settled = e.DeliverySettled | e.PublishSettled | e.EffectSettled
UNKNOWN = "unknown"


def _intended_once(past: Past, step: Step) -> str:
    assert isinstance(step.entry.event, _Intended)
    receipt = step.entry.event.receipt
    return f"{receipt} is intended again" if receipt in past.receipts else ""


def _settled_after_intent(past: Past, step: Step) -> str:
    assert isinstance(step.entry.event, _Settled)
    receipt = step.entry.event.receipt
    return f"{receipt} was never intended" if receipt not in past.receipts else ""


def _settled_once(past: Past, step: Step) -> str:
    """What nobody knew may be known later; what was known stays."""
    assert isinstance(step.entry.event, _Settled)
    receipt = step.entry.event.receipt
    said = past.receipts.get(receipt)
    return "" if said in (None, UNKNOWN) else f"{receipt} was {said} already"


# --- the state table --------------------------------------------------------------------------


def _move_in_table(_: Past, step: Step) -> str:
    entry, old = step.entry, step.old
    if old is None:
        return f"there is no attempt {entry.attempt}"
    following = moves_to(entry.event, old.state)  # type: ignore[arg-type]  # asked of lanes' events
    if entry.next is not following:
        return f"{entry.attempt} is {old.state} and goes to {entry.next}, not to {following}"
    if following is None:
        return "" if entry.previous is None else f"{entry.attempt} moves out of {entry.previous}"
    if entry.previous is not old.state or not may_move(old.state, following):
        return f"{entry.attempt} goes from {entry.previous} to {following}, and is {old.state}"
    return ""


def _birth_in_table(_: Past, step: Step) -> str:
    event = step.entry.event
    assert isinstance(event, e.Requested)
    if step.old is not None:
        return f"{event.attempt} was there before"
    if (step.entry.previous, step.entry.next, step.entry.epoch) != (None, event.born, 0):
        return f"{event.attempt} is not born {event.born}"
    if event.supersedes is None:
        return "" if event.born is State.REQUESTED else f"{event.attempt} takes nobody's place"
    replaced = step.before.attempts.get(event.supersedes) if step.before else None
    if replaced is None or not may_succeed(replaced.state, event.born):
        where = replaced.state if replaced else "nowhere"
        return f"{event.attempt} is {event.born} in place of {event.supersedes}, which is {where}"
    return ""


def _one_live(_: Past, step: Step) -> str:
    event = step.entry.event
    assert isinstance(event, e.Requested)
    others = step.before.attempts.values() if step.before else ()
    live = [each.id for each in others if each.role is event.role and not each.is_over]
    return f"{event.attempt} is opened while {', '.join(live)} is not over" if live else ""


_KEPT_UP = frozenset({
    "removals_failed", "jobs_failed", "is_removed", "is_being_evicted", "evictions",
    "environment", "start",
})  # fmt: skip
"""What may be said of an attempt that is over: of its workspace alone."""
_SAID = attrgetter(
    *(each.name for each in fields(Attempt) if each.name not in {*_KEPT_UP, "state", "reason"})
)


def _over_is_over(_: Past, step: Step) -> str:
    """The table's own moves out of an ended state are no change of it (`stopped` to `blocked`)."""
    old = step.old
    if old is None or not old.is_over or step.after is None:
        return ""
    new = step.after.attempts[old.id]
    is_same = step.entry.next is not None or (new.state, new.reason) == (old.state, old.reason)
    if is_same and _SAID(new) == _SAID(old):
        return ""
    return f"{old.id} is {old.state}, and is changed"


# --- leases -----------------------------------------------------------------------------------


def _grant_raises(_: Past, step: Step) -> str:
    event, old = step.entry.event, step.old
    assert isinstance(event, e.TurnOpened | e.Regranted)
    last = old.epoch if old else 0
    if event.epoch == step.entry.epoch > last:
        return ""
    return f"turn {event.turn} of {event.attempt} is granted {event.epoch}, after epoch {last}"


def _as_granted(_: Past, step: Step) -> str:
    """Who is proved dead is fenced by one: nothing that it still sends is accepted."""
    entry, old = step.entry, step.old
    if old is None:
        return ""
    is_fenced = isinstance(entry.event, e.TurnEnded) and entry.event.is_fenced
    granted = old.epoch + int(is_fenced)
    return f"it carries epoch {entry.epoch}, and {granted} was granted" * (entry.epoch != granted)


# --- judgement and landing --------------------------------------------------------------------


def _rounds_bounded(past: Past, step: Step) -> str:
    lane = step.after
    if lane is None:
        return ""
    allowed = past.policy.limits.fails_max + lane.rounds_granted
    return f"{lane.fails} FAILs, and {allowed} are allowed" if lane.fails > allowed else ""


def _landing_intended(_: Past, step: Step) -> str:
    event, landing = step.entry.event, step.before.landing if step.before else None
    assert isinstance(event, e.Landed)
    if landing is None:
        return f"{event.commit} was never intended"
    if (landing.ref, landing.new, landing.tree) != (event.ref, event.commit, event.tree):
        return f"{landing.new} was intended at {landing.ref}, and {event.commit} landed"
    return ""


def _landed_once(_: Past, step: Step) -> str:
    commit = step.before.commit if step.before else None
    return f"it had landed as {commit}" if commit is not None else ""


def _tree_passed(past: Past, step: Step) -> str:
    event = step.entry.event
    assert isinstance(event, e.LandingIntended | e.Landed)
    commit = event.new if isinstance(event, e.LandingIntended) else event.commit
    if event.tree not in past.passed:
        return f"nobody has passed {event.tree}"
    if (commit, event.tree) not in past.offered:
        return f"{commit} is no commit that was made of {event.tree}"
    return ""


def _ends_once(_: Past, step: Step) -> str:
    return f"it had {step.before.outcome}" if step.before and step.before.outcome else ""


def _ends_with_all(_: Past, step: Step) -> str:
    event, lane = step.entry.event, step.before
    assert isinstance(event, e.LaneEnded)
    open_ones = [each.id for each in lane.attempts.values() if not each.is_over] if lane else []
    if open_ones:
        return f"it ends while {', '.join(open_ones)} is not over"
    has_landed = lane is not None and lane.commit is not None
    return "" if has_landed is (event.outcome is Outcome.LANDED) else f"it is {event.outcome}"


# --- what was made ----------------------------------------------------------------------------


def _staged_once(past: Past, step: Step) -> str:
    event = step.entry.event
    assert isinstance(event, e.ArtifactStaged)
    if past.staged.get(event.path, event.digest) == event.digest:
        return ""
    return f"{event.path} was staged with another digest"


def _staged_first(_: Past, step: Step) -> str:
    event, turn = step.entry.event, step.old.turn if step.old else None
    assert isinstance(event, e.Materialized | e.Corrected)
    staged = turn.staged if turn else None
    if staged is None:
        return f"{event.path} was never staged"
    if (staged.path, staged.digest) != (event.path, event.digest):
        return f"{staged.path} was staged with {staged.digest}, and {event.digest} is promoted"
    return ""


def _harvested_first(_: Past, step: Step) -> str:
    old = step.old
    turn = old.turn if old else None
    if old is None or turn is None or old.role not in HARVESTED or turn.is_harvested:
        return ""
    has_run = turn.end is None or turn.end.how not in NEVER_RAN
    return f"turn {turn.number} of {old.id} was never harvested" if has_run else ""


# --- supervision ------------------------------------------------------------------------------


def _recovered_once(past: Past, step: Step) -> str:
    event, old = step.entry.event, step.old
    assert isinstance(event, e.Recovered)
    if event.controller_epoch != past.controller_epoch:
        return f"it is told by epoch {event.controller_epoch}, not {past.controller_epoch}"
    if old is not None and event.controller_epoch <= old.recovered:
        return f"it was recovered under epoch {old.recovered} already"
    return ""


def _claimed_once(_: Past, step: Step) -> str:
    event, turn = step.entry.event, step.old.turn if step.old else None
    assert isinstance(event, e.InterventionClaimed)
    if turn is None or turn.number != event.turn or turn.end is not None:
        return f"turn {event.turn} is not under way"
    if event.action in turn.claimed:
        return f"to {event.action} it was claimed already"
    key = claim_key(event.attempt, event.turn, event.lapse, event.action)
    return "" if event.key == key else f"its key is {event.key}, and should be {key}"


# --- the list ---------------------------------------------------------------------------------

_OF_RUN, _OF_LANE = get_args(e.RunEvent), get_args(e.LaneEvent)
_OF_ATTEMPT = tuple(
    each for each in _OF_LANE
    if each is not e.Requested and any(one.name == "attempt" for one in fields(each))
)  # fmt: skip
_GRANTS = (e.TurnOpened, e.Regranted)
_UPKEEP = (
    e.WorkspaceRemoved,
    e.WorkspaceEvicted,
    e.WorkspaceCleared,
    e.JobFailed,
    e.Quarantined,
    e.StaleWriteRefused,
)
"""What still happens to a lane that is over: its workspaces go, and what is late comes."""

FOLLOWS = "each event follows from those before it"

INVARIANTS: tuple[Invariant, ...] = (
    Invariant(name="a run begins once, with its start", of=_OF_RUN, broken=_begins),
    Invariant(name="events are numbered", of=(*_OF_RUN, *_OF_LANE), broken=_numbered),
    Invariant(name="controller epochs grow", of=(e.ControllerTookOver,), broken=_takes_over_once),
    Invariant(name="an effect is intended once", of=get_args(_Intended), broken=_intended_once),
    Invariant(
        name="an effect is intended before it is settled",
        of=get_args(_Settled),
        broken=_settled_after_intent,
    ),
    Invariant(name="an effect is settled once", of=get_args(_Settled), broken=_settled_once),
    Invariant(name="every move is in the table", of=_OF_ATTEMPT, broken=_move_in_table),
    Invariant(name="every birth is in the table", of=(e.Requested,), broken=_birth_in_table),
    Invariant(name="one live attempt of a lane and role", of=(e.Requested,), broken=_one_live),
    Invariant(name="nothing of an ended attempt changes", of=_OF_ATTEMPT, broken=_over_is_over),
    Invariant(name="each grant raises the epoch", of=_GRANTS, broken=_grant_raises),
    Invariant(
        name="an event carries the epoch that was granted",
        of=tuple(each for each in _OF_ATTEMPT if each not in _GRANTS),
        broken=_as_granted,
    ),
    Invariant(name="rounds are bounded", of=(e.Judged, e.Vetoed), broken=_rounds_bounded),
    Invariant(
        name="a landing is intended before it happens", of=(e.Landed,), broken=_landing_intended
    ),
    Invariant(name="a lane lands once", of=(e.LandingIntended, e.Landed), broken=_landed_once),
    Invariant(name="what lands has passed", of=(e.LandingIntended, e.Landed), broken=_tree_passed),
    Invariant(
        name="a lane ends once",
        of=tuple(each for each in _OF_LANE if each not in _UPKEEP),
        broken=_ends_once,
    ),
    Invariant(name="a lane ends with all its attempts", of=(e.LaneEnded,), broken=_ends_with_all),
    Invariant(name="an artifact is staged once", of=(e.ArtifactStaged,), broken=_staged_once),
    Invariant(
        name="an artifact is staged before it is promoted",
        of=(e.Materialized, e.Corrected),
        broken=_staged_first,
    ),
    Invariant(name="a recovery is told once", of=(e.Recovered,), broken=_recovered_once),
    Invariant(
        name="an intervention is claimed once", of=(e.InterventionClaimed,), broken=_claimed_once
    ),
    Invariant(
        name="a workspace goes after its harvest",
        of=(e.WorkspaceRemoved, e.WorkspaceEvicted),
        broken=_harvested_first,
    ),
)

_Asked = tuple[tuple[int, Callable[[Past, Step], str]], ...]
_BY_EVENT: Mapping[type, _Asked] = {
    event: tuple((n, each.broken) for n, each in enumerate(INVARIANTS) if event in each.of)
    for event in (*_OF_RUN, *_OF_LANE)
}


class Watch:
    """Holds the events of one run to every rule. A lane whose event does not follow is left."""

    def __init__(self, run_id: str) -> None:
        self.past = Past(run_id)
        self.events = 0
        self.not_followed = 0
        """Events of lanes that were left."""
        self._checked = [0] * len(INVARIANTS)
        self._left: set[str] = set()
        self._run: Run | None = None
        """The run after the event that is looked at."""

    @property
    def checked(self) -> Mapping[str, int]:
        """How many events each rule was asked of."""
        counts = {each.name: n for each, n in zip(INVARIANTS, self._checked, strict=True)}
        return {FOLLOWS: self.events - self.not_followed, **counts}

    def all(self, recorded: Iterable[e.Recorded]) -> Iterator[Breach]:
        """Every breach of a whole run."""
        for each in recorded:
            yield from self.take(each)

    def take(self, recorded: e.Recorded) -> Sequence[Breach]:
        """What the next event breaks."""
        self.events += 1
        entry = recorded.entry
        if entry.lane in self._left:
            self.not_followed += 1
            return ()
        step, fault = self._step(entry)
        found = []
        for number, broken in _BY_EVENT[type(entry.event)]:
            self._checked[number] += 1
            if about := broken(self.past, step):
                found.append(self._breach(recorded, INVARIANTS[number].name, about))
        if fault and not found:
            found.append(self._breach(recorded, FOLLOWS, fault))
        self._remember(step)
        return found

    def _step(self, entry: e.Entry) -> tuple[Step, str]:
        if entry.lane == "":
            self._run, fault = _evolved(self.past, entry)
            return Step(entry, None, None, None), fault
        before = self.past.lanes.get(entry.lane)
        old = before.attempts.get(entry.attempt or "") if before else None
        try:
            after = evolve(before, entry)
        except (IllegalTransition, KeyError) as error:
            return Step(entry, before, None, old), str(error)
        return Step(entry, before, after, old), ""

    def _breach(self, recorded: e.Recorded, invariant: str, about: str) -> Breach:
        lane = recorded.entry.lane
        return Breach(
            invariant=invariant,
            run=self.past.run_id,
            sequence=recorded.sequence,
            lane=lane,
            about=about,
        )

    def _remember(self, step: Step) -> None:
        if step.after is not None:
            self.past.lanes[step.entry.lane] = step.after
            _remember_lane(self.past, step.entry.event)
        elif step.entry.lane == "":
            self._remember_run(step.entry)
        else:
            self._left.add(step.entry.lane)

    def _remember_run(self, entry: e.Entry) -> None:
        past, event = self.past, entry.event
        if isinstance(event, _Intended):
            past.receipts.setdefault(event.receipt, None)
        elif isinstance(event, _Settled):
            if past.receipts.get(event.receipt, "") in (None, UNKNOWN):
                past.receipts[event.receipt] = event.outcome
        elif isinstance(event, e.ReceiptReconciled):
            past.receipts[event.receipt] = event.outcome
        elif isinstance(event, e.RunStarted):
            past.policy = event.policy
        elif isinstance(event, e.ControllerTookOver):
            past.controller_epoch = max(past.controller_epoch, event.controller_epoch)
        elif isinstance(event, e.BaseChecked) and event.verdict is Verdict.PASS:
            past.passed.add(event.tree)
        past.run = self._run


def _evolved(past: Past, entry: e.Entry) -> tuple[Run | None, str]:
    """The run after an event of its own; as it was, but counted, where the event does not follow.

    Before its start there is none: that is told by a rule of its own.
    """
    if past.run is None and not isinstance(entry.event, e.RunStarted):
        return None, ""
    try:
        return evolve_run(past.run, past.run_id, entry), ""
    except IllegalTransition as error:
        return past.run and replace(past.run, version=entry.version), str(error)


def _remember_lane(past: Past, event: e.Event) -> None:
    match event:
        case e.Judged(verdict=verdict, tree=tree) if verdict in LANDABLE:
            past.passed.add(tree)
        case e.CandidateMade(commit=commit, tree=tree):
            past.offered.add((commit, tree))
        case e.ArtifactStaged(path=path, digest=digest):
            past.staged.setdefault(path, digest)
        case e.Landed(commit=commit):
            past.landed.append(commit)
        case _:
            pass
