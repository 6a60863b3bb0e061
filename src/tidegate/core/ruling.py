"""Decide what the run, or its owner, rules of a lane: questions, answers, rulings and vetoes. Pure.

A ruling follows a verdict and never makes one. What an owner says binds the run that it is said
to; a word that binds all runs is no part of a lane.
"""

from collections.abc import Mapping
from typing import assert_never

from tidegate.core import commands as c
from tidegate.core import events as e
from tidegate.core.attempt import State
from tidegate.core.errors import Refused
from tidegate.core.lane import Attempt, Lane
from tidegate.core.policy import Limits
from tidegate.core.settle import Events, asked, build_of
from tidegate.core.values import DEFER, LANDABLE, About, Outcome, Role, Ruling

_S = State

AUTO = "auto"
"""Who rules where no person does."""

OPTIONS: Mapping[About, tuple[Ruling, ...]] = {
    About.REFUSAL: (Ruling.REFUSE, Ruling.BUILD),
    About.LANDING: (Ruling.LAND, Ruling.STOP),
    About.STOP: (Ruling.STOP, Ruling.AGAIN),
}
"""What an owner may rule, the recommended ruling first (seed 000). `defer` is always the last."""


def decide_ruling(
    lane: Lane, command: c.Rule | c.Ask | c.Answer | c.Veto | c.AskStop, limits: Limits
) -> Events:
    """The events that a ruling, or what leads to one, makes. Raises Refused."""
    match command:
        case c.Rule():
            if lane.question is not None:
                raise Refused(f"lane {lane.id} waits for an answer to {lane.question.id}")
            return rule(lane, command, limits)
        case c.Ask():
            return ask(lane, command, limits)
        case c.Answer():
            return answer(lane, command, limits)
        case c.Veto():
            return veto(lane, command)
        case c.AskStop():
            return ask_stop(lane, command)


def ask(lane: Lane, command: c.Ask, limits: Limits) -> Events:
    """Put a question to the owner; what the lane holds is free until it is answered.

    Only what can be ruled is asked: else the answer would be refused, and the lane never go on.
    """
    if lane.question is not None:
        raise Refused(f"lane {lane.id} waits for an answer to {lane.question.id} already")
    if command.about is About.ISSUE:
        raise Refused("what an issue means is asked by its adjudicator, with options of its own")
    for ruling in OPTIONS[command.about]:
        rule(lane, c.Rule(ruling=ruling, by=AUTO), limits)
    detail = _detail(lane, command.about)
    options = tuple(map(str, OPTIONS[command.about]))
    attempt = _subject(lane, command.about).id
    question = asked(lane, attempt, command.about, options=options, detail=detail)
    if lane.reserved is None:
        return (question,)
    return (question, e.Released(reason="it waits for its owner"))


def _subject(lane: Lane, about: About) -> Attempt:
    """The attempt that a question is about."""
    if about is not About.REFUSAL:
        return build_of(lane)
    judge = lane.latest(Role.ADJUDICATE)
    if judge is None:
        raise Refused(f"lane {lane.id} was not adjudicated")
    return judge


def _detail(lane: Lane, about: About) -> str | None:
    if about is About.REFUSAL and lane.adjudication is not None:
        return lane.adjudication.report_digest
    return lane.correction.finding_digest if lane.correction is not None else None


def answer(lane: Lane, command: c.Answer, limits: Limits) -> Events:
    """Take the owner's answer, with the ruling that it is."""
    question = lane.question
    if question is None or question.id != command.question:
        raise Refused(f"lane {lane.id} has no open question {command.question}")
    if command.answer not in question.options:
        raise Refused(
            f"{command.answer!r} is no answer to {question.id}",
            hint=f"it is one of {', '.join(question.options)}",
        )
    if command.answer == DEFER and question.is_deferred:
        raise Refused(f"{question.id} is deferred already", hint="it stays open until you answer")
    taken = e.Answered(
        attempt=_asked_of(lane, question.about),
        question=question.id,
        answer=command.answer,
        by=command.by,
        words_digest=command.words_digest,
    )
    if command.answer == DEFER or question.about is About.ISSUE:
        return (taken,)
    return (taken, *rule(lane, c.Rule(ruling=Ruling(command.answer), by=command.by), limits))


def _asked_of(lane: Lane, about: About) -> str:
    is_early = about in (About.REFUSAL, About.ISSUE)
    return _subject(lane, About.REFUSAL if is_early else about).id


def rule(lane: Lane, command: c.Rule, limits: Limits) -> Events:
    """Decide what a verdict leads to. Refused where there is nothing of the kind to rule."""
    match command.ruling:
        case Ruling.BUILD | Ruling.REFUSE:
            return _rule_refusal(lane, command)
        case Ruling.LAND:
            return _rule_landing(lane, command)
        case Ruling.AGAIN:
            return _rule_again(lane, command, limits)
        case Ruling.STOP:
            return _rule_stop(lane, command)
        case _:
            assert_never(command.ruling)


