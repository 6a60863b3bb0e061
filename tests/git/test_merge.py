"""Merging in the hub: one engine, fixed rules, and only real conflicts called so."""

import os
from pathlib import Path

import pytest

from tests.git.world import World, commit, git, same, write
from tidegate.git import hub, repository
from tidegate.git.commits import Stamp, commit_tree, with_trailers
from tidegate.git.errors import GitFailed, NoMergeBase
from tidegate.git.merge import Conflict, Merged, merge


def sides(world: World, ours: dict[str, str], theirs: dict[str, str]) -> tuple[str, str]:
    """Commit two sets of files on the base, each on a branch, and bring both into the hub."""
    commits = []
    for name, files in (("ours", ours), ("theirs", theirs)):
        git(world.root, "checkout", "-q", "-b", name, world.base)
        commits.append(commit(world.root, files))
        hub.fetch_base(world.hub, world.repository, commits[-1])
    return commits[0], commits[1]


def listing(world: World, tree: str) -> list[str]:
    """Return the paths of a tree."""
    return git(world.hub.path, "ls-tree", "-r", "--name-only", tree).splitlines()


def test_disjoint_changes_merge(world: World) -> None:
    """Both sides' files are in the merged tree, and no ref has moved."""
    ours, theirs = sides(world, {"ours": "1"}, {"theirs": "2"})
    before = git(world.hub.path, "show-ref")
    merged = merge(world.hub, ours, theirs)
    assert isinstance(merged, Merged)
    assert {"ours", "theirs"} < set(listing(world, merged.tree))
    assert git(world.hub.path, "show-ref") == before


def test_a_conflict_names_each_path_once(world: World) -> None:
    """Paths of a conflict come from the unmerged entries."""
    ours, theirs = sides(world, {"src/b.py": "1\n", "x": "1"}, {"src/b.py": "2\n", "x": "2"})
    assert same(merge(world.hub, ours, theirs), Conflict(("src/b.py", "x")))


def test_a_binary_conflict_is_a_conflict(world: World) -> None:
    """G3-20: where there are no marks in a file, the unmerged entries still say so."""
    ours, theirs = sides(world, {"b.bin": "\0ours"}, {"b.bin": "\0theirs"})
    assert same(merge(world.hub, ours, theirs), Conflict(("b.bin",)))


def test_a_file_added_to_a_renamed_folder_is_a_conflict(world: World) -> None:
    """G3-19: nothing is moved after a renamed folder in silence; it goes back to its builder."""
    lib = {f"lib/{n}.py": "".join(f"{n} {line}\n" for line in range(30)) for n in range(3)}
    base = commit(world.root, lib)
    git(world.root, "checkout", "-q", "-b", "renames")
    git(world.root, "mv", "lib", "pkg")
    ours = commit(world.root, {})
    git(world.root, "checkout", "-q", "-b", "adds", base)
    theirs = commit(world.root, {"lib/new.py": "new\n", "lib/1.py": lib["lib/1.py"] + "edited\n"})
    for oid in (ours, theirs):
        hub.fetch_base(world.hub, world.repository, oid)
    assert same(merge(world.hub, ours, theirs), Conflict(("pkg/new.py",)))


def test_the_users_merge_settings_do_not_count(world: World) -> None:
    """What conflicts on one machine conflicts on every machine."""
    home = Path(os.environ["HOME"]) / ".gitconfig"
    kept = home.read_text()
    home.write_text(kept + "[merge]\n\trenames = false\n\tdirectoryRenames = true\n")
    text = "".join(f"line {number}\n" for number in range(40))
    git(world.root, "checkout", "-q", "-b", "moves", world.base)
    git(world.root, "mv", "src/a.py", "moved.py")
    ours = commit(world.root, {})
    git(world.root, "checkout", "-q", "-b", "edits", world.base)
    theirs = commit(world.root, {"src/a.py": text + "more\n"})
    for oid in (ours, theirs):
        hub.fetch_base(world.hub, world.repository, oid)
    merged = merge(world.hub, ours, theirs)
    home.write_text(kept)
    assert isinstance(merged, Merged)
    assert "src/a.py" not in listing(world, merged.tree)
    assert git(world.hub.path, "show", f"{merged.tree}:moved.py").endswith("more")


