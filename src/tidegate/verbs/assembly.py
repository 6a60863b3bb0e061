"""Put the engine of a run together from its frozen configuration. Nothing is decided here."""

import os
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


def assemble(
    house: House,
    repository: Repository,
    configuration: Configuration,
    ledger: Ledger,
    run: str,
) -> Engine:
    """Take the run over and return its engine, with an empty queue."""
    now = house.clock.now()
    fence = ledger.take_over(run, holder=house.holder, utc=now.utc)
    book = open_book(ledger, fence, configuration.policy.limits)
    book.utc = now.utc
    book.record_run(_took_over(house, now, fence.controller_epoch))
    settings, role = configuration.settings, configuration.roles["build"]
    environment = allowed(house.environment, settings.env.allow)
    identity = house.repositories.identity(repository)
    if identity is None:
        raise NotReady("git knows no name and address to commit with", hint="set user.name")
    return Engine(
        ports=Ports(
            ledger=ledger,
            runners=house.runners,
            git=house.open_git(
                repository,
                run=run,
                style=settings.land.style,
                identity=identity,
                variables=environment,
            ),
            agent=house.load_agent(role.agent),
            store=house.store,
            clock=house.clock,
            free_bytes=house.free_bytes,
        ),
        setup=Setup(
            places=Places(home=repository.home, run=run),
            policy=configuration.policy,
            workspaces=workspaces_root(house, repository, settings.workspace.root),
            check_command=settings.check.command,
            build=role,
            workspace_setup=settings.workspace.setup or None,
            env_files=settings.workspace.env_files,
            caches=settings.workspace.caches,
            environment=environment,
            version=house.version,
            holder=house.holder,
        ),
        book=book,
        queue=[],
        width=settings.run.width,
        render_prompt=render_prompt,
        now=now,
        landed={issue for issue, (_, outcome) in ledger.outcomes().items() if outcome == "landed"},
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


def allowed(environment: Mapping[str, str], patterns: tuple[str, ...]) -> dict[str, str]:
    """The part of the user's environment that agents and checks may see."""
    return {
        name: value
        for name, value in environment.items()
        if any(fnmatchcase(name, pattern) for pattern in patterns)
    }


def workspaces_root(house: House, repository: Repository, configured: str) -> str:
    """Where workspaces are: outside the repository, one folder for each repository."""
    state = house.environment.get("XDG_STATE_HOME") or f"{house.environment['HOME']}/.local/state"
    root = os.path.expanduser(configured) if configured else f"{state}/tidegate"  # noqa: PTH111
    return f"{root}/{repository.id}/w"
