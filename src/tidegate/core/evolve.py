"""Fold events into a lane. Total over the state table; the same code replays a real ledger.

`enter` is the only way to make an entry: it numbers the event, checks the move against the table
and applies it, so that what is recorded and what is believed cannot come apart.
"""

from collections.abc import Mapping
from typing import assert_never

from tidegate.core import events as e
from tidegate.core.attempt import State, may_move, may_succeed
from tidegate.core.errors import IllegalTransition
from tidegate.core.evolve_lane import evolve_lane
from tidegate.core.lane import Attempt, End, Lane, Seen, Staged, Turn
from tidegate.core.records import replace
from tidegate.core.values import Authorization, Role, Ruling, Verdict

_S = State


def attempt_of(event: e.LaneEvent) -> str | None:
    """The attempt that an event speaks of."""
    if isinstance(event, e.LaneOpened | e.LaneEnded | e.Reserved | e.Released | e.StopAsked):
        return None
    return event.attempt


def moves_to(event: e.LaneEvent, state: State) -> State | None:  # noqa: C901, PLR0911 - one row an event
    """The state that an event moves its attempt to; None where it moves nothing.

    That a change no longer merges is a finding bound to its digest, as a judgement is. A further
    one on an unchanged digest, the start of a correction's turn and the dispatch of a
    replacement are events without a transition (DESIGN: the attempt).
    """
    match event:
        case e.Dispatched():
            return None if state is _S.REPLACED else _S.DISPATCHED
        case e.TurnStarted():
            return _S.STARTED if state in (_S.DISPATCHED, _S.REPLACED) else None
        case e.Judged() | e.Conflicted() | e.Adjudicated():
            return None if state is _S.REVIEWED else _S.REVIEWED
        case e.Checkpointed():
            return _S.CHECKPOINTED
        case e.Materialized():
            return _S.MATERIALIZED
        case e.Corrected():
            return _S.CORRECTED
        case e.Accepted():
            return _S.ACCEPTED
        case e.Failed():
            return _S.FAILED
        case e.Stale():
            return _S.STALE
        case e.Stopped():
            return _S.STOPPED
        case e.Blocked():
            return _S.BLOCKED
        case _:
            return None


def enter(
    lane: Lane | None, event: e.LaneEvent, *, lane_id: str, actor: str, reason: str, utc: str
) -> tuple[e.Entry, Lane]:
    """The entry for an event, and the lane after it. Raises IllegalTransition."""
    attempt_id = attempt_of(event)
    attempt = lane.attempts.get(attempt_id) if lane and attempt_id else None
    previous, following = _move(lane, event, attempt)
    entry = e.Entry(
        lane=lane_id,
        version=lane.version + 1 if lane else 1,
        attempt=attempt_id,
        epoch=_epoch(event, attempt),
        event=event,
        actor=actor,
        previous=previous,
        next=following,
        reason=reason,
        utc=utc,
    )
    return entry, evolve(lane, entry)


def _epoch(event: e.LaneEvent, attempt: Attempt | None) -> int:
    """The lease's epoch that an event is recorded under; a holder proved dead is fenced by one."""
    if isinstance(event, e.TurnOpened | e.Regranted):
        return event.epoch
    granted = attempt.epoch if attempt else 0
    return granted + 1 if isinstance(event, e.TurnEnded) and event.is_fenced else granted


def _move(
    lane: Lane | None, event: e.LaneEvent, attempt: Attempt | None
) -> tuple[State | None, State | None]:
    if isinstance(event, e.Requested):
        _check_birth(lane, event)
        return None, event.born
    if attempt is None:
        if attempt_of(event) is not None:
            raise IllegalTransition(f"there is no attempt {attempt_of(event)} in this lane")
        return None, None
    following = moves_to(event, attempt.state)
    if following is None:
        return None, None
    if not may_move(attempt.state, following):
        raise IllegalTransition(f"{attempt.id} cannot go from {attempt.state} to {following}")
    return attempt.state, following


