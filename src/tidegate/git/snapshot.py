"""Make a tree of what lies in a workspace's files, with an index that no agent has touched.

The index is read from the commit, or is the one that was kept when the workspace was made: the
agent's own may hide changes (assume-unchanged) or name programs to run. Which files changed is
asked of the file system; filters run only where the caller's settings name them.
"""

import os
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from tidegate.git import foreign
from tidegate.git.command import Git
from tidegate.git.control import Baseline
from tidegate.git.errors import GitFailed, GitTimedOut
from tidegate.git.plain import Tampered
from tidegate.git.survey import Survey
from tidegate.git.tree_diff import shown

BYTES_MAX = 1 << 30
"""How much uncommitted content one snapshot takes in; beyond that somebody has to look."""
MASS_DELETION_MIN = 1000
"""From this many deletions on, a snapshot that deletes most files is taken for an accident."""

_GITLINK = b"160000"
_UNSAID = (b"unspecified", b"unset")
_EMPTY_TREES = frozenset(
    (
        "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
        "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
    )
)


class Snapshot(NamedTuple):
    """What the files amount to on top of the commit they were compared with."""

    tree: str | None
    """None when no file differs from the commit; else it may still be the commit's own tree."""
    special: tuple[str, ...]
    """Tracked paths that are now neither file nor link; they count as deleted."""
    strangers: tuple[str, ...]
    """Repositories among the files. What is in them is in no tree of ours."""
    mass_deletion: bool


def take(
    git: Git,
    tip: str,
    *,
    survey: Survey,
    before: Baseline,
    cone: Sequence[str],
    heads: Mapping[str, str],
) -> Snapshot:
    """Write the tree of `tip` as changed by the files under git's work tree.

    `git` has an index file of its own and the files to look at; `survey` is what was found among
    them, `before` how they differed before the agent came, `cone` the folders of a sparse checkout
    (what is missing outside them was never there), `heads` the commits of submodules as far as they
    are known better than from their files. Raises Tampered for what cannot be taken in.
    """
    _read_tree(git, tip)
    links, strangers = _settle_nested(git, survey.nested)
    changes = _tracked_changes(git, cone, before, raw_counts=survey.has_attributes)
    written = [*changes.written, *_untracked(git, strangers, before)]
    _check_readable(git, written)
    _update(git, ("--force-remove",), (*changes.deleted, *changes.special))
    _take_in(git, written)
    moved = _record_heads(git, links, heads)
    tree = None
    if written or changes.deleted or changes.special or moved:
        tree = git.run("write-tree").text
    deleted = len(changes.deleted)
    return Snapshot(
        tree=tree,
        special=tuple(map(shown, changes.special)),
        strangers=strangers,
        mass_deletion=tree is not None and _is_mass_deletion(git, tip, tree, deleted=deleted),
    )


def _read_tree(git: Git, tip: str) -> None:
    """Bring the index to the commit; one that cannot be read is begun anew."""
    try:
        git.run("read-tree", "--reset", tip)
    except GitTimedOut:
        raise
    except GitFailed:
        if git.index_file is None or not os.path.exists(git.index_file):
            raise
        os.unlink(git.index_file)
        git.run("read-tree", "--reset", tip)


def links_of(git: Git) -> list[bytes]:
    """List the submodules that git's index has."""
    rows = git.run("ls-files", "-z", "--stage").items
    return [row.partition(b"\t")[2] for row in rows if row.startswith(_GITLINK)]


def leave_out(git: Git, links: Iterable[bytes]) -> None:
    """Keep git from looking into submodules; `git` has an index of ours."""
    _update(git, ("--skip-worktree",), links)


