"""The hub keeps everything, borrows nothing, takes no pushes, and is made whole or not at all."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.git.world import World, commit, git, killed_at, run_job, write
from tidegate.git import hub, repository
from tidegate.git.hub import Hub


def make(world: World, name: str = "new.git") -> Hub:
    """Make another hub of the user's repository."""
    return hub.make(str(world.path / name), world.repository)


def test_a_hub_survives_the_users_gc(world: World) -> None:
    """What the hub has does not depend on what the user's repository still has."""
    lost = commit(world.root, {"x": "1"})
    hub.fetch_base(world.hub, world.repository, lost)
    git(world.root, "reset", "-q", "--hard", world.base)
    git(world.root, "reflog", "expire", "--expire=now", "--all")
    git(world.root, "gc", "-q", "--prune=now")
    assert git(world.root, "cat-file", "-t", lost, check=False) == ""
    assert git(world.hub.path, "cat-file", "-t", lost) == "commit"
    git(world.hub.path, "fsck", "--strict", "--full")


def test_a_hub_of_a_borrowing_repository_borrows_nothing(world: World) -> None:
    """A user's repository with alternates gives a hub without any."""
    git(world.path, "clone", "-q", "--shared", str(world.root), "borrower")
    borrower = repository.find(str(world.path / "borrower"))
    assert (world.path / "borrower/.git/objects/info/alternates").exists()
    made = hub.make(str(world.path / "new.git"), borrower)
    assert not Path(made.objects, "info", "alternates").exists()
    git(made.path, "fsck", "--full")


def test_nothing_is_ever_pruned(world: World) -> None:
    """G4-16: neither `gc` nor `prune` nor a repack takes a commit that no ref reaches."""
    tree = git(world.hub.path, "rev-parse", f"{world.base}^{{tree}}")
    lonely = git(world.hub.path, "commit-tree", "-m", "lonely", tree)
    for command in (("gc", "--prune=now"), ("prune", "--expire=now"), ("repack", "-a", "-d")):
        git(world.hub.path, *command, check=False)
    hub.pack(world.hub)
    assert git(world.hub.path, "cat-file", "-t", lonely) == "commit"


def test_packing_keeps_workspaces_working(world: World) -> None:
    """A workspace that borrows from the hub reads the same before and after it is packed."""
    world.prepare()
    for number in range(5):
        write(world.workspace, {"x": str(number)})
        world.harvest(turn=number)
    hub.pack(world.hub)
    git(world.workspace, "fsck", "--full")
    assert not list(Path(world.hub.path, "refs/tidegate").rglob("*/tip"))
    assert len(world.hub.pins("refs/tidegate/run/")) == 10


@pytest.mark.parametrize("guard", ["hook", "hidden refs"])
def test_pushes_are_refused(world: World, guard: str) -> None:
    """A push is refused by either guard alone, and the hook says where commits belong."""
    world.prepare()
    commit(world.workspace, {"x": "1"})
    if guard == "hook":
        git(world.hub.path, "config", "--unset", "receive.hideRefs")
    else:
        Path(world.hub.path, "hooks/pre-receive").unlink()
    done = subprocess.run(
        ("git", "push", "origin", "HEAD:refs/heads/new"),
        cwd=world.workspace,
        capture_output=True,
        check=False,
    )
    assert done.returncode != 0
    assert world.hub.commit("refs/heads/new") is None
    assert (b"commit in your workspace" in done.stderr) is (guard == "hook")


def test_pins_are_not_offered_to_agents(world: World) -> None:
    """An agent's fetch sees branches and tags, not what other attempts left."""
    world.prepare()
    assert "refs/tidegate" not in git(world.workspace, "ls-remote", "origin")
    assert "refs/heads/main" in git(world.workspace, "ls-remote", "origin")


def test_a_base_is_fetched_once_and_pinned(world: World) -> None:
    """The base stays reachable by a ref that is named for it; fetching it again changes nothing."""
    base = commit(world.root, {"x": "1"})
    git(world.root, "tag", "v2", base)
    pin = hub.fetch_base(world.hub, world.repository, base)
    assert pin == f"refs/tidegate/base/{base}"
    assert hub.fetch_base(world.hub, world.repository, base) == pin
    assert world.hub.commit(pin) == base
    assert world.hub.commit("refs/tags/v2") == base


