"""The build playbook: an issue is built, checked, reworked, ruled and landed.

`plan` is derived afresh from facts at each tick, so that recovery after a crash is the ordinary
path. It answers with commands (facts to be recorded now) and effects (what should be under way).
It must never do anything itself.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from tidegate.core import commands as c
from tidegate.core import effects as f
from tidegate.core.attempt import State
from tidegate.core.lane import Attempt, Lane
from tidegate.core.policy import Limits, Policy
from tidegate.core.values import Cause, Outcome, Role

_S = State
Step = c.Command | f.Effect
Steps = tuple[Step, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What a lane's plan must know of everything else.

    `target` is the commit that the run's ref is at; `head` the lane whose turn it is to land.
    `agent_problem` says why no agent can be started, where that is so.
    """

    run: str
    ref: str
    target: str
    head: str | None
    agent: str
    workspaces: str
    policy: Policy
    agent_problem: str | None = None
    has_slot: bool = True
    """Fewer builders are at work than may be: a run may be taken up again with a smaller width."""
    is_draining: bool = False
    """Nothing new starts; what ends is recorded, and a PASS is still ruled and queued."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Now:
    """The wall labels that a turn's deadlines get; made from one reading of the clock."""

    build_deadline_utc: str
    check_deadline_utc: str
    checkpoint_deadline_utc: str


def plan(lane: Lane, view: View, now: Now) -> Steps:
    """What the lane needs now: its next step, and the removal of what is over."""
    steps = (*_next(lane, view, now), *_removals(lane, view.policy.limits))
    if not view.is_draining:
        return steps
    return tuple(step for step in steps if not isinstance(step, _STARTS))


_STARTS = (
    c.RequestBuild,
    c.RequestCheck,
    c.Dispatch,
    c.OpenTurn,
    c.IntendLanding,
)
"""What a drain holds back (seed 003: a landing in flight finishes, and no other starts).

Jobs are not among them: one that is under way must be heard. The engine begins no new one.
"""


def _next(lane: Lane, view: View, now: Now) -> Steps:
    if lane.outcome is not None:
        return ()
    build = lane.latest(Role.BUILD)
    if build is None:
        return (c.RequestBuild(agent=view.agent, cause=None),)
    if build.is_over:
        return _after(lane, build, view)
    check = lane.open_check
    if check is not None:
        return _advance(lane, check, view, now)
    if build.has_open_turn or build.tree is None:
        return _advance(lane, build, view, now)
    if lane.landing is not None:
        return (f.Land(),)
    if lane.correction is not None:
        return _rework(lane, build, view, now)
    return _judge_and_land(lane, build, view)


def _advance(lane: Lane, attempt: Attempt, view: View, now: Now) -> Steps:
    """The steps of one attempt, from its slot to the end of its turn."""
    if attempt.workspace is None:
        return (_dispatch(lane, attempt, view),)
    if attempt.environment is None:
        return (f.Prepare(attempt.id),)
    turn = attempt.turn
    if turn is None or turn.is_settled:
        return _begin(attempt, view, now)
    if turn.end is None:
        wants_checkpoint = attempt.role is Role.BUILD and attempt.state is _S.STARTED
        return (f.Run(attempt.id), *((f.Checkpoint(attempt.id),) if wants_checkpoint else ()))
    if attempt.role is Role.BUILD and not turn.is_harvested:
        return (f.Harvest(attempt.id),)
    return (f.Promote(attempt.id),)


def _dispatch(lane: Lane, attempt: Attempt, view: View) -> c.Dispatch:
    path = f"{view.workspaces}/{view.run}/{attempt.id}"
    old = lane.attempts.get(attempt.supersedes) if attempt.supersedes else None
    if attempt.commit is not None or old is None or not _goes_on(old):
        return c.Dispatch(attempt=attempt.id, workspace=path, base=attempt.commit or view.target)
    is_kept = attempt.state is _S.REOPENED or was_interrupted(old)
    return c.Dispatch(
        attempt=attempt.id,
        workspace=path,
        base=old.base or view.target,
        start=old.tip if is_kept else old.start,
    )


def _goes_on(old: Attempt) -> bool:
    """What follows stands on its work: a finding speaks of it, or a person cut it short."""
    has_finding = old.turn is not None and old.turn.finding_digest is not None
    return has_finding or was_interrupted(old)


def was_interrupted(attempt: Attempt) -> bool:
    """A person stopped the run while it worked."""
    turn = attempt.turn
    return turn is not None and turn.end is not None and turn.end.how == "stopped"


def _begin(attempt: Attempt, view: View, now: Now) -> Steps:
    if attempt.role is Role.BUILD and not view.has_slot:
        return ()
    return (_open_turn(attempt, view, now),)


def _open_turn(attempt: Attempt, view: View, now: Now) -> c.OpenTurn:
    deadlines = view.policy.deadlines
    is_build = attempt.role is Role.BUILD
    return c.OpenTurn(
        attempt=attempt.id,
        deadline_s=deadlines.build_s if is_build else deadlines.check_s,
        deadline_utc=now.build_deadline_utc if is_build else now.check_deadline_utc,
        checkpoint_deadline_utc=now.checkpoint_deadline_utc,
    )


