"""The user's repository and the hub, as the verbs ask for them: see ports.repository.

Only `deliver` changes anything of the user's, and only by a fast-forward.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, assert_never

from tidegate.core.errors import NotReady, Refused
from tidegate.git import carried, repository
from tidegate.ports.repository import HUB, Repository

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tidegate.git.delivery import Delivery
    from tidegate.git.hub import Hub
    from tidegate.ports.git import Delivered, NotDelivered, NotPublished, Published
    from tidegate.ports.repository import Concern

_HEADS = "refs/heads/"
PATHS_SHOWN_MAX = 5


class HostRepositories:
    """See ports.repository.Repositories."""

    def find(self, folder: str) -> Repository:
        """The repository of a folder."""
        found = repository.find(folder)
        branch = found.branch.removeprefix(_HEADS) if found.branch else None
        made = Repository(
            root=found.root, common_dir=found.common_dir, head=found.head, branch=branch
        )
        _require_folder(made.home)
        return made

    def concerns(self, repository: Repository) -> Sequence[Concern]:
        """What would not work, or would surprise."""
        from tidegate.git import concerns  # noqa: PLC0415 - the reading commands need none of it

        return tuple(concerns.of(_found(repository.root)))

    def resolve(self, repository: Repository, ref: str) -> str:
        """The commit that a ref names."""
        return _resolve(repository.root, ref)

    def branch_commit(self, repository: Repository, ref: str) -> str | None:
        """The commit of a full ref, None where it does not exist."""
        git = _found(repository.root).git
        said = git.run("rev-parse", "-q", "--verify", f"{ref}^{{commit}}", ok_codes=(0, 1, 128))
        return said.text if said.code == 0 else None

    def is_ancestor(self, repository: Repository, old: str, new: str) -> bool:
        """True where `old` is `new` or comes before it, as the hub knows them."""
        git = _hub(repository).git
        return git.run("merge-base", "--is-ancestor", old, new, ok_codes=(0, 1)).code == 0

    def has_before(self, repository: Repository, old: str, new: str) -> bool:
        """True where the user's own repository has both, and `old` is `new` or comes before it."""
        git = _found(repository.root).git
        said = git.run("merge-base", "--is-ancestor", old, new, ok_codes=(0, 1, 128))
        return said.code == 0

    def is_untracked(self, repository: Repository, path: str) -> bool:
        """True for a file that git neither knows nor ignores."""
        git = _found(repository.root).git
        listed = ("ls-files", "-z", "--others", "--exclude-standard", "--", f":(literal){path}")
        return os.fsencode(os.path.normpath(path)) in git.run(*listed, ok_codes=(0, 128)).items

    def files(self, repository: Repository) -> tuple[str, ...]:
        """What git's index lists."""
        listed = _found(repository.root).git.run("ls-files", "-z").items
        return tuple(map(os.fsdecode, listed))

    def open_hub(self, repository: Repository, commit: str) -> str:
        """Make or repair the hub, bring `commit` into it, and return the commit's tree."""
        from tidegate.git import hub, locks  # noqa: PLC0415 - as above

        source = _found(repository.root)
        made = hub.make(hub_path(repository), source)
        locks.clear_hub(made.path)
        hub.fetch_base(made, source, commit)
        return made.git.run("rev-parse", "--verify", "-q", f"{commit}^{{tree}}").text

    def hub_commit(self, repository: Repository, ref: str) -> str | None:
        """What the hub's ref is at; None where there is no such ref, or no hub."""
        return _hub(repository).commit(ref) if os.path.isdir(hub_path(repository)) else None

    def create_hub_ref(self, repository: Repository, ref: str, commit: str) -> None:
        """Point a ref of the hub at its first commit.

        A branch of the user's that was copied when the hub was made, and has the name of one of
        the ref's folders, makes way: git cannot have both, and the copies mean nothing.
        """
        from tidegate.git import landing  # noqa: PLC0415 - as above

        made_in = _hub(repository)
        above = os.path.dirname(ref)
        if made_in.commit(above) is not None:
            made_in.git.run("update-ref", "-d", above)
        made = landing.create(made_in, ref, commit)
        if isinstance(made, landing.Elsewhere):
            raise Refused(f"the hub has a ref {ref} already, at {made.actual}")

    def deliver(
        self, repository: Repository, ref: str, *, old: str | None, new: str
    ) -> Delivered | NotDelivered:
        """Give the user's ref a commit of the hub, as a fast-forward or not at all.

        It is what a person asks for, so what they took back before is given again.
        """
        from tidegate.git import delivery  # noqa: PLC0415 - as above

        source = _found(repository.root)
        return _told(delivery.deliver(_hub(repository), source, ref, new=new, old=old, again=True))

    def remotes(self, repository: Repository) -> Sequence[str]:
        """The names of the user's remotes."""
        return tuple(_found(repository.root).git.run("remote").text.split())

    def publish(
        self, repository: Repository, remote: str, ref: str, *, new: str
    ) -> Published | NotPublished:
        """Push a commit to a branch of a remote, as a fast-forward or not at all."""
        from tidegate.git import publication  # noqa: PLC0415 - as above
        from tidegate.ports.git import NotPublished, Published  # noqa: PLC0415 - as above

        source = _found(repository.root)
        outcome = publication.publish(source, remote, ref, new=new, old=None)
        if isinstance(outcome, publication.Published):
            return Published()
        return NotPublished(reason=outcome.reason)

    def identity(self, repository: Repository) -> tuple[str, str] | None:
        """The user's name and address for commits."""
        return _identity(repository.root)


def _require_folder(home: str) -> None:
    """Raise NotReady where something else is in the place of our folder."""
    if not os.path.lexists(home) or os.path.isdir(home):
        return
    what = "no folder" if os.path.exists(home) else "a link that leads nowhere"
    raise NotReady(
        f"{home} is {what}, and all that is kept of runs would be in it",
        hint="move it away, or put back what it was",
    )


def _hub(repository: Repository) -> Hub:
    from tidegate.git.hub import Hub  # noqa: PLC0415 - as above

    return Hub(hub_path(repository))


def _told(outcome: Delivery) -> Delivered | NotDelivered:
    from tidegate.git import delivery  # noqa: PLC0415 - as above
    from tidegate.ports.git import Delivered, NotDelivered  # noqa: PLC0415 - as above

    match outcome:
        case delivery.Delivered():
            return Delivered()
        case delivery.Waiting(reason=reason, paths=paths):
            return NotDelivered(reason=with_paths(reason, paths))
        case delivery.Diverged(reason=reason):
            return NotDelivered(reason=reason)
        case _:
            assert_never(outcome)


def with_paths(reason: str, paths: Sequence[str]) -> str:
    """Why something waits, with the first few of the paths that it waits for."""
    return f"{reason} ({', '.join(paths[:PATHS_SHOWN_MAX])})" if paths else reason


def _found(root: str) -> repository.Repository:
    return repository.find(root)


def _resolve(root: str, ref: str) -> str:
    return repository.resolve(_found(root), ref)


def _identity(root: str) -> tuple[str, str] | None:
    return repository.identity(_found(root))


def hub_path(repository: Repository) -> str:
    """Where the hub of a repository is, made or not."""
    return os.path.join(repository.home, HUB)


def carried_settings(repository: Repository) -> tuple[tuple[str, str], ...]:
    """Of the user's configuration what goes along with a workspace."""
    return carried.filters(_found(repository.root))
