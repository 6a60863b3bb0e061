"""Pushing what landed: every outcome at a real remote, and nothing of anybody's overwritten."""

from functools import partial
from pathlib import Path

import pytest

from tests.git.world import World, commit, git, same, write
from tests.mutants.planting import CAUGHT, Mutant, plant
from tidegate.core.errors import Refused
from tidegate.git import publication
from tidegate.git.errors import GitFailed
from tidegate.git.publication import Elsewhere, Publication, Published, Unmoved, ask, publish

MAIN = "refs/heads/main"


@pytest.fixture
def remote(world: World) -> Path:
    """A bare repository that the user calls origin; it has what they had at first."""
    path = world.path / "remote.git"
    git(world.path, "init", "-q", "--bare", "-b", "main", "--template=", str(path))
    git(world.root, "remote", "add", "origin", str(path))
    git(world.root, "push", "-q", "origin", "main")
    return path


def push(world: World, new: str, *, old: str | None = None, ref: str = MAIN) -> Publication:
    """Publish a commit of the user's repository."""
    return publish(world.repository, "origin", ref, new=new, old=old)


def at(remote: Path, ref: str = MAIN) -> str:
    """What a branch of the remote is at; empty where there is none."""
    return git(remote, "rev-parse", "-q", "--verify", ref, check=False)


def theirs(world: World, remote: Path) -> str:
    """Somebody else pushes a commit of their own to main."""
    other = world.path / "other"
    git(world.path, "clone", "-q", str(remote), str(other))
    git(other, "config", "user.name", "Other")
    git(other, "config", "user.email", "other@example.invalid")
    made = commit(other, {"theirs": "1"})
    git(other, "push", "-q", "origin", "main")
    return made


def test_a_branch_is_made_and_then_moved(world: World, remote: Path) -> None:
    """Under its own name, and only forward."""
    own = "refs/heads/tidegate/run"
    first = commit(world.root, {"a": "1"})
    assert same(push(world, first, ref=own), Published(first))
    second = commit(world.root, {"a": "2"})
    assert same(push(world, second, old=first, ref=own), Published(second))
    assert (at(remote, own), at(remote)) == (second, world.base)


def test_a_remote_is_asked_without_being_moved(world: World, remote: Path) -> None:
    """C167: what became of a push is known by a look: it came, it did not, or all is otherwise."""
    new = commit(world.root, {"a": "1"})
    own = "refs/heads/tidegate/run"
    assert same(ask(world.repository, "origin", own, new=new, old=None), Unmoved(None))
    assert same(ask(world.repository, "origin", MAIN, new=new, old=None), Unmoved(world.base))
    assert (at(remote, own), at(remote)) == ("", world.base)
    push(world, new)
    assert same(ask(world.repository, "origin", MAIN, new=new, old=world.base), Published(new))
    theirs(world, remote)
    newer = commit(world.root, {"a": "2"})
    found = ask(world.repository, "origin", MAIN, new=newer, old=new)
    assert isinstance(found, Elsewhere)


def test_what_is_there_is_not_pushed_again(world: World, remote: Path) -> None:
    """A push whose end nobody heard is found out about; so is one that others have built on."""
    new = commit(world.root, {"a": "1"})
    push(world, new)
    write(remote, {"hooks/pre-receive": "#!/bin/sh\nexit 1\n"})
    (remote / "hooks/pre-receive").chmod(0o755)
    assert same(push(world, new), Published(new))
    assert same(push(world, world.base), Published(new))


def test_a_remote_that_went_elsewhere_is_left_alone(world: World, remote: Path) -> None:
    """Both commits are told, and what to do."""
    actual = theirs(world, remote)
    new = commit(world.root, {"a": "1"})
    outcome = push(world, new, old=world.base)
    assert isinstance(outcome, Elsewhere)
    assert outcome.actual == at(remote) == actual
    assert actual in outcome.reason
    assert new in outcome.reason
    assert "git fetch origin main" in outcome.reason


def test_a_branch_that_was_deleted_or_moved_back_is_left_alone(world: World, remote: Path) -> None:
    """Somebody wanted it so."""
    first = commit(world.root, {"a": "1"})
    second = commit(world.root, {"a": "2"})
    push(world, first)
    git(remote, "update-ref", MAIN, world.base)
    back = push(world, second, old=first)
    assert isinstance(back, Elsewhere)
    assert "was moved back" in back.reason
    git(remote, "update-ref", "-d", MAIN)
    gone = push(world, second, old=first)
    assert isinstance(gone, Elsewhere)
    assert gone.actual is None
    assert at(remote) == ""


