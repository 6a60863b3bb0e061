"""What the composition root hands to the verbs: ways to reach the outside, and nothing else."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Protocol

from tidegate.core.records import record

if TYPE_CHECKING:  # a command pays for the ports that it uses, and for no others
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path

    from tidegate.config.sections import TrackerTable
    from tidegate.ports.agents import Agent
    from tidegate.ports.cleaning import Cleaning
    from tidegate.ports.clock import Clock
    from tidegate.ports.consult import Consult
    from tidegate.ports.examination import Examiner
    from tidegate.ports.git import Git
    from tidegate.ports.inbox import Inbox
    from tidegate.ports.ledger import Ledger
    from tidegate.ports.repository import Repositories, Repository
    from tidegate.ports.runners import Runners
    from tidegate.ports.store import Store
    from tidegate.ports.trackers import Tracker, TrackerJobs


class OpenGit(Protocol):
    """Builds the git port of one run."""

    def __call__(
        self,
        repository: Repository,
        *,
        run: str,
        style: str,
        identity: tuple[str, str],
        variables: Mapping[str, str],
        cone: tuple[str, ...],
        submodules: bool,
    ) -> Git:
        """Commits of the engine's own are made as `identity`; set-up commands see `variables`.

        Workspaces have the folders of `cone`, or all, and their `submodules` filled.
        """
        ...


@record
class Tracked:
    """Where a repository's issues are, and what the tracker may see of the user's environment."""

    root: str
    cache: Path
    """Where a tracker may keep what it read, beside the ledger."""
    settings: TrackerTable
    variables: Mapping[str, str] = field(repr=False)


@record
class House:
    """`environment` is the user's whole environment; what agents may see of it is policy."""

    repositories: Repositories
    open_ledger: Callable[[Repository], Ledger]
    open_ledger_read_only: Callable[[Repository], Ledger | None]
    open_git: OpenGit
    load_agent: Callable[[str], Agent]
    open_tracker: Callable[[Tracked], Tracker]
    open_tracker_jobs: Callable[[Tracked], TrackerJobs | None]
    """The tracker as it is told what becomes of its issues."""
    lock_controller: Callable[[str], AbstractContextManager[None]]
    controller_holder: Callable[[str], str | None]
    """Who holds the lock of a repository's controller now, None where nobody does."""
    open_inbox: Callable[[str], Inbox]
    """The requests to the controller of a repository, by its home."""
    consult: Consult
    open_runners: Callable[[], Runners]
    """The one and only of this process: made when first asked for."""
    wake: Callable[[], None]
    """Ends a wait of the runners early; safe to call from a signal handler."""
    store: Store
    cleaning: Cleaning
    mask: Callable[[str], str]
    """A text without what looks like a secret, for a screen or what is kept beside the ledger."""
    clock: Clock
    free_bytes: Callable[[str], int]
    new_token: Callable[[], str]
    """The secret of a lease: nobody can guess it, and no two are the same."""
    version: str
    holder: str
    """Who this controller is, for people: host, process id."""
    environment: Mapping[str, str] = field(repr=False)
    open_examiner: Callable[[], Examiner] | None = None
    """Who looks at a ledger and a hub as a whole; None in worlds that have neither."""

    @property
    def examiner(self) -> Examiner:
        """Who looks at a ledger and a hub as a whole."""
        assert self.open_examiner is not None
        return self.open_examiner()

    @property
    def runners(self) -> Runners:
        """The runners of this process."""
        return self.open_runners()
