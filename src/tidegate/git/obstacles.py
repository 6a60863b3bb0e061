"""What of the user's is in the way of a fast-forward, and what of it is already done.

Asked of an index of ours and of the files themselves: bits in an index can say that a file is
unchanged, or ignored, and it may still be the only copy of somebody's work. What is staged and in
no file counts as work too.
"""

import os
import stat
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from tidegate.git.checkout import PATHS_SHOWN_MAX, Checkout, Move, Obstacle, moves
from tidegate.git.command import Git
from tidegate.git.tree_diff import ABSENT, GITLINK, LINK, shown


class Plan(NamedTuple):
    """Paths that are as they will be, paths that a killed run had begun to write, and the rest."""

    done: tuple[Move, ...]
    begun: tuple[Move, ...]
    ahead: tuple[Move, ...]


def plan(git: Git, checkout: Checkout, *, old: str, new: str, resuming: bool) -> Plan | Obstacle:
    """Say what there is to do for the checkout to go from `old` to `new`, or what forbids it.

    `resuming`: a killed run of ours was at it, so files may be missing or half written. `git` has
    an index of ours, which is changed here.
    """
    ahead = moves(git, old, new)
    hidden = _hidden(git, checkout, ahead)
    mark(git, "--no-skip-worktree", hidden.skipped)
    # This looks at every file, also where a bit in the index says that it need not be.
    git.run("update-index", "-q", "--really-refresh", ok_codes=(0, 1))
    if unmerged := git.run("diff-files", "-z", "--name-only", "--diff-filter=U").items:
        return _obstacle("there are unmerged files", unmerged)
    staged, differing = _staged(git, old), unstaged(git)
    lost = [
        path for path, entry in staged.items() if path not in ahead or not ahead[path].makes(entry)
    ]
    if lost:
        return _obstacle("there are staged changes", lost)
    arriving = [
        move.path
        for move in ahead.values()
        if move.old_mode == ABSENT and os.path.lexists(full_path(checkout, move.path))
    ]
    concerned = [ahead[path] for path in {*staged, *differing, *arriving} if path in ahead]
    done = _as_they_will_be(git, checkout, concerned)
    fine = {move.path for move in done}
    begun = [
        move
        for move in concerned
        if resuming and move.path not in fine and _is_begun(git, checkout, new, move)
    ]
    fine |= {move.path for move in begun}
    if changed := [path for path in differing if path not in fine]:
        return _changed(changed, hidden)
    if in_the_way := _in_the_way(git, checkout, ahead, fine):
        return _obstacle("there are untracked files in the way", in_the_way)
    rest = tuple(move for move in ahead.values() if move.path not in fine)
    if unwritable := _unwritable(checkout, (*rest, *begun)):
        return _obstacle("there are folders that cannot be written", unwritable)
    mark(git, "--skip-worktree", hidden.skipped)
    return Plan(tuple(done), tuple(begun), rest)


def written(git: Git, checkout: Checkout, new: str, moves_made: Iterable[Move]) -> set[bytes]:
    """Return the paths of the moves whose file is, whole or in part, what it was to become."""
    made = tuple(moves_made)
    whole = {move.path for move in _as_they_will_be(git, checkout, made)}
    rest = (move for move in made if move.path not in whole)
    return whole | {move.path for move in rest if _is_begun(git, checkout, new, move)}


def lock_of_branch(git: Git, ref: str) -> Obstacle | None:
    """Say what keeps the branch from being moved: a lock of another git's, at work or long gone."""
    asked = (word for name in (ref, "HEAD") for word in ("--git-path", f"{name}.lock"))
    named = git.run("rev-parse", "--path-format=absolute", *asked).text.splitlines()
    locks = tuple(path for path in named if os.path.lexists(path))
    return Obstacle("another git command is at work on the branch", locks) if locks else None


def _obstacle(reason: str, paths: Iterable[bytes]) -> Obstacle:
    return Obstacle(reason, tuple(map(shown, sorted(set(paths))[:PATHS_SHOWN_MAX])))


class _Hidden(NamedTuple):
    """Paths whose file is there and that git is told not to look at."""

    skipped: frozenset[bytes]
    assumed: frozenset[bytes]


def _hidden(git: Git, checkout: Checkout, ahead: Collection[bytes]) -> _Hidden:
    """List what the index hides. Skipped paths without a file, or left alone, are as wished."""
    skipped, assumed = [], []
    for item in git.run("ls-files", "-v", "-z").items:
        tag, path = item[:1], item[2:]
        if tag.upper() == b"S" and path in ahead and is_there(checkout, path):
            skipped.append(path)
        if tag.islower():
            assumed.append(path)
    return _Hidden(frozenset(skipped), frozenset(assumed))


def mark(git: Git, bit: str, paths: Collection[bytes]) -> None:
    """Set or clear a bit of the index at these paths."""
    if paths:
        git.run("update-index", bit, "-z", "--stdin", stdin=b"".join(p + b"\0" for p in paths))


def _changed(paths: list[bytes], hidden: _Hidden) -> Obstacle:
    """Tell of changes; where `git status` does not show them, by which bit they are hidden."""
    for bit, marked in (("skip-worktree", hidden.skipped), ("assume-unchanged", hidden.assumed)):
        if found := [path for path in paths if path in marked]:
            way_out = f"`git update-index --no-{bit}` shows them"
            return _obstacle(f"there are uncommitted changes marked {bit}; {way_out}", found)
    return _obstacle("there are uncommitted changes", paths)


