"""The composition root: the only file that names concrete adapters. It decides nothing."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tidegate import __version__
from tidegate.verbs.house import House

if TYPE_CHECKING:  # as in `verbs.house`
    from collections.abc import Mapping

    from tidegate.ports.agents import Agent
    from tidegate.ports.consult import Answer
    from tidegate.ports.examination import Examiner
    from tidegate.ports.git import Git
    from tidegate.ports.ledger import Ledger
    from tidegate.ports.repository import Repository
    from tidegate.ports.trackers import Tracker
    from tidegate.runner.inbox import FolderInbox
    from tidegate.runner.local import LocalRunners
    from tidegate.trackers.command import CommandTracker
    from tidegate.verbs.house import Tracked


def build_house() -> House:
    """Everything a command line on this host needs. Adapters are imported where they are built."""
    from tidegate.evidence.store import FileStore  # noqa: PLC0415 - a verb pays for what it uses
    from tidegate.git.cleaning import HostCleaning  # noqa: PLC0415 - as above
    from tidegate.git.host import HostRepositories  # noqa: PLC0415 - as above
    from tidegate.runner.clock import HostClock  # noqa: PLC0415 - as above
    from tidegate.runner.singleton import (  # noqa: PLC0415 - as above
        controller_holder,
        controller_lock,
    )

    holder = f"{os.uname().nodename}, process {os.getpid()}"
    return House(
        repositories=HostRepositories(),
        open_ledger=_open_ledger,
        open_ledger_read_only=_open_ledger_read_only,
        open_git=_open_git,
        load_agent=_load_agent,
        open_tracker=_open_tracker,
        open_tracker_jobs=_command_tracker,
        lock_controller=lambda home: controller_lock(home, holder=holder),
        controller_holder=controller_holder,
        open_inbox=_open_inbox,
        consult=_consult,
        open_runners=_open_runners,
        wake=lambda: _open_runners().wake(),
        store=FileStore(),
        cleaning=HostCleaning(),
        mask=_mask,
        clock=HostClock(),
        free_bytes=_free_bytes,
        new_token=lambda: os.urandom(16).hex(),
        version=__version__,
        holder=holder,
        environment=dict(os.environ),
        open_examiner=_open_examiner,
    )


@cache
def _open_runners() -> LocalRunners:
    from tidegate.git.program import COMMAND, FORKABLE  # noqa: PLC0415 - as above
    from tidegate.runner.fork_client import Forkable  # noqa: PLC0415 - as above
    from tidegate.runner.local import LocalRunners  # noqa: PLC0415 - as above

    return LocalRunners(forkable=Forkable(command=COMMAND, module=FORKABLE))


@cache
def _open_inbox(home: str) -> FolderInbox:
    """One for each home: a controller that begins once more listens to the bell that it has."""
    from tidegate.runner.inbox import FolderInbox  # noqa: PLC0415 - as above

    return FolderInbox(
        f"{home}/inbox", listen_to=lambda descriptor: _open_runners().listen_to(descriptor)
    )


def _mask(text: str) -> str:
    from tidegate.ledger.masking import mask  # noqa: PLC0415 - as above

    return mask(text)


def _consult(
    command: str,
    question: str,
    *,
    folder: str,
    environment: Mapping[str, str],
    limit_s: float,
    bytes_max: int,
) -> Answer:
    from tidegate.runner.consult import consult  # noqa: PLC0415 - as above

    return consult(
        command,
        question,
        folder=folder,
        environment=environment,
        limit_s=limit_s,
        bytes_max=bytes_max,
    )


def _free_bytes(path: str) -> int:
    """The space at a place, or at what there is of it so far."""
    place = Path(path)
    there = next(folder for folder in (place, *place.parents) if folder.exists())
    found = os.statvfs(there)
    return found.f_bavail * found.f_frsize


def _open_ledger(repository: Repository) -> Ledger:
    from tidegate.ledger.sqlite import SqliteLedger  # noqa: PLC0415 - as above

    return SqliteLedger.open(Path(repository.home))


def _open_ledger_read_only(repository: Repository) -> Ledger | None:
    from tidegate.ledger.opening import FILE, refuse_lost  # noqa: PLC0415 - as above
    from tidegate.ledger.sqlite import SqliteLedger  # noqa: PLC0415 - as above

    home = Path(repository.home)
    if (home / FILE).exists():
        return SqliteLedger.open_read_only(home)
    refuse_lost(home / FILE)
    return None


def _open_git(
    repository: Repository,
    *,
    run: str,
    style: str,
    identity: tuple[str, str],
    variables: Mapping[str, str],
    cone: tuple[str, ...],
    submodules: bool,
) -> Git:
    from tidegate.git.adapter import GitJobs  # noqa: PLC0415 - as above
    from tidegate.git.host import carried_settings, hub_path  # noqa: PLC0415 - as above

    return GitJobs(
        hub=hub_path(repository),
        repository=repository.root,
        common_dir=repository.common_dir,
        run=run,
        style=style,
        identity=identity,
        variables=variables,
        settings=carried_settings(repository),
        cone=cone,
        submodules=submodules,
    )


def _open_examiner() -> Examiner:
    from tidegate.git.examination import HubFolder  # noqa: PLC0415 - as above
    from tidegate.ledger.examination import SqliteExaminer  # noqa: PLC0415 - as above
    from tidegate.ports.examination import Examiner  # noqa: PLC0415 - as above

    return Examiner(ledger=SqliteExaminer(), hub=HubFolder())


def _load_agent(name: str) -> Agent:
    from tidegate.agents import load  # noqa: PLC0415 - as above

    return load(name)


def _open_tracker(tracked: Tracked) -> Tracker:
    from tidegate.trackers.markdown import MarkdownTracker  # noqa: PLC0415 - as above

    if tracked.settings.kind == "command":
        return _command_tracker(tracked)
    return MarkdownTracker(Path(tracked.root), tracked.settings.path, tracked.cache)


def _command_tracker(tracked: Tracked) -> CommandTracker:
    from tidegate.trackers.command import CommandTracker  # noqa: PLC0415 - as above

    return CommandTracker(
        command=tracked.settings.command,
        root=tracked.root,
        timeout_s=tracked.settings.timeout_s,
        variables=tracked.variables,
        mask=_mask,
        new_key=lambda what: f"{what}-{os.urandom(16).hex()}",
        consult=_consult,
    )
