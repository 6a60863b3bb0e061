"""A hub is looked at and copied as a whole, and nothing of it is changed by that."""

from pathlib import Path

import pytest

from tests.git.world import World, commit, git, write
from tidegate.core.errors import Unavailable
from tidegate.git.examination import HubFolder

REF = "refs/heads/tidegate/20260101-0000"
HUB = HubFolder()


def lonely(world: World) -> str:
    """A commit of the hub's that no ref leads to."""
    tree = git(world.hub.path, "rev-parse", f"{world.base}^{{tree}}")
    return git(world.hub.path, "commit-tree", "-m", "lonely", tree)


def home(world: World) -> str:
    """Where the hub is."""
    return str(world.path)


def test_what_refs_lead_to_is_told_from_what_they_do_not(world: World) -> None:
    """G1: a commit may be absent, there and held, or there and held by nothing."""
    other = "1" * 40
    alone = lonely(world)
    assert HUB.absent(home(world), {world.base, alone, other}) == {other}
    assert HUB.unreachable(home(world), {world.base, alone}) == {alone}
    assert HUB.unreachable(home(world), ()) == HUB.absent(home(world), ()) == frozenset()
    assert HUB.is_before(home(world), world.base, world.base)
    assert not HUB.is_before(home(world), alone, world.base)
    assert not HUB.is_before(home(world), other, world.base)


def test_a_ref_is_pointed_by_compare_and_swap(world: World) -> None:
    """Who looked at another moment than the present one moves nothing."""
    HUB.point(home(world), REF, world.base, old=None)
    assert HUB.refs(home(world))[REF] == world.base
    alone = lonely(world)
    with pytest.raises(Unavailable, match="by now"):
        HUB.point(home(world), REF, alone, old=None)
    assert HUB.refs(home(world))[REF] == world.base


def test_a_missing_object_is_a_flaw_and_an_unneeded_one_is_none(world: World) -> None:
    """G3: only what refs lead to counts."""
    lonely(world)
    assert HUB.flaw(home(world)) == ""
    write(world.root, {"x": "1"})
    new = commit(world.root, {"x": "1"})
    git(world.hub.path, "fetch", "-q", str(world.root), f"{new}:refs/tidegate/x")
    oid = git(world.hub.path, "rev-parse", f"{new}:x")
    Path(world.hub.path, "objects", oid[:2], oid[2:]).unlink()
    assert oid in HUB.flaw(home(world))


def test_a_copy_is_whole_by_itself(world: World) -> None:
    """G1: every ref, hidden ones too, with all objects, the configuration and the hook."""
    world.prepare()
    write(world.workspace, {"x": "1"})
    world.harvest()
    target = world.path / "copy"
    target.mkdir()
    before = HUB.refs(home(world))
    made = HUB.copy(home(world), str(target), {REF: world.base})
    assert made == {**before, REF: world.base} == HUB.refs(str(target))
    assert HUB.refs(home(world)) == before
    assert HUB.flaw(str(target)) == ""
    assert not (target / "hub.git" / "objects" / "info" / "alternates").exists()
    for name in ("config", "hooks/pre-receive", "info/exclude"):
        there = Path(world.hub.path, name)
        assert (target / "hub.git" / name).read_bytes() == there.read_bytes()
        assert (target / "hub.git" / name).stat().st_mode == there.stat().st_mode
