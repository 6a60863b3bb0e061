"""What to say where nothing can be taken: no run is begun in which nothing could be done."""

from collections.abc import Sequence

from tidegate.core.issue import Issue
from tidegate.core.values import Outcome
from tidegate.playbooks.queue import Facts, Place, Stand, arrange, kept_back
from tidegate.verbs.summary import Summary, WaitingIssue

NOTHING_TO_DO = "nothing to do"
WISHED = frozenset({Stand.NOT_ASKED, Stand.RULED})
"""What waits because somebody wished it, and needs nobody."""


def idle_summary(issues: Sequence[Issue], facts: Facts, left: str) -> Summary:
    """Why no run was begun. `left` is what an ended run has left to be known."""
    waiting = waiting_of(list(arrange(issues, facts)))
    nothing = NOTHING_TO_DO if all(each.is_wished for each in waiting) else ""
    note = "; ".join(filter(None, (nothing, _stopped_before(facts))))
    return Summary(run=None, waiting=waiting, note=left or note)


def waiting_of(places: Sequence[Place], *, otherwise: str = "") -> tuple[WaitingIssue, ...]:
    """What waits, and for what. `otherwise` is what those wait for that could have been taken."""
    return tuple(
        WaitingIssue(
            issue=each.issue.id,
            waits_for=otherwise if otherwise and each.stand is Stand.SLOT else each.waits_for,
            is_wished=each.stand in WISHED,
        )
        for each in places
        if each.stand is not Stand.DECIDED
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
