"""Doctor: say, before anything is spent, what would not work here and what to do about it."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from tidegate.config.load import Configuration, load
from tidegate.config.shell_command import missing_program
from tidegate.core.errors import IntegrityError, TidegateError
from tidegate.core.records import record
from tidegate.ports.repository import Repository
from tidegate.verbs.house import House
from tidegate.verbs.log_alarm import END_READER, log_alarm
from tidegate.verbs.publication import remote_problem
from tidegate.verbs.readiness import (
    COMMIT_IT,
    agent_problem,
    filled,
    require_landing_place,
    script_problem,
    target_branch,
)
from tidegate.verbs.tracking import open_tracker, tracker_problem
from tidegate.verbs.workspaces import require_workspaces

MESSAGE_MAX = 2_000
"""How many characters of one thing are told."""
_FSCK = "`tidegate fsck` says what is wrong"


@record
class Symptom:
    """One thing that was looked at. `level` is ok, note or fail.

    `code` is that of the error which was met, empty where there was none.
    """

    name: str
    level: str
    message: str
    remedy: str = ""
    code: str = ""


def doctor(house: House, folder: str) -> tuple[Symptom, ...]:
    """Look at the repository, the configuration, the agent, the ledger and the disk.

    What git and agents say about themselves is told without secrets, and in bounds.
    """
    return tuple(
        replace(each, message=_bounded(house.mask(each.message)), remedy=house.mask(each.remedy))
        for each in _look(house, folder)
    )


def _bounded(text: str) -> str:
    return text if len(text) <= MESSAGE_MAX else f"{text[:MESSAGE_MAX]}… ({len(text)} characters)"


def _look(house: House, folder: str) -> Iterator[Symptom]:
    try:
        repository = house.repositories.find(folder)
    except TidegateError as error:
        yield _failed("repository", error)
        return
    yield Symptom(name="repository", level="ok", message=repository.root)
    for concern in house.repositories.concerns(repository):
        level = "fail" if concern.is_fatal else "note"
        yield Symptom(
            name=concern.code, level=level, message=concern.message, remedy=concern.remedy
        )
    yield _ledger(house, repository)
    try:
        configuration = load(Path(repository.root)).configuration
    except TidegateError as error:
        yield _failed("configuration", error)
        return
    yield Symptom(name="configuration", level="ok", message="tidegate.toml can be read")
    yield from _configured(house, repository, configuration)


def _configured(
    house: House, repository: Repository, configuration: Configuration
) -> Iterator[Symptom]:
    yield _check(house, configuration)
    yield _agent(house, configuration)
    yield from _missing_files(repository, configuration)
    if (missing := script_problem(house, repository, configuration)) is not None:
        yield Symptom(name="script", level="fail", message=missing, remedy=COMMIT_IT)
    yield from _tracker(house, repository, configuration)
    yield _target(house, repository, configuration)
    yield from _publication(house, repository, configuration)
    yield _workspaces(house, repository, configuration)
    yield _disk(house, repository, configuration)


def _check(house: House, configuration: Configuration) -> Symptom:
    command = configuration.settings.check.command
    if not command:
        remedy = "name the command that proves a change in tidegate.toml"
        return Symptom(
            name="check", level="fail", message="[check] command is not set", remedy=remedy
        )
    problem = missing_program(command, house.environment.get("PATH", ""))
    if problem is not None:
        return Symptom(name="check", level="fail", message=problem, remedy="see [check] command")
    return Symptom(name="check", level="ok", message=command)


def _missing_files(repository: Repository, configuration: Configuration) -> Iterator[Symptom]:
    """What a workspace would be given from the checkout, and is not there."""
    workspace = configuration.settings.workspace
    for key, paths in (("env_files", workspace.env_files), ("caches", workspace.caches)):
        for path in paths:
            if not Path(repository.root, path).exists():
                yield Symptom(
                    name=key,
                    level="fail",
                    message=f"{path} is not in {repository.root}",
                    remedy=f"make it, or take it out of [workspace] {key}",
                )


def _agent(house: House, configuration: Configuration) -> Symptom:
    try:
        problem = agent_problem(house, configuration)
    except TidegateError as error:
        return _failed("agent", error)
    roles = filled(configuration).items()
    if problem is None:
        can = ", ".join(f"{each.agent} can {name}" for name, each in roles)
        return Symptom(name="agent", level="ok", message=can)
    remedy = "`tidegate config roles` shows the command of each role"
    return Symptom(name="agent", level="fail", message=problem, remedy=remedy)


def _target(house: House, repository: Repository, configuration: Configuration) -> Symptom:
    try:
        branch = target_branch(house, repository, configuration)
        require_landing_place(house, repository, configuration)
    except TidegateError as error:
        return _failed("target", error)
    return Symptom(name="target", level="ok", message=branch)


def _workspaces(house: House, repository: Repository, configuration: Configuration) -> Symptom:
    try:
        root = require_workspaces(house, repository, configuration.settings.workspace.root)
    except TidegateError as error:
        return _failed("workspaces", error)
    return Symptom(name="workspaces", level="ok", message=root)


def _publication(
    house: House, repository: Repository, configuration: Configuration
) -> Iterator[Symptom]:
    """The remote that gets what landed. Nothing here goes over a network."""
    publish = configuration.settings.land.publish
    if not publish:
        return
    problem = remote_problem(house, repository, configuration)
    if problem is None:
        message = f"{publish} is a remote here; whether it can be reached was not tried"
        yield Symptom(name="publish", level="ok", message=message)
    else:
        remedy = "git remote add, or set another [land] publish in tidegate.toml"
        yield Symptom(name="publish", level="fail", message=problem, remedy=remedy)


def _tracker(
    house: House, repository: Repository, configuration: Configuration
) -> Iterator[Symptom]:
    """The program of a tracker that is a command, and what it lists."""
    problem = tracker_problem(house, repository, configuration)
    if problem is not None:
        yield Symptom(name="tracker", level="fail", message=problem, remedy="see [tracker] command")
        return
    yield _issues(house, repository, configuration)


def _issues(house: House, repository: Repository, configuration: Configuration) -> Symptom:
    try:
        tracker = open_tracker(house, repository, configuration)
        count = len(tracker.issues())
    except TidegateError as error:
        return _failed("issues", error)
    return Symptom(name="issues", level="ok", message=f"{count} in the tracker")


def _ledger(house: House, repository: Repository) -> Symptom:
    try:
        ledger = house.open_ledger_read_only(repository)
        if ledger is None:
            return Symptom(name="ledger", level="ok", message="none yet; the first run makes it")
        with closing(ledger):
            runs, log = len(ledger.runs()), ledger.write_ahead()
    except TidegateError as error:
        return _failed("ledger", error)
    message = f"{runs} run{'s' if runs != 1 else ''} so far"
    if log.is_alarming:
        return Symptom(
            name="ledger", level="note", message=f"{message}; {log_alarm(log)}", remedy=END_READER
        )
    return Symptom(name="ledger", level="ok", message=message)


def _disk(house: House, repository: Repository, configuration: Configuration) -> Symptom:
    free = house.free_bytes(repository.common_dir)
    floor = configuration.policy.limits.disk_floor_bytes
    message = f"{free / 1e9:.1f} GB free, the floor is {floor / 1e9:.1f} GB"
    if free >= floor:
        return Symptom(name="disk", level="ok", message=message)
    return Symptom(name="disk", level="fail", message=message, remedy="free some space")


def _failed(name: str, error: TidegateError) -> Symptom:
    remedy = error.hint
    if isinstance(error, IntegrityError) and "tidegate fsck" not in remedy:
        remedy = f"{remedy}; `tidegate fsck` says what else is wrong" if remedy else _FSCK
    return Symptom(name=name, level="fail", message=error.message, remedy=remedy, code=error.code)
