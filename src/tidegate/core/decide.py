"""Decide what a command makes true of a lane: events, or a refusal. Pure.

Chapters of their own: `requests` opens attempts, `settle` says what the end of a turn means,
`ruling` what the run or its owner decides, `supervising` what a monitor does.
"""

from typing import assert_never

from tidegate.core import commands as c
from tidegate.core import events as e
from tidegate.core.attempt import State
from tidegate.core.errors import Refused
from tidegate.core.lane import Attempt, Candidate, Lane
from tidegate.core.policy import Limits
from tidegate.core.requests import drop_check, request
from tidegate.core.room import workspace_event
from tidegate.core.ruling import decide_ruling
from tidegate.core.settle import (
    Events,
    build_of,
    candidate_of,
    fail,
    note_end,
    note_harvest,
    note_promotion,
    running_turn_of,
    started,
)
from tidegate.core.supervising import supervise
from tidegate.core.values import LANDABLE, Outcome, Role, Verdict

_S = State


def decide(  # noqa: C901, PLR0911, PLR0912 - one arm a command
    lane: Lane | None, command: c.Command, limits: Limits
) -> Events:
    """The events that a command leads to. Raises Refused where it does not fit the lane."""
    if isinstance(command, c.OpenLane):
        return _open(lane, command)
    if lane is None:
        raise Refused("no such lane")
    _admit(lane, command)
    match command:
        case c.RequestAdjudication() | c.RequestBuild() | c.RequestCheck() | c.RequestVerify():
            return (request(lane, command),)
        case c.DropCheck():
            return (drop_check(lane, command),)
        case c.Reserve():
            return _reserve(lane)
        case c.Dispatch():
            return _dispatch(lane, command)
        case c.OpenTurn():
            return _open_turn(lane, command)
        case c.NoteWorkspace():
            return _note_workspace(lane, command)
        case c.NoteStart():
            return _note_start(lane, command)
        case c.NoteEnd():
            return note_end(lane, command)
        case c.NoteHarvest():
            return note_harvest(lane, command)
        case c.NotePromotion():
            return note_promotion(lane, command)
        case c.NoteCandidate():
            return _note_candidate(lane, command)
        case c.NoteConflict():
            return _note_conflict(lane, command, limits)
        case c.Rule() | c.Ask() | c.Answer() | c.Veto() | c.AskStop():
            return decide_ruling(lane, command, limits)
        case c.IntendLanding():
            return _intend_landing(lane, command)
        case c.NoteLanding() | c.NoteLandingRefused():
            return _note_landing(lane, command, limits)
        case c.NoteJobFailure():
            return _note_job_failure(lane, command)
        case c.NoteRemoval() | c.EvictWorkspace() | c.NoteEviction():
            return (workspace_event(lane, command),)
        case c.NoteRecovery() | c.Intervene() | c.NoteCheckpoint() | c.NoteInvalidArtifact():
            return (supervise(lane, command),)
        case c.EndLane():
            return _end_lane(lane, command)
        case _:
            assert_never(command)


def _admit(lane: Lane, command: c.Command) -> None:
    """What is over is over: an ended lane or attempt takes nothing more but its tidying up."""
    is_tidying = isinstance(command, c.NoteRemoval | c.NoteEviction | c.NoteJobFailure)
    if lane.outcome is not None and not is_tidying:
        raise Refused(f"lane {lane.id} is over: it {lane.outcome}")
    named: str | None = getattr(command, "attempt", None)
    if named is None:
        return
    if named not in lane.attempts:
        raise Refused(f"lane {lane.id} has no attempt {named}")
    if lane.attempts[named].is_over and not is_tidying:
        raise Refused(f"{named} is {lane.attempts[named].state}: nothing of it changes any more")


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


def _reserve(lane: Lane) -> Events:
    if lane.reserved is not None:
        raise Refused(f"lane {lane.id} holds its paths already")
    return (e.Reserved(footprint=lane.footprint),)


def _dispatch(lane: Lane, command: c.Dispatch) -> Events:
    attempt = lane.attempts[command.attempt]
    if attempt.workspace is not None:
        raise Refused(f"{attempt.id} has a slot and a workspace already")
    return (
        e.Dispatched(
            attempt=attempt.id,
            workspace=command.workspace,
            base=command.base,
            start=command.start,
        ),
    )


def _note_workspace(lane: Lane, command: c.NoteWorkspace) -> Events:
    attempt = lane.attempts[command.attempt]
    if attempt.workspace is None or attempt.environment is not None:
        raise Refused(f"{attempt.id} waits for no workspace")
    return (e.WorkspaceReady(attempt=attempt.id, environment_digest=command.environment_digest),)


def _open_turn(lane: Lane, command: c.OpenTurn) -> Events:
    attempt = lane.attempts[command.attempt]
    if attempt.environment is None:
        raise Refused(f"{attempt.id} has no workspace to work in yet")
    if attempt.has_open_turn:
        raise Refused(f"{attempt.id} has an open turn")
    finding_digest, base = _asked(lane, attempt)
    if attempt.turn is not None and finding_digest is None:
        raise Refused(f"{attempt.id} has worked, and there is no finding for a further turn")
    return (
        e.TurnOpened(
            attempt=attempt.id,
            turn=attempt.turn.number + 1 if attempt.turn else 1,
            epoch=attempt.epoch + 1,
            deadline_s=command.deadline_s,
            deadline_utc=command.deadline_utc,
            checkpoint_deadline_utc=command.checkpoint_deadline_utc,
            finding_digest=finding_digest,
            base=base,
        ),
    )