def _check_birth(lane: Lane | None, event: e.Requested) -> None:
    if lane is not None and event.attempt in lane.attempts:
        raise IllegalTransition(f"{event.attempt} was there before: no attempt is used again")
    if event.born is State.REQUESTED:
        return
    old = lane.attempts.get(event.supersedes) if lane and event.supersedes else None
    if old is None or not may_succeed(old.state, event.born):
        where = old.state if old else "nowhere"
        raise IllegalTransition(f"{event.attempt} cannot be {event.born} out of {where}")


def evolve(lane: Lane | None, entry: e.Entry) -> Lane:
    """The lane after an entry that was recorded."""
    event = entry.event
    if isinstance(event, e.LaneOpened):
        return Lane(
            id=entry.lane,
            issue=event.issue,
            title=event.title,
            issue_digest=event.issue_digest,
            text_digest=event.text_digest,
            footprint=event.footprint,
            priority=event.priority,
            version=entry.version,
            leave=event.footprint,
        )
    if lane is None:
        raise IllegalTransition(f"lane {entry.lane} was never opened")
    if isinstance(event, e.RunEvent):
        raise IllegalTransition(f"{type(event).__name__} belongs to a run, not to a lane")
    _check_place(lane, entry)
    lane = replace(lane, version=entry.version, attempts=_evolve_attempts(lane, event, entry))
    return evolve_lane(lane, event, entry.utc)


def _check_place(lane: Lane, entry: e.Entry) -> None:
    """An entry that skips another, or moves an attempt from where it is not, is no history."""
    if entry.version != lane.version + 1:
        raise IllegalTransition(
            f"lane {lane.id} is at {lane.version}, the entry at {entry.version}"
        )
    if entry.next is None or isinstance(entry.event, e.Requested):
        return
    attempt = lane.attempts.get(entry.attempt or "")
    state = attempt.state if attempt else None
    if state is None or state is not entry.previous or not may_move(state, entry.next):
        raise IllegalTransition(f"{entry.attempt} is {state}, and the entry has {entry.previous}")


def _evolve_attempts(lane: Lane, event: e.LaneEvent, entry: e.Entry) -> Mapping[str, Attempt]:
    attempt_id = attempt_of(event)
    if attempt_id is None:
        return lane.attempts
    if isinstance(event, e.Requested):
        return {**lane.attempts, attempt_id: _requested(lane, event)}
    attempt = _changed(lane.attempts[attempt_id], event)
    attempt = replace(
        attempt,
        epoch=entry.epoch,
        state=entry.next or attempt.state,
        seen=_seen(attempt, event, entry.utc) if isinstance(event, e.Observed) else attempt.seen,
    )
    return {**lane.attempts, attempt_id: attempt}


def _requested(lane: Lane, event: e.Requested) -> Attempt:
    """A builder in another's place answers what was found in that one's tree."""
    old = lane.attempts.get(event.supersedes) if event.supersedes else None
    found = old if event.role is Role.BUILD else None
    return Attempt(
        id=event.attempt,
        role=event.role,
        agent=event.agent,
        state=event.born,
        supersedes=event.supersedes,
        commit=event.commit,
        attacks=event.attacks,
        judged_tree=found.judged_tree if found else None,
        judged_tip=found.judged_tip if found else None,
    )