def _ruled(lane: Lane, attempt: str, command: c.Rule) -> e.Ruled:
    build = lane.latest(Role.BUILD)
    tree = lane.candidate.tree if lane.candidate else (build.tree if build else None) or ""
    return e.Ruled(attempt=attempt, ruling=command.ruling, by=command.by, tree=tree)


def _rule_refusal(lane: Lane, command: c.Rule) -> Events:
    found = lane.adjudication
    if found is None or found.kind is None or lane.is_admitted:
        raise Refused(f"no adjudicator has refused lane {lane.id}")
    ruled = _ruled(lane, _subject(lane, About.REFUSAL).id, command)
    if command.ruling is Ruling.BUILD:
        return (ruled,)
    kind = found.kind.replace("_", " ")
    reason = command.reason or (f"{kind}: {found.reason}" if found.reason else kind)
    return (ruled, e.LaneEnded(outcome=Outcome.REFUSED, reason=reason))


def _rule_landing(lane: Lane, command: c.Rule) -> Events:
    if lane.candidate is None or lane.candidate.verdict not in LANDABLE:
        raise Refused(f"lane {lane.id} has no verdict that lets it land")
    if lane.ruled_utc is not None:
        raise Refused(f"lane {lane.id} is ruled to land already")
    _refuse_unjudged(lane)
    return (_ruled(lane, build_of(lane).id, command),)


def _rule_again(lane: Lane, command: c.Rule, limits: Limits) -> Events:
    if lane.correction is None or lane.fails < fails_allowed(lane, limits):
        raise Refused(f"lane {lane.id} has rounds left: there is none to grant")
    return (_ruled(lane, build_of(lane).id, command),)


def fails_allowed(lane: Lane, limits: Limits) -> int:
    """At which FAIL the lane stops: seed 000's third, and what its owner has granted since."""
    return limits.fails_max + lane.rounds_granted


def _rule_stop(lane: Lane, command: c.Rule) -> Events:
    build = build_of(lane)
    is_over = build.state in (_S.BLOCKED, _S.ACCEPTED)
    if is_over or build.has_open_turn or lane.landing is not None:
        raise Refused(f"{build.id} is over or not at rest: there is nothing to stop")
    _refuse_judging(lane)
    reason = "stop" if command.by == AUTO else f"stopped by {command.by}"
    reason = f"{reason}: {command.reason}" if command.reason else reason
    return (_ruled(lane, build.id, command), e.Blocked(attempt=build.id, reason=reason))


def veto(lane: Lane, command: c.Veto) -> Events:
    """Rule against a PASS, by a list that has an end (seed 000, lines 23 and 29)."""
    build, candidate = build_of(lane), lane.candidate
    if lane.landing is not None:
        raise Refused(f"a landing of lane {lane.id} is under way: it may have happened")
    if build.is_over or candidate is None or candidate.verdict not in LANDABLE:
        raise Refused(f"lane {lane.id} has no PASS to veto")
    _refuse_unjudged(lane)
    if command.items < 1:
        raise Refused("a veto names what is wrong", hint="give at least one item")
    vetoed = e.Vetoed(
        attempt=build.id,
        items=command.items,
        finding_digest=command.finding_digest,
        by=command.by,
    )
    if lane.question is None:
        return (vetoed,)
    answered = e.Answered(
        attempt=build.id,
        question=lane.question.id,
        answer="veto",
        by=command.by,
        words_digest=command.finding_digest,
    )
    return (answered, vetoed)


def _refuse_judging(lane: Lane) -> None:
    """A verdict that is under way would come to a change that is ruled already."""
    if lane.open_judge is not None:
        raise Refused(f"lane {lane.id} is still being judged", hint="wait for the verdict")


def _refuse_unjudged(lane: Lane) -> None:
    """A PASS that a verifier or a veto has spoken against since is none: the round is spent."""
    _refuse_judging(lane)
    if lane.correction is not None:
        raise Refused(
            f"lane {lane.id} has a finding to answer: there is no PASS of it to rule on",
            hint="wait for the next round",
        )


def ask_stop(lane: Lane, command: c.AskStop) -> Events:
    """Take the owner's wish that the lane end."""
    if lane.stop_asked is not None:
        raise Refused(f"lane {lane.id} is being stopped already")
    if lane.landing is not None:
        raise Refused(f"a landing of lane {lane.id} is under way: it may have happened")
    return (e.StopAsked(reason=command.reason, by=command.by),)
