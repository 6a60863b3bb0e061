"""Say an event in a few plain words, for the log and for a run's progress. Pure."""

from collections.abc import Mapping

from tidegate.core import events as e
from tidegate.core.clock import Trust
from tidegate.core.liveness import Action
from tidegate.core.monitor_events import Recovery
from tidegate.core.names import role_of
from tidegate.core.settle import TARGET_RED
from tidegate.core.values import About, Outcome, Refusal, Role, Verdict

Level = str
QUIET, PLAIN, GOOD, BAD = "quiet", "plain", "good", "bad"


def say(event: e.Event) -> tuple[Level, str]:  # noqa: C901, PLR0911, PLR0912 - one arm an event
    """How loud an event is, and the words for it. `quiet` ones are left out of a run's progress."""
    match event:
        case e.BaseChecked(verdict=verdict):
            passed = verdict is Verdict.PASS
            return (GOOD, "the base passes the check") if passed else (BAD, "the base is red")
        case e.DeliverySettled(outcome="delivered"):
            return QUIET, "your repository has what landed"
        case e.DeliverySettled(detail=detail):
            return BAD, f"your repository could not take it: {detail}"
        case e.PublishSettled() | e.EffectSettled():
            return _outside(event)
        case e.ReceiptReconciled() | e.DrainAsked() | e.DrainLifted():
            return _of_run(event)
        case e.RunEnded(reason=reason):
            return QUIET, f"run ended: {reason}"
        case e.LaneOpened(title=title):
            return PLAIN, f"taken: {title}"
        case e.Requested(attempt=attempt, supersedes=str() as old):
            return PLAIN, f"{attempt} takes the place of {old}"
        case e.TurnStarted(attempt=attempt, turn=turn):
            return PLAIN, f"{attempt} {_doing(attempt)}" + (f", turn {turn}" if turn > 1 else "")
        case e.Regranted(attempt=attempt):
            return PLAIN, f"{attempt} was found alive: it goes on"
        case e.TurnEnded():
            return _ended(event)
        case e.Failed(attempt=attempt, reason=reason, detail=detail):
            return _failed(attempt, reason, detail)
        case e.Checkpointed(attempt=attempt) if _doing(attempt) == "works":
            return PLAIN, f"{attempt} checkpointed"
        case e.Materialized(attempt=attempt) | e.Corrected(attempt=attempt):
            return QUIET, f"{attempt} has its artifact"
        case e.Conflicted(paths=paths):
            return BAD, f"no longer merges: {', '.join(paths[:3])}"
        case e.Judged() if role_of(event.attempt) is Role.BUILD:
            return _judged(event)
        case e.Landed(commit=commit):
            return GOOD, f"landed as {commit[:10]}"
        case e.JobFailed(job=job, reason=reason):
            return BAD, f"{job} failed ({reason})"
        case e.LaneEnded(outcome=Outcome.STOPPED, reason=reason):
            return BAD, f"stopped: {reason}"
        case e.LaneEnded(outcome=Outcome.ABANDONED, reason=reason):
            return PLAIN, f"abandoned, its issue is open again: {reason}"
        case e.LaneEnded(outcome=Outcome.REFUSED, reason=reason):
            return BAD, f"refused: {reason}"
        case _:
            return _asked_or_ruled(event)


def _asked_or_ruled(event: e.Event) -> tuple[Level, str]:
    """The words for what is asked before the work, of the owner, or ruled; else the kind's name."""
    match event:
        case e.Adjudicated(kind=kind, asks=asks):
            return _adjudicated(kind, asks=asks)
        case e.Asked(question=question, about=about, options=options):
            return BAD, f"{_ABOUT[about]}: tidegate answer {question} {' | '.join(options)}"
        case e.Answered(question=question, answer=answer, by=by):
            return PLAIN, f"{by} answers {question}: {answer}"
        case e.Vetoed(items=items, by=by):
            return BAD, f"vetoed by {by}: {items} item{'s' if items != 1 else ''}"
        case e.StopAsked(by=by, reason=reason):
            return BAD, f"{by} stops it: {reason}"
        case e.Ruled(ruling=ruling):
            return QUIET, f"ruled: {ruling}"
        case _:
            return _supervised(event)


def _supervised(event: e.Event) -> tuple[Level, str]:
    """The words for what a monitor or a returning controller does; else the kind's name."""
    match event:
        case e.Recovered(attempt=attempt, outcome=outcome):
            level = QUIET if outcome is Recovery.WAITING else PLAIN
            return level, f"{attempt} {_RECOVERED[outcome]}"
        case e.Observed(attempt=attempt, classification=classification, progress=progress):
            return QUIET, f"{attempt} is {classification.replace('_', ' ')}: {progress}"
        case e.InterventionClaimed(attempt=attempt, action=action, lapse=lapse):
            doing = "told to end" if action is Action.STOP else "ended by force"
            return BAD, f"{attempt} is {doing}: {lapse.replace('_', ' ')}"
        case e.StaleWriteRefused(attempt=attempt, what=what, epoch=epoch):
            return BAD, f"{attempt}: a {what} under epoch {epoch} came too late, and is refused"
        case e.Quarantined(attempt=attempt, path=path):
            return BAD, f"{attempt}: what came too late is kept apart, at {path}"
        case e.ClockReconciled():
            return _clock(event)
        case e.Decided(condition=condition, severity=severity, evidence=evidence):
            return QUIET, f"{severity}: {condition.replace('_', ' ')} ({evidence})"
        case _:
            return QUIET, e.NAMES[type(event)].replace("_", " ")


