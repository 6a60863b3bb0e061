"""The reading verbs: status, log, show, explain. They derive everything and change nothing."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tidegate.config.load import load
from tidegate.core.errors import IntegrityError, Misused
from tidegate.core.events import Recorded
from tidegate.core.issue import Issue
from tidegate.ports.ledger import Ledger, Row
from tidegate.ports.repository import Repository
from tidegate.verbs.house import House, by_priority
from tidegate.verbs.stage import stage_of

NO_RUN = "no run yet: `tidegate run` starts one"


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneLine:
    """One lane as a person wants to see it. `stage` is derived from its newest attempt."""

    lane: str
    title: str
    stage: str
    attempt: str
    fails: int
    commit: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
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
    note: str = ""


@contextmanager
def reading(house: House, folder: str) -> Iterator[tuple[Repository, Ledger | None]]:
    """The repository and its ledger, opened for reading only and let go at once."""
    repository = house.repositories.find(folder)
    ledger = house.open_ledger_read_only(repository)
    try:
        yield repository, ledger
    finally:
        if ledger is not None:
            ledger.close()


def status(house: House, folder: str, run: str | None) -> Status:
    """The newest run, or the one named."""
    with reading(house, folder) as (repository, ledger):
        row = find_run(ledger, run) if ledger is not None else None
        if ledger is None or row is None:
            return Status(run=None, note=NO_RUN)
        run_id = str(row["run_id"])
        counted = ledger.summary(run_id)
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
        )


def find_run(ledger: Ledger, run: str | None) -> Row | None:
    """The run of that id, or the newest. Raises Misused where the id is unknown."""
    runs = ledger.runs()
    if run is None:
        return runs[-1] if runs else None
    found = next((row for row in runs if row["run_id"] == run), None)
    if found is None:
        known = ", ".join(str(row["run_id"]) for row in runs[-3:]) or "none"
        raise Misused(f"there is no run {run!r}", hint=f"the newest are: {known}")
    return found


def lane_line(row: Row) -> LaneLine:
    """A lane's row with its newest attempt's, as one line."""
    return LaneLine(
        lane=str(row["lane"]),
        title=str(row["title"]),
        stage=stage_of(row),
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
            raise Misused(f"run {row['run_id']} has no lane {lane!r}", hint="see `tidegate status`")
        return events[-last:] if last else events


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Why a round failed, word for word."""

    attempt: str
    reason: str
    counts: bool
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneStory:
    """All there is to say of one lane: its attempts, its findings, its reports."""

    run: str
    lane: LaneLine
    attempts: tuple[dict[str, object], ...]
    turns: tuple[dict[str, object], ...]
    findings: tuple[Finding, ...]
    reports: tuple[tuple[str, str], ...]


def show(house: House, folder: str, lane: str, *, run: str | None) -> LaneStory:
    """One lane of the newest run that has it, or of the run named."""
    with reading(house, folder) as (_, ledger):
        if ledger is None:
            raise Misused(NO_RUN)
        row = _lane_row(ledger, lane, run)
        run_id = str(row["run_id"])
        attempts = ledger.rows("attempt", run_id, lane=lane)
        turns = ledger.rows("turn", run_id, lane=lane)
        builds = {each["attempt_id"] for each in attempts if each["role"] == "build"}
        return LaneStory(
            run=run_id,
            lane=lane_line(row),
            attempts=tuple(dict(each) for each in attempts),
            turns=tuple(dict(each) for each in turns),
            findings=tuple(
                _finding(ledger, found)
                for found in ledger.rows("finding", run_id, lane=lane)
                if found["attempt_id"] in builds  # a check's own record says the same again
            ),
            reports=tuple(_reports(ledger, turns)),
        )


def _lane_row(ledger: Ledger, lane: str, run: str | None) -> Row:
    runs = [find_run(ledger, run)] if run else list(reversed(ledger.runs()))
    for row in runs:
        if row is None:
            continue
        found = ledger.lane_line(str(row["run_id"]), lane)
        if found is not None:
            return found
    raise Misused(f"no run has a lane {lane!r}", hint="see `tidegate status` and `tidegate log`")


def _finding(ledger: Ledger, row: Row) -> Finding:
    digest = row["digest"]
    return Finding(
        attempt=str(row["attempt_id"]),
        reason=str(row["reason"]),
        counts=bool(row["counts"]),
        text=_text(ledger, str(digest)) if digest else "",
    )


def _reports(ledger: Ledger, turns: Sequence[Row]) -> Iterator[tuple[str, str]]:
    for turn in turns:
        if turn["report_digest"]:
            name = f"{turn['attempt_id']}, turn {turn['turn']}"
            yield name, _text(ledger, str(turn["report_digest"]))


def _text(ledger: Ledger, digest: str) -> str:
    try:
        return ledger.text(digest)
    except IntegrityError as error:
        return f"[{error}]"


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
        outcomes = ledger.outcomes() if ledger is not None else {}
        open_lanes = _open_lanes(ledger)
    landed = {name for name, (_, outcome) in outcomes.items() if outcome == "landed"}
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
        known = ", ".join(each.issue for each in made[:5]) or "none"
        raise Misused(f"there is no issue {issue!r}", hint=f"the first ones are: {known}")
    return found


def _open_lanes(ledger: Ledger | None) -> dict[str, str]:
    if ledger is None:
        return {}
    return {
        str(line["issue"]): stage_of(line)
        for run in ledger.runs()
        if run["ended_at"] is None
        for line in ledger.summary(str(run["run_id"])).open_lanes
    }


def _held_by(
    issue: Issue,
    outcomes: object,
    open_lanes: dict[str, str],
    landed: set[str],
) -> str | None:
    assert isinstance(outcomes, dict)
    if issue.id in outcomes:
        run, outcome = outcomes[issue.id]
        return f"{outcome} in run {run}"
    if issue.id in open_lanes:
        return f"it has a lane: {open_lanes[issue.id]}"
    missing = [need for need in issue.needs if need not in landed]
    return f"it needs issue {', '.join(missing)}" if missing else None
