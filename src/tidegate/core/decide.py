"""Decide what a command makes true of a lane: events, or a refusal. Pure.

What an end of a process *means* is settled here and nowhere else: an exit code is evidence for a
check's verdict and for a builder's failure, and never for "done".
"""

from typing import assert_never

from tidegate.core import commands as c
from tidegate.core import events as e
from tidegate.core.attempt import State
from tidegate.core.errors import Refused
from tidegate.core.lane import Attempt, Candidate, Lane, Turn
from tidegate.core.policy import Limits
from tidegate.core.values import Cause, Outcome, Role, Verdict

_S = State
Events = tuple[e.LaneEvent, ...]

_RAN_OUT = frozenset({"deadline", "lost", "stopped"})
"""Ends where somebody else had to say that it is over: stale first, then stopped."""


def decide(  # noqa: C901, PLR0911, PLR0912 - one arm a command
    lane: Lane | None, command: c.Command, limits: Limits
) -> Events:
    """The events that a command leads to. Raises Refused where it does not fit the lane."""
    if isinstance(command, c.OpenLane):
        return _open(lane, command)
    if lane is None:
        raise Refused("no such lane")
    match command:
        case c.RequestBuild():
            return (_request(lane, Role.BUILD, command.agent, command.cause, commit=None),)
        case c.RequestCheck():
            commit = _candidate(lane).commit
            return (_request(lane, Role.CHECK, "check", command.cause, commit=commit),)
        case c.Dispatch(attempt=attempt, workspace=workspace, base=start):
            return (e.Dispatched(attempt=attempt, workspace=workspace, base=start),)
        case c.OpenTurn():
            return _open_turn(lane, command)
        case c.NoteWorkspace(attempt=attempt, environment_digest=digest):
            return (e.WorkspaceReady(attempt=attempt, environment_digest=digest),)
        case c.NoteStart():
            turn = _turn(lane, command.attempt)
            return (_started(command.attempt, turn, command.agent_pid),)
        case c.NoteEnd():
            return _note_end(lane, command)
        case c.NoteCheckpoint(attempt=attempt, commit=commit):
            return (e.Checkpointed(attempt=attempt, digest=commit),)
        case c.NoteHarvest():
            return _note_harvest(lane, command)
        case c.NotePromotion():
            return _note_promotion(lane, command, limits)
        case c.NoteCandidate():
            return _note_candidate(lane, command)
        case c.NoteConflict():
            return _note_conflict(lane, command, limits)
        case c.Rule():
            return _rule(lane, command)
        case c.IntendLanding():
            return _intend_landing(lane, command)
        case c.NoteLanding():
            return _note_landing(lane)
        case c.NoteLandingRefused(actual=actual):
            return (e.LandingRefused(attempt=_build(lane).id, actual=actual),)
        case c.NoteJobFailure():
            return _note_job_failure(lane, command)
        case c.NoteRemoval(attempt=attempt):
            return (e.WorkspaceRemoved(attempt=attempt),)
        case c.EndLane(outcome=outcome, reason=reason):
            return (e.LaneEnded(outcome=outcome, reason=reason),)
        case _:
            assert_never(command)


def _open(lane: Lane | None, command: c.OpenLane) -> Events:
    if lane is not None:
        raise Refused(f"issue {command.issue} has a lane in this run already")
    return (
        e.LaneOpened(
            issue=command.issue,
            title=command.title,
            issue_digest=command.issue_digest,
            text_digest=command.text_digest,
            footprint=command.footprint,
            priority=command.priority,
        ),
    )


def _request(
    lane: Lane, role: Role, agent: str, cause: Cause | None, *, commit: str | None
) -> e.Requested:
    old = lane.latest(role)
    if old is not None and not old.is_over:
        raise Refused(f"{old.id} is open: one live attempt for a lane and role")
    takes_place = old is not None and cause is not None
    born = _S.REQUESTED
    if takes_place and old is not None:
        born = _S.REOPENED if old.state is _S.BLOCKED else _S.REPLACED
    return e.Requested(
        attempt=f"{lane.id}-{role}-{lane.count(role) + 1}",
        role=role,
        agent=agent,
        born=born,
        supersedes=old.id if takes_place and old is not None else None,
        cause=cause,
        commit=commit,
    )