def test_what_the_user_ignores_without_committing_it_is_known(world: World) -> None:
    """Global and local ignore rules of the user's hold in the hub and in workspaces."""
    home = Path(os.environ["HOME"])
    write(home, {".config/git/ignore": "*.swp\n"})
    write(world.root, {".git/info/exclude": "/private/\n"})
    hub.fetch_base(world.hub, world.repository, world.base)
    world.prepare()
    write(world.workspace, {"a.swp": "x", "private/x": "x"})
    assert git(world.workspace, "status", "--porcelain", "--untracked-files=all") == ""
    assert world.harvest().is_empty
    (home / ".config/git/ignore").unlink()


def test_a_sha256_repository_gets_a_sha256_hub(tmp_path: Path) -> None:
    """The hub speaks the object format of the repository."""
    root = tmp_path / "root"
    root.mkdir()
    git(root, "init", "-q", "--object-format=sha256")
    head = commit(root, {"x": "1"})
    found = repository.find(str(root))
    made = hub.make(str(tmp_path / "hub.git"), found)
    hub.fetch_base(made, found, head)
    assert len(head) == 64
    assert git(made.path, "rev-parse", "--show-object-format") == "sha256"


def test_a_partial_clone_is_filled_for_its_base(world: World) -> None:
    """A base's files are in the hub even if the user's clone had left them at the remote."""
    git(world.root, "config", "uploadpack.allowFilter", "true")
    git(world.root, "config", "uploadpack.allowAnySHA1InWant", "true")
    url = f"file://{world.root}"
    git(world.path, "clone", "-q", "--filter=blob:none", "--no-checkout", url, "partial")
    found = repository.find(str(world.path / "partial"))
    assert found.is_partial
    made = hub.make(str(world.path / "new.git"), found)
    hub.fetch_base(made, found, world.base)
    git(world.path, "-C", "partial", "remote", "set-url", "origin", "/nowhere")
    world.root.rename(world.path / "moved")
    assert made.git.run("cat-file", "-p", f"{world.base}:src/b.py").text == "b"


def test_a_shallow_repository_gives_a_hub_that_can_be_built_on(world: World) -> None:
    """G3-18: work on the base of a shallow clone can be fetched, harvested and merged."""
    base = commit(world.root, {"x": "1"})
    git(world.path, "clone", "-q", "--depth", "1", f"file://{world.root}", "shallow")
    found = repository.find(str(world.path / "shallow"))
    made = hub.make(str(world.path / "new.git"), found)
    hub.fetch_base(made, found, base)
    git(made.path, "fsck", "--full")
    assert made.commit(base) == base


@pytest.mark.parametrize("after", ["clone", "fetch"])
def test_a_killed_making_leaves_nothing_half_made(world: World, after: str) -> None:
    """SIGKILL while the hub is made: there is none, or a whole one, and the next attempt ends."""
    job: dict[str, object] = {
        "job": "hub",
        "hub": str(world.path / "new.git"),
        "repository": str(world.root),
        "commit": world.base,
    }
    killed_at(world.path / "job", job, after, done=True)
    assert (world.path / "new.git").exists() is (after == "fetch")
    assert run_job(world.path / "job", job)["pin"] == f"refs/tidegate/base/{world.base}"
    git(world.path / "new.git", "fsck", "--full")
    assert git(world.path / "new.git", "config", "extensions.preciousObjects") == "true"


def test_making_it_twice_is_making_it_once(world: World) -> None:
    """A hub that is there is used as it is."""
    made = make(world)
    made.pin({"refs/tidegate/x": world.base})
    assert make(world).pins("refs/tidegate/x") == {"refs/tidegate/x": world.base}


def test_a_changed_configuration_is_written_again(world: World) -> None:
    """What an agent wrote into it counts for no later run."""
    config = Path(world.hub.path, "config")
    before = config.read_bytes()
    config.write_text("[core\n", encoding="utf-8")
    hub.make(world.hub.path, world.repository)
    assert config.read_bytes() == before
