"""What may be asked of the user's repository and of the hub beside the ledger.

Nothing here changes the user's checkout, save `deliver`, which fast-forwards and never overwrites;
nothing but `publish` goes over a network.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from tidegate.core.digest import sha256_hex
from tidegate.core.records import record

if TYPE_CHECKING:  # the reading commands deliver nothing, and need none of it
    from tidegate.ports.git import Delivered, NotDelivered, NotPublished, Published

HUB = "hub.git"
"""The hub's folder, beside the ledger."""


@record
class Repository:
    """The repository that a folder belongs to. `head` is None before the first commit."""

    root: str
    common_dir: str
    head: str | None
    branch: str | None

    @property
    def home(self) -> str:
        """Where all of tidegate's state for this repository is."""
        return f"{self.common_dir}/tidegate"

    @property
    def id(self) -> str:
        """A name for the folder of its workspaces: readable, and unlike any other repository's."""
        digest = sha256_hex(self.common_dir.encode())[:10]
        return f"{self.root.rsplit('/', 1)[-1]}-{digest}"


@record
class Concern:
    """Something about a repository that a run would trip over, or should know."""

    code: str
    is_fatal: bool
    message: str
    remedy: str


class Repositories(Protocol):
    """Git repositories, as far as the faces need them."""

    def find(self, folder: str) -> Repository:
        """The repository of a folder. Raises NotReady where there is none that can be used."""
        ...

    def concerns(self, repository: Repository) -> Sequence[Concern]:
        """What would not work, or would surprise: no identity, shallow, submodules, filters …."""
        ...

    def resolve(self, repository: Repository, ref: str) -> str:
        """The commit that a ref of the user's repository names. Raises Misused."""
        ...

    def branch_commit(self, repository: Repository, ref: str) -> str | None:
        """The commit of a full ref (``refs/heads/…``), None where it does not exist."""
        ...

    def is_ancestor(self, repository: Repository, old: str, new: str) -> bool:
        """True where `old` is `new` or comes before it; both are looked up in the hub."""
        ...

    def has_before(self, repository: Repository, old: str, new: str) -> bool:
        """True where the user's own repository has both, and `old` is `new` or comes before it."""
        ...

    def is_untracked(self, repository: Repository, path: str) -> bool:
        """True for a file below the root that git neither knows nor ignores: no clone has it."""
        ...

    def files(self, repository: Repository) -> tuple[str, ...]:
        """The paths of all files that git knows in the user's checkout."""
        ...

    def open_hub(self, repository: Repository, commit: str) -> str:
        """Make or repair the hub, bring `commit` into it, and return the commit's tree."""
        ...

    def hub_commit(self, repository: Repository, ref: str) -> str | None:
        """What the hub's ref is at; None where it does not exist."""
        ...

    def create_hub_ref(self, repository: Repository, ref: str, commit: str) -> None:
        """Point a ref of the hub at its first commit; the same one there already is success."""
        ...

    def deliver(
        self, repository: Repository, ref: str, *, old: str | None, new: str
    ) -> Delivered | NotDelivered:
        """Give the user's ref a commit of the hub, as a fast-forward or not at all."""
        ...

    def remotes(self, repository: Repository) -> Sequence[str]:
        """The names of the user's remotes."""
        ...

    def publish(
        self, repository: Repository, remote: str, ref: str, *, new: str
    ) -> Published | NotPublished:
        """Push a commit to a branch of a remote, as a fast-forward or not at all.

        Raises Refused where there is no such remote, and Unavailable where it cannot be reached.
        """
        ...

    def identity(self, repository: Repository) -> tuple[str, str] | None:
        """The user's name and address for commits, None where git has none."""
        ...
