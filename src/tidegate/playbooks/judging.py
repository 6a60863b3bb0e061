"""Who judges a lane next: an adjudicator before it is built, a check and a verifier after it. Pure.

A judge that comes to nothing has said nothing: it costs no round, another takes its place, and
both its own failures and those that are nobody's have a limit.
"""

from collections.abc import Callable, Sequence

from tidegate.core import commands as c
from tidegate.core.attempt import State
from tidegate.core.lane import Attempt, Candidate, Lane
from tidegate.core.policy import Limits
from tidegate.core.ruling import AUTO
from tidegate.core.values import About, Cause, Outcome, Role, Ruling
from tidegate.playbooks.attacks import pick

_S = State
Commands = tuple[c.Command, ...]
Ask = Callable[[Cause | None], c.Command]


def adjudicate(lane: Lane, agent: str, limits: Limits, *, asks_owner: bool) -> Commands:
    """Ask whether the issue is to be built; a refusal is ruled."""
    if lane.adjudication is not None:
        asked = c.Ask(about=About.REFUSAL)
        return (asked if asks_owner else c.Rule(ruling=Ruling.REFUSE, by=AUTO),)
    last = lane.latest(Role.ADJUDICATE)
    was_lost = last is not None and last.state is not _S.ACCEPTED
    return _anew(
        lane,
        last if was_lost else None,
        limits,
        lambda cause: c.RequestAdjudication(agent=agent, cause=cause),
    )


def check(lane: Lane, candidate: Candidate, limits: Limits) -> Commands:
    """Check the candidate; once more where it fails; then the target, which may fail as well."""
    of_target = candidate.checks > limits.check_reruns_max
    commit = candidate.target if of_target else candidate.commit
    last = lane.latest(Role.CHECK)
    was_lost = last is not None and last.commit == commit and last.state is not _S.ACCEPTED
    return _anew(
        lane,
        last if was_lost else None,
        limits,
        lambda cause: c.RequestCheck(cause=cause, of_target=of_target),
    )


def verify(
    lane: Lane, candidate: Candidate, agent: str, attacks: Sequence[str], limits: Limits
) -> Commands:
    """Let a fresh verifier attack the candidate: another in each round (seed 000, line 27)."""
    last = lane.latest(Role.VERIFY)
    was_lost = (
        last is not None and last.commit == candidate.commit and last.state is not _S.ACCEPTED
    )
    picked = pick(attacks, verifications=lane.count(Role.VERIFY))
    return _anew(
        lane,
        last if was_lost else None,
        limits,
        lambda cause: c.RequestVerify(agent=agent, attacks=picked, cause=cause),
    )


def _anew(lane: Lane, lost: Attempt | None, limits: Limits, ask: Ask) -> Commands:
    """Open a judgement, or one in place of a judge that was lost."""
    if lost is None:
        return (ask(None),)
    if was_interrupted(lost):
        return (ask(Cause.INTERRUPTED),)
    if lost.reason.startswith("boundary"):
        return (_stopped(f"{lost.role} {lost.reason}"),)
    is_own = (
        lost.role is not Role.CHECK
        and lost.state is not _S.BLOCKED  # given up by the engine, after its own end: nobody's
        and has_ended_by_itself(lost)
    )
    used, most = (
        (lane.unheard, limits.replacements_max + 1)
        if is_own
        else (lane.externals, limits.infra_max)
    )
    if used >= most:
        times = f", {used} times" if is_own else ""
        last = f": {lost.detail}" if lost.detail else ""
        return (_stopped(f"{lost.role} {lost.reason.replace('_', ' ')}{times}{last}"),)
    return (ask(Cause.OWN if is_own else Cause.EXTERNAL),)


def _stopped(reason: str) -> c.EndLane:
    return c.EndLane(outcome=Outcome.STOPPED, reason=reason)


def has_ended_by_itself(attempt: Attempt) -> bool:
    """Its last turn is over, and nobody from outside had ended it."""
    end = attempt.turn.end if attempt.turn is not None else None
    return end is not None and not end.is_external


def was_interrupted(attempt: Attempt) -> bool:
    """A person stopped the run while it worked."""
    turn = attempt.turn
    return turn is not None and turn.end is not None and turn.end.how == "stopped"