def _after(lane: Lane, build: Attempt, view: View) -> Steps:
    """A build that is over without having landed: replaced, reopened, or the lane's end."""
    if build.state is _S.BLOCKED and build.reason != "correction_lost":
        return (c.EndLane(outcome=Outcome.STOPPED, reason=_why(lane, build)),)
    if could_not_start(build) and view.agent_problem is not None:
        return (f.Halt(view.agent_problem),)
    if was_interrupted(build):
        return (c.RequestBuild(agent=view.agent, cause=Cause.INTERRUPTED),)
    external = build.turn is None or build.turn.end is None or build.turn.end.is_external
    limits = view.policy.limits
    used, most = (
        (lane.externals, limits.infra_max)
        if external
        else (lane.replacements, limits.replacements_max)
    )
    if used >= most:
        return (c.EndLane(outcome=Outcome.STOPPED, reason=f"{build.reason}, {used + 1} times"),)
    cause = Cause.EXTERNAL if external else Cause.OWN
    return (c.RequestBuild(agent=view.agent, cause=cause),)


def _why(lane: Lane, build: Attempt) -> str:
    if build.reason == "stop":
        return f"STOP at FAIL {lane.fails}"
    if build.reason == "conflicts_max":
        return f"it does not merge any more, {lane.conflicts} times"
    return build.reason


def _rework(lane: Lane, build: Attempt, view: View, now: Now) -> Steps:
    if lane.fails >= view.policy.limits.fails_max:
        return (c.Rule(ruling="stop", by="auto"),)
    return _begin(build, view, now)


def _judge_and_land(lane: Lane, build: Attempt, view: View) -> Steps:
    """Merge, check, rule and land: at the head of the queue only (DESIGN: landing).

    Before its turn the target would move under it, and the merge and the check be done again.
    """
    if view.head != lane.id:
        return ()
    candidate = lane.candidate
    if candidate is None or (candidate.tip, candidate.target) != (build.tip, view.target):
        return (f.Merge(build.id, view.target),)
    if candidate.verdict is None:
        return _request_check(lane, view)
    if lane.ruled_utc is None:
        return (c.Rule(ruling="land", by="auto"),)
    return (c.IntendLanding(ref=view.ref),)


def _request_check(lane: Lane, view: View) -> Steps:
    last, candidate = lane.latest(Role.CHECK), lane.candidate
    assert candidate is not None
    was_lost = (
        last is not None and last.commit == candidate.commit and last.state is not _S.ACCEPTED
    )
    if last is None or not was_lost:
        return (c.RequestCheck(cause=None),)
    if was_interrupted(last):
        return (c.RequestCheck(cause=Cause.INTERRUPTED),)
    if lane.externals >= view.policy.limits.infra_max:
        return (c.EndLane(outcome=Outcome.STOPPED, reason=f"check {last.reason}"),)
    return (c.RequestCheck(cause=Cause.EXTERNAL),)


def _removals(lane: Lane, limits: Limits) -> tuple[f.Remove, ...]:
    return tuple(
        f.Remove(attempt.id)
        for attempt in lane.attempts.values()
        if is_removable(lane, attempt, limits) and not attempt.has_open_turn
    )


def is_removable(lane: Lane, attempt: Attempt, limits: Limits) -> bool:
    """Its workspace is of no more use, and still there. What would not go is left to `gc`.

    So is what may be the only copy of somebody's work, and the evidence of a boundary's breach.
    """
    return (
        attempt.workspace is not None
        and not attempt.is_removed
        and (attempt.is_over or lane.outcome is not None)
        and attempt.removals_failed < limits.infra_max
        and (attempt.role is Role.CHECK or _is_harvested(attempt))
        and not attempt.reason.startswith("boundary")
    )


def _is_harvested(attempt: Attempt) -> bool:
    """All that its turns left is in the hub, or its last turn never ran."""
    turn = attempt.turn
    return turn is None or turn.is_harvested or (turn.end is not None and turn.end.has_not_run)


def could_not_start(attempt: Attempt) -> bool:
    """Its newest turn ended before there was a process: the agent may be missing."""
    turn = attempt.turn
    return turn is not None and turn.end is not None and turn.end.how == "not_started"


def head_of(lanes: Iterable[Lane], limits: Limits) -> str | None:
    """The lane that may be merged, checked and landed now: one at a time.

    One that was overtaken too often keeps the head also while it resolves its conflict: its target
    stays where it is, and the next merge finds what it was told of (DESIGN: a fairness bound).
    """
    still_open = [lane for lane in lanes if lane.outcome is None]
    queued = [lane for lane in still_open if lane.is_queued]
    overtaken = [
        lane
        for lane in still_open
        if lane.conflicts > limits.overtakes_max and (lane.is_queued or lane.answers_conflict)
    ]
    first = min(overtaken or queued, key=queue_order, default=None)
    return first.id if first is not None else None


def queue_order(lane: Lane) -> tuple[bool, bool, str, str]:
    """Lanes land in the order in which their changes were offered, one after the other.

    The wall clock may have been set back meanwhile: what is begun at the head stays there.
    """
    return (lane.landing is None, lane.candidate is None, lane.queued_utc or "", lane.id)
