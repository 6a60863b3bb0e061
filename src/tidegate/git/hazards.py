"""What is wrong with a change though every path of it is in scope.

Each check looks at trees in the hub and names the paths; whether a finding stops a change is for
the run to say. A check that has nothing to look at costs no process.
"""

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from tidegate.core.names import fold
from tidegate.git import objects, submodules
from tidegate.git.command import Git
from tidegate.git.hub import Hub
from tidegate.git.submodules import Place
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
    old_names = with_folders(path for path in paths if path not in added)
    new_names = with_folders(added) - old_names
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
    folders = {path.rpartition("/")[0] for path in with_folders(added)}
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


def with_folders(paths: Iterable[str]) -> set[str]:
    """Return the paths and the folders that they are in."""
    names: set[str] = set()
    for path in paths:
        name = path
        while name and name not in names:
            names.add(name)
            name = os.path.dirname(name)
    return names


def missing_submodule_commits(
    hub: Hub, tree: str, changed: Sequence[Change], place: Place
) -> tuple[Finding, ...]:
    """List the submodules whose new commit is not where it could be fetched from.

    It is where the user's store has it, or can be given it from what was harvested.
    """
    if not any(change.new_mode == GITLINK for change in changed):
        return ()
    return tuple(
        Finding(
            "submodule_commit_missing", path, f"points to {oid}, which exists in no other place"
        )
        for path, oid in submodules.missing(hub, tree, changed, place)
    )


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
