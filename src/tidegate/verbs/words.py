"""Say an event in a few plain words, for the log and for a run's progress. Pure."""

from tidegate.core import events as e
from tidegate.core.values import Outcome, Verdict

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
        case e.RunEnded(reason=reason):
            return QUIET, f"run ended: {reason}"
        case e.LaneOpened(title=title):
            return PLAIN, f"taken: {title}"
        case e.Requested(attempt=attempt, supersedes=str() as old):
            return PLAIN, f"{attempt} takes the place of {old}"
        case e.TurnStarted(attempt=attempt, turn=turn):
            doing = "checks" if _is_check(attempt) else "works"
            return PLAIN, f"{attempt} {doing}" + (f", turn {turn}" if turn > 1 else "")
        case e.Regranted(attempt=attempt):
            return PLAIN, f"{attempt} was found alive: it goes on"
        case e.TurnEnded(attempt=attempt, how=how, code=code) if how != "exited":
            return BAD, f"{attempt} ended: {how}"
        case e.TurnEnded(attempt=attempt, code=code):
            return QUIET, f"{attempt} ended with code {code}"
        case e.Checkpointed(attempt=attempt) if not _is_check(attempt):
            return PLAIN, f"{attempt} checkpointed"
        case e.Materialized(attempt=attempt) | e.Corrected(attempt=attempt):
            return QUIET, f"{attempt} has its artifact"
        case e.Conflicted(paths=paths):
            return BAD, f"no longer merges: {', '.join(paths[:3])}"
        case e.Judged() if event.by != "controller" or event.reason in _CONTROLLER_FINDS:
            return _judged(event)
        case e.Ruled(ruling=ruling):
            return QUIET, f"ruled: {ruling}"
        case e.Landed(commit=commit):
            return GOOD, f"landed as {commit[:10]}"
        case e.JobFailed(job=job, reason=reason):
            return BAD, f"{job} failed ({reason})"
        case e.LaneEnded(outcome=Outcome.STOPPED, reason=reason):
            return BAD, f"stopped: {reason}"
        case e.LaneEnded(outcome=Outcome.ABANDONED, reason=reason):
            return PLAIN, f"abandoned, its issue is open again: {reason}"
        case _:
            return QUIET, e.NAMES[type(event)].replace("_", " ")


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


def _is_check(attempt: str) -> bool:
    return attempt.rpartition("-")[0].endswith("-check")


_CONTROLLER_FINDS = frozenset({"agent_failed", "empty", "unchanged", "unfit"})


def _judged(event: e.Judged) -> tuple[Level, str]:
    if event.verdict is Verdict.PASS:
        return GOOD, f"PASS ({event.reason})" if "flaky" in event.reason else "PASS"
    if not event.counts:
        return BAD, f"red ({event.reason}): the check runs once more"
    return BAD, f"FAIL ({event.reason.replace('_', ' ')})"
