"""Put the engine of a run together from its frozen configuration. Nothing is decided here."""

from collections.abc import Mapping
from fnmatch import fnmatchcase

from tidegate.config.load import Configuration
from tidegate.config.prompt import render_prompt
from tidegate.core.errors import NotReady
from tidegate.core.events import ControllerTookOver
from tidegate.engine.book import open_book
from tidegate.engine.engine import Engine
from tidegate.engine.places import Places
from tidegate.engine.setup import Ports, Setup
from tidegate.ports.clock import Reading
from tidegate.ports.ledger import Ledger
from tidegate.ports.repository import Repository
from tidegate.verbs.house import House
from tidegate.verbs.queue import landed_issues, outcomes_of
from tidegate.verbs.workspaces import workspaces_root


def assemble(
    house: House,
    repository: Repository,
    configuration: Configuration,
    ledger: Ledger,
    run: str,
) -> Engine:
    """Take the run over and return its engine, with an empty queue."""
    now = house.clock.now()
    setup = _setup(house, repository, configuration, run)
    ports = _ports(house, repository, configuration, ledger, setup)
    fence = ledger.take_over(run, holder=house.holder, utc=now.utc)
    book = open_book(ledger, fence, configuration.policy.limits)
    book.utc = now.utc
    book.record_run(_took_over(house, now, fence.controller_epoch))
    return Engine(
        ports=ports,
        setup=setup,
        book=book,
        queue=[],
        width=configuration.settings.run.width,
        render_prompt=render_prompt,
        now=now,
        landed=landed_issues(outcomes_of(ledger)),
    )


def _setup(house: House, repository: Repository, configuration: Configuration, run: str) -> Setup:
    settings = configuration.settings
    return Setup(
        places=Places(home=repository.home, run=run),
        policy=configuration.policy,
        workspaces=workspaces_root(house, repository, settings.workspace.root),
        check_command=settings.check.command,
        build=configuration.roles["build"],
        workspace_setup=settings.workspace.setup or None,
        env_files=settings.workspace.env_files,
        caches=settings.workspace.caches,
        environment=allowed(house.environment, settings.env.allow),
        version=house.version,
        holder=house.holder,
    )


def _ports(
    house: House,
    repository: Repository,
    configuration: Configuration,
    ledger: Ledger,
    setup: Setup,
) -> Ports:
    identity = house.repositories.identity(repository)
    if identity is None:
        raise NotReady("git knows no name and address to commit with", hint="set user.name")
    return Ports(
        ledger=ledger,
        runners=house.runners,
        git=house.open_git(
            repository,
            run=setup.places.run,
            style=configuration.settings.land.style,
            identity=identity,
            variables=setup.environment,
            cone=configuration.settings.workspace.sparse,
            submodules=configuration.settings.workspace.submodules,
        ),
        agent=house.load_agent(setup.build.agent),
        store=house.store,
        clock=house.clock,
        free_bytes=house.free_bytes,
        new_token=house.new_token,
    )


def _took_over(house: House, now: Reading, epoch: int) -> ControllerTookOver:
    return ControllerTookOver(
        controller_epoch=epoch,
        holder=house.holder,
        version=house.version,
        utc=now.utc,
        monotonic_s=now.monotonic_s,
        boottime_s=now.boottime_s,
        boot_id=now.boot_id,
    )


_LEADS_ELSEWHERE = frozenset({
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_CONFIG", "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS", "GIT_DIR", "GIT_GRAFT_FILE", "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE", "GIT_INTERNAL_SUPER_PREFIX", "GIT_NAMESPACE", "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX", "GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE", "GIT_WORK_TREE",
})  # fmt: skip
"""What git exports to its hooks. In a workspace each of them names another repository."""


def allowed(environment: Mapping[str, str], patterns: tuple[str, ...]) -> dict[str, str]:
    """The part of the user's environment that agents and checks may see."""
    return {
        name: value
        for name, value in environment.items()
        if name not in _LEADS_ELSEWHERE and any(fnmatchcase(name, each) for each in patterns)
    }
