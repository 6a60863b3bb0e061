"""Whatever a ledger is told, in whatever order, one in a file and one in memory do the same.

They are told what a controller would tell them and what it must not, while the one in the file is
closed, killed and opened again. After each step all that can be read of both is compared, the
chains are verified, and the rows are held against the fold of the events.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import get_args

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from tests.core.samples import made
from tests.ledger.twins import Twins
from tests.lengths import IS_LONG
from tidegate.core import events as e
from tidegate.core.attempt import TRANSITIONS, State
from tidegate.core.events import NAMES
from tidegate.core.lease import Acquire, LeaseOperation, Release, Renew
from tidegate.core.values import Outcome
from tidegate.core.word import Word
from tidegate.ports.ledger import Batch, Fence
from tidegate.testing.ledger_history import RUN_STARTED, UTC

RUNS = ("20260101-0000", "20260102-0000")
LANES = ("001", "002", "003")
ATTEMPTS = ("001-build-1", "001-check-1", "002-build-1", "003-build-1", "003-build-2")
TIMES = tuple(f"2026-01-01T00:0{minute}:00.000Z" for minute in range(5))
KEY = "sk-ant-api03-" + "A1b2C3d4" * 6
OF_LANES = get_args(e.LaneEvent)
OF_RUNS = tuple(kind for kind in get_args(e.RunEvent) if kind is not e.RunStarted)

SAFE = (
    e.TurnOpened,
    e.JobFailed,
    e.CandidateMade,
    e.WorkspaceReady,
    e.Judged,
    e.Asked,
    e.Harvested,
)
"""Kinds of which several may follow one another, mostly."""

CAUSES: Mapping[State, type] = {
    State.MATERIALIZED: e.Materialized,
    State.REVIEWED: e.Judged,
    State.CORRECTED: e.Corrected,
    State.ACCEPTED: e.Accepted,
    State.STALE: e.Stale,
    State.STOPPED: e.Stopped,
    State.FAILED: e.Failed,
    State.BLOCKED: e.Blocked,
}
MOST = 8
"""How many events are recorded one by one in a step."""

lanes = st.sampled_from(LANES)
attempts = st.sampled_from(ATTEMPTS)
times = st.sampled_from(TIMES)
off = st.sampled_from((0, 0, 0, 0, 0, 0, 0, 0, -1, 1))
"""By how much a number is wrong, now and then."""


class Ledgers(RuleBasedStateMachine):
    """Both ledgers, and what the one that speaks to them knows."""

    def __init__(self) -> None:
        super().__init__()
        self.twins = Twins()
        self.fences: list[Fence] = []

    def teardown(self) -> None:
        """Close both."""
        self.twins.close()

    @initialize()
    def begin(self) -> None:
        """There is a run with a controller and three builds at work."""
        self.create_run(RUNS[0])
        self.take_over(RUNS[0], is_recorded=True)
        for lane in LANES:
            self._begin_lane(lane)

    # --- what owners and controllers do -----------------------------------------------------

    @rule(
        issue=lanes,
        word=st.sampled_from(Word),
        text=st.sampled_from(("", "a finding\n", f"key {KEY}", "half \udc80")),
    )
    def speak(self, issue: str, word: Word, text: str) -> None:
        """The owner says a word, and a text is stored."""
        said = text.encode(errors="replace").decode()
        self.twins.tell(
            lambda ledger: ledger.speak(issue, word, reason=said, actor="owner", utc=UTC)
        )
        self.twins.put_text(text)

    @rule(run=st.sampled_from(RUNS), is_new=st.booleans(), is_recorded=st.booleans())
    def take_over(self, run: str, *, is_new: bool = False, is_recorded: bool) -> None:
        """Raise the epoch; the new controller may die before it records that it did."""
        if is_new:
            self.create_run(run)
        fence = self.twins.tell(lambda ledger: ledger.take_over(run, holder="h", utc=UTC))
        if isinstance(fence, Fence):
            self.fences.append(fence)
            if is_recorded:
                self._commit(fence, (self._entry(run, "", _took(fence)),), ())

    def create_run(self, run: str) -> None:
        """Begin a run, or be refused where there is one of this id."""
        self.twins.tell(lambda ledger: ledger.create_run(run, RUN_STARTED, actor="o", utc=UTC))

    # --- commits ----------------------------------------------------------------------------

    @rule(data=st.data(), attempt=attempts, kinds=st.lists(st.sampled_from(OF_LANES), min_size=5))
    def record(self, data: st.DataObject, attempt: str, kinds: list[type]) -> None:
        """Events of a lane, one by one: of the state in which its attempt is, or not quite."""
        for kind in kinds[:MOST]:
            entry = self._one(data, attempt, kind)
            version, epoch = entry.version + data.draw(off), entry.epoch + data.draw(off)
            entry = replace(entry, version=version, epoch=epoch)
            self._commit(self._fence(data), (entry,), ())

    @rule(data=st.data(), attempt=attempts, count=st.integers(1, 6))
    def move(self, data: st.DataObject, attempt: str, count: int) -> None:
        """An attempt goes where the table lets it, step by step."""
        for _ in range(count):
            state = self._states().get(attempt, State.REQUESTED)
            following = data.draw(st.sampled_from(sorted(TRANSITIONS.get(state, {state}))))
            event = _made(CAUSES.get(following, e.Checkpointed), attempt=attempt)
            entry = self._entry(RUNS[0], attempt[:3], event)
            epoch = entry.epoch + data.draw(off)
            entry = replace(entry, previous=state, next=following, epoch=epoch)
            self._commit(self._fence(data), (entry,), ())

    @rule(data=st.data(), kind=st.sampled_from(OF_RUNS), wrong=off)
    def record_of_run(self, data: st.DataObject, kind: type, wrong: int) -> None:
        """One event of a run's own."""
        fence = self._fence(data)
        event = _took(fence) if kind is e.ControllerTookOver else _made(kind)
        entry = self._entry(fence.run, "", event)
        self._commit(fence, (replace(entry, version=entry.version + wrong),), ())

    @rule(data=st.data(), count=st.integers(1, 4))
    def lease(self, data: st.DataObject, count: int) -> None:
        """Leases are asked for, renewed and given back, rightly and wrongly, some in one batch."""
        for _ in range(count):
            operations = [self._operation(data, data.draw(attempts))]
            if data.draw(st.booleans()):
                operations.append(self._operation(data, data.draw(attempts)))
            self._commit(self._fence(data), (), tuple(operations))

    @rule(data=st.data(), attempt=attempts, count=st.integers(2, 4))
    def record_batch(self, data: st.DataObject, attempt: str, count: int) -> None:
        """Several events of a lane with operations on leases: all of it, or nothing."""
        entries, operations = self._batch(data, attempt, count)
        self._commit(self._fence(data), entries, operations)

    # --- closing and crashing ---------------------------------------------------------------

    @rule(how=st.sampled_from(("reopened", "killed", "cut")))
    def come_back(self, how: str) -> None:
        """The file is closed and opened, its process killed, or its log moved into it."""
        acts = {
            "reopened": self.twins.reopen,
            "killed": self.twins.crash,
            "cut": self.twins.sqlite.checkpoint,
        }
        acts[how]()
        MET[how] += 1

    @rule(data=st.data(), attempt=attempts, count=st.integers(1, 3))
    def crash_within(self, data: st.DataObject, attempt: str, count: int) -> None:
        """The process is killed at the end of a commit that is not one yet."""
        entries, operations = self._batch(data, attempt, count)
        if self.twins.crash_within(self._fence(data), Batch(entries=entries, leases=operations)):
            MET["killed within"] += 1

    # --- what is always so ------------------------------------------------------------------

    @invariant()
    def both_are_the_same(self) -> None:
        """All that can be read."""
        self.twins.compare()

    # --- how an entry is made ---------------------------------------------------------------

    def _commit(
        self,
        fence: Fence,
        entries: tuple[e.Entry, ...],
        operations: tuple[LeaseOperation, ...],
    ) -> None:
        batch = Batch(entries=entries, leases=operations)
        answer = self.twins.tell(lambda ledger: list(ledger.commit(fence, batch)))
        if isinstance(answer, tuple):
            MET[answer[0].__name__] += 1
        else:
            MET.update(NAMES[type(each.event)] for each in entries)
            MET.update(type(each).__name__ for each in operations)

    def _fence(self, data: st.DataObject) -> Fence:
        """The newest of the run, or now and then any that there was."""
        newest = [fence for fence in self.fences if fence.run == RUNS[0]][-1:]
        return data.draw(st.sampled_from([*newest * 9, *self.fences]))

    def _begin_lane(self, lane: str) -> None:
        attempt, born = f"{lane}-build-1", State.REQUESTED
        first = self._entry(RUNS[0], lane, made(e.LaneOpened, issue=lane))
        moves: tuple[tuple[e.Event, State | None, State | None], ...] = (
            (made(e.Requested, attempt=attempt, born=born), None, born),
            (made(e.Dispatched, attempt=attempt), born, State.DISPATCHED),
            (made(e.TurnOpened, attempt=attempt, epoch=1), None, None),
            (made(e.TurnStarted, attempt=attempt), State.DISPATCHED, State.STARTED),
        )
        entries = tuple(
            replace(
                self._entry(RUNS[0], lane, event, ahead=place),
                previous=previous,
                next=following,
                epoch=int(place > 2),
            )
            for place, (event, previous, following) in enumerate(moves, start=1)
        )
        self._commit(self.fences[-1], (first, *entries), (self._wish(attempt),))

    def _entry(self, run: str, lane: str, event: e.Event, *, ahead: int = 0) -> e.Entry:
        """What is next in its lane, without a move."""
        attempt: str | None = getattr(event, "attempt", None)
        epoch = self.twins.memory.lease(run, attempt).epoch if attempt else 0
        return e.Entry(
            lane=lane,
            version=len(list(self.twins.memory.read(run, lane=lane))) + 1 + ahead,
            attempt=attempt,
            epoch=0 if isinstance(event, e.Requested) else epoch,
            event=event,
            actor="controller",
            previous=None,
            next=None,
            reason="",
            utc=UTC,
        )

    def _one(self, data: st.DataObject, attempt: str, kind: type, ahead: int = 0) -> e.Entry:
        event = self._event(data, attempt, kind)
        entry = self._entry(RUNS[0], attempt[:3], event, ahead=ahead)
        if isinstance(event, e.Requested):
            return replace(entry, next=event.born)
        state = self._states().get(attempt)
        if entry.attempt is None or state is None or data.draw(st.integers(0, 3)):
            return entry
        following = data.draw(st.sampled_from(sorted(TRANSITIONS.get(state, set()) | {state})))
        return replace(entry, previous=state, next=following)

    def _event(self, data: st.DataObject, attempt: str, kind: type) -> e.Event:
        given: dict[str, object] = {"attempt": attempt, "issue": attempt[:3]}
        if kind is e.Requested:
            given["born"] = data.draw(st.sampled_from((State.REQUESTED, State.REPLACED)))
            is_first = given["born"] is State.REQUESTED
            given["supersedes"] = None if is_first else data.draw(attempts)
        if kind is e.TurnOpened:
            given["turn"] = data.draw(st.integers(1, 3))
        if kind is e.LaneEnded:
            given["outcome"] = data.draw(st.sampled_from(Outcome))
        return _made(kind, **given)

    def _batch(
        self, data: st.DataObject, attempt: str, count: int
    ) -> tuple[tuple[e.Entry, ...], tuple[LeaseOperation, ...]]:
        """Events that may follow one another; behind a new lease they carry its epoch."""
        kinds = data.draw(st.lists(st.sampled_from(SAFE), min_size=count, max_size=count))
        entries = [self._one(data, attempt, kind, place) for place, kind in enumerate(kinds)]
        entries[1:] = [replace(each, previous=None, next=None) for each in entries[1:]]
        if not data.draw(st.booleans()):
            return tuple(entries), ()
        operation = self._operation(data, attempt)
        ahead = data.draw(st.integers(0, count))
        entries[ahead:] = [replace(each, epoch=_epoch_after(operation)) for each in entries[ahead:]]
        return tuple(entries), (operation,)

    def _states(self) -> Mapping[str, State]:
        rows = self.twins.memory.rows("attempt", RUNS[0])
        return {str(row["attempt_id"]): State(str(row["state"])) for row in rows}

    def _wish(self, attempt: str, wrong: int = 0, now_utc: str = TIMES[0]) -> Acquire:
        epoch = self.twins.memory.lease(RUNS[0], attempt).epoch + wrong
        return Acquire(
            run_id=RUNS[0],
            attempt_id=attempt,
            owner="host-1",
            token=f"{attempt} {epoch + 1}",
            now_utc=now_utc,
            expiry_utc=TIMES[2],
            previous_epoch=epoch,
        )

    def _operation(self, data: st.DataObject, attempt: str) -> LeaseOperation:
        wrong, now_utc = data.draw(off), data.draw(times)
        lease = self.twins.memory.lease(RUNS[0], attempt)
        match data.draw(st.sampled_from(("acquire", "renew", "renew", "release", "fence"))):
            case "acquire":
                return self._wish(attempt, wrong, now_utc)
            case "renew":
                return Renew(
                    run_id=RUNS[0],
                    attempt_id=attempt,
                    owner="host-1",
                    token=lease.token or "none",
                    epoch=lease.epoch + wrong,
                    now_utc=now_utc,
                    expiry_utc=TIMES[4],
                    beat_sequence=data.draw(st.integers(1, 9)),
                    beat_monotonic_s=1.0,
                    last_completed_unit="1 byte",
                    controller_version="0",
                )
            case kind:
                return Release(
                    run_id=RUNS[0],
                    attempt_id=attempt,
                    epoch=lease.epoch + wrong,
                    fence=kind == "fence",
                )


