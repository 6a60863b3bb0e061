"""The hold on a checkout of the user's: a journal, the index lock, and an index of our own.

The journal says what is to be done, for as long as it is not done. Whoever has it locked is at it,
and so is every git that was started meanwhile: the lock is held until the last of them has ended,
also after a kill. The index is locked as git locks it, by a second name of the journal: that proves
whose it is. Nothing here touches a file of the user's.
"""

import contextlib
import fcntl
import json
import os
import time
from collections.abc import Iterator
from typing import NamedTuple

from tidegate.git import durable
from tidegate.git.checkout import Checkout
from tidegate.git.command import Git
from tidegate.git.control import copy_index

WAIT_S = 600.0
"""How long to wait for another process of ours, or for a git that a killed one left at work."""
_STEP_S = 0.05
_JOURNAL = "tidegate-delivery.json"
_INDEX = "tidegate-delivery.index"


class Intent(NamedTuple):
    """What a fast-forward is to do. It stands in the journal for as long as it is not done."""

    ref: str
    old: str
    new: str


class Hold(NamedTuple):
    """The journal of a checkout, locked by us. `resuming`: a killed run left it, half-done."""

    checkout: Checkout
    descriptor: int
    resuming: bool

    @property
    def begun_s(self) -> float:
        """When the intent was written down, in wall time."""
        return os.fstat(self.descriptor).st_mtime

    def lock_index(self) -> bool:
        """Lock the index as git does, by a file that only one can make, or find it locked by us."""
        try:
            os.link(_journal_path(self.checkout), lock_path(self.checkout))
        except FileExistsError:
            return self._has_index()
        return True

    def unlock_index(self) -> None:
        """Remove the lock where it is ours; it is known by being the journal that we have open."""
        if self._has_index():
            _unlink(lock_path(self.checkout))

    def _has_index(self) -> bool:
        try:
            lock = os.stat(lock_path(self.checkout), follow_symlinks=False)
        except FileNotFoundError:
            return False
        return os.path.samestat(os.fstat(self.descriptor), lock)

    def git(self) -> Git:
        """Return git with a fresh copy of the user's index; what it starts holds the lock too."""
        copy = _copy_path(self.checkout)
        for stale in (copy, f"{copy}.lock"):
            _unlink(stale)
        if os.path.exists(_index_path(self.checkout)):
            copy_index(_index_path(self.checkout), copy, is_kept=True)
        return self.checkout.git(copy)._replace(keep_open=(self.descriptor,))

    def put_index(self) -> None:
        """Put the copy in the place of the user's index."""
        os.replace(_copy_path(self.checkout), _index_path(self.checkout))

    def stand_back(self) -> None:
        """Give the index back, and keep the journal: the files may be half way."""
        self.unlock_index()
        for path in (_copy_path(self.checkout), f"{_copy_path(self.checkout)}.lock"):
            _unlink(path)

    def drop(self) -> None:
        """Remove all that is ours, the journal last: by it the lock is known as ours."""
        self.stand_back()
        _unlink(_journal_path(self.checkout))


@contextlib.contextmanager
def held(checkout: Checkout, intent: Intent) -> Iterator[Hold | None]:
    """Write down what is about to happen; give None where another process of ours is at it.

    Afterwards the index is not locked by us, whatever happened.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
    descriptor = os.open(_journal_path(checkout), flags, 0o644)
    try:
        if not _is_taken(checkout, descriptor):
            yield None
            return
        hold = Hold(checkout, descriptor, resuming=interrupted(checkout) == intent)
        try:
            if not hold.resuming:
                _write(hold, intent)
            yield hold
        finally:
            hold.unlock_index()
            # By now every git of ours has ended; what a filter of the user's left running has not.
            fcntl.flock(descriptor, fcntl.LOCK_UN)
    finally:
        os.close(descriptor)


def _write(hold: Hold, intent: Intent) -> None:
    try:
        os.ftruncate(hold.descriptor, 0)
        os.pwrite(hold.descriptor, json.dumps(intent._asdict()).encode(), 0)
        os.fsync(hold.descriptor)
        durable.sync_folder(hold.checkout.git_dir)
    except OSError:
        hold.drop()
        raise


def is_quiet(checkout: Checkout) -> bool:
    """Wait until nothing of ours is at work in the checkout; False when that takes too long."""
    limit_s = time.monotonic() + WAIT_S
    while not _is_free(checkout):
        if time.monotonic() > limit_s:
            return False
        time.sleep(_STEP_S)
    return True


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
        if _is_taken(checkout, descriptor):
            Hold(checkout, descriptor, resuming=False).drop()
    finally:
        os.close(descriptor)


def lock_path(checkout: Checkout) -> str:
    """Where git keeps others off the index of a working tree."""
    return os.path.join(checkout.git_dir, "index.lock")


def _is_free(checkout: Checkout) -> bool:
    try:
        descriptor = os.open(_journal_path(checkout), os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    try:
        return _is_taken(checkout, descriptor)
    finally:
        os.close(descriptor)


def _is_taken(checkout: Checkout, journal: int) -> bool:
    """Take the journal for this process, if no other one has it or has dropped it meanwhile."""
    try:
        fcntl.flock(journal, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(journal), os.stat(_journal_path(checkout)))
    except (BlockingIOError, FileNotFoundError):
        return False


def _unlink(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)


def _journal_path(checkout: Checkout) -> str:
    return os.path.join(checkout.git_dir, _JOURNAL)


def _copy_path(checkout: Checkout) -> str:
    return os.path.join(checkout.git_dir, _INDEX)


def _index_path(checkout: Checkout) -> str:
    return os.path.join(checkout.git_dir, "index")