def _open_turn(lane: Lane, command: c.OpenTurn) -> Events:
    attempt = lane.attempts[command.attempt]
    if attempt.has_open_turn:
        raise Refused(f"{attempt.id} has an open turn")
    asked = lane.correction if attempt.role is Role.BUILD else None
    return (
        e.TurnOpened(
            attempt=attempt.id,
            turn=attempt.turn.number + 1 if attempt.turn else 1,
            epoch=attempt.epoch + 1,
            deadline_s=command.deadline_s,
            deadline_utc=command.deadline_utc,
            checkpoint_deadline_utc=command.checkpoint_deadline_utc,
            finding_digest=_finding_for(lane, attempt),
            base=asked.base if asked else None,
        ),
    )


def _finding_for(lane: Lane, attempt: Attempt) -> str | None:
    """A builder is told the open finding, also one that takes the place of the one it was for."""
    if attempt.role is not Role.BUILD:
        return None
    if lane.correction is not None:
        return lane.correction.finding_digest
    old = lane.attempts.get(attempt.supersedes) if attempt.supersedes else None
    return old.turn.finding_digest if old is not None and old.turn is not None else None


def _started(attempt: str, turn: Turn, agent_pid: int) -> e.TurnStarted:
    return e.TurnStarted(attempt=attempt, turn=turn.number, agent_pid=agent_pid)


def _note_end(lane: Lane, command: c.NoteEnd) -> Events:
    attempt, turn = lane.attempts[command.attempt], _turn(lane, command.attempt)
    ended = e.TurnEnded(
        attempt=attempt.id,
        turn=turn.number,
        how=command.how,
        code=command.code,
        signal=command.signal,
        active_s=command.active_s,
        output_bytes=command.output_bytes,
        report_digest=command.report_digest,
        failure_digest=command.failure_digest,
        is_external=command.is_external,
    )
    began: Events = () if turn.is_started else (_started(attempt.id, turn, 0),)
    if command.how in {"not_started", "fenced"}:
        return (ended, *_close(attempt, command.how, is_external=True))
    if attempt.role is Role.BUILD:
        return (*began, ended)  # what it means waits for the harvest
    if command.is_external:
        return (*began, ended, e.Failed(attempt=attempt.id, reason=command.how, detail=""))
    return (*began, ended, _staged(attempt, turn, command.path, command.report_digest))


def _staged(attempt: Attempt, turn: Turn, path: str, digest: str) -> e.ArtifactStaged:
    return e.ArtifactStaged(
        attempt=attempt.id, turn=turn.number, path=path, digest=digest, is_valid=True
    )


def _note_harvest(lane: Lane, command: c.NoteHarvest) -> Events:
    attempt, turn = lane.attempts[command.attempt], _turn(lane, command.attempt)
    if turn.end is None:
        raise Refused(f"turn {turn.number} of {attempt.id} is not over")
    harvested = e.Harvested(
        attempt=attempt.id,
        turn=turn.number,
        tip=command.tip,
        tree=command.tree,
        is_empty=command.is_empty,
        pins=command.pins,
    )
    if command.violations:
        reason = f"boundary: {command.violations[0]}"
        return (harvested, *_close(attempt, reason, is_external=True))
    if turn.end.how != "exited" or turn.end.is_external:
        return (harvested, *_close(attempt, turn.end.how, is_external=turn.end.is_external))
    return (harvested, _staged(attempt, turn, command.path, turn.end.report_digest))


