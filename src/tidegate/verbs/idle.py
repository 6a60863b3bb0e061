"""What to say where nothing can be taken: no run is begun in which nothing could be done."""

from collections.abc import Sequence

from tidegate.core.issue import Issue
from tidegate.core.values import Outcome
from tidegate.playbooks.queue import Facts, Place, Stand, arrange, kept_back
from tidegate.verbs.summary import Summary, WaitingIssue

NOTHING_TO_DO = "nothing to do"
WISHED = frozenset({Stand.SLOT, Stand.NOT_ASKED})
"""What is left by the wish for a part of the queue, and needs nobody."""
_KEPT_BACK = frozenset({Stand.DECIDED, Stand.RULED})


def idle_summary(issues: Sequence[Issue], facts: Facts, left: str) -> Summary:
    """Why no run was begun. `left` is what an ended run has left to be known."""
    places = list(arrange(issues, facts))
    waiting = waiting_of(places)
    notes = (
        "" if waiting else NOTHING_TO_DO,
        _stopped_before(facts),
        _set_aside(places),
    )
    return Summary(run=None, waiting=waiting, note=left or "; ".join(filter(None, notes)))


def waiting_of(places: Sequence[Place], *, otherwise: str = "") -> tuple[WaitingIssue, ...]:
    """What waits, and for what. `otherwise` is what those wait for that could have been taken.

    What the owner's word keeps back is not among them: nobody has to do anything about it.
    """
    return tuple(
        WaitingIssue(
            issue=each.issue.id,
            waits_for=otherwise if otherwise and each.stand is Stand.SLOT else each.waits_for,
            is_wished=each.stand is Stand.NOT_ASKED,
        )
        for each in places
        if each.stand not in _KEPT_BACK
    )


def _stopped_before(facts: Facts) -> str:
    stopped = sorted(
        issue
        for issue, (_, outcome) in facts.outcomes.items()
        if outcome == Outcome.STOPPED and kept_back(issue, facts.words) is None
    )
    if not stopped:
        return ""
    return f"stopped before: {', '.join(stopped)}; `tidegate retry {stopped[0]}` opens one again"


def _set_aside(places: Sequence[Place]) -> str:
    aside = [each.issue.id for each in places if each.stand is Stand.RULED]
    return f"set aside by the owner's word: {', '.join(aside)}" if aside else ""