def _asked(lane: Lane, attempt: Attempt) -> tuple[str | None, str | None]:
    """The finding that a turn answers, and the target that it must carry its change onto.

    A builder is told the open finding, also one that takes the place of the one it was for.
    """
    if attempt.role is not Role.BUILD:
        return None, None
    if lane.correction is not None:
        return lane.correction.finding_digest, lane.correction.base
    old = lane.attempts.get(attempt.supersedes) if attempt.supersedes else None
    if attempt.turn is not None or old is None or old.turn is None:
        return None, None
    return old.turn.finding_digest, old.turn.base


def _note_start(lane: Lane, command: c.NoteStart) -> Events:
    turn = running_turn_of(lane, command.attempt)
    if turn.is_started:
        raise Refused(f"turn {turn.number} of {command.attempt} has started already")
    return (started(command.attempt, turn, command.agent_pid),)


def _offered(lane: Lane, tip: str) -> Attempt:
    """The build whose tip was merged: at rest, and with nothing to answer."""
    build = build_of(lane)
    if build.is_over or build.has_open_turn or lane.correction or lane.open_judge or lane.landing:
        raise Refused(f"{build.id} does not wait to be merged")
    if build.tip != tip:
        raise Refused(f"{build.id} is at {build.tip} and no longer at {tip}")
    return build


def _note_candidate(lane: Lane, command: c.NoteCandidate) -> Events:
    build, known = _offered(lane, command.tip), lane.candidate
    if known is not None and (known.target, known.tip) == (command.target, command.tip):
        raise Refused(f"{build.id} is merged onto {command.target} already")
    made = e.CandidateMade(
        attempt=build.id,
        target=command.target,
        tip=command.tip,
        commit=command.commit,
        tree=command.tree,
        target_tree=command.target_tree,
        surface=command.surface,
        is_carried=_is_carried(known, command),
    )
    if command.empty_digest is not None:
        return (made, fail(build.id, "controller", command.tree, command.empty_digest, "empty"))
    if command.unfit_digest is not None:
        finding, reason = command.unfit_digest, command.unfit_reason
        return (made, fail(build.id, "controller", command.tree, finding, reason))
    if not command.has_passed:
        return (made,)
    carried = e.Judged(
        attempt=build.id,
        by="controller",
        verdict=Verdict.PASS,
        tree=command.tree,
        counts=True,
        finding_digest=None,
        reason="this tree has passed before",
    )
    return (made, carried)


def _is_carried(known: Candidate | None, command: c.NoteCandidate) -> bool:
    """A verifier's PASS stands for the same change, merged cleanly beside others (DESIGN: G5)."""
    is_same_change = known is not None and known.tip == command.tip and known.is_verified
    return is_same_change and command.is_disjoint


def _note_conflict(lane: Lane, command: c.NoteConflict, limits: Limits) -> Events:
    build = _offered(lane, command.tip)
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


def _intend_landing(lane: Lane, command: c.IntendLanding) -> Events:
    candidate = candidate_of(lane)
    if candidate.verdict not in LANDABLE or lane.ruled_utc is None:
        raise Refused(f"lane {lane.id} is not ruled to land")
    if lane.stop_asked is not None or lane.question is not None:
        raise Refused(f"lane {lane.id} is stopped, or waits for its owner: it does not land now")
    if lane.open_judge is not None or lane.correction is not None:
        raise Refused(f"lane {lane.id} is being judged, or has a finding to answer")
    if lane.landing is not None:
        raise Refused(f"lane {lane.id} intends a landing already")
    return (
        e.LandingIntended(
            attempt=build_of(lane).id,
            ref=command.ref,
            old=candidate.target,
            new=candidate.commit,
            tree=candidate.tree,
        ),
    )


def _note_landing(
    lane: Lane, command: c.NoteLanding | c.NoteLandingRefused, limits: Limits
) -> Events:
    landing, build = lane.landing, build_of(lane)
    if landing is None:
        raise Refused(f"lane {lane.id} intends no landing")
    if isinstance(command, c.NoteLandingRefused):
        return _note_landing_refused(lane, command, limits)
    return (
        e.Landed(attempt=build.id, ref=landing.ref, commit=landing.new, tree=landing.tree),
        e.Accepted(attempt=build.id),
        e.LaneEnded(outcome=Outcome.LANDED, reason=""),
    )


def _note_landing_refused(lane: Lane, command: c.NoteLandingRefused, limits: Limits) -> Events:
    build = build_of(lane)
    refused = e.LandingRefused(attempt=build.id, actual=command.actual)
    if lane.landings_refused + 1 < limits.infra_max:
        return (refused,)
    reason = f"landing: the target is at {command.actual}, which this run did not land"
    return (refused, e.Blocked(attempt=build.id, reason=reason))


def _end_lane(lane: Lane, command: c.EndLane) -> Events:
    """Nothing of a lane outlives it: what is still open is blocked for the same reason."""
    if command.outcome is Outcome.LANDED:
        raise Refused(f"lane {lane.id} has not landed: only a landing can say that it has")
    if lane.landing is not None:
        raise Refused(f"a landing of lane {lane.id} is under way: it may have happened")
    still_open = (each for each in lane.attempts.values() if not each.is_over)
    blocked = (e.Blocked(attempt=each.id, reason=command.reason) for each in still_open)
    return (*blocked, e.LaneEnded(outcome=command.outcome, reason=command.reason))


def _note_job_failure(lane: Lane, command: c.NoteJobFailure) -> Events:
    attempt = lane.attempts[command.attempt]
    failed = e.JobFailed(
        attempt=attempt.id, job=command.job, reason=command.reason, detail=command.detail_digest
    )
    if not command.gives_up or attempt.is_over:
        return (failed,)
    return (failed, e.Blocked(attempt=attempt.id, reason=f"{command.job}: {command.reason}"))
