"""The fold of a lane: what an event makes of what it was told, offers, waits for and came to.

What it makes of an attempt is `evolve`'s.
"""

from tidegate.core import events as e
from tidegate.core.lane import (
    Adjudication,
    Attempt,
    Candidate,
    Correction,
    Landing,
    Lane,
    Question,
    Red,
)
from tidegate.core.records import replace
from tidegate.core.values import DEFER, About, Cause, Role, Ruling, Verdict


def evolve_lane(  # noqa: C901, PLR0911 - one arm an event
    lane: Lane, event: e.LaneEvent, utc: str
) -> Lane:
    """The lane after an event of it; the attempt that the event speaks of is changed already."""
    match event:
        case e.Requested(cause=cause, role=role):
            own = cause is Cause.OWN and role is Role.BUILD
            external = cause is Cause.EXTERNAL
            return replace(
                lane, replacements=lane.replacements + own, externals=lane.externals + external
            )
        case e.CandidateMade():
            made = Candidate(
                target=event.target,
                tip=event.tip,
                commit=event.commit,
                tree=event.tree,
                target_tree=event.target_tree,
                surface=event.surface,
                is_verified=event.is_carried,
            )
            return replace(lane, candidate=made)
        case e.TurnOpened(finding_digest=str()):
            return replace(lane, correction=None, candidate=None)
        case e.Materialized() | e.Corrected() if lane.attempts[event.attempt].role is Role.BUILD:
            return replace(lane, queued_utc=utc)
        case e.Judged():
            return _judged(lane, event)
        case e.Conflicted():
            asked = Correction(finding_digest=event.finding_digest, base=event.target)
            lane = replace(lane, conflicts=lane.conflicts + 1, candidate=None)
            return _sent_back(lane, asked)
        case e.Failed() | e.Stopped():
            return _judge_failed(lane, lane.attempts[event.attempt])
        case e.LandingIntended():
            landing = Landing(ref=event.ref, old=event.old, new=event.new, tree=event.tree)
            return replace(lane, landing=landing)
        case e.LandingRefused():
            refused = lane.landings_refused + 1
            lane = replace(lane, landing=None, landings_refused=refused)
            return replace(lane, candidate=None, ruled_utc=None)  # both were of that target
        case e.Landed():
            return replace(lane, landing=None, commit=event.commit)
        case e.LaneEnded():
            return replace(lane, outcome=event.outcome, reason=event.reason)
        case _:
            return _with_ruling(lane, event, utc)


def _with_ruling(  # noqa: C901, PLR0911 - one arm an event
    lane: Lane, event: e.LaneEvent, utc: str
) -> Lane:
    """What was said before the work, asked of the owner, or ruled."""
    match event:
        case e.Adjudicated():
            return _adjudicated(lane, event)
        case e.Reserved(footprint=footprint):
            return replace(lane, reserved=footprint)
        case e.Released():
            return replace(lane, reserved=None)
        case e.Asked():
            return _asked(lane, event, utc)
        case e.Answered():
            return _answered(lane, event)
        case e.Ruled():
            return _ruled(replace(lane, question=None), event.ruling, utc)
        case e.Vetoed(finding_digest=digest):
            asked = Correction(finding_digest=digest)
            return _sent_back(replace(lane, fails=lane.fails + 1, question=None), asked)
        case e.StopAsked(reason=reason):
            return replace(lane, stop_asked=reason)
        case _:
            return lane


def _adjudicated(lane: Lane, event: e.Adjudicated) -> Lane:
    """What the owner wrote into the issue stands above what an agent expects; that is no leave."""
    found = Adjudication(
        kind=event.kind,
        fixture=event.fixture,
        report_digest=event.report_digest,
        reason=event.reason,
    )
    return replace(
        lane,
        adjudication=found,
        is_admitted=event.kind is None and not event.asks,
        footprint=lane.footprint or event.footprint,
        unheard=0,
    )


def _judge_failed(lane: Lane, attempt: Attempt) -> Lane:
    """An agent that judges and comes to nothing by its own doing."""
    is_agent = attempt.role in (Role.ADJUDICATE, Role.VERIFY)
    end = attempt.turn.end if attempt.turn is not None else None
    if not is_agent or end is None or end.is_external or end.how == "stopped":
        return lane
    return replace(lane, unheard=lane.unheard + 1)


def _asked(lane: Lane, event: e.Asked, utc: str) -> Lane:
    question = Question(
        id=event.question,
        about=event.about,
        options=event.options,
        detail_digest=event.detail_digest,
        asked_utc=utc,
    )
    return replace(lane, question=question, questions=lane.questions + 1)


def _answered(lane: Lane, event: e.Answered) -> Lane:
    if event.answer == DEFER and lane.question is not None:
        return replace(lane, question=replace(lane.question, is_deferred=True))
    options = lane.question.options if lane.question is not None else ()
    is_veto = event.answer not in options  # its words are the finding that the builder gets
    words = () if is_veto or event.words_digest is None else (event.words_digest,)
    lane = replace(lane, owner_words=(*lane.owner_words, *words))
    if lane.question is None or lane.question.about is not About.ISSUE:
        return replace(lane, question=None)
    is_asked_enough = lane.questions >= ISSUE_QUESTIONS_MAX
    return replace(lane, question=None, is_admitted=is_asked_enough, adjudication=None)


ISSUE_QUESTIONS_MAX = 2
"""How often an adjudicator may ask the owner of one issue. After the last answer it is built."""


def _ruled(lane: Lane, ruling: Ruling, utc: str) -> Lane:
    match ruling:
        case Ruling.LAND:
            return replace(lane, ruled_utc=utc)
        case Ruling.BUILD:
            return replace(lane, is_admitted=True)
        case Ruling.AGAIN:
            return replace(lane, rounds_granted=lane.rounds_granted + 1)
        case Ruling.REFUSE | Ruling.STOP:
            return lane


def _judged(lane: Lane, event: e.Judged) -> Lane:
    if lane.attempts[event.attempt].commit is not None:
        return lane  # a judge's own record: what it means for the change is judged apart
    lane = _with_verdict(lane, event)
    if event.verdict is not Verdict.FAIL or not event.counts:
        return lane
    asked = Correction(finding_digest=event.finding_digest or "")
    return _sent_back(replace(lane, fails=lane.fails + 1), asked)


def _with_verdict(lane: Lane, event: e.Judged) -> Lane:
    """The lane with what a verdict says of its candidate."""
    candidate, judge = lane.candidate, lane.attempts.get(event.by)
    if candidate is None or candidate.tree != event.tree:
        return lane
    if judge is not None and judge.role is Role.VERIFY:
        is_verified = event.verdict is Verdict.PASS
        return replace(lane, candidate=replace(candidate, is_verified=is_verified), unheard=0)
    if judge is not None and judge.commit == candidate.target:
        return replace(lane, candidate=None, targets_red=lane.targets_red + 1)
    is_red = event.verdict is Verdict.FAIL and not event.counts
    found = Red(by=event.by, finding_digest=event.finding_digest, reason=event.reason)
    candidate = replace(
        candidate,
        checks=candidate.checks + 1,
        verdict=event.verdict if event.counts else None,
        red=found if is_red else candidate.red,
    )
    return replace(lane, candidate=candidate)


def _sent_back(lane: Lane, asked: Correction) -> Lane:
    """Its change is no longer offered, until the builder has answered."""
    return replace(lane, correction=asked, queued_utc=None, ruled_utc=None)
