"""A workspace's clone is laid out by hand; here it is held against what `git clone` makes."""

from pathlib import Path

import pytest

from tests.git.world import World, commit, git, write
from tidegate.git import hub, repository
from tidegate.git.hub import Hub
from tidegate.git.workspace import prepare


def test_it_is_what_git_clone_makes(world: World) -> None:
    """Files, index, status, history, tags, configuration of the remote: all as in a real clone."""
    git(world.root, "tag", "-m", "one", "v1")
    git(world.root, "tag", "light")
    hub.fetch_base(world.hub, world.repository, commit(world.root, {"x": "1"}))
    git(world.hub.path, "fetch", "-q", str(world.root), "refs/tags/*:refs/tags/*")
    world.prepare()
    real = world.path / "real"
    git(world.path, "clone", "-q", "--shared", "-b", "main", world.hub.path, str(real))
    git(real, "checkout", "-q", "-b", "tidegate/one", "--track", "origin/main")
    git(real, "branch", "-q", "-D", "main")
    for question in (
        ("status", "--porcelain=v2", "--branch"),
        ("ls-files", "--stage"),
        ("log", "--all", "--format=%H %D"),
        ("describe", "--tags", "--always"),
        ("rev-parse", "--abbrev-ref", "HEAD@{upstream}"),
        ("tag", "-n"),
        ("remote", "-v"),
        ("config", "remote.origin.fetch"),
    ):
        told = git(world.workspace, *question).replace("origin/HEAD, ", "")
        assert told == git(real, *question).replace("origin/HEAD, ", ""), question
    git(world.workspace, "fsck", "--full", "--strict")


def test_an_agents_commit_works_at_once(world: World) -> None:
    """G8-06: author and committer are stated in the clone, and nothing signs or tidies up."""
    world.prepare()
    git(world.workspace, "config", "--global", "--replace-all", "commit.gpgSign", "true")
    made = commit(world.workspace, {"x": "1"})
    assert git(world.workspace, "log", "-1", "--format=%an <%ae>", made) == (
        "Agent <agent@example.invalid>"
    )
    assert git(world.workspace, "config", "gc.auto") == "0"
    assert git(world.workspace, "config", "maintenance.auto") == "false"
    git(world.workspace, "config", "--global", "--unset", "commit.gpgSign")


def test_its_only_remote_is_the_hub(world: World) -> None:
    """A workspace knows of the hub and not of the user's repository or its remotes."""
    world.prepare()
    assert git(world.workspace, "remote", "-v").split()[1] == world.hub.path
    assert git(world.workspace, "for-each-ref", "--format=%(refname)").split() == [
        "refs/heads/tidegate/one",
        "refs/remotes/origin/main",
    ]


def test_an_isolated_one_has_the_commit_and_nothing_else(world: World) -> None:
    """A judge's clone borrows nothing: objects of other attempts cannot be read in it."""
    secret = world.hub.git.run("hash-object", "-w", "--stdin", stdin=b"another's work").text
    world.prepare(isolated=True, branch=None, target=None)
    assert git(world.workspace, "remote") == ""
    assert git(world.workspace, "rev-parse", "HEAD") == world.base
    assert git(world.workspace, "symbolic-ref", "-q", "HEAD", check=False) == ""
    assert git(world.workspace, "cat-file", "-e", secret, check=False) == ""
    assert not (world.workspace / ".git/objects/info/alternates").exists()
    git(world.workspace, "fsck", "--full")
    assert git(world.workspace, "cat-file", "-t", secret, check=False) == ""


@pytest.mark.parametrize("cone", [("pkg/a",), ("pkg/a/", "pkg"), ("pkg/a/x", "other", "gone")])
def test_a_sparse_one_has_the_wanted_folders(world: World, cone: tuple[str, ...]) -> None:
    """A cone is laid out as git's own sparse checkout would do it."""
    base = commit(world.root, {"pkg/a/x/1": "1", "pkg/b/2": "2", "pkg/3": "3", "other/4": "4"})
    hub.fetch_base(world.hub, world.repository, base)
    world.prepare(commit=base, cone=cone)
    real = world.path / "real"
    git(world.path, "clone", "-q", "--shared", "--sparse", world.hub.path, str(real))
    git(real, "checkout", "-q", base)
    git(real, "sparse-checkout", "set", "--cone", *cone)
    assert git(world.workspace, "ls-files", "-t") == git(real, "ls-files", "-t")
    wanted = git(real, "sparse-checkout", "list")
    assert git(world.workspace, "sparse-checkout", "list") == wanted
    assert git(world.workspace, "status", "--porcelain") == ""


@pytest.mark.parametrize("kind", ["sha256", "shallow"])
def test_it_follows_the_hubs_kind(world: World, tmp_path: Path, kind: str) -> None:
    """Clones of a sha256 hub and of a shallow one are whole by git's own judgement."""
    root = tmp_path / kind
    if kind == "sha256":
        root.mkdir()
        git(root, "init", "-q", "--object-format=sha256")
        commit(root, {"x": "1"})
    else:
        commit(world.root, {"x": "1"})
        git(tmp_path, "clone", "-q", "--depth", "1", f"file://{world.root}", str(root))
    found = repository.find(str(root))
    made: Hub = hub.make(str(tmp_path / "new.git"), found)
    hub.fetch_base(made, found, found.head or "")
    prepare(made, world.order(commit=found.head, made_from=str(root)))
    git(world.workspace, "fsck", "--full")
    assert git(world.workspace, "log", "--format=%H") == found.head
    assert git(world.workspace, "status", "--porcelain") == ""


def test_settings_with_odd_values_survive_being_written(world: World) -> None:
    """Quotes, backslashes and names with dots arrive in git's configuration as they were."""
    value = 'a "quoted" \\ value\twith # and ; '
    world.prepare(
        settings=(("submodule.odd.name with space.url", value), ("filter.lfs.clean", "x"))
    )
    assert git(world.workspace, "config", "submodule.odd.name with space.url") == value.strip()
    assert git(world.workspace, "config", "filter.lfs.clean") == "x"


def test_a_path_with_odd_characters_works(world: World) -> None:
    """Names that need quoting elsewhere are checked out and harvested like any other."""
    base = commit(world.root, {'we"ird/na\tme \u00e9.txt': "x", "with\nbreak": "y"})
    hub.fetch_base(world.hub, world.repository, base)
    world.prepare(commit=base)
    assert git(world.workspace, "status", "--porcelain") == ""
    write(world.workspace, {'we"ird/na\tme \u00e9.txt': "changed", 'new"\n': "n"})
    changed = {change.path for change in world.harvest(base=base).changes}
    assert changed == {'we"ird/na\tme \u00e9.txt', 'new"\n'}
