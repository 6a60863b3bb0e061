"""What the events of one run say should be there: commits, artifacts, turns and workspaces.

It is read from the events and not from the rows, since the rows may be what is damaged.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from tidegate.core import events as e
from tidegate.core.attempt import TERMINAL, State

TurnKey = tuple[str, int]


@dataclass(slots=True)
class Place:
    """A workspace, as far as it was told."""

    path: str
    lane: str
    stands: bool = False
    is_removed: bool = False


@dataclass(slots=True)
class Facts:
    """One run. Artifacts are named by the last part of their path: a repository may be moved."""

    run: str
    started: e.RunStarted | None = None
    is_ended: bool = False
    delivered: str | None = None
    deliveries: dict[str, str] = field(default_factory=dict)
    target: str = ""
    """What the hub's ref of the run is to be at."""
    landed: list[str] = field(default_factory=list)
    landing: dict[str, str] = field(default_factory=dict)
    """Commits whose landing is intended and not known to have happened, by their lane."""
    harvested: dict[TurnKey, e.Harvested] = field(default_factory=dict)
    staged: dict[str, str] = field(default_factory=dict)
    promoted: dict[str, str] = field(default_factory=dict)
    turns: dict[TurnKey, bool] = field(default_factory=dict)
    """Every turn, and whether its end was heard."""
    places: dict[str, Place] = field(default_factory=dict)
    states: dict[str, State] = field(default_factory=dict)
    ended_lanes: set[str] = field(default_factory=set)

    def is_over(self, attempt: str) -> bool:
        """Nothing more comes of the attempt."""
        return self.is_ended or self.states.get(attempt) in TERMINAL


def facts_of(run: str, recorded: Iterable[e.Recorded]) -> Facts:
    """Read one run's events."""
    facts = Facts(run=run)
    for each in recorded:
        if each.entry.attempt is not None and each.entry.next is not None:
            facts.states[each.entry.attempt] = each.entry.next
        if each.entry.lane == "":
            _of_run(facts, each.entry.event)
        else:
            _of_lane(facts, each.entry)
    return facts


def _of_run(facts: Facts, event: e.Event) -> None:
    match event:
        case e.RunStarted(base=base):
            facts.started, facts.target = event, base
        case e.ControllerTookOver():
            facts.is_ended = False
        case e.DeliveryIntended(receipt=receipt, new=new):
            facts.deliveries[receipt] = new
        case e.DeliverySettled(receipt=receipt, outcome="delivered"):
            facts.delivered = facts.deliveries.get(receipt)
        case e.RunEnded():
            facts.is_ended = True
        case _:
            pass


def _of_lane(facts: Facts, entry: e.Entry) -> None:  # noqa: C901 - one arm an event
    match entry.event:
        case e.TurnOpened(attempt=attempt, turn=turn):
            facts.turns[attempt, turn] = False
        case e.TurnEnded(attempt=attempt, turn=turn):
            facts.turns[attempt, turn] = True
        case e.Harvested(attempt=attempt, turn=turn):
            facts.harvested[attempt, turn] = entry.event
        case e.ArtifactStaged(path=path, digest=digest):
            facts.staged[last_part(path)] = digest
        case e.Materialized(path=path, digest=digest) | e.Corrected(path=path, digest=digest):
            facts.promoted[last_part(path)] = digest
        case e.LandingIntended(new=new):
            facts.landing[entry.lane] = new
        case e.LandingRefused():
            facts.landing.pop(entry.lane, None)
        case e.Landed(commit=commit):
            facts.landing.pop(entry.lane, None)
            facts.landed.append(commit)
            facts.target = commit
        case e.LaneEnded():
            facts.ended_lanes.add(entry.lane)
        case _:
            _of_workspace(facts, entry)


def _of_workspace(facts: Facts, entry: e.Entry) -> None:
    match entry.event:
        case e.Dispatched(attempt=attempt, workspace=path):
            facts.places[attempt] = Place(path=path, lane=entry.lane)
        case e.WorkspaceReady(attempt=attempt) if attempt in facts.places:
            facts.places[attempt].stands = True
        case e.WorkspaceEvicted(attempt=attempt) if attempt in facts.places:
            facts.places[attempt].stands = False
        case e.WorkspaceRemoved(attempt=attempt) if attempt in facts.places:
            facts.places[attempt].stands, facts.places[attempt].is_removed = False, True
        case _:
            pass


def commits_of(facts: Facts) -> Mapping[str, str]:
    """Every commit that has to be in the hub, and what it is."""
    found = {facts.started.base: f"the base of run {facts.run}"} if facts.started else {}
    for (attempt, turn), harvested in facts.harvested.items():
        found.setdefault(harvested.tip, f"the tip of turn {turn} of {attempt}, run {facts.run}")
    for commit in facts.landed:
        found[commit] = f"a landing of run {facts.run}"
    return found


def last_part(path: str) -> str:
    """The name of an artifact's file."""
    return path.rpartition("/")[2]
