"""What goes along with a workspace from the user's settings, and what is only warned of."""

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
        "lfs.skipdownloaderrors": "true",
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
def test_a_relative_submodule_address_is_the_users(url: str, remote: str, expected: str) -> None:
    """An address relative to the user's remote is made absolute, as git would join it."""
    assert carried.absolute(url, remote) == expected


def test_what_the_user_set_for_a_submodule_is_known(world: World) -> None:
    """The remote, and the addresses that were set by hand, by the submodule's name."""
    git(world.root, "config", "submodule.a.b.url", "https://mirror/a")
    assert carried.addresses(world.repository) == (None, {"a.b": "https://mirror/a"})
    git(world.root, "remote", "add", "origin", "host:group/me.git")
    assert carried.addresses(world.repository)[0] == "host:group/me.git"


def test_an_address_is_carried_without_its_password() -> None:
    """What an agent can read holds no token; a name in an address of ssh is no secret."""
    assert carried.without_password("https://me:token@host/x.git") == "https://host/x.git"
    assert carried.without_password("https://host/a@b") == "https://host/a@b"
    assert carried.without_password("ssh://git@host/x") == "ssh://git@host/x"
