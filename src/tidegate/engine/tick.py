"""One synchronous tick.

    tick = look and record, lane by lane -> one commit -> bring about

A tick never waits: whatever takes long is a job or a turn in a runner. Nothing is brought about
before the facts that ask for it are durable, and everything it starts can be started twice.
"""

from tidegate.core.commands import NoteLanding, OpenLane, OpenTurn
from tidegate.core.effects import Effect
from tidegate.core.errors import StaleEpoch
from tidegate.core.issue import Issue
from tidegate.core.lane import Candidate, Lane
from tidegate.core.values import Role, Verdict
from tidegate.engine.base_check import advance_base
from tidegate.engine.clocks import may_conclude
from tidegate.engine.delivery import advance_delivery
from tidegate.engine.engine import Engine
from tidegate.engine.inbox import heed
from tidegate.engine.monitor import observe
from tidegate.engine.places import hub_ref
from tidegate.engine.publication import advance_publication
from tidegate.engine.reach import reach
from tidegate.engine.recovery import recover_the_rest
from tidegate.engine.stale import begin_anew
from tidegate.engine.tracking import advance_tracking, is_claimed
from tidegate.engine.turns import open_lease
from tidegate.engine.upkeep import advance_upkeep
from tidegate.playbooks.build import (
    Now,
    Step,
    View,
    plan,
)
from tidegate.playbooks.landing_queue import behind, head_of
from tidegate.playbooks.queue import lane_name
from tidegate.playbooks.reservations import held_by, waits_for_paths
from tidegate.ports.clock import Reading


def tick(engine: Engine, now: Reading) -> bool:
    """Do all that can be done now; True where something was recorded or started."""
    engine.begin(now)
    if not may_conclude(engine):
        return _commit(engine)
    recover_the_rest(engine)
    heed(engine)
    _look_at_disk(engine)
    if advance_base(engine):
        _open_lanes(engine)
        labels = Now(label=now.utc_in)
        for lane in sorted(engine.book.lanes.values(), key=lambda lane: lane.landing is None):
            _advance(engine, lane.id, labels)  # a landing first: it moves the others' target
        advance_upkeep(engine)
    advance_delivery(engine)
    advance_publication(engine)
    advance_tracking(engine)
    observe(engine)
    engine.end()
    return _commit(engine)


def _commit(engine: Engine) -> bool:
    try:
        is_recorded = engine.book.flush()
    except StaleEpoch as error:
        begin_anew(engine, error)
        return True
    starts, engine.starts = engine.starts, {}
    settling, engine.settling = engine.settling, {}
    for act in (*starts.values(), *settling.values()):
        act()
    replies, engine.replies = engine.replies, []
    for request, reply in replies:
        engine.ports.inbox.reply(request, reply)
    engine.book.forget_ended()
    return is_recorded or bool(starts) or bool(settling)


def _look_at_disk(engine: Engine) -> None:
    """Nothing starts below the floor; what runs goes on, and may well free something.

    Runners may have had no room for a sign of life, so for a while none is missed.
    """
    policy, engine.disk_note = engine.setup.policy, None
    floor = policy.limits.disk_floor_bytes
    for place in (engine.setup.places.home, engine.setup.workspaces):
        free = engine.ports.free_bytes(place)
        if free < floor:
            engine.disk_note = (
                f"only {free} bytes are free at {place}, [disk] floor_bytes is {floor}"
            )
            engine.watch.acts_from_s = engine.now.monotonic_s + policy.deadlines.heartbeat_s


def _open_lanes(engine: Engine) -> None:
    """Take issues while there are slots. A lane keeps its slot until it is over.

    A tracker that is told is asked for an issue first, and its place is kept meanwhile.

    So the landing queue is never longer than the width, and no builder starts from a target that
    is far behind what it will land on.
    """
    skipped = -1
    while not engine.is_held and skipped < len(engine.skipped):  # another comes in its place
        skipped = len(engine.skipped)
        taken = sum(_holds_a_slot(engine, lane) for lane in engine.book.lanes.values())
        for issue in engine.takeable(engine.width - taken):
            if is_claimed(engine, issue):
                _open_lane(engine, issue)


def _open_lane(engine: Engine, issue: Issue) -> None:
    engine.queue.remove(issue)
    name = lane_name(issue.id, engine.lane_names)
    engine.book.record(name, _opening(engine, issue))
    engine.lane_names.add(name)
    engine.opened += 1