def _made(kind: type, **given: object) -> e.Event:
    """An event with what it has of the given."""
    names = {each.name for each in fields(kind)}
    event: e.Event = made(kind, **{name: given[name] for name in names & set(given)})
    return event


def _took(fence: Fence) -> e.ControllerTookOver:
    return made(e.ControllerTookOver, holder="h", utc=UTC, controller_epoch=fence.controller_epoch)


def _epoch_after(operation: LeaseOperation) -> int:
    match operation:
        case Acquire(previous_epoch=epoch):
            return epoch + 1
        case Release(epoch=epoch, fence=is_fence):
            return epoch + int(is_fence)
        case Renew(epoch=epoch):
            return epoch


MET: Counter[str] = Counter()
"""What the machine came to see: kinds that were recorded, refusals, leases, crashes."""

WANTED = (
    ("refusals", ("StaleEpoch", "VersionConflict", "IllegalTransition", "Refused")),
    ("leases", ("Acquire", "Renew", "Release")),
    ("crashes", ("reopened", "killed", "killed within", "cut")),
)


@pytest.mark.slow
def test_both_do_the_same() -> None:
    """A ledger in a file and one in memory answer alike, through closing, kills and refusals."""
    MET.clear()
    run_state_machine_as_test(
        Ledgers,
        settings=settings(
            derandomize=True,
            database=None,
            deadline=None,
            max_examples=150 if IS_LONG else 20,
            stateful_step_count=50 if IS_LONG else 30,
            suppress_health_check=list(HealthCheck),
        ),
    )
    for what, names in WANTED:
        assert all(MET[name] for name in names), (what, MET)
    assert sum(MET[NAMES[kind]] > 0 for kind in OF_LANES) > len(OF_LANES) // 2, MET
