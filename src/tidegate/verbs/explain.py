"""Explain: the queue, with the one reason for each issue's place. It changes nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tidegate.config.load import load
from tidegate.core.errors import Misused
from tidegate.core.issue import Issue
from tidegate.engine.tracking import CLAIM, DONE, REFUSED
from tidegate.ports.ledger import Ledger, Row
from tidegate.verbs.house import House
from tidegate.verbs.look import reading
from tidegate.verbs.near import near
from tidegate.verbs.queue import Outcomes, by_priority, landed_issues, outcomes_of
from tidegate.verbs.stage import stage_of_row
from tidegate.verbs.tracking import open_tracker


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
        configuration = load(Path(repository.root)).configuration
        issues = open_tracker(house, repository, configuration).issues()
        outcomes = outcomes_of(ledger) if ledger is not None else {}
        places = {**_skipped(ledger), **_open_lanes(ledger)}
    landed = landed_issues(outcomes)
    made: list[Explanation] = []
    is_first = True
    for each in sorted(issues, key=by_priority):
        reason = _held_by(each, outcomes, places, landed)
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
        str(line["issue"]): f"it has a lane: {stage_of_row(line)}"
        for run in ledger.runs()
        if run["ended_at"] is None
        for line in ledger.summary(str(run["run_id"])).open_lanes
    }


def _skipped(ledger: Ledger | None) -> dict[str, str]:
    """Issues that the newest run asked its tracker for, and did not get; or waits to get."""
    if ledger is None or not ledger.runs():
        return {}
    run = ledger.runs()[-1]
    rows = ledger.rows("receipt", str(run["run_id"]))
    claims = [row for row in rows if row["kind"] == CLAIM and row["outcome"] != DONE]
    return {str(row["issue"]): _claim(run, row) for row in claims}


def _claim(run: Row, row: Row) -> str:
    if not row["settled_at"]:
        return "its tracker is being asked for it"
    who = "its tracker did not give it" if row["outcome"] == REFUSED else "it could not be claimed"
    again = "; the next run asks again" if run["ended_at"] else ""
    return f"skipped in run {run['run_id']}: {who} ({row['detail']}){again}"


def _held_by(
    issue: Issue,
    outcomes: Outcomes,
    places: dict[str, str],
    landed: set[str],
) -> str | None:
    if issue.id in outcomes:
        run, outcome = outcomes[issue.id]
        return f"{outcome} in run {run}"
    if issue.id in places:
        return places[issue.id]
    missing = [_need(need, outcomes) for need in issue.needs if need not in landed]
    return f"it needs issue {', '.join(missing)}" if missing else None


def _need(issue: str, outcomes: Outcomes) -> str:
    return f"{issue} ({outcomes[issue][1]})" if issue in outcomes else issue