def test_merge_attributes_of_our_side_hold(world: World) -> None:
    """What the target marks as not to be merged by lines conflicts; theirs cannot unmark it."""
    base = commit(world.root, {".gitattributes": "*.lock -merge\n", "x.lock": "a\nb\nc\nd\ne\n"})
    git(world.root, "checkout", "-q", "-b", "ours")
    ours = commit(world.root, {"x.lock": "A\nb\nc\nd\ne\n"})
    git(world.root, "checkout", "-q", "-b", "theirs", base)
    theirs = commit(world.root, {".gitattributes": "*.lock merge\n", "x.lock": "a\nb\nc\nd\nE\n"})
    for oid in (ours, theirs):
        hub.fetch_base(world.hub, world.repository, oid)
    assert same(merge(world.hub, ours, theirs), Conflict(("x.lock",)))
    assert isinstance(merge(world.hub, theirs, ours), Merged)
    assert not list(Path(world.hub.path, "tidegate").glob("attributes*"))


def test_an_error_is_neither_merge_nor_conflict(world: World) -> None:
    """G6-19: git gives exit code 1 for an unknown name too; that is an error here."""
    with pytest.raises(GitFailed):
        merge(world.hub, world.base, "1" * 40)


def test_unrelated_histories_are_told_as_such(world: World) -> None:
    """G3-18: no common ancestor is an error of its own."""
    git(world.root, "checkout", "-q", "--orphan", "alone")
    alone = commit(world.root, {"alone": "1"})
    hub.fetch_base(world.hub, world.repository, alone)
    with pytest.raises(NoMergeBase) as caught:
        merge(world.hub, world.base, alone)
    assert "shallow" not in str(caught.value)


def test_a_history_cut_off_by_a_shallow_clone_is_told_as_that(world: World) -> None:
    """G3-18: in a shallow repository the message says to fetch more, not that histories differ."""
    commit(world.root, {"one": "1"})
    git(world.root, "checkout", "-q", "-b", "side", world.base)
    commit(world.root, {"side": "1"})
    url = f"file://{world.root}"
    git(world.path, "clone", "-q", "--depth", "1", "--no-single-branch", url, "shallow")
    found = repository.find(str(world.path / "shallow"))
    made = hub.make(str(world.path / "new.git"), found)
    tips = [git(world.path / "shallow", "rev-parse", f"origin/{name}") for name in ("main", "side")]
    for tip in tips:
        hub.fetch_base(made, found, tip)
    with pytest.raises(NoMergeBase, match="shallow") as caught:
        merge(made, *tips)
    assert "--unshallow" in caught.value.hint


def test_the_same_arguments_make_the_same_commit(world: World) -> None:
    """A commit depends on nothing but what is stated: not on the clock and not on the user."""
    tree = git(world.hub.path, "rev-parse", f"{world.base}^{{tree}}")
    author = Stamp("Ann Author", "ann@example.invalid", 1_600_000_000)
    committer = Stamp("Con Mitter", "con@example.invalid", 1_700_000_000)
    message = with_trailers("Title\n\nBody\n", (("Run", "1"), ("Odd", "two\nlines")))
    made = [
        commit_tree(
            world.hub.git,
            tree,
            parents=(world.base,),
            message=message,
            author=author,
            committer=committer,
        )
        for _ in range(2)
    ]
    assert made[0] == made[1]
    shown = git(world.hub.path, "log", "-1", "--format=%an|%at|%cn|%ct|%cI|%B", made[0])
    assert shown == (
        "Ann Author|1600000000|Con Mitter|1700000000|2023-11-14T22:13:20+00:00|"
        "Title\n\nBody\n\nRun: 1\nOdd: two lines"
    )
    write(world.path, {"m": message})
    trailers = git(world.path, "interpret-trailers", "--parse", "m")
    assert trailers == "Run: 1\nOdd: two lines"
