"""Try the user's filters on what is to arrive, before a file is touched.

A filter that fails is found by git only when it has taken the old file away, and without the filter
the old one cannot be written again. One file for each filter is tried: a program that is missing or
has no access fails for every file. It is tried with the attributes that arrive, in a folder of ours
where no other attributes are.
"""

import os
from collections.abc import Sequence

from tidegate.git.checkout import Move, Obstacle
from tidegate.git.command import Git
from tidegate.git.errors import GitFailed
from tidegate.git.obstacles import Plan
from tidegate.git.trash import clear
from tidegate.git.tree_diff import shown

_CONFIGURED = r"^filter\..*\.(smudge|process)$"


_TRIAL = "tidegate-trial"


def obstacle(git: Git, git_dir: str, plan: Plan, new: str) -> Obstacle | None:
    """Name the first filter that fails though git needs it, with the file that it was tried on."""
    files = [move for move in (*plan.begun, *plan.ahead) if move.is_file]
    if not files or not git.succeeds("config", "--get-regexp", _CONFIGURED):
        return None
    trial = os.path.join(git_dir, _TRIAL)
    clear(trial)
    os.makedirs(f"{trial}/files", mode=0o700)
    try:
        apart = git._replace(work_tree=f"{trial}/files", index_file=f"{trial}/index")
        apart.run("read-tree", new)
        return _tried(apart, files)
    finally:
        clear(trial)


def _tried(apart: Git, files: Sequence[Move]) -> Obstacle | None:
    for name, move in _one_for_each(apart, files).items():
        try:
            apart.run("checkout-index", "-f", "-z", "--stdin", stdin=move.path + b"\0")
        except GitFailed:
            return Obstacle(f"the filter {shown(name)} fails", (shown(move.path),))
    return None


def _one_for_each(git: Git, files: Sequence[Move]) -> dict[bytes, Move]:
    """Return the first of the files for each filter that the attributes name."""
    stdin = b"".join(move.path + b"\0" for move in files)
    said = git.run("check-attr", "--cached", "-z", "--stdin", "filter", stdin=stdin).items
    none = (b"unspecified", b"unset", b"set", b"")
    first: dict[bytes, Move] = {}
    for name, move in zip(said[2::3], files, strict=True):
        if name not in none:
            first.setdefault(name, move)
    return first
