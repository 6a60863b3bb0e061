"""The build playbook: an issue is built, checked, reworked, ruled and landed.

`plan` is derived afresh from facts at each tick, so that recovery after a crash is the ordinary
path. It answers with commands (facts to be recorded now) and effects (what should be under way).
It must never do anything itself.
"""

from collections.abc import Callable, Sequence

from tidegate.core import commands as c
from tidegate.core import effects as f
from tidegate.core.attempt import State
from tidegate.core.lane import Attempt, Candidate, Lane
from tidegate.core.policy import Limits, Policy
from tidegate.core.records import record
from tidegate.core.ruling import AUTO, fails_allowed
from tidegate.core.settle import HARVESTED
from tidegate.core.values import About, Cause, Outcome, Role, Ruling
from tidegate.playbooks.attacks import ATTACKS
from tidegate.playbooks.judging import adjudicate, check, verify, was_interrupted
from tidegate.playbooks.reservations import waits_for_paths

_S = State
WORKSPACE = "work"
"""The name of a workspace in its yard: a folder of the attempt's own with nothing else in it, so
that what is written beside the workspace is seen, and is known to be this attempt's."""

Step = c.Command | f.Effect
Steps = tuple[Step, ...]


@record
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
    adjudicator: str | None = None
    """The agent that says whether an issue is built; None where its front matter counts."""
    verifier: str | None = None
    attacks: Sequence[str] = ATTACKS
    asks_owner: bool = False
    """Its owner rules, and not the run by itself."""
    ahead: Candidate | None = None
    """What is about to land, for the lane that is next in the queue behind it."""
    held_by: str | None = None
    """The lane that holds a path of this one's footprint."""
    agent_problem: str | None = None
    has_slot: bool = True
    """Fewer builders are at work than may be: a run may be taken up again with a smaller width."""
    is_short_of_room: bool = False
    """There is less room than the floor: workspaces that stand idle make some."""
    is_draining: bool = False
    """Nothing new starts; what ends is recorded, and a PASS is still ruled and queued."""

    @property
    def is_ruled_first(self) -> bool:
        """A change is judged and ruled before it queues, since that may take long.

        Otherwise its check is all there is, and is run once: at the head, on what would land.
        """
        return self.verifier is not None or self.asks_owner


@record
class Now:
    """Makes the wall labels that a turn's deadlines get, where one is opened.

    Of nearly every tick none is wanted, and five labels cost as much as the plan of a lane.
    """

    label: Callable[[float], str]
    """The wall label of the instant so many seconds from now."""


def plan(lane: Lane, view: View, now: Now) -> Steps:
    """What the lane needs now: its next step, and the removal of what is over."""
    steps = (*_next(lane, view, now), *_removals(lane, view.policy.limits), *_evictions(lane, view))
    if not view.is_draining:
        return steps
    return tuple(step for step in steps if not isinstance(step, _STARTS))


