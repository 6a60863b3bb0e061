"""The user's side of the simulated world: the repository, its issues, and where artifacts go."""

from collections.abc import Callable, Sequence
from hashlib import sha256

from tests.sim.git import FakeGit
from tests.sim.witness import Eyewitness
from tidegate.core.errors import IntegrityError
from tidegate.core.issue import Issue
from tidegate.engine.places import hub_ref
from tidegate.ports.git import (
    Delivered,
    DeliverWork,
    NotDelivered,
    NotPublished,
    Published,
    PublishWork,
)
from tidegate.ports.repository import Concern, Repository

BRANCH = "refs/heads/main"
HUB_TARGET = hub_ref


class FakeRepositories:
    """See ports.repository.Repositories: one repository with one commit on `main`."""

    def __init__(self, git: FakeGit, folder: str) -> None:
        self._git = git
        head = git.commit({"shared": "", "readme": "hello"}, (), "the first commit")
        git.checkout.refs[BRANCH] = head
        self.repository = Repository(
            root=folder, common_dir=f"{folder}/.git", head=head, branch="main"
        )

    def find(self, folder: str) -> Repository:
        """The one repository."""
        del folder
        return self.repository

    def concerns(self, repository: Repository) -> Sequence[Concern]:
        """Nothing is wrong with it."""
        del repository
        return ()

    def resolve(self, repository: Repository, ref: str) -> str:
        """A branch's commit."""
        del repository
        return self._git.checkout.refs[f"refs/heads/{ref}"]

    def files(self, repository: Repository) -> tuple[str, ...]:
        """Those of the first commit."""
        del repository
        return ("readme", "shared")

    def branch_commit(self, repository: Repository, ref: str) -> str | None:
        """A full ref's commit."""
        del repository
        return self._git.checkout.refs.get(ref)

    def is_ancestor(self, repository: Repository, old: str, new: str) -> bool:
        """Asked of the objects that all share."""
        del repository
        return self._git.objects.is_ancestor(old, new)

    def has_before(self, repository: Repository, old: str, new: str) -> bool:
        """As `is_ancestor`: the objects are one store here."""
        return self.is_ancestor(repository, old, new)

    def is_untracked(self, repository: Repository, path: str) -> bool:
        """Every file is committed here."""
        del repository, path
        return False

    def open_hub(self, repository: Repository, commit: str) -> str:
        """Keep the commit; its tree."""
        del repository
        self._git.kept |= self._git.objects.line(commit)
        return self._git.objects.commit(commit).tree

    def hub_commit(self, repository: Repository, ref: str) -> str | None:
        """What the hub's ref is at."""
        del repository
        return self._git.hub.get(ref)

    def create_hub_ref(self, repository: Repository, ref: str, commit: str) -> None:
        """A new ref of the hub."""
        del repository
        if self._git.hub.setdefault(ref, commit) != commit:
            raise IntegrityError(f"the hub has a {ref} already")

    def deliver(
        self, repository: Repository, ref: str, *, old: str | None, new: str
    ) -> Delivered | NotDelivered:
        """A fast-forward or nothing."""
        del repository
        return self._git.deliver(DeliverWork(ref=ref, old=old, new=new))

    def remotes(self, repository: Repository) -> Sequence[str]:
        """There is one."""
        del repository
        return ("origin",)

    def publish(
        self, repository: Repository, remote: str, ref: str, *, new: str
    ) -> Published | NotPublished:
        """A fast-forward or nothing."""
        del repository
        return self._git.publish(PublishWork(remote=remote, ref=ref, old=None, new=new))

    def identity(self, repository: Repository) -> tuple[str, str] | None:
        """Somebody."""
        del repository
        return ("Somebody", "somebody@example.org")


class FakeTracker:
    """See ports.trackers.Tracker: the issues that were made up."""

    def __init__(self, issues: Callable[[], Sequence[Issue]]) -> None:
        self.issues = issues

    def add(
        self, title: str, *, text: str, footprint: Sequence[str], priority: int, above: int
    ) -> Issue:
        """Nobody adds one here."""
        raise NotImplementedError(f"{title} {text} {footprint} {priority} {above}")


class FakeStore:
    """See ports.store.Store: a dictionary that is never overwritten."""

    def __init__(self, witness: Eyewitness) -> None:
        self.artifacts: dict[str, str] = {}
        self._witness = witness

    def promote(self, path: str, text: str, *, digest: str) -> None:
        """Publish a text once and for good."""
        self._witness.promoted(path, digest)
        if sha256(text.encode()).hexdigest() != digest:
            raise IntegrityError(f"{path} is not what was intended")
        if self.artifacts.setdefault(path, text) != text:
            raise IntegrityError(f"{path} holds another artifact")
