"""What goes along with a workspace from the user's settings, and what is only warned of."""

import shutil

import pytest

from tests.git.world import World, commit, git, write
from tidegate.git import carried, hub


def test_only_allowed_filters_are_carried(world: World) -> None:
    """G3-24, G3-29: the large-file filter goes along, and no other program does."""
    git(world.root, "config", "filter.lfs.clean", "git-lfs clean -- %f")
    git(world.root, "config", "filter.lfs.required", "true")
    git(world.root, "config", "filter.mine.clean", "anything")
    assert dict(carried.filters(world.repository)) == {
        "filter.lfs.clean": "git-lfs clean -- %f",
        "filter.lfs.required": "true",
        "lfs.storage": str(world.root / ".git/lfs"),
    }


def test_without_filters_nothing_is_carried(world: World) -> None:
    """A user without the large-file filter gets no storage setting either."""
    assert carried.filters(world.repository) == ()


def test_filters_that_a_commit_wants_are_named(world: World) -> None:
    """G3-24: before a run it can be told which filter is asked for and missing."""
    head = commit(
        world.root,
        {".gitattributes": "*.bin filter=lfs diff=lfs\n", "a/b/.gitattributes": "* filter=zap\n"},
    )
    assert carried.filters_wanted(world.repository.git, head) == ("lfs", "zap")
    assert carried.filters_wanted(world.repository.git, world.base) == ()


def test_a_filter_that_is_carried_is_not_missed(world: World) -> None:
    """One that no configuration defines is, whatever its name."""
    head = commit(world.root, {".gitattributes": "*.bin filter=lfs\n*.zap filter=zap\n"})
    assert carried.filters_missing(world.repository, head) == ("lfs", "zap")
    git(world.root, "config", "filter.lfs.clean", "tr a-z A-Z")
    assert carried.filters_missing(world.repository, head) == ("zap",)


def test_a_carried_filter_is_applied_both_ways(world: World) -> None:
    """Stored text becomes content in the checkout and stored text again in the harvest."""
    settings = (
        ("filter.lfs.smudge", "tr a-z A-Z"),
        ("filter.lfs.clean", "tr A-Z a-z"),
        ("filter.lfs.required", "true"),
    )
    base = commit(world.root, {".gitattributes": "*.big filter=lfs\n", "x.big": "content\n"})
    hub.fetch_base(world.hub, world.repository, base)
    world.prepare(commit=base, settings=settings)
    assert (world.workspace / "x.big").read_text() == "CONTENT\n"
    write(world.workspace, {"y.big": "MORE\n"})
    (world.workspace / "x.big").touch()
    harvest = world.harvest(base=base, settings=settings)
    assert [change.path for change in harvest.changes] == ["y.big"]
    assert git(world.hub.path, "show", f"{harvest.tip}:y.big") == "more"


@pytest.mark.parametrize(
    ("url", "remote", "expected"),
    [
        ("https://host/x.git", "https://host/me.git", "https://host/x.git"),
        ("../x.git", "https://host/group/me.git", "https://host/group/x.git"),
        ("../../other/x.git", "https://host/group/me.git", "https://host/other/x.git"),
        ("./x.git", "https://host/group/me", "https://host/group/me/x.git"),
        ("../x.git", "host:group/me.git", "host:group/x.git"),
    ],
)
def test_a_relative_submodule_address_is_the_users(
    world: World, url: str, remote: str, expected: str
) -> None:
    """An address relative to the user's remote is made absolute, as git would join it."""
    git(world.root, "remote", "add", "origin", remote)
    git(world.root, "config", "--file", ".gitmodules", "submodule.sub.path", "sub")
    git(world.root, "config", "--file", ".gitmodules", "submodule.sub.url", url)
    assert dict(carried.submodule_urls(world.repository)) == {"submodule.sub.url": expected}


def test_what_the_user_configured_for_a_submodule_wins(world: World) -> None:
    """An address that the user set by hand is taken over the one that is committed."""
    git(world.root, "config", "--file", ".gitmodules", "submodule.sub.url", "https://host/a")
    git(world.root, "config", "submodule.sub.url", "https://mirror/a")
    assert dict(carried.submodule_urls(world.repository)) == {
        "submodule.sub.url": "https://mirror/a"
    }


def test_submodules_can_be_filled_from_a_workspace(world: World) -> None:
    """With the carried address, `git submodule update` works where the relative one would not."""
    inner = world.path / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    commit(inner, {"x": "1"})
    allow = ("-c", "protocol.file.allow=always")
    git(world.root, "remote", "add", "origin", str(world.path / "upstream"))
    git(world.root, *allow, "submodule", "--quiet", "add", "../inner", "sub")
    base = commit(world.root, {})
    shutil.rmtree(world.root / ".git/modules")
    hub.fetch_base(world.hub, world.repository, base)
    world.prepare(commit=base, settings=carried.submodule_urls(world.repository))
    git(world.workspace, *allow, "submodule", "--quiet", "update", "--init")
    assert (world.workspace / "sub/x").read_text() == "1"
