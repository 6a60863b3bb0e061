"""Put a checkout back as it was before a fast-forward that git refused half-way.

Only what the fast-forward itself wrote is undone: a file that is gone, whole as it was to be, or a
beginning of that. What the user wrote meanwhile, and what was as it was to be before we began, is
left alone. The user's index has not been touched by then, so it says what was there.
"""

import contextlib
import os
from collections.abc import Iterator
from typing import NamedTuple

from tidegate.git import obstacles
from tidegate.git.checkout import Checkout, Move
from tidegate.git.command import Git
from tidegate.git.journal import Hold
from tidegate.git.obstacles import Plan, full_path, is_folder, is_there
from tidegate.git.tree_diff import ABSENT, GITLINK


class Before(NamedTuple):
    """What lay where a fast-forward was to write, and the folders that it had to make."""

    filled: tuple[Move, ...]
    empty: tuple[Move, ...]
    missing_folders: tuple[bytes, ...]
    """The deepest first."""


def look(checkout: Checkout, plan: Plan) -> Before:
    """Note what is there, before anything is written."""
    filled: list[Move] = []
    empty: list[Move] = []
    for move in plan.ahead:
        is_filled = move.old_mode != ABSENT and is_there(checkout, move.path)
        (filled if is_filled else empty).append(move)
    missing = {folder for move in empty for folder in _missing_folders(checkout, move)}
    return Before(tuple(filled), tuple(empty), tuple(sorted(missing, key=len, reverse=True)))


def put_back(hold: Hold, before: Before, new: str) -> None:
    """Undo what was written so far, also in the user's index as far as it notes file times.

    Raises GitFailed or OSError where that cannot be done; the files are half way then.
    """
    checkout = hold.checkout
    gone_or_written = _changed(hold.git(), before)
    there = [move for move in (*gone_or_written, *before.empty) if is_there(checkout, move.path)]
    written = obstacles.written(hold.git(), checkout, new, there)
    for move in before.empty:
        if move.path in written:
            os.unlink(full_path(checkout, move.path))
    for folder in before.missing_folders:
        with contextlib.suppress(OSError):
            os.rmdir(full_path(checkout, folder))
    lost = [
        move.path
        for move in gone_or_written
        if move.path in written or not is_there(checkout, move.path)
    ]
    if lost:
        stdin = b"".join(path + b"\0" for path in lost)
        options = ("-f", "-u", "--ignore-skip-worktree-bits", "-z", "--stdin")
        hold.git().run("checkout-index", *options, stdin=stdin)
        hold.put_index()


def _changed(git: Git, before: Before) -> list[Move]:
    """Return the moves whose file is not what the user's index has, whatever its bits say."""
    paths = [move.path for move in before.filled]
    for bit in ("--no-skip-worktree", "--no-assume-unchanged"):
        obstacles.mark(git, bit, paths)
    changed = set(obstacles.unstaged(git))
    return [move for move in before.filled if move.path in changed]


def _missing_folders(checkout: Checkout, move: Move) -> Iterator[bytes]:
    """Yield the folders that the move has to make: those above it, and a submodule's own."""
    path = move.path if move.new_mode == GITLINK else os.path.dirname(move.path)
    while path and not is_folder(checkout, path):
        yield path
        path = os.path.dirname(path)
