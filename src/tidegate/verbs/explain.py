"""Explain: the queue, with the one reason for each issue's place. It changes nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tidegate.config.load import load
from tidegate.core.errors import Misused
from tidegate.core.issue import Issue
from tidegate.ports.ledger import Ledger
from tidegate.verbs.house import House
from tidegate.verbs.look import reading
from tidegate.verbs.near import near
from tidegate.verbs.queue import Outcomes, by_priority, landed_issues, outcomes_of
from tidegate.verbs.stage import stage_of_row


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """The one reason that an issue is, or is not, what comes next."""

    issue: str
    title: str
    is_next: bool
    reason: str


def explain(house: House, folder: str, issue: str | None) -> Sequence[Explanation]:
    """Every issue of the tracker in its order, or one, with the reason that it stands there."""
    with reading(house, folder) as (repository, ledger):
        settings = load(Path(repository.root)).configuration.settings
        issues = house.open_tracker(repository.root, settings.tracker.path).issues()
        outcomes = outcomes_of(ledger) if ledger is not None else {}
        open_lanes = _open_lanes(ledger)
    landed = landed_issues(outcomes)
    made: list[Explanation] = []
    is_first = True
    for each in sorted(issues, key=by_priority):
        reason = _held_by(each, outcomes, open_lanes, landed)
        is_next = reason is None and is_first
        is_first = is_first and not is_next
        why = reason or ("nothing is before it" if is_next else "it waits its turn")
        made.append(Explanation(issue=each.id, title=each.title, is_next=is_next, reason=why))
    if issue is None:
        return made
    found = [each for each in made if each.issue == issue]
    if not found:
        raise Misused(
            f"there is no issue {issue!r}",
            hint="see them all: `tidegate explain`",
            did_you_mean=near(issue, (each.issue for each in made)),
        )
    return found


def _open_lanes(ledger: Ledger | None) -> dict[str, str]:
    if ledger is None:
        return {}
    return {
        str(line["issue"]): stage_of_row(line)
        for run in ledger.runs()
        if run["ended_at"] is None
        for line in ledger.summary(str(run["run_id"])).open_lanes
    }


def _held_by(
    issue: Issue,
    outcomes: Outcomes,
    open_lanes: dict[str, str],
    landed: set[str],
) -> str | None:
    if issue.id in outcomes:
        run, outcome = outcomes[issue.id]
        return f"{outcome} in run {run}"
    if issue.id in open_lanes:
        return f"it has a lane: {open_lanes[issue.id]}"
    missing = [_need(need, outcomes) for need in issue.needs if need not in landed]
    return f"it needs issue {', '.join(missing)}" if missing else None


def _need(issue: str, outcomes: Outcomes) -> str:
    return f"{issue} ({outcomes[issue][1]})" if issue in outcomes else issue
