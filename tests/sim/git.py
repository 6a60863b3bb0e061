"""Git in the simulated world: a hub, the user's checkout, workspaces, and the jobs on them.

A job acts first and says so afterwards, as a process does: one that is killed in between has had
its effect and leaves no result.
"""

from dataclasses import dataclass, field
from typing import Protocol, assert_never

from tests.sim.objects import Clash, Commit, Objects, Tree
from tests.sim.process import Ending, Script
from tidegate.ports.git import (
    Delivered,
    DeliverWork,
    HarvestResult,
    HarvestWork,
    MergeConflict,
    Merged,
    MergeWork,
    Moved,
    MoveRefused,
    MoveWork,
    NotDelivered,
    NotPublished,
    Packed,
    PackWork,
    Prepared,
    PrepareWork,
    Published,
    PublishWork,
    Removed,
    RemoveWork,
    Unmoved,
    Work,
    WorkFailed,
    WorkResult,
)

JOB = "job"


@dataclass(slots=True)
class Workspace:
    """A checkout: where its HEAD is, what its files hold, and what was breached from it."""

    head: str
    files: dict[str, str]
    breaches: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Checkout:
    """The user's repository: its branches, and why its checkout cannot be written to."""

    refs: dict[str, str] = field(default_factory=dict)
    dirt: str | None = None


class Pace(Protocol):
    """How long a job takes, and whether it fails."""

    def job_s(self) -> float:
        """The time of one half of a job."""
        ...

    def trouble(self, work: Work) -> WorkFailed | None:
        """What goes wrong in a job, before it has any effect."""
        ...


class GitWitness(Protocol):
    """Sees what jobs do to refs and workspaces."""

    def moving(self, work: MoveWork, actual: str) -> None:
        """The hub's ref is about to move."""
        ...

    def removing(self, path: str, workspace: Workspace) -> None:
        """A workspace is about to go."""
        ...

    def delivering(self, work: DeliverWork) -> None:
        """The user's ref is about to move."""
        ...


