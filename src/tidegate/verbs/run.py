"""Run: take up the open run or start one, and go on until nothing is left to do by itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tidegate.config.load import Configuration, Loaded, load, thaw
from tidegate.core.errors import IntegrityError, Refused, TidegateError
from tidegate.core.events import RunStarted
from tidegate.core.issue import Issue
from tidegate.engine.engine import Engine
from tidegate.engine.loop import run_loop
from tidegate.ports.ledger import Ledger
from tidegate.ports.repository import Repository
from tidegate.verbs.abandon import Abandoned, abandon, is_half_abandoned
from tidegate.verbs.assembly import assemble
from tidegate.verbs.eyes import Eyes
from tidegate.verbs.finish import finish
from tidegate.verbs.house import House
from tidegate.verbs.queue import Outcomes, landed_issues, needed, open_issues, outcomes_of
from tidegate.verbs.readiness import (
    agent_problem,
    refuse_fatal_concerns,
    require_landing_place,
    require_ready,
    target_branch,
)
from tidegate.verbs.start import RunWish, start_run
from tidegate.verbs.summary import Summary, WaitingIssue

NOTHING_TO_DO = "nothing to do"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """The summary, and the code that a face exits with."""

    summary: Summary
    exit_code: int


def run(house: House, folder: str, wish: RunWish, eyes: Eyes) -> RunResult:
    """Run the build playbook over the open issues of the repository that `folder` is in."""
    repository = house.repositories.find(folder)
    concerns = refuse_fatal_concerns(house, repository)
    loaded = load(Path(repository.root))
    for concern in concerns:
        eyes.tell(f"note: {concern.message} ({concern.remedy})")
    with house.lock_controller(repository.home):
        ledger = house.open_ledger(repository)
        try:
            return _run(house, repository, loaded, ledger, wish, eyes)
        finally:
            house.runners.stand_down()
            ledger.close()


def _run(
    house: House,
    repository: Repository,
    loaded: Loaded,
    ledger: Ledger,
    wish: RunWish,
    eyes: Eyes,
) -> RunResult:
    open_run = find_open_run(ledger)
    left = Abandoned(is_over=True)
    if open_run is not None and (wish.anew or is_half_abandoned(ledger, open_run)):
        left = _abandon(house, repository, loaded, ledger, open_run, wish, eyes)
        if not left.is_over:
            return RunResult(summary=Summary(run=open_run, note=left.note), exit_code=130)
        open_run = None
    issues = open_issues(house, repository, loaded.configuration, ledger)
    outcomes = outcomes_of(ledger)
    landed = landed_issues(outcomes)
    if open_run is None and all(needed(issue, landed) for issue in issues):
        return _idle(issues, outcomes, left.note)
    if open_run and wish.base is not None:
        raise Refused(
            f"run {open_run} is under way and has its base",
            hint="`tidegate run` without --base takes it up again, `--anew` ends it first",
        )
    configuration = _frozen(ledger, open_run) if open_run else loaded.configuration
    if configuration != loaded.configuration:
        eyes.tell(
            f"the configuration has changed; run {open_run} keeps the one it began with "
            "(`tidegate run --anew` ends it and begins another)"
        )
    elif open_run:
        eyes.tell(f"run {open_run} is taken up again")
    if left.note:
        eyes.tell(left.note)
    require_ready(house, repository, configuration, open_run=open_run)
    run_id = open_run or start_run(house, repository, loaded, ledger, wish)
    engine = assemble(house, repository, configuration, ledger, run_id)
    engine.queue.extend(issue for issue in issues if issue.id not in engine.book.lanes)
    engine.book.listener = eyes.recorded
    engine.width = wish.width or configuration.settings.run.width
    engine.agent_problem = lambda: agent_problem(house, configuration)
    known = {issue.id for issue in issues}
    engine.refill = lambda: _refill(house, repository, engine, configuration, known, eyes)
    ended = run_loop(engine, wish=eyes.wish, show=eyes.state)
    summary, code = finish(house, repository, engine, ended)
    return RunResult(summary=summary, exit_code=code)


def _abandon(
    house: House,
    repository: Repository,
    loaded: Loaded,
    ledger: Ledger,
    open_run: str,
    wish: RunWish,
    eyes: Eyes,
) -> Abandoned:
    """End the open run, once nothing keeps another from beginning."""
    require_ready(house, repository, loaded.configuration, open_run=None)
    target_branch(house, repository, loaded.configuration)
    require_landing_place(house, repository, loaded.configuration)
    if wish.base is not None:
        house.repositories.resolve(repository, wish.base)
    kept = _frozen(ledger, open_run)
    return abandon(house, repository, configuration=kept, ledger=ledger, run_id=open_run, eyes=eyes)


def _refill(
    house: House,
    repository: Repository,
    engine: Engine,
    configuration: Configuration,
    known: set[str],
    eyes: Eyes,
) -> bool:
    """Take in issues that were added while the run went on. One that cannot be read can wait."""
    try:
        issues = open_issues(house, repository, configuration, engine.ports.ledger)
    except TidegateError as error:
        eyes.tell(f"new issues cannot be read: {error}")
        return False
    fresh = [issue for issue in issues if issue.id not in known]
    known.update(issue.id for issue in fresh)
    engine.queue.extend(fresh)
    return any(needed(issue, engine.landed) is None for issue in fresh)


def _idle(issues: Sequence[Issue], outcomes: Outcomes, left: str) -> RunResult:
    """No run is begun where nothing could be done in it: each issue waits for another."""
    landed = landed_issues(outcomes)
    stopped = sorted(issue for issue, (_, outcome) in outcomes.items() if outcome == "stopped")
    waiting = tuple(
        WaitingIssue(issue=issue.id, waits_for=needed(issue, landed) or "") for issue in issues
    )
    note = "" if waiting else NOTHING_TO_DO
    if stopped:
        again = f"stopped before: {', '.join(stopped)}; to try one again, `tidegate add` it anew"
        note = f"{note}; {again}" if note else again
    summary = Summary(run=None, waiting=waiting, note=left or note)
    return RunResult(summary=summary, exit_code=1 if waiting or left else 0)


def find_open_run(ledger: Ledger) -> str | None:
    """The run that was not ended; there is at most one at a time."""
    open_runs = [row for row in ledger.runs() if row["ended_at"] is None]
    return str(open_runs[-1]["run_id"]) if open_runs else None


def _frozen(ledger: Ledger, run_id: str) -> Configuration:
    first = next(ledger.read(run_id, lane=""), None)
    if first is None or not isinstance(first.entry.event, RunStarted):
        raise IntegrityError(f"run {run_id} does not begin with its start")
    return thaw(ledger.text(first.entry.event.config_digest).encode())
