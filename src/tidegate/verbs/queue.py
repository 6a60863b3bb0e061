"""Which issues are open, in which order, and what each of them waits for. It changes nothing."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from tidegate.config.load import Configuration
from tidegate.core.issue import Issue
from tidegate.core.values import Outcome
from tidegate.ports.ledger import Ledger
from tidegate.ports.repository import Repository
from tidegate.verbs.house import House
from tidegate.verbs.tracking import open_tracker

Outcomes = Mapping[str, tuple[str, str]]
"""An issue's run and its outcome there."""


def outcomes_of(ledger: Ledger) -> Outcomes:
    """The issues that were decided, in whatever run; an abandoned one was not."""
    ended = ledger.outcomes()
    return {issue: end for issue, end in ended.items() if end[1] != Outcome.ABANDONED}


def by_priority(issue: Issue) -> tuple[int, str]:
    """The order of the queue: higher priority first, then the lower id."""
    return (-issue.priority, issue.id)


def open_issues(
    house: House, repository: Repository, configuration: Configuration, ledger: Ledger
) -> list[Issue]:
    """The issues that no run has an outcome for, in the order in which they are taken."""
    tracker = open_tracker(house, repository, configuration)
    done = outcomes_of(ledger)
    return sorted((i for i in tracker.issues() if i.id not in done), key=by_priority)


def landed_issues(outcomes: Outcomes) -> set[str]:
    """The issues that others may stand on."""
    return {issue for issue, (_, outcome) in outcomes.items() if outcome == "landed"}


def needed(issue: Issue, landed: AbstractSet[str]) -> str | None:
    """What must land before this issue can be taken, in words; None where nothing must."""
    missing = [need for need in issue.needs if need not in landed]
    return f"issue {', '.join(missing)}" if missing else None