def _holds_a_slot(engine: Engine, lane: Lane) -> bool:
    """It is at work, or will be without anybody's doing."""
    if engine.is_blocked(lane) and not any(x.has_open_turn for x in lane.attempts.values()):
        return False
    is_waiting = lane.is_waiting_for_owner or (
        waits_for_paths(lane) and lane.open_judge is None and lane.adjudication is not None
    )
    return lane.outcome is None and not is_waiting


def _opening(engine: Engine, issue: Issue) -> OpenLane:
    return OpenLane(
        issue=issue.id,
        title=issue.title,
        issue_digest=issue.digest,
        text_digest=engine.ports.ledger.put_text(issue.text),
        footprint=issue.footprint,
        priority=issue.priority,
    )


def _advance(engine: Engine, lane_id: str, labels: Now) -> None:
    """Follow the plan until it asks for nothing that can be recorded now.

    Only what the last plan wants started counts: an earlier one was of a lane that has changed.
    """
    of_others = dict(engine.starts)
    for _ in range(engine.setup.policy.limits.steps_per_tick_max):
        engine.starts = dict(of_others)
        lane = engine.book.lanes[lane_id]
        taken = [_take(engine, lane, step) for step in plan(lane, _view(engine, lane), labels)]
        if not any(taken):
            return


def _take(engine: Engine, lane: Lane, step: Step) -> bool:
    """Record a command, or what an effect turned out to be; True where anything was."""
    if engine.book.lanes[lane.id] is not lane:
        return True  # an earlier step changed the lane: plan again first
    commands = reach(engine, lane, step) if isinstance(step, Effect) else (step,)
    for command in commands:
        if isinstance(command, OpenTurn):
            open_lease(engine, lane.attempts[command.attempt])
        engine.book.record(lane.id, command)
        if isinstance(command, NoteLanding):
            engine.landed.add(lane.issue)
        if engine.book.lanes[lane.id].targets_red > lane.targets_red:
            engine.halt = f"the check of {lane.id} fails, and fails on its target too: {_MEND}"
    return bool(commands)


_MEND = "it is no builder's fault; mend what the check needs, and run again"


def is_ruled_first(engine: Engine) -> bool:
    """A change is verified or ruled on before it queues to land."""
    return engine.setup.asks_owner or engine.setup.agent(Role.VERIFY) is not None


def landing_head(engine: Engine) -> str | None:
    """The lane whose turn it is in the landing queue."""
    limits, blocked = engine.setup.policy.limits, engine.book.run.blocked
    queueing = [
        lane
        for lane in engine.book.tally.queueing.values()
        if lane.issue not in blocked or lane.landing is not None
    ]
    return head_of(queueing, limits, is_ruled_first=is_ruled_first(engine))


def _view(engine: Engine, lane: Lane) -> View:
    setup, lanes = engine.setup, engine.book.lanes.values()
    head = landing_head(engine)
    return View(
        run=engine.book.run.id,
        ref=hub_ref(engine.book.run.id),
        target=engine.book.run.target,
        head=head,
        agent=setup.roles[Role.BUILD].agent,
        workspaces=setup.workspaces,
        policy=setup.policy,
        adjudicator=setup.agent(Role.ADJUDICATE),
        verifier=setup.agent(Role.VERIFY),
        attacks=setup.attacks,
        asks_owner=setup.asks_owner,
        ahead=None if is_ruled_first(engine) else _ahead(engine, lane, head),
        held_by=held_by(lane, lanes),
        agent_problem=engine.agent_problem() if engine.book.tally.unstartable else None,
        has_slot=len(engine.book.tally.building) < engine.width,
        is_short_of_room=engine.disk_note is not None,
        is_draining=engine.is_held or engine.is_blocked(lane),
    )


def _ahead(engine: Engine, lane: Lane, head: str | None) -> Candidate | None:
    """What is about to land, for the lane that is next behind it."""
    queueing = engine.book.tally.queueing
    if head is None or behind(queueing.values(), head) != lane.id:
        return None
    candidate = queueing[head].candidate
    is_current = candidate is not None and candidate.target == engine.book.run.target
    is_open = candidate is not None and candidate.verdict is not Verdict.FAIL
    return candidate if is_current and is_open else None