class FakeGit:
    """See ports.git.Git. `objects` is shared by hub, clones and the user's repository."""

    def __init__(self, pace: Pace, witness: GitWitness) -> None:
        self.objects = Objects()
        self.hub: dict[str, str] = {}
        self.is_moved = False
        """A strange hand has moved the hub's ref."""
        self.kept: set[str] = set()
        """Every commit that the hub keeps for ever."""
        self.checkout = Checkout()
        self.remote: dict[str, str] = {}
        """The branches of the user's remote."""
        self.pushes: list[str] = []
        """What moved one of them, in order."""
        self.workspaces: dict[str, Workspace] = {}
        self.works: dict[str, Work] = {}
        self.results: dict[str, WorkResult] = {}
        self._pace = pace
        self._witness = witness

    # --- the port ---------------------------------------------------------------------------

    def command(self, work: Work, folder: str) -> tuple[str, ...]:
        """Write the job down; what an earlier one in that folder left counts no more."""
        self.works[folder] = work
        self.results.pop(folder, None)
        return (JOB, folder)

    def result(self, work: Work, folder: str) -> WorkResult:
        """What the job left."""
        del work
        failed = WorkFailed(reason="no_result", message=f"{folder} holds no result")
        return self.results.get(folder, failed)

    def peek(self, workspace: str) -> str | None:
        """The commit at HEAD."""
        found = self.workspaces.get(workspace)
        return found.head if found else None

    # --- jobs -------------------------------------------------------------------------------

    def script(self, folder: str) -> Script:
        """The process of a job."""
        work = self.works[folder]
        trouble = self._pace.trouble(work)
        yield self._pace.job_s()
        result = trouble or self._act(work)
        yield self._pace.job_s()
        self.results[folder] = result
        yield self._pace.job_s() / 10
        return Ending(code=0)

    def _act(self, work: Work) -> WorkResult:  # noqa: C901, PLR0911 - one arm a kind of work
        match work:
            case PrepareWork():
                files = dict(self.objects.tree(work.commit))
                self.workspaces.setdefault(work.workspace, Workspace(work.commit, files))
                return Prepared(environment_digest="environment")
            case HarvestWork():
                return self._harvest(work)
            case MergeWork():
                return self._merge(work)
            case MoveWork():
                return self._move(work)
            case DeliverWork():
                return self.deliver(work)
            case PublishWork(only_asks=True):
                return self._ask(work)
            case PublishWork():
                return self.publish(work)
            case RemoveWork():
                return self._remove(work)
            case PackWork():
                return Packed()
            case _:
                assert_never(work)

    def _harvest(self, work: HarvestWork) -> WorkResult:
        workspace = self.workspaces.get(work.workspace)
        if workspace is None:
            return WorkFailed(reason="no_workspace", message=f"{work.workspace} is not there")
        tip = workspace.head
        if work.snapshot and workspace.files != self.objects.tree(tip):
            tip = self.commit(workspace.files, (tip,), work.subject)
            workspace.head = tip
        self.kept |= self.objects.line(tip)
        tree = self.objects.commit(tip).tree
        return HarvestResult(
            tip=tip,
            tree=tree,
            is_empty=tree == self.objects.commit(work.base).tree,
            pins=1,
            violations=tuple(workspace.breaches),
        )

    def _merge(self, work: MergeWork) -> WorkResult:
        merged = self.objects.merge(work.target, work.tip)
        if isinstance(merged, Clash):
            return MergeConflict(paths=merged.paths)
        tree = self.objects.put_tree(merged)
        made = Commit((work.target, work.tip), tree, work.subject, work.trailers, work.utc)
        unfit = [path for path, content in merged.items() if content.startswith("unfit")]
        findings = tuple(f"{path} leads out of the repository" for path in unfit)
        return Merged(commit=self.objects.put(made), tree=tree, findings=findings)

    def _move(self, work: MoveWork) -> WorkResult:
        actual = self.hub[work.ref]
        if actual == work.new or self.objects.is_ancestor(work.new, actual):
            return Moved()
        if actual != work.old:
            return MoveRefused(actual=actual)
        self._witness.moving(work, actual)
        self.hub[work.ref] = work.new
        self.kept |= self.objects.line(work.new)
        return Moved()

    def deliver(self, work: DeliverWork) -> Delivered | NotDelivered:
        """A fast-forward of the user's ref, or nothing."""
        actual = self.checkout.refs.get(work.ref)
        if actual == work.new:
            return Delivered()
        if self.checkout.dirt is not None:
            return NotDelivered(reason=self.checkout.dirt)
        if actual is None and work.old is not None:
            return NotDelivered(reason="the branch was deleted")
        if actual is not None and not self.objects.is_ancestor(actual, work.new):
            return NotDelivered(reason=f"{work.ref} has moved to {actual}")
        self._witness.delivering(work)
        self.checkout.refs[work.ref] = work.new
        return Delivered()

    def publish(self, work: PublishWork) -> Published | NotPublished:
        """A fast-forward of the remote's branch, or nothing."""
        actual = self.remote.get(work.ref)
        if actual is not None and self.objects.is_ancestor(work.new, actual):
            return Published()
        if actual is not None and not self.objects.is_ancestor(actual, work.new):
            return NotPublished(reason=f"{work.ref} is at {actual}")
        self.pushes.append(work.new)
        self.remote[work.ref] = work.new
        return Published()

    def _ask(self, work: PublishWork) -> Published | Unmoved | NotPublished:
        actual = self.remote.get(work.ref)
        if actual is None or actual == work.old:
            return Unmoved()
        is_there = self.objects.is_ancestor(work.new, actual)
        return Published() if is_there else NotPublished(reason=f"{work.ref} is at {actual}")

    def _remove(self, work: RemoveWork) -> WorkResult:
        workspace = self.workspaces.get(work.workspace)
        if workspace is not None:
            self._witness.removing(work.workspace, workspace)
            del self.workspaces[work.workspace]
        return Removed()

    def commit(self, files: Tree, parents: tuple[str, ...], subject: str) -> str:
        """A commit of somebody's."""
        return self.objects.put(Commit(parents, self.objects.put_tree(files), subject))
