"""What must hold after every step of every story, whatever the world answers."""

from collections.abc import Sequence
from dataclasses import dataclass

from tidegate.core import events as e
from tidegate.core import evolve as evolving
from tidegate.core.attempt import BIRTHS, TRANSITIONS, may_move, may_succeed
from tidegate.core.lane import Attempt, Lane
from tidegate.core.policy import Policy
from tidegate.core.settle import HARVESTED
from tidegate.core.values import LANDABLE, Authorization, Cause, Outcome, Role, Ruling, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Duties:
    """What a run asks of its lanes beside the build and the check."""

    adjudicates: bool = False
    verifies: bool = False
    asks_owner: bool = False


NO_DUTIES = Duties()

_GRANTS = (e.TurnOpened, e.Regranted)


def check_entry(before: Lane | None, entry: e.Entry) -> None:
    """One entry against the lane as it was: its number, its epoch, and its row of the table."""
    assert entry.version == (before.version if before else 0) + 1
    old = before.attempts.get(entry.attempt or "") if before else None
    if old is None:
        assert entry.previous is None
        return
    is_fence = isinstance(entry.event, e.TurnEnded) and entry.event.is_fenced
    is_raised = isinstance(entry.event, _GRANTS) or is_fence
    assert entry.epoch == old.epoch + int(is_raised), f"epoch of {entry.event}"
    if entry.next is not None:
        assert entry.previous is old.state
        assert may_move(old.state, entry.next)
        assert entry.next in TRANSITIONS[old.state]


def check_lane(
    lane: Lane, entries: Sequence[e.Entry], policy: Policy, duties: Duties = NO_DUTIES
) -> None:
    """The lane after a command, and all that led to it."""
    assert [entry.version for entry in entries] == list(range(1, len(entries) + 1))
    _check_attempts(lane)
    _check_limits(lane, entries, policy)
    _check_births(lane, entries)
    _check_findings(lane, entries)
    _check_landing(lane, entries)
    _check_duties(entries, duties)
    _check_paths(lane, entries)
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
        is_evidence = attempt.reason.startswith("boundary")
        assert not (attempt.is_removed and is_evidence), "evidence was removed"


def _is_safe(attempt: Attempt) -> bool:
    """Nothing of it would be lost with its workspace."""
    turn = attempt.turn
    if attempt.role not in HARVESTED or turn is None or turn.is_harvested:
        return True
    return turn.end is not None and turn.end.how in {"not_started", "fenced"}


def _check_limits(lane: Lane, entries: Sequence[e.Entry], policy: Policy) -> None:
    limits, events = policy.limits, [entry.event for entry in entries]
    judged = [each for each in events if isinstance(each, e.Judged)]
    builds = {each.id for each in lane.attempts.values() if each.role is Role.BUILD}
    fails = [x for x in judged if x.attempt in builds and x.counts and x.verdict is Verdict.FAIL]
    causes = [each.cause for each in events if isinstance(each, e.Requested)]
    own = [x for x in events if isinstance(x, e.Requested) and x.cause is Cause.OWN]
    vetoes = sum(isinstance(each, e.Vetoed) for each in events)
    assert lane.fails == len(fails) + vetoes <= limits.fails_max + lane.rounds_granted
    assert lane.unheard <= limits.replacements_max + 1, "too many judges that say nothing"
    judges = len(own) - lane.replacements
    verdicts = 1 + sum(isinstance(x, e.CandidateMade) for x in events)
    assert judges <= verdicts * limits.replacements_max, "judges without end"
    assert lane.conflicts == sum(isinstance(x, e.Conflicted) for x in events)
    assert lane.conflicts <= limits.conflicts_max + 1
    builds_again = sum(each.role is Role.BUILD for each in own)
    assert lane.replacements == builds_again <= limits.replacements_max
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
        if isinstance(event, e.Conflicted | e.Vetoed):
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
        if isinstance(x.event, e.Judged) and x.event.verdict in LANDABLE
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


def _check_duties(  # noqa: C901 - one arm a word that counts
    entries: Sequence[e.Entry], duties: Duties
) -> None:
    """Nothing is built or lands without what the run asks for, and each word counts once."""
    is_admitted = not duties.adjudicates
    verified: set[str] = set()
    ruled_by, is_stopped = "", False
    for entry in entries:
        match entry.event:
            case e.Adjudicated(kind=None) | e.Ruled(ruling=Ruling.BUILD):
                is_admitted = True
            case e.Requested(role=Role.BUILD):
                assert is_admitted, "a build that no adjudicator and no owner admitted"
            case e.CandidateMade(is_carried=True, tree=tree):
                verified.add(tree)
            case e.Judged(verdict=Verdict.PASS, by=by, tree=tree) if "-verify-" in by:
                verified.add(tree)
            case e.Ruled(ruling=Ruling.LAND, by=by):
                ruled_by = by
            case e.Vetoed() | e.Conflicted() | e.LandingRefused():
                ruled_by = ""
            case e.Judged(verdict=Verdict.FAIL, counts=True, attempt=attempt):
                ruled_by = "" if "-build-" in attempt else ruled_by
            case e.StopAsked():
                is_stopped = True
            case e.LandingIntended(tree=tree):
                assert not is_stopped, "a landing after a stop"
                assert ruled_by == ("owner" if duties.asks_owner else "auto"), "no ruling"
                assert tree in verified or not duties.verifies, "a tree that nobody verified"
            case _:
                pass


def _check_paths(lane: Lane, entries: Sequence[e.Entry]) -> None:
    """A builder works under its reservation only; who waits for the owner holds nothing."""
    assert lane.reserved is None or not lane.is_waiting_for_owner
    last = entries[-1].event
    if isinstance(last, e.TurnOpened) and "-build-" in last.attempt and lane.footprint:
        assert lane.reserved is not None, "work on paths that it does not hold"


def _check_end(lane: Lane) -> None:
    if lane.outcome is None:
        return
    assert all(each.is_over for each in lane.attempts.values()), "a lane ended under an attempt"
    assert (lane.commit is not None) == (lane.outcome is Outcome.LANDED)
