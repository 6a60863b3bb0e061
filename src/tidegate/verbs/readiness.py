"""What must be so before a run may begin or go on. Each answer says what to do."""

from tidegate.config.load import Configuration
from tidegate.config.shell_command import script_of
from tidegate.core.errors import Misused, NotReady
from tidegate.engine.places import hub_ref
from tidegate.ports.agents import RoleSettings
from tidegate.ports.repository import Concern, Repository
from tidegate.verbs.house import House
from tidegate.verbs.publication import remote_problem
from tidegate.verbs.workspaces import require_workspaces


def refuse_fatal_concerns(house: House, repository: Repository) -> tuple[Concern, ...]:
    """Raise NotReady for what a run would trip over in the repository; return the rest."""
    concerns = tuple(house.repositories.concerns(repository))
    for concern in concerns:
        if concern.is_fatal:
            raise NotReady(concern.message, hint=concern.remedy)
    return concerns


def require_ready(
    house: House, repository: Repository, configuration: Configuration, *, open_run: str | None
) -> None:
    """Raise for a configuration that no run could be carried with on this machine.

    `open_run` is the run that it was frozen for, None where it is the one of `tidegate.toml`.
    """
    if not configuration.settings.check.command:
        raise Misused(
            "[check] command is not set in tidegate.toml",
            hint="name the command that proves a change, such as `make test`",
        )
    if configuration.roles["build"].is_off:
        raise Misused(
            "[roles.build] is off, and nothing can be built without it",
            hint='name an agent, such as agent = "shell"',
        )
    problem = agent_problem(house, configuration)
    if problem is not None:
        kept = (
            f"put it back, since run {open_run} keeps the configuration that it began with; "
            "or end that run and begin another: `tidegate run --anew`"
        )
        raise NotReady(problem, hint=kept if open_run else "see [roles.build] in tidegate.toml")
    missing = script_problem(house, repository, configuration)
    if missing is not None:
        raise NotReady(missing, hint=COMMIT_IT)
    require_workspaces(house, repository, configuration.settings.workspace.root)
    unknown = remote_problem(house, repository, configuration)
    if unknown is not None:
        raise NotReady(unknown, hint="git remote add, or set another [land] publish")


COMMIT_IT = "git add it and commit, or give its whole path outside of the repository"


def script_problem(
    house: House, repository: Repository, configuration: Configuration
) -> str | None:
    """Which script of the configured commands no workspace would have, None where all would."""
    roles = {f"[roles.{name}]": each.command or "" for name, each in filled(configuration).items()}
    for key, command in {**roles, "[check]": configuration.settings.check.command}.items():
        script = script_of(command)
        if script is not None and house.repositories.is_untracked(repository, script):
            return f"{script}, which {key} command runs, is not committed: workspaces lack it"
    return None


def filled(configuration: Configuration) -> dict[str, RoleSettings]:
    """The roles that an agent fills, by name."""
    return {name: each for name, each in configuration.roles.items() if not each.is_off}


def agent_problem(house: House, configuration: Configuration) -> str | None:
    """Why an agent of the run could not be started, None where all could."""
    path = house.environment.get("PATH", "")
    for name, role in filled(configuration).items():
        problem = house.load_agent(role.agent).preflight(role, path=path)
        if problem is not None:
            return problem.replace("[roles.build]", f"[roles.{name}]")
    return None


def target_branch(house: House, repository: Repository, configuration: Configuration) -> str:
    """The branch that work starts from. Raises Misused where none is named, or there is none."""
    branch = configuration.settings.run.target or repository.branch
    if branch is None:
        raise Misused(
            "HEAD is detached, so there is no target",
            hint="check out a branch, or set [run] target in tidegate.toml",
        )
    if house.repositories.branch_commit(repository, f"refs/heads/{branch}") is None:
        raise Misused(
            f"there is no branch {branch!r}",
            hint="set another [run] target in tidegate.toml, or make it: git branch",
        )
    return branch


def require_landing_place(
    house: House, repository: Repository, configuration: Configuration
) -> None:
    """Raise NotReady where a branch is in the way of the one that a run would land on."""
    branch = configuration.settings.land.to or hub_ref("<run>").removeprefix("refs/heads/")
    taken = branch_in_the_way(house, repository, branch)
    if taken is not None:
        raise NotReady(
            f"no run can land on {branch}, since there is a branch {taken!r}",
            hint=f"rename that: git branch -m {taken} OTHER; or set another [land] to in "
            "tidegate.toml",
        )


def branch_in_the_way(house: House, repository: Repository, branch: str) -> str | None:
    """The branch whose name ends where a slash of this one's is: git cannot have both."""
    parts = branch.split("/")
    above = ("/".join(parts[:depth]) for depth in range(1, len(parts)))
    at = house.repositories.branch_commit
    return next((name for name in above if at(repository, f"refs/heads/{name}")), None)
