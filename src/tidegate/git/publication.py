"""Push what landed to a remote of the user's, and overwrite nothing there.

This alone of all that is done with git goes over a network, and as the user: with their
configuration and their credentials, without their hooks and without a prompt. The remote is asked
first where its branch is, so that a push that was cut short is found out about and not repeated,
and what is pushed must be a fast-forward of exactly that commit (`--force-with-lease`).
"""

import os
from typing import NamedTuple

from tidegate.core.errors import Refused
from tidegate.git.command import Git
from tidegate.git.errors import GitFailed
from tidegate.git.repository import Repository

PUSH_S = 600.0
"""For asking the remote, and for pushing to it."""

_HEADS = "refs/heads/"
_USERS_OWN = ("GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSL_CAINFO")
"""Variables by which a user tells git how to reach a remote; all others of git's are dropped."""


class Published(NamedTuple):
    """The remote's branch holds the commit; `at` is what it is at: the commit, or one after it."""

    at: str


class Elsewhere(NamedTuple):
    """The remote's branch is at `actual`, None where it was deleted. Nothing was pushed."""

    actual: str | None
    reason: str


class Unmoved(NamedTuple):
    """The remote's branch is at `at`, None where there is none: a push is still to be made."""

    at: str | None


Publication = Published | Elsewhere


def publish(
    repository: Repository, remote: str, ref: str, *, new: str, old: str | None
) -> Publication:
    """Bring a remote's branch to `new`, or say where it is instead.

    `old` is what we pushed there last, None before the first time. Raises Refused where there is no
    such remote, and GitFailed where it cannot be reached or does not take the push.
    """
    git = _as_the_user(repository)
    address = _address(git, remote)
    actual = _at(git, address, ref)
    settled = _settled(git, remote, ref, actual, new=new, old=old)
    if settled is not None:
        return settled
    try:
        _push(git, remote, ref, new=new, expected=actual)
    except GitFailed:
        now_at = _at(git, address, ref)
        settled = _settled(git, remote, ref, now_at, new=new, old=old)
        if settled is None:
            raise
        return settled
    return Published(new)


def ask(
    repository: Repository, remote: str, ref: str, *, new: str, old: str | None
) -> Publication | Unmoved:
    """What became of a push that nobody heard the end of. Nothing is pushed. Raises as `publish`.

    A remote whose branch has moved on, or is gone, has not got the commit: to push it again is
    refused there.
    """
    git = _as_the_user(repository)
    actual = _at(git, _address(git, remote), ref)
    settled = _settled(git, remote, ref, actual, new=new, old=old)
    return Unmoved(actual) if settled is None else settled


def _as_the_user(repository: Repository) -> Git:
    """Git over a network: with what the user's environment says of the way there."""
    return repository.git._replace(
        timeout_s=PUSH_S,
        variables=tuple((name, os.environ[name]) for name in _USERS_OWN if name in os.environ),
    )


def _push(git: Git, remote: str, ref: str, *, new: str, expected: str | None) -> None:
    """Move the branch from exactly where it was seen; where it was not, it must not be there."""
    lease = f"--force-with-lease={ref}:{expected or ''}"
    quietly = ("--quiet", "--no-verify", "--no-follow-tags", "--recurse-submodules=no")
    git.run("push", *quietly, lease, "--", remote, f"{new}:{ref}")


def _settled(
    git: Git, remote: str, ref: str, actual: str | None, *, new: str, old: str | None
) -> Publication | None:
    """Say what is so already, or None where the branch can be moved forward from where it is."""
    if actual is None:
        return _elsewhere(remote, ref, None, new, "was deleted there") if old else None
    if actual == new or _is_before(git, new, actual):
        return Published(actual)
    if not _is_before(git, actual, new):
        return _elsewhere(remote, ref, actual, new, f"is at {actual}, which is not in {new}")
    if old and actual != old and _is_before(git, actual, old):
        return _elsewhere(remote, ref, actual, new, f"was moved back to {actual}, behind {old}")
    return None


def _elsewhere(remote: str, ref: str, actual: str | None, new: str, why: str) -> Elsewhere:
    branch = ref.removeprefix(_HEADS)
    todo = f"git push {remote} {new}:{ref}"
    if actual is not None:
        todo = f"git fetch {remote} {branch}, merge what is there, and push it yourself"
    return Elsewhere(actual, f"{branch} of {remote} {why}; nothing was pushed: {todo}")


def _address(git: Git, remote: str) -> str:
    """Where a push to the remote goes, which need not be where fetches come from."""
    said = git.run("remote", "get-url", "--push", "--all", "--", remote, ok_codes=(0, 2, 128))
    addresses = said.text.splitlines() if said.code == 0 else []
    if not addresses:
        raise Refused(
            f"there is no remote {remote!r}",
            hint="see git remote; it is named by [land] publish in tidegate.toml",
        )
    if len(addresses) > 1:
        raise Refused(
            f"the remote {remote!r} is {len(addresses)} places, which cannot be moved as one",
            hint="name a remote with one address in [land] publish",
        )
    return addresses[0]


def _at(git: Git, address: str, ref: str) -> str | None:
    """What the remote's branch is at now."""
    said = git.run("ls-remote", "--quiet", "--", address, ref).text
    found = [line.split("\t") for line in said.splitlines()]
    return next((oid for oid, name in found if name == ref), None)


def _is_before(git: Git, first: str, second: str) -> bool:
    """Whether one commit is another or comes before it; never where one of them is not here."""
    said = git.run("merge-base", "--is-ancestor", first, second, ok_codes=(0, 1, 128))
    return said.code == 0
