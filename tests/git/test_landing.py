"""The move of the hub's ref: once, from where it was expected, and done again without harm."""

import shutil

import pytest

from tests.git.world import World, commit, git, run_job, same
from tidegate.git import hub, landing
from tidegate.git.errors import GitFailed
from tidegate.git.landing import Elsewhere, Moved

REF = "refs/heads/tidegate/20260101-0000"


def two_commits(world: World) -> tuple[str, str]:
    """Return two commits of the hub, one on top of the other."""
    first = commit(world.root, {"a": "1"})
    second = commit(world.root, {"b": "1"})
    hub.fetch_base(world.hub, world.repository, second)
    return first, second


def test_a_ref_is_made_and_moved(world: World) -> None:
    """None as the old value makes a ref; its own value moves it on."""
    first, second = two_commits(world)
    assert same(landing.move(world.hub, REF, new=first, old=None), Moved(first))
    assert same(landing.move(world.hub, REF, new=second, old=first), Moved(second))
    assert world.hub.commit(REF) == second
    assert git(world.hub.path, "log", "-g", "--format=%H", REF).split() == [second, first]


def test_a_ref_that_is_elsewhere_is_left_there(world: World) -> None:
    """Compare-and-swap: a stale old value moves nothing, and the actual one is told."""
    first, second = two_commits(world)
    landing.move(world.hub, REF, new=first, old=None)
    assert same(landing.move(world.hub, REF, new=second, old=world.base), Elsewhere(first))
    assert same(landing.move(world.hub, REF, new=second, old=None), Elsewhere(first))
    assert world.hub.commit(REF) == first
    assert same(landing.move(world.hub, REF + "x", new=first, old=second), Elsewhere(None))


def test_a_move_that_was_done_is_success(world: World) -> None:
    """G4-15: killed between the move and the ledger, the step is done again and finds it done."""
    first, second = two_commits(world)
    landing.move(world.hub, REF, new=first, old=None)
    landing.move(world.hub, REF, new=second, old=first)
    assert same(landing.move(world.hub, REF, new=second, old=first), Moved(second))
    assert same(landing.create(world.hub, REF, second), Moved(second))


def test_a_move_that_was_done_and_built_upon_is_success(world: World) -> None:
    """Asked again late, when somebody has moved the ref on, it says what it did."""
    first, second = two_commits(world)
    landing.move(world.hub, REF, new=second, old=None)
    assert same(landing.move(world.hub, REF, new=first, old=world.base), Moved(first))
    assert same(landing.create(world.hub, REF, first), Elsewhere(second))
    assert world.hub.commit(REF) == second


def test_an_object_that_is_not_there_is_an_error(world: World) -> None:
    """G4-16: a ref is never pointed at what the hub does not have."""
    with pytest.raises(GitFailed):
        landing.move(world.hub, REF, new="1" * 40, old=None)


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace makes the system call fail")
def test_a_failed_sync_stops(world: World) -> None:
    """When the file system cannot be written out, nobody is told that the ref has moved."""
    job: dict[str, object] = {"job": "move", "hub": world.hub.path, "ref": REF, "new": world.base}
    fault = ("strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=syncfs:error=EIO")
    error = run_job(world.path / "job", job | {"old": None}, wrapper=fault)["error"]
    assert (error["kind"], error["code"]) == ("integrity", "integrity")
    assert "Input/output error" in error["message"]


def test_as_a_job_it_tells_where_the_ref_is(world: World) -> None:
    """Both outcomes are results; their kind tells them apart."""
    job: dict[str, object] = {"job": "move", "hub": world.hub.path, "ref": REF, "new": world.base}
    assert run_job(world.path / "job", job | {"old": None}) == {
        "kind": "moved",
        "commit": world.base,
    }
    first, _ = two_commits(world)
    assert run_job(world.path / "job", job | {"new": first, "old": first}) == {
        "kind": "elsewhere",
        "actual": world.base,
    }