_STARTS = (
    c.RequestAdjudication,
    c.RequestBuild,
    c.RequestCheck,
    c.RequestVerify,
    c.Reserve,
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
    if lane.stop_asked is not None:
        return _stop(lane, view.policy.limits)
    if lane.question is not None:
        return ()
    judge = lane.open_judge
    if judge is not None:
        is_dropped = judge.role is Role.CHECK and _is_obsolete(lane, judge, view)
        return _drop(judge) if is_dropped else _advance(lane, judge, view, now)
    build = lane.latest(Role.BUILD)
    if build is None:
        return _admit(lane, view)
    return _after(lane, build, view) if build.is_over else _go_on(lane, build, view, now)


def _go_on(lane: Lane, build: Attempt, view: View, now: Now) -> Steps:
    if build.has_open_turn or build.tree is None:
        return _advance(lane, build, view, now)
    if lane.landing is not None:
        return (f.Land(),)
    if lane.correction is not None:
        return _rework(lane, build, view, now)
    return _judge_and_land(lane, build, view)


def _stop(lane: Lane, limits: Limits) -> Steps:
    """The owner wishes it to end: what runs is stopped and taken in, and then it is over."""
    end = c.EndLane(outcome=Outcome.STOPPED, reason=f"stopped by its owner: {lane.stop_asked}")
    for attempt in lane.attempts.values():
        turn = attempt.turn
        if attempt.is_over or attempt.workspace is None or is_making_room(attempt, limits):
            continue
        if attempt.environment is None:
            return (f.Unprepared(attempt.id, end),)
        if turn is not None and turn.end is None and not turn.is_settled:
            return (f.Stop(attempt.id),)
        if turn is not None and not turn.is_settled and _is_to_be_harvested(attempt):
            return (f.Harvest(attempt.id),)
    return (end,)


def _admit(lane: Lane, view: View) -> Steps:
    """Before the first build: whether it is to be built, and whether its paths are free."""
    if view.adjudicator is not None and not lane.is_admitted:
        if _is_missing(lane, Role.ADJUDICATE, view):
            return (f.Halt(view.agent_problem or ""),)
        return adjudicate(lane, view.adjudicator, view.policy.limits, asks_owner=view.asks_owner)
    if waits_for_paths(lane):
        return () if view.held_by is not None else (c.Reserve(),)
    return (c.RequestBuild(agent=view.agent, cause=None),)


def _advance(lane: Lane, attempt: Attempt, view: View, now: Now) -> Steps:
    """The steps of one attempt, from its slot to the end of its turn."""
    if attempt.workspace is None:
        return (_dispatch(lane, attempt, view),)
    if attempt.environment is None:
        return (f.Prepare(attempt.id),)
    turn = attempt.turn
    if turn is None or turn.is_settled:
        return _begin(lane, attempt, view, now)
    if turn.end is None:
        wants_checkpoint = attempt.role is Role.BUILD and attempt.state is _S.STARTED
        return (f.Run(attempt.id), *((f.Checkpoint(attempt.id),) if wants_checkpoint else ()))
    if _is_to_be_harvested(attempt):
        return (f.Harvest(attempt.id),)
    return (f.Promote(attempt.id),)


def _is_to_be_harvested(attempt: Attempt) -> bool:
    turn = attempt.turn
    return attempt.role in HARVESTED and turn is not None and not turn.is_harvested


def _dispatch(lane: Lane, attempt: Attempt, view: View) -> c.Dispatch:
    path = f"{view.workspaces}/{view.run}/{attempt.id}/{WORKSPACE}"
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


def _begin(lane: Lane, attempt: Attempt, view: View, now: Now) -> Steps:
    if is_making_room(attempt, view.policy.limits):
        return ()
    if attempt.environment is None:
        return (f.Prepare(attempt.id),)
    if attempt.role is Role.BUILD and not view.has_slot:
        return ()
    if attempt.role is Role.CHECK and view.ahead is not None:
        return ()  # its workspace is ready: it begins when what is ahead has landed
    if attempt.role is Role.BUILD and waits_for_paths(lane):  # it let go of them for its owner
        return () if view.held_by is not None else (c.Reserve(),)
    return (_open_turn(attempt, view, now),)


def _open_turn(attempt: Attempt, view: View, now: Now) -> c.OpenTurn:
    return c.OpenTurn(
        attempt=attempt.id,
        deadline_s=view.policy.deadlines.of_role(attempt.role),
        deadline_utc=now.label(view.policy.deadlines.of_role(attempt.role)),
        checkpoint_deadline_utc=now.label(view.policy.deadlines.checkpoint_s),
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
    if lane.fails >= fails_allowed(lane, view.policy.limits):
        asked = c.Ask(about=About.STOP)
        return (asked if view.asks_owner else c.Rule(ruling=Ruling.STOP, by=AUTO),)
    return _begin(lane, build, view, now)


def _judge_and_land(lane: Lane, build: Attempt, view: View) -> Steps:
    """Merge, judge, rule and land.

    At the head of the queue only (DESIGN: landing): before its turn the target would move under
    it, and the merge and the check be done again. What is ruled first is judged where it stands,
    and merged and checked again at the head if the target has moved since.
    """
    is_head, is_ruled = view.head == lane.id, lane.ruled_utc is not None
    if not is_head and (is_ruled or not view.is_ruled_first):
        return _prepare_ahead(lane, build, view)
    candidate = lane.candidate
    is_current = candidate is not None and candidate.tip == build.tip
    may_be_behind = view.is_ruled_first and not is_ruled
    if candidate is None or not (is_current and (may_be_behind or candidate.target == view.target)):
        return (f.Merge(build.id, view.target),)
    limits = view.policy.limits
    if candidate.verdict is None:
        return check(lane, candidate, limits)
    if view.verifier is not None and not candidate.is_verified:
        if _is_missing(lane, Role.VERIFY, view):
            return (f.Halt(view.agent_problem or ""),)
        return verify(lane, candidate, view.verifier, view.attacks, limits)
    if not is_ruled:
        asked = c.Ask(about=About.LANDING)
        return (asked if view.asks_owner else c.Rule(ruling=Ruling.LAND, by=AUTO),)
    return (c.IntendLanding(ref=view.ref),) if is_head else ()


def _is_missing(lane: Lane, role: Role, view: View) -> bool:
    """The agent that judges cannot be started: a person has to mend that; no lane is at fault."""
    last = lane.latest(role)
    return last is not None and could_not_start(last) and view.agent_problem is not None


def _prepare_ahead(lane: Lane, build: Attempt, view: View) -> Steps:
    """Next behind the head: be merged onto what is about to land, and have a workspace to check it.

    So the queue waits for the check itself alone. Nothing is judged before its turn.
    """
    ahead, candidate = view.ahead, lane.candidate
    if ahead is None:
        return ()
    if candidate is None or (candidate.tip, candidate.target) != (build.tip, ahead.commit):
        return (f.MergeAhead(build.id, ahead.commit, ahead.tree),)
    return check(lane, candidate, view.policy.limits) if candidate.verdict is None else ()


def _is_obsolete(lane: Lane, judge: Attempt, view: View) -> bool:
    """It was made ready for what would have landed behind a change that did not land."""
    if judge.turn is not None or view.is_ruled_first or lane.candidate is None:
        return False
    onto = view.target if view.head == lane.id or view.ahead is None else view.ahead.commit
    return lane.candidate.target != onto


def _drop(judge: Attempt) -> Steps:
    dropped = c.DropCheck(attempt=judge.id)
    is_under_way = judge.workspace is not None and judge.environment is None
    return (f.Unprepared(judge.id, dropped) if is_under_way else dropped,)


def _removals(lane: Lane, limits: Limits) -> tuple[f.Remove, ...]:
    return tuple(
        f.Remove(attempt.id)
        for attempt in lane.attempts.values()
        if is_removable(lane, attempt, limits) and not attempt.has_open_turn
    )


def _evictions(lane: Lane, view: View) -> Steps:
    """Whatever waits for its owner may wait for days, and all of it is in the hub.

    What was begun is brought to its end, whatever the disk and the owner say meanwhile.
    """
    build = lane.latest(Role.BUILD)
    if build is None or build.workspace is None or build.is_removed:
        return ()
    if is_making_room(build, view.policy.limits):
        return (f.Evict(build.id),)
    is_idle = (
        lane.is_waiting_for_owner
        and not build.is_over
        and not build.has_open_turn
        and build.environment is not None
        and build.tip is not None
    )
    return (c.EvictWorkspace(attempt=build.id),) if is_idle and view.is_short_of_room else ()


def is_making_room(attempt: Attempt, limits: Limits) -> bool:
    """Its workspace is on its way out. What would not go is made anew in its place, at need."""
    return attempt.is_being_evicted and attempt.removals_failed < limits.infra_max


def is_removable(lane: Lane, attempt: Attempt, limits: Limits) -> bool:
    """Its workspace is of no more use, and still there. What would not go is left to `gc`.

    So is what may be the only copy of somebody's work, and the evidence of a boundary's breach.
    """
    return (
        attempt.workspace is not None
        and not attempt.is_removed
        and not is_making_room(attempt, limits)
        and (attempt.is_over or lane.outcome is not None)
        and attempt.removals_failed < limits.infra_max
        and (attempt.role not in HARVESTED or _is_harvested(attempt))
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
