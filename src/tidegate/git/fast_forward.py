"""Fast-forward a checked-out branch of the user's: files, then branch, then index.

The index is locked as git locks it, so nobody commits in between, and git works on a copy that is
put in place at the end. The lock is a second name of our journal: after a kill that proves whose it
is, and the work is done again. A file that already is as it will be is no obstacle, whoever made it
so; one that a killed run had begun to write is known by being a beginning of what was meant.
"""

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator
from typing import NamedTuple

from tidegate.git import durable, obstacles
from tidegate.git.checkout import Checkout, Obstacle
from tidegate.git.command import Git
from tidegate.git.control import copy_index
from tidegate.git.errors import GitFailed, GitTimedOut
from tidegate.git.obstacles import Plan
from tidegate.git.tree_diff import ABSENT, GITLINK

_JOURNAL = "tidegate-delivery.json"
_INDEX = "tidegate-delivery.index"


class Intent(NamedTuple):
    """What a fast-forward is to do. It stands in the journal for as long as it is not done."""

    ref: str
    old: str
    new: str


class Advanced(NamedTuple):
    """Branch, files and index are at the new commit."""


class Lost(NamedTuple):
    """The branch moved in the meantime; the files were put back as they were."""


def interrupted(checkout: Checkout) -> Intent | None:
    """Return what a killed run was doing in this working tree, or None."""
    try:
        with open(_journal_path(checkout), encoding="utf-8") as file:
            return Intent(**json.load(file))
    except (FileNotFoundError, ValueError, TypeError):
        return None


def forget(checkout: Checkout) -> None:
    """Drop what a killed run left here and no longer applies; a run that is at it keeps all."""
    try:
        descriptor = os.open(_journal_path(checkout), os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        if _is_free(descriptor):
            _drop(checkout)
    finally:
        os.close(descriptor)


def advance(checkout: Checkout, intent: Intent) -> Advanced | Lost | Obstacle:
    """Do it, or find it begun and finish it. After an Obstacle nothing of the user's has changed.

    Raises GitFailed or OSError where git or the disk is at fault; then the index stays locked,
    since the files may be half way, and the next call goes on.
    """
    resuming = interrupted(checkout) == intent
    with _journalled(checkout, intent) as is_ours:
        if not is_ours:
            return _at_work(checkout)
        if not _lock(checkout):
            _stand_back(checkout, resuming=resuming)
            return _at_work(checkout)
        git = _with_own_index(checkout)
        plan = obstacles.plan(git, checkout, old=intent.old, new=intent.new, resuming=resuming)
        if isinstance(plan, Obstacle):
            _stand_back(checkout, resuming=resuming)
            return plan
        _move_files(git, intent, plan)
        moved = _move_branch(git, intent)
        if not moved:
            git.run("read-tree", "-m", "-u", intent.new, intent.old)
        git.run("update-index", "-q", "--refresh", ok_codes=(0, 1))
        os.replace(_copy_path(checkout), _index_path(checkout))
        _drop(checkout)
        return Advanced() if moved else Lost()


def _at_work(checkout: Checkout) -> Obstacle:
    return Obstacle("another git command is at work in the checkout", (_lock_path(checkout),))


def _stand_back(checkout: Checkout, *, resuming: bool) -> None:
    """Give the index back. The journal of a killed run stays: its half-written files are there."""
    if resuming:
        _unlock(checkout)
        _unlink(_copy_path(checkout))
    else:
        _drop(checkout)


def _drop(checkout: Checkout) -> None:
    """Remove all that is ours, the journal last: while it is there the lock is known as ours."""
    _unlock(checkout)
    for path in (_copy_path(checkout), f"{_copy_path(checkout)}.lock", _journal_path(checkout)):
        _unlink(path)


def _move_files(git: Git, intent: Intent, plan: Plan) -> None:
    settled = (*plan.done, *plan.begun)
    if settled:
        stdin = b"".join(move.as_index_entry() for move in settled)
        git.run("update-index", "--replace", "-z", "--index-info", stdin=stdin)
    begun = [move.path for move in plan.begun if move.new_mode not in (ABSENT, GITLINK)]
    if begun:
        stdin = b"".join(path + b"\0" for path in begun)
        git.run("checkout-index", "-f", "-u", "-z", "--stdin", stdin=stdin)
    git.run("read-tree", "-m", "-u", intent.old, intent.new)


def _move_branch(git: Git, intent: Intent) -> bool:
    """Move the branch by compare-and-swap; True if it is at the new commit."""
    try:
        git.run("update-ref", "-m", "tidegate: deliver", intent.ref, intent.new, intent.old)
    except GitTimedOut:
        raise
    except GitFailed:
        at = git.run("rev-parse", "-q", "--verify", intent.ref, ok_codes=(0, 1, 128)).text
        if at == intent.old:
            raise
        return at == intent.new
    return True


def _with_own_index(checkout: Checkout) -> Git:
    copy = _copy_path(checkout)
    for stale in (copy, f"{copy}.lock"):
        _unlink(stale)
    if os.path.exists(_index_path(checkout)):
        copy_index(_index_path(checkout), copy)
    return checkout.git(copy)


@contextlib.contextmanager
def _journalled(checkout: Checkout, intent: Intent) -> Iterator[bool]:
    """Write down what is about to happen; give False where another process of ours is at it."""
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
    descriptor = os.open(_journal_path(checkout), flags, 0o644)
    try:
        if not _is_free(descriptor):
            yield False
            return
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps(intent._asdict()).encode(), 0)
        os.fsync(descriptor)
        durable.sync_folder(checkout.git_dir)
        yield True
    finally:
        os.close(descriptor)


def _is_free(journal: int) -> bool:
    """Take the journal for this process, if no other one has it."""
    try:
        fcntl.flock(journal, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _lock(checkout: Checkout) -> bool:
    """Lock the index as git does, by a file that only one can make; ours from before is ours."""
    try:
        os.link(_journal_path(checkout), _lock_path(checkout))
    except FileExistsError:
        return _holds_lock(checkout)
    return True


def _unlock(checkout: Checkout) -> None:
    if _holds_lock(checkout):
        _unlink(_lock_path(checkout))


def _holds_lock(checkout: Checkout) -> bool:
    try:
        return os.path.samefile(_journal_path(checkout), _lock_path(checkout))
    except FileNotFoundError:
        return False


def _unlink(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)


def _journal_path(checkout: Checkout) -> str:
    return os.path.join(checkout.git_dir, _JOURNAL)


def _lock_path(checkout: Checkout) -> str:
    return os.path.join(checkout.git_dir, "index.lock")


def _copy_path(checkout: Checkout) -> str:
    return os.path.join(checkout.git_dir, _INDEX)


def _index_path(checkout: Checkout) -> str:
    return os.path.join(checkout.git_dir, "index")