_RECOVERED: Mapping[Recovery, str] = {
    Recovery.ADOPTED: "was found alive: it goes on",
    Recovery.FINISHED: "ended meanwhile: what it left is taken in",
    Recovery.INTERRUPTED: "died with its runner",
    Recovery.WAITING: "goes on where it stood",
}


def _clock(event: e.ClockReconciled) -> tuple[Level, str]:
    match event.trust:
        case Trust.SUSPENDED:
            return PLAIN, f"the machine slept for {event.suspended_s:.0f} s: deadlines move by it"
        case Trust.STEPPED:
            return PLAIN, f"the wall clock was set by {event.stepped_s:+.0f} s: only labels change"
        case Trust.REBOOTED:
            return PLAIN, "the machine was started anew"
        case Trust.UNTRUSTED:
            return BAD, "the clocks contradict each other: nothing is concluded from them yet"
        case Trust.TRUSTED:
            return QUIET, "the clocks go on as they did"


def _adjudicated(kind: Refusal | None, *, asks: bool) -> tuple[Level, str]:
    if kind is not None:
        return BAD, f"adjudicated: refused ({kind.replace('_', ' ')})"
    return PLAIN, "the adjudicator asks" if asks else "adjudicated: it is to be built"


_ABOUT: Mapping[About, str] = {
    About.REFUSAL: "refused, and you rule",
    About.LANDING: "it has passed, and you rule",
    About.STOP: "it failed for the last time, and you rule",
    About.ISSUE: "you are asked how it is meant",
}

_KILLED = {
    "oom": "the machine was short of memory; it costs no round",
    "unknown": "nobody knows by whom; it costs no round",
}

_DOING: Mapping[Role | None, str] = {
    Role.ADJUDICATE: "adjudicates",
    Role.CHECK: "checks",
    Role.VERIFY: "verifies",
}


def _doing(attempt: str) -> str:
    return _DOING.get(role_of(attempt), "works")


def _ended(event: e.TurnEnded) -> tuple[Level, str]:
    if event.how != "exited":
        return BAD, f"{event.attempt} ended: {event.how}"
    if event.killed_by:
        by = _KILLED.get(event.killed_by, event.killed_by)
        return BAD, f"{event.attempt} was killed from outside: {by}"
    return QUIET, f"{event.attempt} ended with code {event.code}"


def _failed(attempt: str, reason: str, detail: str) -> tuple[Level, str]:
    """What has no detail is told by its end, or was ended since nobody needs it any more."""
    words = f"{attempt} came to nothing: {reason.replace('_', ' ')}"
    return (BAD, f"{words} ({' '.join(detail.split())})") if detail else (QUIET, words)


def _of_run(event: e.ReceiptReconciled | e.DrainAsked | e.DrainLifted) -> tuple[Level, str]:
    match event:
        case e.ReceiptReconciled(receipt=receipt, outcome=outcome, by=by, reason=reason):
            return PLAIN, f"{receipt} is known now: {outcome}, says {by}" + _why(reason)
        case e.DrainAsked(by=by, reason=reason):
            return PLAIN, f"drained by {by}: nothing new begins" + _why(reason)
        case e.DrainLifted(by=by):
            return PLAIN, f"{by} lifts the drain"


def _why(reason: str) -> str:
    return f" ({reason})" if reason else ""


def _outside(event: e.PublishSettled | e.EffectSettled) -> tuple[Level, str]:
    match event:
        case e.PublishSettled(outcome="published"):
            return GOOD, "published"
        case e.PublishSettled(outcome=outcome, detail=detail):
            return BAD, f"not published ({outcome}): {detail}"
        case e.EffectSettled(outcome="done", receipt=receipt):
            return QUIET, f"the tracker did {receipt}"
        case e.EffectSettled(outcome=outcome, receipt=receipt, detail=detail):
            return BAD, f"{receipt}: {outcome}: {detail}"


def _judged(event: e.Judged) -> tuple[Level, str]:
    if event.verdict is Verdict.PASS:
        return GOOD, "PASS"
    if event.verdict is Verdict.FLAKY:
        return BAD, f"FLAKY: {event.reason}"
    if event.reason == TARGET_RED:
        return BAD, f"red, and nobody's fault: {event.reason}"
    if not event.counts:
        return BAD, f"red ({event.reason}): looked at once more"
    return BAD, f"FAIL ({event.reason.replace('_', ' ')})"
