"""What a run was started with: ports, frozen settings, and names that do not change."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from tidegate.core.policy import Policy
from tidegate.core.records import record
from tidegate.core.values import Role
from tidegate.engine.places import Places
from tidegate.playbooks.attacks import ATTACKS
from tidegate.ports.agents import Agent, RoleSettings
from tidegate.ports.clock import Clock
from tidegate.ports.git import Git, PrepareWork
from tidegate.ports.inbox import Inbox
from tidegate.ports.ledger import Ledger
from tidegate.ports.runners import Runners
from tidegate.ports.store import Store
from tidegate.ports.trackers import TrackerJobs
from tidegate.rules.gate_files import named_by


@record
class Ports:
    """The adapters, as the composition root built them."""

    ledger: Ledger
    runners: Runners
    git: Git
    agents: Mapping[Role, Agent]
    """Of each role that an agent fills; a role that is off has none."""
    store: Store
    clock: Clock
    inbox: Inbox
    free_bytes: Callable[[str], int]
    new_token: Callable[[], str]
    tracker: TrackerJobs | None = None
    """The tracker, where it is told what becomes of its issues."""


@record
class Remote:
    """A branch of a remote of the user's, which gets what landed. `ref` is its full name."""

    name: str
    ref: str


@record
class Setup:
    """The frozen part of a run. `environment` is what agents and checks may see of the user's.

    `push_environment` is what a push sees: more than they do, since it signs in as the user.
    """

    places: Places
    policy: Policy
    workspaces: str
    check_command: str
    roles: Mapping[Role, RoleSettings]
    """How the roles are filled; one that is off is not among them."""
    asks_owner: bool
    """Its owner rules, and not the run by itself."""
    workspace_setup: str | None
    env_files: tuple[str, ...]
    caches: tuple[str, ...]
    environment: Mapping[str, str] = field(repr=False)
    version: str
    holder: str
    publish: Remote | None
    push_environment: Mapping[str, str] = field(repr=False)

    def agent(self, role: Role) -> str | None:
        """The name of the agent that fills a role; None where the role is off."""
        settings = self.roles.get(role)
        return settings.agent if settings is not None else None

    @property
    def gate_files(self) -> tuple[str, ...]:
        """The files that the check's command names: who changes them needs leave."""
        return named_by(self.check_command)

    @property
    def attacks(self) -> Sequence[str]:
        """What verifiers are given to try: the user's, or those of the package."""
        settings = self.roles.get(Role.VERIFY)
        return (settings.attacks if settings is not None else ()) or ATTACKS

    @property
    def check_argv(self) -> tuple[str, ...]:
        """The check's command line: its output is one text, in the order in which it was said."""
        return ("/bin/sh", "-c", f"exec 2>&1\n{self.check_command}")

    def preparation(self, workspace: str, *, commit: str, branch: str) -> PrepareWork:
        """The work that makes a workspace ready."""
        return PrepareWork(
            workspace=workspace,
            commit=commit,
            branch=branch,
            setup=self.workspace_setup,
            env_files=self.env_files,
            caches=self.caches,
            setup_timeout_s=self.policy.deadlines.setup_s,
        )
