"""Put the engine of a run together from its frozen configuration. Nothing is decided here."""

from tidegate.config.load import Configuration
from tidegate.config.prompt import render_prompt
from tidegate.core.errors import NotReady
from tidegate.core.events import ControllerTookOver
from tidegate.core.word import last_words
from tidegate.engine.book import open_book
from tidegate.engine.engine import Engine
from tidegate.engine.places import Places
from tidegate.engine.setup import Ports, Setup
from tidegate.playbooks.queue import landed_of
from tidegate.ports.clock import Reading
from tidegate.ports.ledger import Ledger
from tidegate.ports.repository import Repository
from tidegate.verbs.environment import allowed
from tidegate.verbs.house import House
from tidegate.verbs.queue import outcomes_of
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
        landed=landed_of(outcomes_of(ledger)),
        words=lambda: last_words(ledger.words()),
        lane_names={str(row["lane"]) for row in ledger.rows("lane", run)},
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