def moves_meanwhile(world: World, remote: Path, to: str) -> None:
    """Let the remote's main move to a commit after it was looked at, and before it is pushed to."""
    moves = f'#!/bin/sh\ngit -C {remote} update-ref {MAIN} {to}\nexec git-receive-pack "$@"\n'
    write(world.path, {"receive": moves})
    (world.path / "receive").chmod(0o755)
    git(world.root, "config", "remote.origin.receivepack", str(world.path / "receive"))


def test_a_remote_that_moves_meanwhile_is_not_overwritten(world: World, remote: Path) -> None:
    """The push names the very commit that was seen: what comes between wins."""
    new = commit(world.root, {"a": "1"})
    git(world.root, "reset", "-q", "--hard", world.base)
    sibling = commit(world.root, {"c": "1"})
    git(world.root, "push", "-q", "origin", f"{sibling}:refs/heads/sibling")
    moves_meanwhile(world, remote, sibling)
    assert isinstance(push(world, new), Elsewhere)
    assert at(remote) == sibling


def test_a_remote_that_is_moved_back_meanwhile_stays_there(world: World, remote: Path) -> None:
    """A plain push would bring it forward again: the lease is what holds it back."""
    first = commit(world.root, {"a": "1"})
    push(world, first)
    second = commit(world.root, {"a": "2"})
    moves_meanwhile(world, remote, world.base)
    assert isinstance(push(world, second, old=first), Elsewhere)
    assert at(remote) == world.base


LEASE = 'git.run("push", *quietly, lease, "--", remote'


def test_without_the_lease_that_is_missed(
    world: World, remote: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test above fails where the push has no lease."""
    without = LEASE.replace("lease, ", "")
    check = partial(test_a_remote_that_is_moved_back_meanwhile_stays_there, world, remote)
    planted = Mutant(
        name="no lease", module=publication, guard=LEASE, instead=without, caught_by=check
    )
    plant(planted, monkeypatch)
    with pytest.raises(CAUGHT):
        check()


def test_a_push_that_is_not_taken_is_told_in_gits_words(world: World, remote: Path) -> None:
    """A hook of the remote's may refuse it; nothing moved."""
    write(remote, {"hooks/pre-receive": "#!/bin/sh\necho not on Fridays >&2\nexit 1\n"})
    (remote / "hooks/pre-receive").chmod(0o755)
    with pytest.raises(GitFailed, match="not on Fridays"):
        push(world, commit(world.root, {"a": "1"}))
    assert at(remote) == world.base


def test_no_hook_of_the_checkout_runs(world: World, remote: Path) -> None:
    """A push of ours starts nothing in the user's repository."""
    write(world.root, {".git/hooks/pre-push": "#!/bin/sh\nexit 1\n"})
    (world.root / ".git/hooks/pre-push").chmod(0o755)
    new = commit(world.root, {"a": "1"})
    assert same(push(world, new), Published(new))
    assert at(remote) == new


def test_the_address_for_pushes_is_the_one_that_counts(world: World, remote: Path) -> None:
    """Where fetches come from elsewhere, that place is not asked."""
    git(world.root, "remote", "set-url", "origin", str(world.path / "mirror.git"))
    git(world.root, "remote", "set-url", "--push", "origin", str(remote))
    new = commit(world.root, {"a": "1"})
    assert same(push(world, new), Published(new))
    assert at(remote) == new


def test_a_remote_that_is_not_there_is_told(world: World, remote: Path) -> None:
    """By name; one of many places cannot be moved as one; one that is gone cannot be reached."""
    with pytest.raises(Refused, match="there is no remote 'upstream'"):
        publish(world.repository, "upstream", MAIN, new=world.base, old=None)
    git(world.root, "remote", "set-url", "--add", "--push", "origin", str(remote))
    git(world.root, "remote", "set-url", "--add", "--push", "origin", "/elsewhere")
    with pytest.raises(Refused, match="is 2 places"):
        push(world, world.base)
    git(world.root, "remote", "add", "gone", str(world.path / "gone.git"))
    with pytest.raises(GitFailed):
        publish(world.repository, "gone", MAIN, new=world.base, old=None)


def test_a_workspace_has_no_remote_but_the_hub(world: World, remote: Path) -> None:
    """What an agent could push to is the hub alone, which takes no pushes."""
    world.prepare()
    assert git(world.root, "remote") == "origin"
    addresses = git(world.workspace, "config", "--get-regexp", r"^remote\..*url$").splitlines()
    assert {line.partition(" ")[2] for line in addresses} <= {world.hub.path}
    assert str(remote) not in git(world.workspace, "config", "--list")