def _unwritable(checkout: Checkout, planned: Iterable[Move]) -> list[bytes]:
    """List the folders in which something would be made or removed, and cannot be."""
    concerned = {
        os.path.dirname(move.path)
        for move in planned
        if (move.old_mode, move.new_mode) != (GITLINK, GITLINK)
    }
    folders = {_nearest_folder(checkout, folder) for folder in concerned}
    return [
        folder or b"."
        for folder in folders
        if not os.access(full_path(checkout, folder), os.W_OK | os.X_OK)
    ]


def _nearest_folder(checkout: Checkout, folder: bytes) -> bytes:
    """Return the folder, or the first one above it that is there."""
    while folder and not is_folder(checkout, folder):
        folder = os.path.dirname(folder)
    return folder


def is_there(checkout: Checkout, path: bytes) -> bool:
    """Tell whether something is at the path itself, not behind a link on the way to it."""
    above = os.path.dirname(path)
    while above:
        if os.path.islink(full_path(checkout, above)):
            return False
        above = os.path.dirname(above)
    return os.path.lexists(full_path(checkout, path))


def is_folder(checkout: Checkout, path: bytes) -> bool:
    """Tell whether a folder is at the path itself, not behind a link, nor a link to one."""
    full = full_path(checkout, path)
    return is_there(checkout, path) and os.path.isdir(full) and not os.path.islink(full)


def _staged(git: Git, commit: str) -> dict[bytes, tuple[str, str]]:
    items = git.run(
        "diff-index", "--cached", "-z", "--raw", "--no-renames", "--no-abbrev", commit
    ).items
    found = {}
    for row, path in zip(items[::2], items[1::2], strict=True):
        _, mode, _, oid, _ = row.decode().split(" ")
        found[path] = (mode, oid)
    return found


def unstaged(git: Git) -> list[bytes]:
    """List the files that differ from the index. A submodule is its own user's affair."""
    return git.run(
        "diff-files", "-z", "--name-only", "--no-renames", "--ignore-submodules=all"
    ).items


def _as_they_will_be(git: Git, checkout: Checkout, concerned: Iterable[Move]) -> list[Move]:
    """Return the moves whose file already is what it will be, by content and kind."""
    done, files = [], []
    for move in concerned:
        full = full_path(checkout, move.path)
        mode = os.lstat(full).st_mode if os.path.lexists(full) else 0
        if move.new_mode == ABSENT:
            done += [move] if mode == 0 else []
        elif move.new_mode == LINK and stat.S_ISLNK(mode):
            target = os.fsencode(os.readlink(full))
            oid = git.run("hash-object", "--stdin", stdin=target).text
            done += [move] if oid == move.new_oid else []
        elif stat.S_ISREG(mode) and move.is_file and _is_plain_name(move.path):
            files.append(move)
    return done + _with_same_content(git, files)


def _is_plain_name(path: bytes) -> bool:
    """Tell whether git can read the name from a line of its own."""
    return b"\n" not in path and not path.startswith(b'"')


def _with_same_content(git: Git, files: list[Move]) -> list[Move]:
    if not files:
        return []
    stdin = b"".join(move.path + b"\n" for move in files)
    oids = git.run("hash-object", "--stdin-paths", stdin=stdin).text.splitlines()
    return [move for move, oid in zip(files, oids, strict=True) if oid == move.new_oid]


def _is_begun(git: Git, checkout: Checkout, new: str, move: Move) -> bool:
    """Tell whether the file is missing, or a beginning of what it will be."""
    full = full_path(checkout, move.path)
    if not move.is_file or not os.path.lexists(full):
        return not os.path.lexists(full)
    if not stat.S_ISREG(os.lstat(full).st_mode):
        return False
    name = f"{new}:{os.fsdecode(move.path)}"
    meant = git.run("cat-file", "--filters", name).stdout
    with open(full, "rb") as file:
        return meant.startswith(file.read())


def _in_the_way(
    git: Git, checkout: Checkout, ahead: dict[bytes, Move], fine: Collection[bytes]
) -> list[bytes]:
    """List untracked files, ignored ones included, where the fast-forward will put something."""
    found: list[bytes] = []
    for move in ahead.values():
        if move.new_mode != ABSENT and move.path not in fine:
            found += _blocking(git, checkout, ahead, move)
    return found


def _blocking(
    git: Git, checkout: Checkout, ahead: dict[bytes, Move], move: Move
) -> Iterator[bytes]:
    """Yield what lies at a path or in place of one of its folders and is not to be replaced."""
    parts = move.path.split(b"/")
    for depth in range(1, len(parts) + 1):
        path = b"/".join(parts[:depth])
        full = full_path(checkout, path)
        if not os.path.lexists(full):
            return
        is_folder = os.path.isdir(full) and not os.path.islink(full)
        if is_folder and path != move.path:
            continue
        if is_folder:
            yield from _untracked_below(git, path)
        elif path not in ahead or ahead[path].old_mode == ABSENT:
            yield path
        return


def _untracked_below(git: Git, folder: bytes) -> list[bytes]:
    return git.run(
        "--literal-pathspecs", "ls-files", "-z", "--others", "--", os.fsdecode(folder)
    ).items


def full_path(checkout: Checkout, path: bytes) -> bytes:
    """Return where a path of the repository is on the disk."""
    return os.path.join(os.fsencode(checkout.root), path)
