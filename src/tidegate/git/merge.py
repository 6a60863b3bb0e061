"""Merge commits in the hub, without a checkout, always by the same rules.

One engine (git's own, ort) with fixed settings, so that what conflicts here conflicts everywhere: a
file that would follow a renamed folder is a conflict, never moved in silence. Only git's exit code
and its list of unmerged entries decide; marks in texts do not, since binary files have none.
"""

import contextlib
import os
from collections.abc import Iterator
from typing import NamedTuple

from tidegate.git.command import Settings
from tidegate.git.errors import GitFailed, GitTimedOut, NoMergeBase
from tidegate.git.hub import Hub
from tidegate.git.tree_diff import shown

RENAMES_MAX = 7000
"""How many files are looked through for renames; git's own limit, pinned."""

_FIXED = (
    ("merge.directoryRenames", "conflict"),
    ("merge.renames", "true"),
    ("merge.renormalize", "false"),
    ("merge.renameLimit", str(RENAMES_MAX)),
    ("diff.renames", "true"),
    ("diff.renameLimit", str(RENAMES_MAX)),
    ("diff.algorithm", "histogram"),
    ("merge.conflictStyle", "merge"),
)


class Merged(NamedTuple):
    """The tree of both sides together."""

    tree: str


class Conflict(NamedTuple):
    """What keeps the sides apart. Every path that is unmerged, each once."""

    paths: tuple[str, ...]


def merge(hub: Hub, ours: str, theirs: str) -> Merged | Conflict:
    """Merge two commits. Writes objects and moves no ref.

    Raises NoMergeBase where the two have nothing in common that is known here, GitFailed for
    everything else that is neither a merge nor a conflict.
    """
    with _attributes(hub, ours) as settings:
        git = hub.git._replace(settings=(*_FIXED, *settings))
        try:
            result = git.run(*_MERGE_TREE, ours, theirs, ok_codes=(0, 1))
        except GitFailed as error:
            raise _explained(hub, ours, theirs, error) from error
    if not result.items:
        # Git gives exit code 1 also for a name that it cannot read, and then no tree.
        stderr = os.fsdecode(result.stderr)
        raise GitFailed(("git", *_MERGE_TREE, ours, theirs), returncode=1, stderr=stderr)
    tree, *paths = result.items
    if result.code == 0:
        return Merged(tree.decode())
    return Conflict(tuple(sorted({shown(path) for path in paths})))


_MERGE_TREE = ("merge-tree", "--write-tree", "-z", "--name-only", "--no-messages")


def _explained(hub: Hub, ours: str, theirs: str, error: GitFailed) -> Exception:
    """Tell a missing common ancestor from other failures, and a cut-off one from none."""
    if isinstance(error, GitTimedOut) or hub.git.succeeds("merge-base", ours, theirs):
        return error
    if os.path.exists(os.path.join(hub.path, "shallow")):
        return NoMergeBase(
            f"{ours} and {theirs} have no common ancestor in this shallow clone",
            hint="fetch more of the history: git fetch --unshallow",
        )
    return NoMergeBase(f"{ours} and {theirs} have no common ancestor")


@contextlib.contextmanager
def _attributes(hub: Hub, commit: str) -> Iterator[Settings]:
    """Let the merge attributes of a commit's top-level file hold: of our side, never of theirs.

    A bare repository has no working tree to read them from, and newer gits guess one.
    """
    found = hub.git.run("cat-file", "blob", f"{commit}:.gitattributes", ok_codes=(0, 128))
    if found.code != 0 or b"merge" not in found.stdout:
        yield ()
        return
    path = os.path.join(hub.path, "tidegate", f"attributes.{os.getpid()}")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    try:
        with open(path, "wb") as file:
            file.write(found.stdout)
        yield (("core.attributesFile", path),)
    finally:
        os.unlink(path)