def _close(attempt: Attempt, reason: str, *, is_external: bool) -> Events:
    """End an attempt whose process is over without anything that counts."""
    if attempt.state in (_S.MATERIALIZED, _S.REVIEWED, _S.CORRECTED):
        return (e.Blocked(attempt=attempt.id, reason="correction_lost"),)
    if reason in _RAN_OUT and attempt.state in (_S.DISPATCHED, _S.REPLACED):
        return (e.Failed(attempt=attempt.id, reason=reason, detail=""),)
    if reason in _RAN_OUT and not is_external:
        return (
            e.Stale(attempt=attempt.id, reason=reason),
            e.Stopped(attempt=attempt.id, reason=reason),
        )
    if attempt.state is _S.REOPENED:
        return (e.Blocked(attempt=attempt.id, reason=reason),)
    return (e.Failed(attempt=attempt.id, reason=reason, detail=""),)


def _note_promotion(lane: Lane, command: c.NotePromotion, limits: Limits) -> Events:
    attempt, turn = lane.attempts[command.attempt], _turn(lane, command.attempt)
    if turn.staged is None or turn.end is None:
        raise Refused(f"{attempt.id} has nothing that is about to be published")
    if attempt.role is Role.CHECK:
        return _check_done(lane, attempt, turn, limits)
    return _build_done(attempt, turn, command.fault_digest)


def _build_done(attempt: Attempt, turn: Turn, fault_digest: str) -> Events:
    assert turn.staged is not None
    assert turn.end is not None
    path, digest, tree = turn.staged.path, turn.staged.digest, attempt.tree or ""
    is_unchanged = attempt.judged_tree is not None and attempt.judged_tree == tree
    made: Events
    if attempt.judged_tree is None:
        begun = attempt.state is not _S.CHECKPOINTED
        first: Events = (e.Checkpointed(attempt=attempt.id, digest=digest),) if begun else ()
        made = (*first, e.Materialized(attempt=attempt.id, path=path, digest=digest, tree=tree))
    elif is_unchanged:
        made = ()  # a correction that changed nothing is refused, and counts as the round's FAIL
    else:
        made = (e.Corrected(attempt=attempt.id, path=path, digest=digest, tree=tree),)
    reason = _fault(attempt, turn, is_unchanged=is_unchanged)
    if reason is None:
        return made
    finding = turn.end.failure_digest if reason == "agent_failed" else fault_digest
    return (*made, _fail(attempt.id, "controller", tree, finding, reason))


def _fault(attempt: Attempt, turn: Turn, *, is_unchanged: bool) -> str | None:
    if turn.end is not None and turn.end.failure_digest is not None:
        return "agent_failed"
    if attempt.is_empty:
        return "empty"
    return "unchanged" if is_unchanged else None


def _fail(attempt: str, by: str, tree: str, finding: str | None, reason: str) -> e.Judged:
    return e.Judged(
        attempt=attempt,
        by=by,
        verdict=Verdict.FAIL,
        tree=tree,
        counts=True,
        finding_digest=finding,
        reason=reason,
    )


def _check_done(lane: Lane, check: Attempt, turn: Turn, limits: Limits) -> Events:
    assert turn.staged is not None
    assert turn.end is not None
    candidate = _candidate(lane)
    passed = turn.end.how == "exited" and turn.end.code == 0
    verdict = Verdict.PASS if passed else Verdict.FAIL
    counts = passed or candidate.checks >= limits.check_reruns_max
    reason = f"exit {turn.end.code}" if turn.end.how == "exited" else turn.end.how
    if passed and candidate.checks:
        reason = "flaky: it failed before on this tree"
    own = e.Judged(
        attempt=check.id,
        by="controller",
        verdict=verdict,
        tree=candidate.tree,
        counts=counts,
        finding_digest=turn.end.failure_digest,
        reason=reason,
    )
    return (
        e.Checkpointed(attempt=check.id, digest=turn.staged.digest),
        e.Materialized(
            attempt=check.id, path=turn.staged.path, digest=turn.staged.digest, tree=candidate.tree
        ),
        own,
        e.Accepted(attempt=check.id),
        e.Judged(
            attempt=_build(lane).id,
            by=check.id,
            verdict=verdict,
            tree=candidate.tree,
            counts=counts,
            finding_digest=turn.end.failure_digest,
            reason=reason,
        ),
    )


