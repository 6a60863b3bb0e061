"""The tracker of a repository: where its issues come from, and whether it is told of them."""

from pathlib import Path

from tidegate.config.load import Configuration
from tidegate.config.shell_command import missing_program, script_of
from tidegate.core.errors import Misused
from tidegate.ports.repository import Repository
from tidegate.ports.trackers import Tracker, TrackerJobs
from tidegate.verbs.environment import allowed
from tidegate.verbs.house import House, Tracked

COMMAND = "command"


def open_tracker(house: House, repository: Repository, configuration: Configuration) -> Tracker:
    """The tracker that the configuration names. Raises Misused where it names none."""
    return house.open_tracker(_tracked(house, repository, configuration))


def open_tracker_jobs(
    house: House, repository: Repository, configuration: Configuration
) -> TrackerJobs | None:
    """The same, to be told what becomes of its issues; None where it does not want to know."""
    if configuration.settings.tracker.kind != COMMAND:
        return None
    return house.open_tracker_jobs(_tracked(house, repository, configuration))


def tracker_problem(
    house: House, repository: Repository, configuration: Configuration
) -> str | None:
    """Why the tracker's command could not be started, None where it could, or there is none."""
    table = configuration.settings.tracker
    if table.kind != COMMAND:
        return None
    script = script_of(table.command)
    if script is not None and not Path(repository.root, script).exists():
        return f"{script}, which [tracker] command runs, is not in {repository.root}"
    return missing_program(table.command, house.environment.get("PATH", ""))


def _tracked(house: House, repository: Repository, configuration: Configuration) -> Tracked:
    """Where the issues are, once it is said in one way alone."""
    table, env = configuration.settings.tracker, configuration.settings.env
    if table.kind == COMMAND and not table.command.strip():
        raise Misused(
            'the tracker is of the kind "command", and [tracker] command is not set',
            hint="name the command that lists the issues in tidegate.toml",
        )
    if table.kind != COMMAND and table.command:
        raise Misused(
            f'[tracker] command is set, and the tracker is of the kind "{table.kind}"',
            hint='write kind = "command" beside it in tidegate.toml, or take the command out',
        )
    return Tracked(
        root=repository.root,
        cache=Path(repository.home, "issues.cache"),
        settings=table,
        variables=allowed(house.environment, (*env.allow, *table.allow)),
    )
