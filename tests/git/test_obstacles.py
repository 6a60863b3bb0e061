"""What can be seen beforehand is told before a file is touched, and nothing of ours is left."""

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.git.test_delivery import give, landed, tree_of
from tests.git.world import World, git, same, write
from tidegate.git.delivery import Delivered, Waiting


@pytest.mark.parametrize("bit", ["skip-worktree", "assume-unchanged"])
def test_a_hidden_change_is_told_by_what_hides_it(world: World, bit: str) -> None:
    """The status is clean, so the reason names the bit; the user can clear it at once."""
    new = landed(world, {"src/a.py": "changed\n"})
    git(world.root, "update-index", f"--{bit}", "src/a.py")
    write(world.root, {"src/a.py": "my settings\n"})
    outcome = give(world, new)
    assert isinstance(outcome, Waiting)
    assert bit in outcome.reason
    assert outcome.paths == ("src/a.py",)
    assert tree_of(world)["src/a.py"] == "my settings\n"
    assert_nothing_left(world)
    git(world.root, "update-index", f"--no-{bit}", "src/a.py")
    git(world.root, "checkout", "src/a.py")
    assert same(give(world, new), Delivered(new))


def test_a_bit_that_hides_no_change_is_kept(world: World) -> None:
    """A file that is skipped and as committed is moved on, and stays skipped."""
    new = landed(world, {"src/a.py": "changed\n"})
    git(world.root, "update-index", "--skip-worktree", "src/a.py")
    assert same(give(world, new), Delivered(new))
    assert tree_of(world)["src/a.py"] == "changed\n"
    assert git(world.root, "ls-files", "-v", "src/a.py") == "S src/a.py"


def test_a_sparse_checkout_stays_sparse(world: World) -> None:
    """What lies outside the cone is delivered into branch and index, and to no file."""
    git(world.root, "sparse-checkout", "set", "--cone", "src")
    new = landed(world, {"src/a.py": "changed\n", "infra/deploy.tf": "changed\n", "infra/new": ""})
    assert same(give(world, new), Delivered(new))
    assert tree_of(world)["src/a.py"] == "changed\n"
    assert not (world.root / "infra").exists()
    assert git(world.root, "status", "--porcelain") == ""


@pytest.mark.parametrize("name", ["refs/heads/main.lock", "HEAD.lock"])
def test_a_locked_branch_is_told_before_a_file_is_touched(world: World, name: str) -> None:
    """A lock of a git that died stays until its owner removes it; its place is told."""
    new = landed(world, {"src/a.py": "changed\n"})
    lock = world.root / ".git" / name
    lock.touch()
    waiting = Waiting("another git command is at work on the branch", (str(lock),))
    assert same(give(world, new), waiting)
    assert git(world.root, "status", "--porcelain") == ""
    assert lock.exists()
    lock.unlink()
    assert_nothing_left(world)
    assert same(give(world, new), Delivered(new))


def test_a_folder_that_cannot_be_written_is_told(world: World) -> None:
    """Found out before anything is written: else half of the files would be there."""
    new = landed(world, {"README.md": "changed\n", "src/deep/new": "1", "infra/deploy.tf": "x\n"})
    with immovable(world.root / "src"):
        waiting = Waiting("there are folders that cannot be written", ("src",))
        assert same(give(world, new), waiting)
        assert git(world.root, "status", "--porcelain") == ""
        assert_nothing_left(world)
    assert same(give(world, new), Delivered(new))


@contextlib.contextmanager
def immovable(folder: Path) -> Iterator[None]:
    """Let nobody write into a folder, neither root."""
    words = ("+i", "-i") if os.geteuid() == 0 else ("a-w", "u+w")
    program = "chattr" if os.geteuid() == 0 else "chmod"
    if subprocess.run(
        (program, words[0], str(folder)), capture_output=True, check=False
    ).returncode:
        pytest.skip("no file can be made immovable here")
    try:
        yield
    finally:
        subprocess.run((program, words[1], str(folder)), check=True)


def assert_nothing_left(world: World) -> None:
    """No lock and no file of ours is in the user's repository."""
    left = [*world.root.glob(".git/tidegate-*"), *world.root.glob(".git/**/*.lock")]
    assert left == []
