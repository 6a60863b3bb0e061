"""Move the hub's refs: the moment at which a change has landed.

A ref moves by compare-and-swap, and whoever says that it moved has first written out the file
system: without that, a power cut takes back what the ledger already tells.
"""

from typing import NamedTuple

from tidegate.git import durable
from tidegate.git.errors import GitFailed, GitTimedOut
from tidegate.git.hub import Hub


class Moved(NamedTuple):
    """The ref is at the new commit, durably: by this call, or by one before it."""

    commit: str


class Elsewhere(NamedTuple):
    """The ref was not where it was expected, and was left there. None: it does not exist."""

    actual: str | None


def move(hub: Hub, ref: str, *, new: str, old: str | None) -> Moved | Elsewhere:
    """Move `ref` from `old` to `new`; `old` is None for a ref that must not exist yet.

    Finding it at `new`, or at what was built on that, is success: a step that was killed after the
    move is simply done again, however late.
    """
    expected = old if old is not None else "0" * len(new)
    try:
        hub.git.run("update-ref", "--create-reflog", "-m", "tidegate: land", ref, new, expected)
    except GitTimedOut:
        raise
    except GitFailed:
        actual = _at(hub, ref)
        if actual == old:
            raise
        if actual != new and not (old and _is_built_on(hub, new, actual)):
            return Elsewhere(actual)
    durable.sync_file_system(hub.path)
    return Moved(new)


def create(hub: Hub, ref: str, commit: str) -> Moved | Elsewhere:
    """Make a ref that does not exist yet; the same commit there already is success."""
    return move(hub, ref, new=commit, old=None)


def _is_built_on(hub: Hub, commit: str, tip: str | None) -> bool:
    return tip is not None and hub.git.succeeds("merge-base", "--is-ancestor", commit, tip)


def _at(hub: Hub, ref: str) -> str | None:
    found = hub.git.run("rev-parse", "-q", "--verify", ref, ok_codes=(0, 1, 128))
    return found.text if found.code == 0 else None
