"""The run as it is believed, with what a tick decided and the ledger has not made durable yet.

Everything is recorded through here: decide, enter, evolve, and one commit for a whole tick. An
effect is brought about only after `flush`. When a commit fails, what is believed is worthless and
the book must be opened anew from the ledger.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from tidegate.core import events as e
from tidegate.core.commands import Command
from tidegate.core.condition import decided
from tidegate.core.decide import decide
from tidegate.core.errors import IntegrityError
from tidegate.core.evolve import enter, evolve
from tidegate.core.lane import Lane
from tidegate.core.lease import LeaseOperation
from tidegate.core.policy import Limits
from tidegate.core.run import Run, evolve_run, with_lane_event
from tidegate.engine.tally import Tally
from tidegate.playbooks.build import is_making_room, is_removable
from tidegate.ports.ledger import Batch, Fence, Ledger

CONTROLLER = "controller"


@dataclass(slots=True)
class Book:
    """One run: its fold, its open lanes, and the entries waiting for the next commit."""

    ledger: Ledger
    fence: Fence
    run: Run
    limits: Limits
    lanes: dict[str, Lane]
    utc: str = ""
    entries: list[e.Entry] = field(default_factory=list)
    leases: list[LeaseOperation] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)
    listener: Callable[[Sequence[e.Entry]], None] | None = None
    """Told of entries once they are durable."""

    def __post_init__(self) -> None:
        for lane in self.lanes.values():
            self.tally.note(lane)

    def _keep(self, lane: Lane) -> None:
        self.lanes[lane.id] = lane
        self.tally.note(lane)

    def record(self, lane_id: str, command: Command, *, actor: str = CONTROLLER) -> None:
        """Decide a command and apply its events. Raises Refused; then nothing was applied."""
        lane = self.lanes.get(lane_id)
        made = []
        for event in decide(lane, command, self.limits):
            entry, lane = enter(
                lane, event, lane_id=lane_id, actor=actor, reason=_reason(event), utc=self.utc
            )
            made.append(entry)
        if lane is None:
            return
        self.entries.extend(made)
        self._keep(lane)
        for entry in made:
            self.run = with_lane_event(self.run, entry.event, lane_id)
            self._record_decision(entry)

    def record_event(self, lane_id: str, event: e.LaneEvent) -> None:
        """Apply one event that is a plain fact of the engine's (a lease granted again)."""
        entry, lane = enter(
            self.lanes[lane_id], event, lane_id=lane_id, actor=CONTROLLER, reason="", utc=self.utc
        )
        self.entries.append(entry)
        self._keep(lane)

    def record_run(self, event: e.RunEvent, *, actor: str = CONTROLLER) -> None:
        """Apply an event of the run's own stream."""
        entry = e.Entry(
            lane="",
            version=self.run.version + 1,
            attempt=None,
            epoch=0,
            event=event,
            actor=actor,
            previous=None,
            next=None,
            reason="",
            utc=self.utc,
        )
        self.entries.append(entry)
        self.run = evolve_run(self.run, self.run.id, entry)
        self._record_decision(entry)

    def _record_decision(self, entry: e.Entry) -> None:
        """What the stop matrix says of a fact is recorded beside the fact, in one transaction."""
        found = decided(entry.event, lane=entry.lane, attempt=entry.attempt)
        if found is not None:
            self.record_run(found)

    @property
    def is_at_rest(self) -> bool:
        """No lane can go on by itself: each is over, or waits for its owner."""
        return all(
            lane.is_waiting_for_owner and lane.stop_asked is None for lane in self.lanes.values()
        )

    def flush(self) -> bool:
        """Make what was recorded durable, all at once; True where there was anything."""
        if not self.entries and not self.leases:
            return False
        batch = Batch(entries=tuple(self.entries), leases=tuple(self.leases))
        self.ledger.commit(self.fence, batch)
        if self.listener is not None and batch.entries:
            self.listener(batch.entries)
        self.entries.clear()
        self.leases.clear()
        return True

    def forget_ended(self) -> None:
        """Drop lanes that are over and cleaned up: a tick's cost must not grow with them."""
        over = [key for key, lane in self.lanes.items() if lane.outcome and self._is_clean(lane)]
        for key in over:
            del self.lanes[key]
            self.tally.forget(key)

    def _is_clean(self, lane: Lane) -> bool:
        return not any(
            is_making_room(attempt, self.limits) or is_removable(lane, attempt, self.limits)
            for attempt in lane.attempts.values()
        )


def _reason(event: e.LaneEvent) -> str:
    return getattr(event, "reason", "")


def open_book(ledger: Ledger, fence: Fence, limits: Limits) -> Book:
    """Fold the run's own stream and its open lanes from the ledger."""
    run = None
    for recorded in ledger.read(fence.run, lane=""):
        run = evolve_run(run, fence.run, recorded.entry)
    if run is None:
        raise IntegrityError(f"run {fence.run} has no first event")
    lanes: dict[str, Lane] = {}
    for lane_id in _lanes_to_open(ledger, fence.run):
        entries = [recorded.entry for recorded in ledger.read(fence.run, lane=lane_id)]
        lanes[lane_id] = fold_lane(entries)
        for entry in entries:
            run = with_lane_event(run, entry.event, lane_id)
    landed = [row for row in ledger.rows("lane", fence.run) if row["landed_commit"]]
    if landed:
        last = max(landed, key=lambda row: int(str(row["landed_sequence"])))
        event = _landing(ledger, fence.run, str(last["lane"]))
        run = with_lane_event(run, event, str(last["lane"]))
    return Book(ledger=ledger, fence=fence, run=run, limits=limits, lanes=lanes)


def fold_lane(entries: Iterable[e.Entry]) -> Lane:
    """The lane that these entries, all of one lane and in order, add up to."""
    lane = None
    for entry in entries:
        lane = evolve(lane, entry)
    if lane is None:
        raise IntegrityError("a lane without an event")
    return lane


def _lanes_to_open(ledger: Ledger, run: str) -> list[str]:
    rows = ledger.rows("lane", run)
    untidy = {str(row["lane"]) for row in ledger.rows("workspace", run) if not row["removed_at"]}
    return [str(row["lane"]) for row in rows if not row["outcome"] or str(row["lane"]) in untidy]


def _landing(ledger: Ledger, run: str, lane: str) -> e.Landed:
    for recorded in ledger.read(run, lane=lane):
        if isinstance(recorded.entry.event, e.Landed):
            return recorded.entry.event
    raise IntegrityError(f"lane {lane} has a landed commit and no landing")
