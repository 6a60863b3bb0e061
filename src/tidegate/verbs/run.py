"""Run: take up the open run or start one, and go on until nothing is left to do by itself."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from tidegate.config.load import Configuration, Loaded, load, thaw
from tidegate.core.errors import IntegrityError, Misused, NotReady
from tidegate.core.events import Entry, RunEnded, RunStarted
from tidegate.core.issue import Issue
from tidegate.core.values import Verdict
from tidegate.engine.engine import Engine
from tidegate.engine.loop import Ended, Wish, run_loop
from tidegate.ports.ledger import Ledger
from tidegate.ports.repository import Repository
from tidegate.verbs.assembly import assemble
from tidegate.verbs.house import House, by_priority
from tidegate.verbs.start import RunWish, start_run
from tidegate.verbs.summary import Summary, Target, WaitingIssue, summarize

NOTHING_TO_DO = "nothing to do"


@dataclass(frozen=True, slots=True, kw_only=True)
class Eyes:
    """How a face looks on: what was recorded, what is going on, and what is wished for."""

    recorded: Callable[[Sequence[Entry]], None]
    state: Callable[[Engine], None]
    wish: Callable[[], Wish]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """The summary, and the code that a face exits with."""

    summary: Summary
    exit_code: int


def run(house: House, folder: str, wish: RunWish, eyes: Eyes) -> RunResult:
    """Run the build playbook over the open issues of the repository that `folder` is in."""
    repository = house.repositories.find(folder)
    _refuse_fatal_concerns(house, repository)
    loaded = load(Path(repository.root))
    with house.lock_controller(repository.home):
        ledger = house.open_ledger(repository)
        try:
            return _run(house, repository, loaded, ledger, wish, eyes)
        finally:
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
    issues = open_issues(house, repository, loaded.configuration, ledger)
    if open_run is None and not issues:
        return RunResult(summary=Summary(run=None, note=NOTHING_TO_DO), exit_code=0)
    configuration = _frozen(ledger, open_run) if open_run else loaded.configuration
    _preflight(house, configuration)
    run_id = open_run or start_run(house, repository, loaded, ledger, wish)
    engine = assemble(house, repository, configuration, ledger, run_id)
    engine.queue.extend(issue for issue in issues if issue.id not in engine.book.lanes)
    engine.book.listener = eyes.recorded
    engine.width = wish.width or configuration.settings.run.width
    engine.agent_problem = lambda: agent_problem(house, configuration)
    ended = run_loop(engine, wish=eyes.wish, show=eyes.state)
    return _finish(engine, ended)


def _refuse_fatal_concerns(house: House, repository: Repository) -> None:
    for concern in house.repositories.concerns(repository):
        if concern.is_fatal:
            raise NotReady(concern.message, hint=concern.remedy)


def find_open_run(ledger: Ledger) -> str | None:
    """The run that was not ended; there is at most one at a time."""
    open_runs = [row for row in ledger.runs() if row["ended_at"] is None]
    return str(open_runs[-1]["run_id"]) if open_runs else None


def open_issues(
    house: House, repository: Repository, configuration: Configuration, ledger: Ledger
) -> list[Issue]:
    """The issues that no run has an outcome for, in the order in which they are taken."""
    tracker = house.open_tracker(repository.root, configuration.settings.tracker.path)
    done = ledger.outcomes()
    return sorted((i for i in tracker.issues() if i.id not in done), key=by_priority)


def _frozen(ledger: Ledger, run_id: str) -> Configuration:
    first = next(ledger.read(run_id, lane=""), None)
    if first is None or not isinstance(first.entry.event, RunStarted):
        raise IntegrityError(f"run {run_id} does not begin with its start")
    return thaw(ledger.text(first.entry.event.config_digest).encode())


def _preflight(house: House, configuration: Configuration) -> None:
    if not configuration.settings.check.command:
        raise Misused(
            "[check] command is not set in tidegate.toml",
            hint="name the command that proves a change, such as `make test`",
        )
    problem = agent_problem(house, configuration)
    if problem is not None:
        raise NotReady(problem, hint="see [roles.build] in tidegate.toml")


def agent_problem(house: House, configuration: Configuration) -> str | None:
    """Why the builder could not be started, None where it could."""
    role = configuration.roles["build"]
    path = house.environment.get("PATH", "")
    return house.load_agent(role.agent).preflight(role, path=path)


def _finish(engine: Engine, ended: Ended) -> RunResult:
    """End the run where nothing is left of it, and say what became of it."""
    ledger, run = engine.ports.ledger, engine.book.run
    waiting = tuple(
        WaitingIssue(issue=issue.id, waits_for=_waits_for(engine, issue)) for issue in engine.queue
    )
    target = Target(ref=run.started.ref, commit=run.target)
    note = ended.halt or (f"not delivered: {run.waiting}" if run.waiting else "")
    summary = summarize(ledger, run.id, target=target, waiting=waiting, note=note)
    is_red = run.base_verdict is Verdict.FAIL
    if is_red:
        summary = replace(summary, note=_red_base(ledger, run.base_log))
    if is_red or (ended.wish is Wish.GO_ON and not engine.book.lanes and ended.halt is None):
        engine.book.record_run(_end(summary, ended.halt or "the queue is empty"))
        engine.book.flush()
        _tidy(engine)
    return RunResult(summary=summary, exit_code=_exit_code(summary, ended))


def _tidy(engine: Engine) -> None:
    """Take away the run's folder for workspaces. What is left in it is somebody's, and stays."""
    for folder in (f"{engine.setup.workspaces}/{engine.book.run.id}", engine.setup.workspaces):
        with suppress(OSError):
            Path(folder).rmdir()


def _red_base(ledger: Ledger, log: str) -> str:
    return f"the check fails on the untouched base, so nothing was started:\n{ledger.text(log)}"


def _waits_for(engine: Engine, issue: Issue) -> str:
    missing = [need for need in issue.needs if need not in engine.landed]
    return f"issue {', '.join(missing)}" if missing else "the run to go on"


def _end(summary: Summary, reason: str) -> RunEnded:
    return RunEnded(
        landed=len(summary.landed),
        stopped=len(summary.stopped),
        waiting=len(summary.waiting),
        reason=reason,
    )


def _exit_code(summary: Summary, ended: Ended) -> int:
    if ended.wish is not Wish.GO_ON:
        return 130
    if ended.halt is not None:
        return NotReady.exit_code
    return 1 if summary.stopped or summary.refused or summary.waiting or summary.note else 0
