"""Put the engine of a run together from its frozen configuration. Nothing is decided here."""

from dataclasses import replace

from tidegate.config.load import Configuration
from tidegate.config.prompt import render_prompt
from tidegate.core.errors import NotReady
from tidegate.core.events import ControllerTookOver
from tidegate.core.values import Role
from tidegate.core.word import last_words
from tidegate.engine.book import open_book
from tidegate.engine.engine import Engine
from tidegate.engine.places import Places
from tidegate.engine.setup import Ports, Setup
from tidegate.playbooks.queue import landed_of
from tidegate.ports.agents import RoleSettings
from tidegate.ports.clock import Reading
from tidegate.ports.ledger import Ledger
from tidegate.ports.repository import Repository
from tidegate.verbs.copied import refuse_copy
from tidegate.verbs.environment import PUSH, allowed, seen_by_agents
from tidegate.verbs.house import House
from tidegate.verbs.publication import remote_of
from tidegate.verbs.queue import outcomes_of, unknown_of
from tidegate.verbs.tracking import open_tracker_jobs
from tidegate.verbs.workspaces import workspaces_root


def assemble(
    house: House,
    repository: Repository,
    configuration: Configuration,
    ledger: Ledger,
    run: str,
) -> Engine:
    """Take the run over and return its engine, with an empty queue.

    Raises Refused where the run is a copy of another repository's.
    """
    now = house.clock.now()
    setup = _setup(house, repository, configuration, run)
    ports = _ports(house, repository, configuration, ledger, setup)
    fence = ledger.take_over(run, holder=house.holder, utc=now.utc)
    book = open_book(ledger, fence, configuration.policy.limits)
    book.utc = now.utc
    remote = remote_of(configuration.settings.land.publish, book.run.started.ref)
    book.record_run(took_over(house, now, fence.controller_epoch))
    engine = Engine(
        ports=ports,
        setup=replace(setup, publish=remote),
        book=book,
        queue=[],
        width=configuration.settings.run.width,
        render_prompt=render_prompt,
        now=now,
        landed=landed_of(outcomes_of(ledger)),
        unknown_elsewhere=lambda: unknown_of(ledger),
        words=lambda: last_words(ledger.words()),
        lane_names={str(row["lane"]) for row in ledger.rows("lane", run)},
    )
    engine.watch.unrecovered |= {
        attempt.id
        for lane in book.lanes.values()
        for attempt in lane.attempts.values()
        if lane.outcome is None and not attempt.is_over
    }
    refuse_copy(engine)
    return engine


def _setup(house: House, repository: Repository, configuration: Configuration, run: str) -> Setup:
    settings = configuration.settings
    return Setup(
        places=Places(home=repository.home, run=run),
        policy=configuration.policy,
        workspaces=workspaces_root(house, repository, settings.workspace.root),
        check_command=settings.check.command,
        roles=_filled(configuration),
        asks_owner=settings.ruling.mode == "owner",
        workspace_setup=settings.workspace.setup or None,
        env_files=settings.workspace.env_files,
        caches=settings.workspace.caches,
        environment=seen_by_agents(house.environment, settings.env.allow),
        version=house.version,
        holder=house.holder,
        publish=None,
        push_environment=allowed(house.environment, (*settings.env.allow, *PUSH)),
    )


def _filled(configuration: Configuration) -> dict[Role, RoleSettings]:
    """The roles that an agent fills."""
    roles = configuration.roles
    return {role: roles[role] for role in Role if role in roles and not roles[role].is_off}


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
        agents={role: house.load_agent(each.agent) for role, each in setup.roles.items()},
        store=house.store,
        clock=house.clock,
        inbox=house.open_inbox(repository.home),
        free_bytes=house.free_bytes,
        new_token=house.new_token,
        tracker=open_tracker_jobs(house, repository, configuration),
    )


def took_over(house: House, now: Reading, epoch: int) -> ControllerTookOver:
    """That this process writes from now on."""
    return ControllerTookOver(
        controller_epoch=epoch,
        holder=house.holder,
        version=house.version,
        utc=now.utc,
        monotonic_s=now.monotonic_s,
        boottime_s=now.boottime_s,
        boot_id=now.boot_id,
    )
