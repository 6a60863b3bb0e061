"""Where a branch of the user's is checked out, and what of theirs would be in a fast-forward's way.

The question is asked of file contents and not of git's index alone: bits in the index can say that
a file is unchanged, or ignored, and it may still be the only copy of somebody's work.
"""

import os
from collections.abc import Iterator
from typing import NamedTuple

from tidegate.git.command import LONG_S, Git
from tidegate.git.repository import Repository
from tidegate.git.tree_diff import ABSENT, GITLINK, LINK

PATHS_SHOWN_MAX = 100
"""How many paths a refusal names."""

_UNDER_WAY = {"MERGE_HEAD": "merge", "CHERRY_PICK_HEAD": "cherry-pick", "REVERT_HEAD": "revert"}


class Checkout(NamedTuple):
    """One working tree that has the branch checked out."""

    root: str
    git_dir: str

    def git(self, index_file: str) -> Git:
        """Return the user's git on this working tree, with an index of ours in place of theirs."""
        return Git(
            trusts_user=True,
            git_dir=self.git_dir,
            work_tree=self.root,
            index_file=index_file,
            timeout_s=LONG_S,
        )


class Obstacle(NamedTuple):
    """What is in the way, in words, and where."""

    reason: str
    paths: tuple[str, ...]


def of_branch(repository: Repository, ref: str) -> Checkout | Obstacle | None:
    """Return the working tree that has `ref` checked out, or why it cannot be moved."""
    git = repository.git
    for git_dir in _git_dirs(repository.common_dir):
        if busy := _under_way(git_dir, ref):
            return Obstacle(f"a {busy} of the branch is under way", (git_dir,))
    for number, worktree in enumerate(_worktrees(git)):
        if worktree.get("branch") != ref or "prunable" in worktree:
            continue
        root = _main_root(repository, worktree["worktree"]) if number == 0 else worktree["worktree"]
        if not os.path.isdir(root):
            return Obstacle(
                "the branch is checked out in a working tree that is not there", (root,)
            )
        inside = Git(trusts_user=True, cwd=root)
        git_dir = inside.run("rev-parse", "--absolute-git-dir").text
        for name, what in _UNDER_WAY.items():
            if os.path.exists(os.path.join(git_dir, name)):
                return Obstacle(f"a {what} is under way", (root,))
        return Checkout(root, git_dir)
    return None


def _git_dirs(common_dir: str) -> Iterator[str]:
    yield common_dir
    linked = os.path.join(common_dir, "worktrees")
    if os.path.isdir(linked):
        for name in sorted(os.listdir(linked)):
            yield os.path.join(linked, name)


def _under_way(git_dir: str, ref: str) -> str | None:
    """Name what holds a branch though HEAD does not name it: a rebase detaches HEAD meanwhile."""
    for name in ("rebase-merge/head-name", "rebase-apply/head-name"):
        if _first_line(os.path.join(git_dir, name)) == ref:
            return "rebase"
    began = _first_line(os.path.join(git_dir, "BISECT_START"))
    return "bisection" if began and ref == f"refs/heads/{began}" else None


def _first_line(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.readline().strip()
    except OSError:
        return None


def _worktrees(git: Git) -> list[dict[str, str]]:
    """List all working trees, the main one first."""
    found: list[dict[str, str]] = [{}]
    for item in git.run("worktree", "list", "--porcelain", "-z").items:
        if item:
            key, _, value = os.fsdecode(item).partition(" ")
            found[-1][key] = value
        else:
            found.append({})
    return [worktree for worktree in found if worktree]


def _main_root(repository: Repository, listed: str) -> str:
    """Return the main working tree's root, which git lists wrongly for a submodule."""
    if not repository.is_linked_worktree:
        return repository.root
    configured = repository.git.run("config", "--get", "core.worktree", ok_codes=(0, 1)).text
    return (
        os.path.normpath(os.path.join(repository.common_dir, configured)) if configured else listed
    )


class Move(NamedTuple):
    """One path of a fast-forward, from what to what. Paths are bytes, as the disk has them."""

    path: bytes
    old_mode: str
    new_mode: str
    new_oid: str

    @property
    def is_file(self) -> bool:
        """Tell whether it will be a file, not a link, a submodule or nothing."""
        return self.new_mode not in (ABSENT, LINK, GITLINK)

    def makes(self, entry: tuple[str, str]) -> bool:
        """Tell whether an index entry, mode and oid, is what the move leads to."""
        return entry == (self.new_mode, self.new_oid)

    def as_index_entry(self) -> bytes:
        """Write what the index will say of the path, as `update-index --index-info` reads it."""
        mode = "0" if self.new_mode == ABSENT else self.new_mode
        return f"{mode} {self.new_oid}\t".encode() + self.path + b"\0"


def moves(git: Git, old: str, new: str) -> dict[bytes, Move]:
    """List what the fast-forward changes."""
    items = git.run("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", old, new).items
    found = {}
    for row, path in zip(items[::2], items[1::2], strict=True):
        old_mode, new_mode, _, new_oid, _ = row[1:].decode().split(" ")
        found[path] = Move(path, old_mode, new_mode, new_oid)
    return found