def _changed(  # noqa: C901, PLR0911, PLR0912 - one arm an event
    attempt: Attempt, event: e.LaneEvent
) -> Attempt:
    match event:
        case e.Dispatched():
            start = event.start or event.base
            return replace(attempt, workspace=event.workspace, base=event.base, start=start)
        case e.WorkspaceReady(environment_digest=digest):
            return replace(attempt, environment=digest, jobs_failed=0, is_being_evicted=False)
        case e.TurnOpened():
            return replace(attempt, turn=_opened(event))
        case e.Checkpointed(digest=digest):
            return replace(attempt, checkpoint=digest)
        case e.Materialized(digest=digest, tree=tree) | e.Corrected(digest=digest, tree=tree):
            return replace(_settled(attempt), digest=digest, tree=tree)
        case e.Judged(verdict=verdict, counts=counts):
            return _found(_settled(attempt), is_withheld=counts and verdict is Verdict.FAIL)
        case e.Conflicted():
            return _found(replace(attempt, jobs_failed=0), is_withheld=True)
        case e.Vetoed():
            return _found(attempt, is_withheld=True)
        case e.CandidateMade():
            return replace(attempt, jobs_failed=0)
        case e.Ruled(ruling=Ruling.LAND):
            return replace(attempt, authorization=Authorization.GRANTED)
        case e.LandingRefused():
            return replace(attempt, authorization=Authorization.NONE)
        case e.Failed(reason=reason, detail=detail):
            return replace(_settled(attempt), reason=reason, detail=detail)
        case e.Stopped(reason=reason) | e.Blocked(reason=reason):
            return replace(_settled(attempt), reason=reason)
        case e.JobFailed(job="remove"):
            return replace(attempt, removals_failed=attempt.removals_failed + 1)
        case e.JobFailed():
            return replace(attempt, jobs_failed=attempt.jobs_failed + 1)
        case e.WorkspaceEvicted():
            evicted = replace(attempt, environment=None, start=attempt.tip, is_being_evicted=True)
            return replace(evicted, evictions=attempt.evictions + 1)
        case e.WorkspaceCleared():
            return replace(attempt, is_being_evicted=False)
        case e.WorkspaceRemoved():
            return replace(attempt, is_removed=True)
        case e.Recovered(controller_epoch=epoch):
            return replace(attempt, recovered=epoch)
        case e.TurnStarted() | e.TurnEnded() | e.Harvested() | e.ArtifactStaged():
            return _in_turn(attempt, event)
        case e.InterventionClaimed():
            return _in_turn(attempt, event)
        case _:
            return attempt


def _found(attempt: Attempt, *, is_withheld: bool) -> Attempt:
    """What was found is bound to the tree and the tip that it was found in."""
    return replace(
        attempt,
        judged_tree=attempt.tree,
        judged_tip=attempt.tip,
        authorization=Authorization.WITHHELD if is_withheld else attempt.authorization,
    )


def _opened(event: e.TurnOpened) -> Turn:
    return Turn(
        number=event.turn,
        epoch=event.epoch,
        deadline_s=event.deadline_s,
        finding_digest=event.finding_digest,
        base=event.base,
    )


def _settled(attempt: Attempt) -> Attempt:
    if attempt.turn is None:
        return attempt
    return replace(attempt, turn=replace(attempt.turn, is_settled=True))


_OfTurn = e.TurnStarted | e.TurnEnded | e.Harvested | e.ArtifactStaged | e.InterventionClaimed


def _in_turn(attempt: Attempt, event: _OfTurn) -> Attempt:
    turn = attempt.turn
    if turn is None or turn.number != event.turn:
        raise IllegalTransition(f"{attempt.id} has no turn {event.turn}")
    match event:
        case e.TurnStarted():
            return replace(attempt, turn=replace(turn, is_started=True))
        case e.InterventionClaimed(action=action, lapse=lapse):
            return replace(attempt, turn=replace(turn, claimed={**turn.claimed, action: lapse}))
        case e.TurnEnded():
            return replace(attempt, turn=replace(turn, end=_ended(event)))
        case e.Harvested():
            return replace(
                attempt,
                turn=replace(turn, is_harvested=True),
                tip=event.tip,
                tree=event.tree,
                is_empty=event.is_empty,
                jobs_failed=0,
            )
        case e.ArtifactStaged():
            staged = Staged(path=event.path, digest=event.digest, is_valid=event.is_valid)
            return replace(attempt, turn=replace(turn, staged=staged))
        case _:
            assert_never(event)


def _seen(attempt: Attempt, event: e.Observed, utc: str) -> Seen:
    return Seen(
        turn=attempt.turn.number if attempt.turn else 0,
        classification=event.classification,
        output_bytes=event.output_bytes,
        commit=event.commit,
        utc=utc,
    )


def _ended(event: e.TurnEnded) -> End:
    return End(
        how=event.how,
        code=event.code,
        signal=event.signal,
        report_digest=event.report_digest,
        failure_digest=event.failure_digest,
        is_external=event.is_external,
    )
