"""What is wrong with a change though every path of it is in scope.

Each check looks at trees in the hub and names the paths; whether a finding stops a change is for
the run to say. A check that has nothing to look at costs no process.
"""

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from tidegate.core.names import fold
from tidegate.git import objects
from tidegate.git.command import Git
from tidegate.git.tree_diff import ABSENT, GITLINK, Change, Finding, Kind, shown

MODE_FLIPS_MIN = 100
"""From this many changed modes on it was not a person who changed them."""
REWRITTEN_LINES_MIN = 20
REWRITTEN_RATIO_MIN = 10
"""How many times more lines a diff has when line endings count, for it to be a rewrite of them."""


def collisions(git: Git, tree: str, changed: Sequence[Change]) -> tuple[Finding, ...]:
    """List new names that a disk without case or Unicode form cannot tell from others.

    Two that were both there before are the repository's own affair.
    """
    added = {change.path for change in changed if change.old_mode == ABSENT}
    if not added or not _may_collide(git, tree, added):
        return ()
    paths = map(shown, git.run("ls-tree", "-r", "-z", "--name-only", "--full-tree", tree).items)
    old_names = _with_folders(path for path in paths if path not in added)
    new_names = _with_folders(added) - old_names
    spellings: dict[str, set[str]] = defaultdict(set)
    for name in old_names | new_names:
        spellings[fold(name)].add(name)
    return tuple(
        Finding("name_collision", name, "is the same name as " + ", ".join(sorted(others)))
        for name in sorted(new_names)
        if (others := spellings[fold(name)] - {name})
    )


def _may_collide(git: Git, tree: str, added: Iterable[str]) -> bool:
    """Tell whether two names beside each other are one, where something was added or above it.

    Where two paths part, their names stand in one folder. To look into these folders alone is a
    small part of the work that a large tree makes.
    """
    folders = {path.rpartition("/")[0] for path in _with_folders(added)}
    listings = objects.contents(git, [f"{tree}:{folder}" for folder in folders])
    for listing in listings:
        if listing is None:  # a name that cannot be asked for
            return True
        names = _ENTRY[len(tree)].findall(listing)
        if len({fold(shown(name)) for name in names}) < len(names):
            return True
    return False


_ENTRY = {
    2 * bytes_: re.compile(rb"\d+ ([^\0]+)\0.{%d}" % bytes_, re.DOTALL) for bytes_ in (20, 32)
}
"""An entry of a tree as git stores it, by the length of an oid."""


def _with_folders(paths: Iterable[str]) -> set[str]:
    names: set[str] = set()
    for path in paths:
        name = path
        while name and name not in names:
            names.add(name)
            name = os.path.dirname(name)
    return names


def missing_submodule_commits(
    changed: Iterable[Change], stores: Mapping[str, str]
) -> tuple[Finding, ...]:
    """List the submodules whose new commit is not where it could be fetched from.

    `stores` maps a submodule's path to the git folder that should have it, see `module_stores`.
    """
    moved = [change for change in changed if change.new_mode == GITLINK]
    return tuple(
        Finding(
            "submodule_commit_missing",
            change.path,
            f"points to {change.new_oid}, which exists in no other place",
        )
        for change in moved
        if not _has_commit(stores.get(change.path), change.new_oid)
    )


def _has_commit(store: str | None, oid: str) -> bool:
    if store is None or not os.path.isdir(store):
        return False
    git = Git(trusts_user=True, git_dir=store)
    return git.run("cat-file", "-e", f"{oid}^{{commit}}", ok_codes=(0, 1, 128)).code == 0


def module_stores(git: Git, tree: str, *, common_dir: str) -> dict[str, str]:
    """Map the submodules' paths that `tree` declares to their git folders beside the user's own."""
    found = git.run(
        "config",
        "-z",
        "--no-includes",
        f"--blob={tree}:.gitmodules",
        "--get-regexp",
        r"^submodule\..*\.path$",
        ok_codes=(0, 1, 128),
    )
    stores: dict[str, str] = {}
    for item in found.items if found.code == 0 else ():
        key, _, path = item.partition(b"\n")
        name = os.fsdecode(key)[len("submodule.") : -len(".path")]
        if ".." not in name.split("/"):
            stores[shown(path)] = os.path.join(common_dir, "modules", name)
    return stores


def mass_mode_change(changed: Sequence[Change]) -> tuple[Finding, ...]:
    """Notice that most of a change is executable bits, as a foreign file system flips them."""
    flips = [change for change in changed if change.kind is Kind.MODE]
    if len(flips) < MODE_FLIPS_MIN or 2 * len(flips) < len(changed):
        return ()
    detail = f"{len(flips)} files change only their executable bit; see git's core.fileMode"
    return (Finding("mass_mode_change", flips[0].path, detail),)


def rewritten_line_endings(
    git: Git, old: str, new: str, changed: Iterable[Change]
) -> tuple[Finding, ...]:
    """List files of which most lines changed in nothing but their ending."""
    if not any(change.kind is Kind.MODIFIED for change in changed):
        return ()
    full = _line_counts(git, old, new)
    large = {path: count for path, count in full.items() if count >= REWRITTEN_LINES_MIN}
    if not large:
        return ()
    real = _line_counts(git, old, new, "--ignore-cr-at-eol")
    return tuple(
        Finding(
            "line_endings_rewritten", path, f"{count} lines, {real.get(path, 0)} without endings"
        )
        for path, count in large.items()
        if real.get(path, 0) * REWRITTEN_RATIO_MIN <= count
    )


def _line_counts(git: Git, old: str, new: str, *flags: str) -> dict[str, int]:
    """Count added and removed lines for each modified text file."""
    items = git.run(
        "diff-tree",
        "-r",
        "-z",
        "--numstat",
        "--no-renames",
        "--diff-filter=M",
        "--no-ext-diff",
        "--no-textconv",
        *flags,
        old,
        new,
    ).items
    counts: dict[str, int] = {}
    for item in items:
        added, removed, path = item.split(b"\t", 2)
        if added != b"-":
            counts[shown(path)] = int(added) + int(removed)
    return counts
