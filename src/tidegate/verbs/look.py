"""Look at a run: its status and its log. Everything is derived and nothing changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tidegate.core.drain import say_drain
from tidegate.core.errors import Misused
from tidegate.core.records import record
from tidegate.engine.places import hub_ref
from tidegate.ports.ledger import Ledger, Row
from tidegate.ports.repository import Repository
from tidegate.verbs.house import House
from tidegate.verbs.log_alarm import END_READER, log_alarm
from tidegate.verbs.near import near
from tidegate.verbs.reading import reading
from tidegate.verbs.stage import stage_of_row
from tidegate.verbs.summary import Outside, drain_in, outcome_of, outside

if TYPE_CHECKING:  # a quarter of what `status` takes, which needs none of it
    from tidegate.core.events import Recorded

NO_RUN = "no run yet: `tidegate run` starts one"
LANES_SHOWN_MAX = 8


@record
class LaneLine:
    """One lane as a person wants to see it. `stage` is derived from its newest attempt."""

    lane: str
    title: str
    stage: str
    attempt: str
    fails: int
    commit: str
    reason: str


@record
class Status:
    """One run at a glance. `attempts` counts attempts by their state, `outcomes` ended lanes."""

    run: str | None
    target: str = ""
    ref: str = ""
    started_at: str = ""
    ended_at: str | None = None
    controller: str | None = None
    lanes: tuple[LaneLine, ...] = ()
    attempts: dict[str, int] | None = None
    outcomes: dict[str, int] | None = None
    effects: tuple[Outside, ...] = ()
    """What should have happened outside, and did not or is not known to have."""
    drained: str = ""
    """Why nothing new begins in it, and what lifts that."""
    note: str = ""
    log_bytes: int = 0
    """How much of the ledger stands in its log alone."""
    alarm: str = ""
    """What needs an eye, whatever the run does."""


def status(house: House, folder: str, run: str | None) -> Status:
    """The newest run, or the one named."""
    with reading(house, folder) as (repository, ledger):
        row = find_run(ledger, run) if ledger is not None else None
        if ledger is None or row is None:
            return Status(run=None, note=NO_RUN)
        run_id = str(row["run_id"])
        counted, receipts = ledger.summary(run_id), ledger.rows("receipt", run_id)
        log = ledger.write_ahead()
        return Status(
            run=run_id,
            target=str(row["target"]),
            ref=str(row["ref"]),
            started_at=str(row["started_at"]),
            ended_at=str(row["ended_at"]) if row["ended_at"] else None,
            controller=house.controller_holder(repository.home),
            lanes=tuple(lane_line(line) for line in counted.open_lanes),
            attempts=dict(counted.attempts),
            outcomes=dict(counted.outcomes),
            effects=outside(receipts),
            drained="" if row["ended_at"] else say_drain(run_id, drain_in(row)),
            note=_note(row, receipts) or _untaken(house, repository, row),
            log_bytes=log.size_bytes,
            alarm=f"the ledger: {log_alarm(log)}; {END_READER}" if log.is_alarming else "",
        )


def _note(run: Row, receipts: Sequence[Row]) -> str:
    """Why nothing came of a run, or what a run that nobody carries on is waiting for."""
    if run["ended_at"]:
        return "" if run["landed"] or run["stopped"] else f"nothing was done: {run['reason']}"
    deliveries = [row for row in receipts if row["kind"] == "delivery"]
    is_refused = bool(deliveries) and _is_undelivered(deliveries[-1])
    return f"not delivered yet: {deliveries[-1]['detail']}" if is_refused else ""


def _is_undelivered(delivery: Row) -> bool:
    """It was tried, and the branch has not got it as far as anybody knows."""
    return bool(delivery["settled_at"]) and outcome_of(delivery) in _UNDELIVERED


_UNDELIVERED = frozenset({"waiting", "failed", "unknown"})


def _untaken(house: House, repository: Repository, run: Row) -> str:
    """That the target lacks what a run landed on a branch of its own, and how to take it."""
    if not run["ended_at"] or not run["landed"] or run["ref"] != hub_ref(str(run["run_id"])):
        return ""
    tip = house.repositories.branch_commit(repository, str(run["ref"]))
    target = house.repositories.branch_commit(repository, str(run["target"]))
    if tip is None or target is None or house.repositories.has_before(repository, tip, target):
        return ""
    short = str(run["target"]).removeprefix("refs/heads/")
    if not house.repositories.has_before(repository, target, tip):
        branch = str(run["ref"]).removeprefix("refs/heads/")
        return f"what landed is not in {short}, which has moved on: git merge {branch}"
    return f"what landed is not in {short} yet: `tidegate land --run {run['run_id']}` takes it"


def find_run(ledger: Ledger, run: str | None) -> Row | None:
    """The run of that id, or the newest. Raises Misused where the id is unknown."""
    runs = ledger.runs()
    if run is None:
        return runs[-1] if runs else None
    found = next((row for row in runs if row["run_id"] == run), None)
    if found is None:
        known = [str(row["run_id"]) for row in reversed(runs)]
        raise Misused(
            f"there is no run {run!r}",
            hint=f"the newest are: {', '.join(known[:3]) or 'none'}",
            did_you_mean=near(run, known),
        )
    return found


def lane_line(row: Row) -> LaneLine:
    """A lane's row with its newest attempt's, as one line."""
    return LaneLine(
        lane=str(row["lane"]),
        title=str(row["title"]),
        stage=stage_of_row(row),
        attempt=str(row["attempt_id"] or ""),
        fails=int(str(row["fails"] or 0)),
        commit=str(row["landed_commit"] or ""),
        reason=str(row["reason"] or ""),
    )


def log(
    house: House, folder: str, *, run: str | None, lane: str | None, last: int | None
) -> Sequence[Recorded]:
    """The run's events in order; those of one lane, or the last so many."""
    with reading(house, folder) as (_, ledger):
        row = find_run(ledger, run) if ledger is not None else None
        if ledger is None or row is None:
            return ()
        events = tuple(ledger.read(str(row["run_id"]), lane=lane))
        if lane and not events:
            raise no_lane(ledger, str(row["run_id"]), lane)
        return events[-last:] if last else events


def no_lane(ledger: Ledger, run: str, lane: str) -> Misused:
    """The error that names the lanes there are."""
    lanes = [str(row["lane"]) for row in ledger.rows("lane", run)]
    return Misused(
        f"run {run} has no lane {lane!r}",
        hint=f"it has {_listed(lanes)}; `tidegate explain {lane}` tells of an issue without one",
        did_you_mean=near(lane, lanes),
    )


def _listed(lanes: Sequence[str]) -> str:
    shown = ", ".join(lanes[:LANES_SHOWN_MAX]) or "none yet"
    return f"{shown} and {len(lanes) - LANES_SHOWN_MAX} more" if lanes[LANES_SHOWN_MAX:] else shown
