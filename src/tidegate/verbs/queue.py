"""The facts that the queue is arranged by, read from the tracker and the ledger."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from tidegate.config.load import Configuration
from tidegate.core.drain import say_drain
from tidegate.core.errors import Misused, Refused
from tidegate.core.issue import Issue
from tidegate.core.values import Outcome
from tidegate.core.word import last_words
from tidegate.playbooks.queue import Facts, Holder, landed_of
from tidegate.ports.ledger import Ledger, Row
from tidegate.ports.repository import Repository
from tidegate.ports.trackers import CLAIM, DONE, REFUSED
from tidegate.verbs.house import House
from tidegate.verbs.near import find, near
from tidegate.verbs.stage import stage_of_row
from tidegate.verbs.summary import drain_in, outcome_of
from tidegate.verbs.tracking import open_tracker

Outcomes = Mapping[str, tuple[str, str]]
"""An issue's run and its outcome there."""


def outcomes_of(ledger: Ledger) -> Outcomes:
    """The issues that are decided, in whatever run.

    An abandoned one was not, and what the owner has opened again is not any more.
    """
    ended = ledger.standing_outcomes()
    return {issue: end for issue, end in ended.items() if end[1] != Outcome.ABANDONED}


def read_issues(
    house: House, repository: Repository, configuration: Configuration
) -> Sequence[Issue]:
    """All issues of the tracker, decided or not."""
    return open_tracker(house, repository, configuration).issues()


def undecided(issues: Iterable[Issue], ledger: Ledger | None) -> list[Issue]:
    """The issues that no outcome stands for."""
    done = outcomes_of(ledger) if ledger is not None else {}
    return [issue for issue in issues if issue.id not in done]


def facts_of(
    ledger: Ledger | None,
    *,
    is_carried: bool = True,
    slots: int = 1,
    only: AbstractSet[str] | None = None,
) -> Facts:
    """What the ledger says of the queue; `is_carried` where a controller is at work."""
    if ledger is None:
        return Facts(slots=slots, only=only)
    outcomes = outcomes_of(ledger)
    return Facts(
        unknown=unknown_of(ledger),
        drained=drain_of(ledger),
        landed=landed_of(outcomes),
        outcomes=outcomes,
        words=last_words(ledger.words()),
        claims={} if _is_over(ledger) else skipped(ledger),
        holders=[_holder(row, is_carried=is_carried) for row in open_lanes(ledger)],
        slots=slots,
        only=only,
    )


def unknown_of(ledger: Ledger) -> Mapping[str, str]:
    """The issues of which something outside is unknown, in whatever run, each with its receipt."""
    rows = ledger.unknown_receipts()
    return {str(row["issue"]): str(row["receipt"]) for row in rows if row["issue"]}


def drain_of(ledger: Ledger) -> str:
    """Why nothing new begins in the open run, and what lifts that; empty where it is not held."""
    rows = [row for row in ledger.runs() if row["ended_at"] is None]
    return next((say_drain(str(row["run_id"]), drain_in(row)) for row in rows), "")


def open_lanes(ledger: Ledger) -> Sequence[Row]:
    """The lines of the lanes that are not over, in whatever run."""
    return [
        line
        for run in ledger.runs()
        if run["ended_at"] is None
        for line in ledger.summary(str(run["run_id"])).open_lanes
    ]


def _holder(row: Row, *, is_carried: bool) -> Holder:
    return Holder(
        lane=str(row["lane"]),
        issue=str(row["issue"]),
        footprint=_held(row),
        stage=stage_of_row(row),
        is_carried=is_carried,
        is_asking=bool(row["is_waiting_for_owner"]),
    )


def _held(row: Row) -> tuple[str, ...]:
    """The paths that a lane keeps others from; one that waits for its owner keeps none."""
    return () if row["is_waiting_for_owner"] else tuple(json.loads(str(row["footprint"])))


def _is_over(ledger: Ledger) -> bool:
    """The newest run has ended: the next one asks the tracker anew."""
    runs = ledger.runs()
    return not runs or runs[-1]["ended_at"] is not None


def skipped(ledger: Ledger) -> dict[str, str]:
    """Issues that the newest run asked its tracker for, and did not get; or waits to get."""
    if not ledger.runs():
        return {}
    run = ledger.runs()[-1]
    rows = ledger.rows("receipt", str(run["run_id"]))
    claims = [row for row in rows if row["kind"] == CLAIM and outcome_of(row) != DONE]
    return {str(row["issue"]): _claim(run, row) for row in claims}


def _claim(run: Row, row: Row) -> str:
    if not row["settled_at"]:
        return "its tracker is being asked for it"
    who = "its tracker did not give it" if outcome_of(row) == REFUSED else "it could not be claimed"
    again = "; the next run asks again" if run["ended_at"] else ""
    return f"skipped in run {run['run_id']}: {who} ({row['detail']}){again}"


def find_issue(word: str, issues: Iterable[Issue]) -> Issue:
    """The issue that a person means: `1` is 001. Raises Misused where there is none."""
    known = {issue.id: issue for issue in issues}
    found = find(word, known)
    if found is None:
        raise Misused(
            f"there is no issue {word!r}",
            hint="see them all: `tidegate queue`",
            did_you_mean=near(word, known),
        )
    return known[found]


def chosen(
    words: Collection[str], issues: Sequence[Issue], ledger: Ledger | None
) -> frozenset[str] | None:
    """The issues that `--only` names; None where it names none.

    Raises Misused for an id that nobody has, and Refused for an issue that is decided.
    """
    if not words:
        return None
    done = outcomes_of(ledger) if ledger is not None else {}
    found = frozenset(find_issue(word, issues).id for word in words)
    for issue in sorted(found):
        if issue in done:
            run, outcome = done[issue]
            raise Refused(
                f"issue {issue} is decided: {outcome} in run {run}", hint=remedy_of(issue, outcome)
            )
    return found


def remedy_of(issue: str, outcome: str) -> str:
    """How a decided issue is taken again."""
    if outcome == Outcome.LANDED:
        return f"to have it done again, say so: `tidegate rule {issue} open --reason TEXT`"
    return f"`tidegate retry {issue}` opens it again"