def _note_candidate(lane: Lane, command: c.NoteCandidate) -> Events:
    made = e.CandidateMade(
        attempt=_build(lane).id,
        target=command.target,
        tip=command.tip,
        commit=command.commit,
        tree=command.tree,
    )
    if command.empty_digest is not None:
        build = _build(lane).id
        return (made, _fail(build, "controller", command.tree, command.empty_digest, "empty"))
    if not command.has_passed:
        return (made,)
    carried = e.Judged(
        attempt=_build(lane).id,
        by="controller",
        verdict=Verdict.PASS,
        tree=command.tree,
        counts=True,
        finding_digest=None,
        reason="this tree has passed before",
    )
    return (made, carried)


def _note_conflict(lane: Lane, command: c.NoteConflict, limits: Limits) -> Events:
    build = _build(lane)
    conflicted = e.Conflicted(
        attempt=build.id,
        target=command.target,
        tip=command.tip,
        paths=command.paths,
        finding_digest=command.finding_digest,
    )
    if lane.conflicts + 1 <= limits.conflicts_max:
        return (conflicted,)
    return (conflicted, e.Blocked(attempt=build.id, reason="conflicts_max"))


def _rule(lane: Lane, command: c.Rule) -> Events:
    build = _build(lane)
    tree = lane.candidate.tree if lane.candidate else build.tree or ""
    ruled = e.Ruled(attempt=build.id, ruling=command.ruling, by=command.by, tree=tree)
    if command.ruling == "stop":
        over: Events = () if build.is_over else (e.Blocked(attempt=build.id, reason="stop"),)
        return (ruled, *over)
    if lane.candidate is None or lane.candidate.verdict is not Verdict.PASS:
        raise Refused(f"lane {lane.id} has no verdict that lets it land")
    return (ruled,)


def _intend_landing(lane: Lane, command: c.IntendLanding) -> Events:
    candidate = _candidate(lane)
    if candidate.verdict is not Verdict.PASS or lane.ruled_utc is None:
        raise Refused(f"lane {lane.id} is not ruled to land")
    return (
        e.LandingIntended(
            attempt=_build(lane).id,
            ref=command.ref,
            old=candidate.target,
            new=candidate.commit,
            tree=candidate.tree,
        ),
    )


def _note_landing(lane: Lane) -> Events:
    landing, build = lane.landing, _build(lane)
    if landing is None:
        raise Refused(f"lane {lane.id} intends no landing")
    return (
        e.Landed(attempt=build.id, ref=landing.ref, commit=landing.new, tree=landing.tree),
        e.Accepted(attempt=build.id),
        e.LaneEnded(outcome=Outcome.LANDED, reason=""),
    )


def _note_job_failure(lane: Lane, command: c.NoteJobFailure) -> Events:
    attempt = lane.attempts[command.attempt]
    failed = e.JobFailed(
        attempt=attempt.id, job=command.job, reason=command.reason, detail=command.detail_digest
    )
    if not command.gives_up or attempt.is_over:
        return (failed,)
    return (failed, e.Blocked(attempt=attempt.id, reason=f"{command.job}: {command.reason}"))


def _build(lane: Lane) -> Attempt:
    build = lane.latest(Role.BUILD)
    if build is None:
        raise Refused(f"lane {lane.id} has no build")
    return build


def _candidate(lane: Lane) -> Candidate:
    if lane.candidate is None:
        raise Refused(f"lane {lane.id} has no candidate")
    return lane.candidate


def _turn(lane: Lane, attempt: str) -> Turn:
    turn = lane.attempts[attempt].turn
    if turn is None or turn.is_settled:
        raise Refused(f"{attempt} has no open turn")
    return turn
