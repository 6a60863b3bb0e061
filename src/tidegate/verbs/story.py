"""Show: the whole story of one lane. Everything is derived and nothing changed."""

from collections.abc import Iterator, Sequence
from shlex import quote

from tidegate.core.errors import IntegrityError, Misused
from tidegate.core.events import CandidateMade, Event, JobFailed, Requested
from tidegate.core.records import record
from tidegate.core.values import Role
from tidegate.engine.places import Places
from tidegate.playbooks.lane_report import lane_report
from tidegate.ports.ledger import Ledger, Row
from tidegate.ports.repository import HUB, Repository
from tidegate.verbs.frozen import frozen
from tidegate.verbs.house import House
from tidegate.verbs.look import NO_RUN, LaneLine, find_run, lane_line, no_lane
from tidegate.verbs.near import find
from tidegate.verbs.reading import reading


@record
class Finding:
    """Why a round failed, word for word."""

    attempt: str
    reason: str
    counts: bool
    text: str


@record
class Trouble:
    """A job of the engine's own that failed, in the words of what failed."""

    attempt: str
    job: str
    reason: str
    text: str


@record
class LaneStory:
    """All there is to say of one lane: its attempts, its findings, its reports, its troubles."""

    run: str
    lane: LaneLine
    attempts: tuple[dict[str, object], ...]
    target_checks: tuple[str, ...]
    """The checks that looked at the target without the change, since the change was red."""
    turns: tuple[dict[str, object], ...]
    findings: tuple[Finding, ...]
    reports: tuple[tuple[str, str], ...]
    troubles: tuple[Trouble, ...]
    prints: tuple[tuple[str, str], ...]
    """Each turn that is not over, and the file with what its command has printed so far."""
    work: str | None
    """The command that shows what the newest build had come to; None where it came to nothing."""


def show(house: House, folder: str, lane: str, *, run: str | None) -> LaneStory:
    """One lane of the newest run that has it, or of the run named."""
    with reading(house, folder) as (repository, ledger):
        if ledger is None:
            raise Misused(NO_RUN)
        row = _lane_row(ledger, lane, run)
        run_id, lane = str(row["run_id"]), str(row["lane"])
        attempts = ledger.rows("attempt", run_id, lane=lane)
        turns = ledger.rows("turn", run_id, lane=lane)
        builds = {each["attempt_id"] for each in attempts if each["role"] == "build"}
        events = [recorded.entry.event for recorded in ledger.read(run_id, lane=lane)]
        return LaneStory(
            run=run_id,
            lane=lane_line(row),
            attempts=tuple(dict(each) for each in attempts),
            target_checks=tuple(_target_checks(events)),
            turns=tuple(dict(each) for each in turns),
            findings=tuple(
                _finding(ledger, found)
                for found in _told_once(ledger.rows("finding", run_id, lane=lane))
                if found["attempt_id"] in builds  # a check's own record says the same again
            ),
            reports=tuple(_reports(ledger, turns)),
            troubles=tuple(_troubles(ledger, events)),
            prints=tuple(_prints(Places(home=repository.home, run=run_id), turns)),
            work=_work(repository, ledger.rows("workspace", run_id, lane=lane), turns),
        )


def report(house: House, folder: str, lane: str, *, run: str | None) -> str:
    """The lane's report in Markdown: what was proved, and every round's finding."""
    with reading(house, folder) as (_, ledger):
        if ledger is None:
            raise Misused(NO_RUN)
        run_id = str(_lane_row(ledger, lane, run)["run_id"])
        entries = [recorded.entry for recorded in ledger.read(run_id, lane=lane)]
        command = frozen(ledger, run_id).settings.check.command
        return lane_report(entries, lambda digest: _text(ledger, digest), check_command=command)


def _work(repository: Repository, workspaces: Sequence[Row], turns: Sequence[Row]) -> str | None:
    """All that was ever collected is in the hub, and can be looked at there with git."""
    tips = [(each["attempt_id"], each["tip"]) for each in turns if each["tip"]]
    bases = {each["attempt_id"]: each["base"] for each in workspaces}
    if not tips:
        return None
    attempt, tip = tips[-1]
    if tip == bases[attempt]:
        return None  # it came to nothing, and there would be nothing to see
    hub = quote(f"{repository.home}/{HUB}")
    return f"git --git-dir={hub} diff {bases[attempt]} {tip}"


def _prints(places: Places, turns: Sequence[Row]) -> Iterator[tuple[str, str]]:
    """An end that nobody has heard yet is none: its output is of use all the same."""
    for turn in turns:
        if turn["started_at"] and not turn["ended_at"]:
            attempt, number = str(turn["attempt_id"]), int(str(turn["turn"]))
            yield f"{attempt}, turn {number}", f"{places.turn(attempt, number)}/stdout"


def _lane_row(ledger: Ledger, lane: str, run: str | None) -> Row:
    chosen = [find_run(ledger, run)] if run else list(reversed(ledger.runs()))
    runs = [str(row["run_id"]) for row in chosen if row is not None]
    found = _find_row(ledger, runs, lane) or _find_row(ledger, runs, _meant(ledger, runs, lane))
    if found is not None:
        return found
    if not runs:
        raise Misused(NO_RUN)
    raise no_lane(ledger, runs[0], lane)


def _find_row(ledger: Ledger, runs: Sequence[str], lane: str | None) -> Row | None:
    """The lane in the first of the runs that has it."""
    if lane is None:
        return None
    lines = (ledger.lane_line(run, lane) for run in runs)
    return next((line for line in lines if line is not None), None)


def _meant(ledger: Ledger, runs: Sequence[str], lane: str) -> str | None:
    """The lane of the same number, in the first of the runs that has one: `1` is 001."""
    names = ((str(row["lane"]) for row in ledger.rows("lane", run)) for run in runs)
    return next((found for known in names if (found := find(lane, tuple(known)))), None)


def _told_once(rows: Sequence[Row]) -> Iterator[Row]:
    """A red check counts once its target was looked at: the first record of it says no more."""
    for place, row in enumerate(rows):
        later = (
            (each["attempt_id"], each["digest"]) for each in rows[place + 1 :] if each["counts"]
        )
        if row["counts"] or (row["attempt_id"], row["digest"]) not in later:
            yield row


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


def _target_checks(events: Sequence[Event]) -> Iterator[str]:
    targets = set[str]()
    for event in events:
        match event:
            case CandidateMade(target=target):
                targets.add(target)
            case Requested(role=Role.CHECK, commit=str(commit), attempt=attempt):
                if commit in targets:
                    yield attempt


def _troubles(ledger: Ledger, events: Sequence[Event]) -> Iterator[Trouble]:
    for event in events:
        match event:
            case JobFailed(attempt=attempt, job=job, reason=reason, detail=digest):
                text = _text(ledger, digest)
                yield Trouble(attempt=attempt, job=job, reason=reason, text=text)


def _text(ledger: Ledger, digest: str) -> str:
    try:
        return ledger.text(digest)
    except IntegrityError as error:
        return f"[{error}]"