def _settle_nested(git: Git, nested: Sequence[str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Keep git from looking into repositories among the files, where a trap may lie.

    Returns the submodules with their recorded commits, and the repositories the tree knows nothing
    of. A file that was replaced by a repository is gone; a repository around tracked files is not
    looked into by git, and its files are taken like any other.
    """
    if not nested:
        return {}, ()
    rows = git.run("--literal-pathspecs", "ls-files", "-s", "-z", "--", *nested).items
    tracked = [_index_row(row) for row in rows]
    at = set(nested)
    links = {path: oid for mode, oid, path in tracked if mode == _GITLINK and path in at}
    replaced = [path for mode, _, path in tracked if mode != _GITLINK and path in at]
    around = at & {folder for _, _, path in tracked for folder in _folders_of(path)}
    _update(git, ("--force-remove",), map(os.fsencode, replaced))
    leave_out(git, map(os.fsencode, links))
    return links, tuple(path for path in nested if path not in links and path not in around)


def _folders_of(path: str) -> Iterator[str]:
    while path := os.path.dirname(path):
        yield path


def _index_row(row: bytes) -> tuple[bytes, str, str]:
    attributes, _, path = row.partition(b"\t")
    mode, oid, _ = attributes.split(b" ")
    return mode, oid.decode(), os.fsdecode(path)


class _Changes(NamedTuple):
    written: list[bytes]
    deleted: list[bytes]
    special: list[bytes]


def _tracked_changes(
    git: Git, cone: Sequence[str], before: Baseline, *, raw_counts: bool
) -> _Changes:
    """Sort the paths whose files are not as the index has them.

    `raw_counts`: a file whose very bytes are those of the blob is unchanged, whatever a filter or
    an end-of-line attribute would make of it. Else files that were never normalised would look
    changed by everyone who touches them.
    """
    changes = _Changes([], [], [])
    items = git.run("diff-files", "-z", "--raw", "--no-renames", "--no-abbrev").items
    rows = [row[1:].split(b" ") for row in items[::2]]
    paths = items[1::2]
    hashed = paths if raw_counts else [path for path in paths if path in before.changed]
    ids = raw_ids(git, hashed) if hashed else {}
    for (old_mode, _, old_oid, _, status), path in zip(rows, paths, strict=True):
        full = os.path.join(os.fsencode(git.work_tree or ""), path)
        if path in before.changed and before.changed[path] == ids.get(path):
            continue
        if status == b"D":
            if os.path.lexists(full) or in_cone(path, cone):
                changes.deleted.append(path)
        elif not _can_be_taken(full):
            changes.special.append(path)
        elif not (raw_counts and ids.get(path) == old_oid.decode() and old_mode == _mode(full)):
            changes.written.append(path)
    return changes


def raw_ids(git: Git, paths: Iterable[bytes], *options: str) -> dict[bytes, str]:
    """Return the blob ids of files' very bytes; what is no plain file has none."""
    files = [path for path in paths if _is_plain(git, path)]
    stdin = b"".join(path + b"\n" for path in files)
    asked = ("hash-object", *options, "--no-filters", "--stdin-paths")
    ids = git.run(*asked, stdin=stdin).text.split()
    return dict(zip(files, ids, strict=True))


def _is_plain(git: Git, path: bytes) -> bool:
    """Tell whether it is a file, and of a name that git can read from a line."""
    full = os.path.join(os.fsencode(git.work_tree or ""), path)
    is_file = os.path.isfile(full) and not os.path.islink(full)
    return is_file and b"\n" not in path and not path.startswith(b'"')


def in_cone(path: bytes, cone: Sequence[str]) -> bool:
    """Tell whether a sparse checkout of these folders has the path; an empty cone has them all."""
    folder = os.fsdecode(os.path.dirname(path))
    return not (cone and folder) or any(
        f"{folder}/".startswith(f"{kept}/") or kept.startswith(f"{folder}/")
        for kept in (each.strip("/") for each in cone)
    )


def _can_be_taken(full: bytes) -> bool:
    mode = os.lstat(full).st_mode
    return stat.S_ISREG(mode) or stat.S_ISLNK(mode) or stat.S_ISDIR(mode)


def _mode(full: bytes) -> bytes:
    return b"100755" if os.lstat(full).st_mode & stat.S_IXUSR else b"100644"


def _untracked(git: Git, strangers: Sequence[str], before: Baseline) -> list[bytes]:
    """List what is neither tracked nor ignored. Patterns given here outrank any ignore file."""
    patterns = [f"--exclude=/{pattern_for(path)}/" for path in strangers]
    items = git.run("ls-files", "-z", "--others", "--exclude-standard", *patterns).items
    return [
        path for path in items if not (path.endswith(b"/") or _is_at_or_below(path, before.hidden))
    ]


def _is_at_or_below(path: bytes, folders: Collection[bytes]) -> bool:
    while folders and path:
        if path in folders:
            return True
        path = os.path.dirname(path)
    return False


def pattern_for(path: str) -> str:
    """Return the ignore pattern that means exactly this path."""
    return "".join(f"\\{character}" if character in "\\*?[ " else character for character in path)


def _check_readable(git: Git, paths: Iterable[bytes]) -> None:
    left = BYTES_MAX
    for path in paths:
        full = os.path.join(os.fsencode(git.work_tree or ""), path)
        status = os.lstat(full)
        if stat.S_ISREG(status.st_mode) and not os.access(full, os.R_OK):
            raise Tampered("unreadable", os.fsdecode(path), "cannot be read")
        left -= status.st_size
        if left < 0:
            raise Tampered(
                "too_large", os.fsdecode(path), f"makes the snapshot larger than {BYTES_MAX} bytes"
            )


def _update(git: Git, flags: Sequence[str], paths: Iterable[bytes]) -> None:
    if stdin := b"".join(path + b"\0" for path in paths):
        git.run("update-index", *flags, "-z", "--stdin", stdin=stdin)


def _take_in(git: Git, paths: Sequence[bytes]) -> None:
    """Add files to the index; as they are, where git cannot read them in the encoding they claim.

    The encoding is an attribute, which an agent may write. What it says wrongly is no failure of
    ours, and nothing is lost by it.
    """
    add = ("--add", "--remove", "--replace")
    try:
        _update(git, add, paths)
    except GitTimedOut:
        raise
    except GitFailed:
        encoded = _encoded(git, paths)
        if not encoded:
            raise
        _update(git, add, [path for path in paths if path not in encoded])
        _take_in_raw(git, encoded)


def _encoded(git: Git, paths: Iterable[bytes]) -> set[bytes]:
    """The plain files that are said to have an encoding of their own."""
    files = [path for path in paths if _is_plain(git, path)]
    stdin = b"".join(path + b"\0" for path in files)
    said = git.run("check-attr", "-z", "--stdin", "working-tree-encoding", stdin=stdin).items
    return {path for path, value in zip(said[::3], said[2::3], strict=True) if value not in _UNSAID}


def _take_in_raw(git: Git, paths: Iterable[bytes]) -> None:
    root = os.fsencode(git.work_tree or "")
    rows = (
        b"%s %s\t%s\0" % (_mode(os.path.join(root, path)), oid.encode(), path)
        for path, oid in raw_ids(git, paths, "-w").items()
    )
    git.run("update-index", "-z", "--index-info", stdin=b"".join(rows))


def _record_heads(git: Git, links: dict[str, str], heads: Mapping[str, str]) -> bool:
    """Record which commit each submodule stands at, as far as its files say so plainly."""
    root = git.work_tree or ""
    found = {path: heads.get(path) or foreign.nested_head(root, path) for path in links}
    moved = {path: head for path, head in found.items() if head and head != links[path]}
    for path, head in moved.items():
        git.run("update-index", "--cacheinfo", f"160000,{head},{path}")
    return bool(moved)


def _is_mass_deletion(git: Git, tip: str, tree: str, *, deleted: int) -> bool:
    if deleted and tree in _EMPTY_TREES:
        return True
    if deleted < MASS_DELETION_MIN:
        return False
    return 2 * deleted > len(git.run("ls-tree", "-r", "-z", "--name-only", tip).items)
