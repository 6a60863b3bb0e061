"""Give the user's repository what has landed in the hub, and overwrite nothing of theirs.

A branch that is checked out nowhere moves by compare-and-swap. One that is checked out is moved
together with its files, as a fast-forward, and only where none of the user's work is in the way;
else this waits and says for what. Killed at any point, it is simply done again: `fast_forward`
tells how the files, the branch and the index are kept in step, `journal` how one waits for another.
"""

import os
import time
from typing import NamedTuple

from tidegate.git import (
    checkout,
    durable,
    fast_forward,
    journal,
    obstacles,
    own_locks,
    submodules,
)
from tidegate.git.checkout import Checkout, Obstacle
from tidegate.git.command import LONG_S, Git
from tidegate.git.errors import GitFailed, GitTimedOut
from tidegate.git.hub import Hub
from tidegate.git.journal import Intent
from tidegate.git.repository import Repository
from tidegate.git.submodules import Place

REFLOG_ENTRIES_MAX = 1000
"""How far back the user's reflog is searched for a landing that they took back."""
TRIES_MAX = 3
"""How often a branch that moves under our hands is looked at anew in one delivery."""


class Delivered(NamedTuple):
    """The user's ref holds the commit; `at` is what it is at: the commit, or one made on top."""

    at: str


class Waiting(NamedTuple):
    """Something of the user's is in the way, at these paths. Nothing was changed."""

    reason: str
    paths: tuple[str, ...]


class Diverged(NamedTuple):
    """The user's ref went elsewhere; `actual` is None where it was deleted. Nothing was changed."""

    actual: str | None
    reason: str


Delivery = Delivered | Waiting | Diverged


def deliver(
    hub: Hub, repository: Repository, ref: str, *, new: str, old: str | None, again: bool = False
) -> Delivery:
    """Bring `new` from the hub and fast-forward the user's `ref` to it, or make it.

    `old` is where the ref was when it was last ours, None before the first time. What the user took
    back is not given again unless `again` says so. Raises GitFailed where git or the disk is at
    fault.
    """
    git = repository.git._replace(timeout_s=LONG_S)
    submodules.deliver(hub, new, Place.of(repository.root, repository.common_dir))
    _bring(git, hub, new)
    for _ in range(TRIES_MAX):
        outcome = _once(git, repository, ref, new=new, old=old, again=again)
        if outcome is not None:
            durable.sync_file_system(repository.common_dir)
            return outcome
    if _at(git, ref) == new:
        durable.sync_file_system(repository.common_dir)
        return Delivered(new)
    return Waiting("the branch keeps moving", ())


def _once(
    git: Git, repository: Repository, ref: str, *, new: str, old: str | None, again: bool
) -> Delivery | None:
    """Try once; None when the branch moved meanwhile, or an older delivery was finished first."""
    place = checkout.of_branch(repository, ref)
    if isinstance(place, Checkout) and not journal.is_quiet(place):
        return Waiting("a delivery is at work in the checkout", (place.root,))
    actual = _at(git, ref)
    if isinstance(place, Checkout):
        begun = journal.interrupted(place)
        if begun is not None and begun.ref == ref and actual in (begun.old, begun.new):
            return _advanced(place, begun)
        journal.forget(place)
    settled = _settled(git, ref, actual, new=new, old=old, again=again)
    if settled is not None:
        return settled
    if isinstance(place, Obstacle):
        return Waiting(place.reason, place.paths)
    if place is not None and actual is not None:
        return _advanced(place, Intent(ref, actual, new))
    _move(git, ref, new=new, actual=actual)
    return None


def _advanced(place: Checkout, intent: Intent) -> Waiting | None:
    """Fast-forward a checkout; None when there is a new situation to look at."""
    outcome = fast_forward.advance(place, intent)
    return Waiting(outcome.reason, outcome.paths) if isinstance(outcome, Obstacle) else None


def _move(git: Git, ref: str, *, new: str, actual: str | None) -> None:
    """Move a branch that is checked out nowhere, by compare-and-swap; look anew in any case."""
    expected = actual if actual is not None else "0" * len(new)
    is_free, begun_s = obstacles.lock_of_branch(git, ref) is None, time.time()
    try:
        git.run("update-ref", "-m", "tidegate: deliver", ref, new, expected)
    except GitFailed as error:
        locked = obstacles.lock_of_branch(git, ref) if is_free and error.was_killed else None
        if locked:
            own_locks.clear(locked.paths, new, since_s=begun_s)
        if isinstance(error, GitTimedOut) or _at(git, ref) == actual:
            raise


def _settled(
    git: Git, ref: str, actual: str | None, *, new: str, old: str | None, again: bool
) -> Delivered | Diverged | None:
    """Say what is so already, or None where the ref can be moved forward from where it is."""
    if actual is None:
        return Diverged(None, "the branch was deleted") if old and not again else None
    if actual == new or _is_before(git, new, actual):
        return Delivered(actual)
    if not _is_before(git, actual, new):
        return Diverged(actual, "the branch has commits of its own")
    if again:
        return None
    if old and actual != old and _is_before(git, actual, old):
        return Diverged(actual, "the branch was moved back behind what was delivered before")
    if _was_at(git, ref, new):
        return Diverged(actual, "the commit was delivered before, and taken back")
    return None


def _bring(git: Git, hub: Hub, commit: str) -> None:
    """Fetch the commit from the hub. No ref, hook or file of the user's is touched."""
    options = ["--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance"]
    if os.path.exists(os.path.join(hub.path, "shallow")):
        options.append("--update-shallow")
    git.run("fetch", *options, "--", hub.path, commit)


def _at(git: Git, ref: str) -> str | None:
    found = git.run("rev-parse", "-q", "--verify", ref, ok_codes=(0, 1, 128))
    return found.text if found.code == 0 else None


def _is_before(git: Git, first: str, second: str) -> bool:
    return git.succeeds("merge-base", "--is-ancestor", first, second)


def _was_at(git: Git, ref: str, commit: str) -> bool:
    """Look the commit up in the branch's reflog: a user who reset it left a trace there.

    Git notes a move before it makes it. Where the newest note is of a move that is not made, a git
    of ours was killed in between, and nobody took anything back.
    """
    entries = git.run(
        "rev-list",
        "--walk-reflogs",
        f"--max-count={REFLOG_ENTRIES_MAX}",
        ref,
        "--",
        ok_codes=(0, 128),
    )
    return commit in entries.text.split()[1:]
