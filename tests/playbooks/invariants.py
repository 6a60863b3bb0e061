"""What must hold after every step of every story, whatever the world answers."""

from collections.abc import Sequence

from tidegate.core import events as e
from tidegate.core import evolve as evolving
from tidegate.core.attempt import BIRTHS, TRANSITIONS, may_move, may_succeed
from tidegate.core.lane import Attempt, Lane
from tidegate.core.policy import Policy
from tidegate.core.values import Authorization, Cause, Outcome, Role, Verdict

_GRANTS = (e.TurnOpened, e.Regranted)


def check_entry(before: Lane | None, entry: e.Entry) -> None:
    """One entry against the lane as it was: its number, its epoch, and its row of the table."""
    assert entry.version == (before.version if before else 0) + 1
    old = before.attempts.get(entry.attempt or "") if before else None
    if old is None:
        assert entry.previous is None
        return
    is_fence = isinstance(entry.event, e.TurnEnded) and entry.event.how == "lost"
    is_raised = isinstance(entry.event, _GRANTS) or is_fence
    assert entry.epoch == old.epoch + int(is_raised), f"epoch of {entry.event}"
    if entry.next is not None:
        assert entry.previous is old.state
        assert may_move(old.state, entry.next)
        assert entry.next in TRANSITIONS[old.state]


def check_lane(lane: Lane, entries: Sequence[e.Entry], policy: Policy) -> None:
    """The lane after a command, and all that led to it."""
    assert [entry.version for entry in entries] == list(range(1, len(entries) + 1))
    _check_attempts(lane)
    _check_limits(lane, entries, policy)
    _check_births(lane, entries)
    _check_findings(lane, entries)
    _check_landing(lane, entries)
    _check_end(lane)


def check_fold(lane: Lane, entries: Sequence[e.Entry]) -> None:
    """The entries alone add up to the lane that was worked with."""
    folded = None
    for entry in entries:
        folded = evolving.evolve(folded, entry)
    assert folded == lane


def _check_attempts(lane: Lane) -> None:
    for role in Role:
        live = [each for each in lane.attempts.values() if each.role is role and not each.is_over]
        assert len(live) <= 1, f"{len(live)} live attempts of {role}"
    places = [each.workspace for each in lane.attempts.values() if each.workspace]
    assert len(places) == len(set(places)), "two attempts in one workspace"
    for attempt in lane.attempts.values():
        assert not (attempt.is_over and attempt.has_open_turn), f"{attempt.id} is over in a turn"
        assert not attempt.is_removed or _is_safe(attempt), f"{attempt.id} was never harvested"
        assert not (attempt.is_removed and "boundary" in attempt.reason), "evidence was removed"


def _is_safe(attempt: Attempt) -> bool:
    """Nothing of it would be lost with its workspace."""
    turn = attempt.turn
    if attempt.role is Role.CHECK or turn is None or turn.is_harvested:
        return True
    return turn.end is not None and turn.end.how in {"not_started", "fenced"}


def _check_limits(lane: Lane, entries: Sequence[e.Entry], policy: Policy) -> None:
    limits, events = policy.limits, [entry.event for entry in entries]
    judged = [each for each in events if isinstance(each, e.Judged)]
    builds = {each.id for each in lane.attempts.values() if each.role is Role.BUILD}
    fails = [x for x in judged if x.attempt in builds and x.counts and x.verdict is Verdict.FAIL]
    causes = [each.cause for each in events if isinstance(each, e.Requested)]
    assert lane.fails == len(fails) <= limits.fails_max
    assert lane.conflicts == sum(isinstance(x, e.Conflicted) for x in events)
    assert lane.conflicts <= limits.conflicts_max + 1
    assert lane.replacements == causes.count(Cause.OWN) <= limits.replacements_max
    assert lane.externals == causes.count(Cause.EXTERNAL) <= limits.infra_max


def _check_births(lane: Lane, entries: Sequence[e.Entry]) -> None:
    for entry in entries:
        event = entry.event
        if not isinstance(event, e.Requested):
            continue
        assert event.born in BIRTHS
        old = lane.attempts.get(event.supersedes or "")
        assert (old is None) == (event.supersedes is None)
        assert old is None or may_succeed(old.state, event.born)


def _check_findings(lane: Lane, entries: Sequence[e.Entry]) -> None:
    """A builder's turn is told the last finding word for word; its first work has none."""
    last: str | None = None
    for entry in entries:
        event = entry.event
        if isinstance(event, e.Conflicted):
            last = event.finding_digest
        elif isinstance(event, e.Judged) and event.counts and event.verdict is Verdict.FAIL:
            is_build = lane.attempts[event.attempt].role is Role.BUILD
            last = event.finding_digest if is_build else last
        elif isinstance(event, e.TurnOpened) and lane.attempts[event.attempt].role is Role.BUILD:
            assert event.finding_digest == last


def _check_landing(lane: Lane, entries: Sequence[e.Entry]) -> None:
    """What lands is the very commit whose very tree a check of it, or an earlier one, passed."""
    passed = {
        x.event.tree
        for x in entries
        if isinstance(x.event, e.Judged) and x.event.verdict is Verdict.PASS
    }
    offered = {
        (x.event.commit, x.event.tree) for x in entries if isinstance(x.event, e.CandidateMade)
    }
    for entry in entries:
        event = entry.event
        if isinstance(event, e.LandingIntended):
            assert (event.new, event.tree) in offered
            assert event.tree in passed, "a tree lands that no check has passed"
    build = lane.latest(Role.BUILD)
    if lane.ruled_utc is not None and build is not None:
        assert build.authorization is Authorization.GRANTED


def _check_end(lane: Lane) -> None:
    if lane.outcome is None:
        return
    assert all(each.is_over for each in lane.attempts.values()), "a lane ended under an attempt"
    assert (lane.commit is not None) == (lane.outcome is Outcome.LANDED)
