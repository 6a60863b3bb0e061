"""What git refuses half-way is undone: the checkout is as it was, and nothing of ours is left."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.git.test_delivery import MAIN, give, landed, tree_of
from tests.git.test_fast_forward import FILES, assert_delivered, interrupted
from tests.git.test_obstacles import assert_nothing_left
from tests.git.world import World, commit, git, same, write
from tidegate.git.delivery import Delivered, Waiting
from tidegate.git.errors import GitFailed, HalfWay


def failing_git(folder: Path, *at: str, before: str = ":") -> str:
    """Return a PATH on which git fails at these subcommands, once `before` was done."""
    bin_folder = folder / "failing-bin"
    bin_folder.mkdir(parents=True)
    real = shutil.which("git")
    patterns = "|".join(f'*" {each} "*' for each in at)
    script = f"""#!/bin/sh
case " $* " in {patterns}) {before}; echo 'error: no\nerror: really not' >&2; exit 128;; esac
exec {real} "$@"
"""
    (bin_folder / "git").write_text(script)
    (bin_folder / "git").chmod(0o755)
    return f"{bin_folder}:{os.environ['PATH']}"


def state_of(world: World) -> tuple[object, ...]:
    """Return all of the user's that a delivery could change."""
    folders = sorted(str(path) for path in world.root.rglob("*") if path.is_dir())
    shown = [path for path in folders if "/.git" not in path]
    staged = git(world.root, "ls-files", "-s", "-v")
    changed = git(world.root, "diff-files", "--name-only")  # by its file times: it looks no further
    return tree_of(world), shown, staged, changed, git(world.root, "rev-parse", "HEAD")


def set_filter(world: World, smudge: str) -> None:
    """Give the user a filter of .dat files, without which git does not go on."""
    git(world.root, "config", "filter.mine.smudge", smudge)
    git(world.root, "config", "filter.mine.clean", "cat")
    git(world.root, "config", "filter.mine.required", "true")
    write(world.root, {".git/info/attributes": "*.dat filter=mine\n"})


def test_a_filter_that_fails_for_one_file_changes_nothing(world: World) -> None:
    """Files that git wrote before it came to this one go again, and replaced ones come back."""
    base = commit(world.root, {"m/x.dat": "fine\n"})
    git(world.path, "clone", "-q", str(world.root), "landing")
    files = {"README.md": "changed\n", "a/new.dat": "1\n", "src/b.py": "", "z/z": "1"}
    new = landed(world, files | {"m/x.dat": "broken\n"}, onto=base)
    set_filter(world, "sed /broken/q1")
    (world.root / "z").mkdir()
    git(world.root, "update-index", "-q", "--refresh")
    before = state_of(world)
    with pytest.raises(GitFailed) as caught:
        give(world, new)
    assert str(caught.value).endswith("your checkout is as it was")
    assert "\n" not in str(caught.value)
    assert state_of(world) == before
    assert_nothing_left(world)
    set_filter(world, "cat")
    assert same(give(world, new), Delivered(new))
    assert tree_of(world).items() >= files.items()


@pytest.mark.parametrize("required", ["true", "false"])
def test_a_filter_that_fails_for_all_is_found_out_beforehand(world: World, required: str) -> None:
    """Git would take the old file away before it asks the filter for the new one."""
    base = commit(world.root, {"x.dat": "1\n"})
    git(world.path, "clone", "-q", str(world.root), "landing")
    new = landed(world, {"README.md": "changed\n", "x.dat": "2\n"}, onto=base)
    set_filter(world, "no-such-program")
    git(world.root, "config", "filter.mine.required", required)
    if required == "false":
        assert same(give(world, new), Delivered(new))
        return
    assert same(give(world, new), Waiting("the filter mine fails", ("x.dat",)))
    assert tree_of(world)["x.dat"] == "1\n"
    assert git(world.root, "status", "--porcelain") == ""
    assert_nothing_left(world)


HALF = {
    "nothing": ":",
    "written": "printf 'changed\\n' > src/a.py; mkdir new; printf 'n\\n' > new/file",
    "half written": "printf 'chan' > src/a.py; mkdir new; : > new/file; rm infra/deploy.tf",
}


@pytest.mark.parametrize("case", HALF)
@pytest.mark.parametrize("bit", ["", "skip-worktree", "assume-unchanged"])
def test_what_git_wrote_is_undone(
    world: World, monkeypatch: pytest.MonkeyPatch, case: str, bit: str
) -> None:
    """Whole or in part, also where the index hides it; the bits stay."""
    new = landed(world, FILES)
    if bit:
        git(world.root, "update-index", f"--{bit}", "src/a.py")
    git(world.root, "update-index", "-q", "--refresh")
    before = state_of(world)
    with monkeypatch.context() as patch:
        patch.setenv("PATH", failing_git(world.path, "read-tree -m", before=HALF[case]))
        with pytest.raises(GitFailed):
            give(world, new)
    assert state_of(world) == before
    assert_nothing_left(world)
    assert same(give(world, new), Delivered(new))
    assert_delivered(world, new)


def test_files_come_back_when_the_branch_does_not_move(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All files are written by then: folders and files that changed places change back."""
    (world.root / "link").symlink_to("src")
    base = commit(world.root, {"file": "1", "folder/inner": "1", "run.sh": "1"})
    git(world.path, "clone", "-q", str(world.root), "landing")
    work = world.path / "landing"
    for name in ("file", "folder/inner", "link"):
        (work / name).unlink()
    shutil.rmtree(work / "folder", ignore_errors=True)
    (work / "run.sh").chmod(0o755)
    new = commit(work, {"file/inner": "2", "folder": "2", "link/b.py": "2"})
    world.hub.git.run("fetch", "-q", str(work), f"+{new}:refs/tidegate/landed/x")
    git(world.root, "update-index", "-q", "--refresh")
    before = state_of(world)
    monkeypatch.setenv("PATH", failing_git(world.path, "update-ref"))
    with pytest.raises(GitFailed):
        give(world, new, old=base)
    assert state_of(world) == before
    assert (world.root / "link").readlink() == Path("src")
    assert not os.access(world.root / "run.sh", os.X_OK)
    assert_nothing_left(world)


def test_what_the_user_had_or_wrote_meanwhile_is_left(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their change that equals ours stays, and so does what they write while git fails."""
    new = landed(world, FILES)
    write(world.root, {"new/file": "n\n", "src/a.py": "changed\n"})
    meanwhile = "printf 'mine\\n' > infra/deploy.tf"
    with monkeypatch.context() as patch:
        patch.setenv("PATH", failing_git(world.path, "read-tree -m", before=meanwhile))
        with pytest.raises(GitFailed):
            give(world, new)
    now = tree_of(world)
    assert (now["new/file"], now["src/a.py"]) == ("n\n", "changed\n")
    assert now["infra/deploy.tf"] == "mine\n"
    assert_nothing_left(world)


def half_way(world: World, do: Callable[[], object]) -> HalfWay:
    """It says that the checkout is half way and who finishes it; the user's index is free."""
    with pytest.raises(HalfWay) as caught:
        do()
    assert f"{world.root} is half way" in str(caught.value)
    assert "`tidegate land` finishes it" in str(caught.value)
    assert not list(world.root.glob(".git/**/*.lock"))
    assert not (world.root / ".git/tidegate-delivery.index").exists()
    return caught.value


def test_what_cannot_be_put_back_is_told(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The journal stays, the lock does not, and the next delivery finishes it.

    G8-13: what failed first is told, and what failed when it was to be taken back.
    """
    new = landed(world, FILES)
    broken = failing_git(world.path, "read-tree -m", "checkout-index", before=HALF["half written"])
    with monkeypatch.context() as patch:
        patch.setenv("PATH", broken)
        told = str(half_way(world, lambda: give(world, new)))
    first, _, fallback = told.partition("; and what was written could not be taken back: ")
    assert "read-tree" in first
    assert "checkout-index" in fallback
    assert first.count("really not") == fallback.count("really not") == 1
    assert same(give(world, new), Delivered(new))
    assert_delivered(world, new)


def test_a_branch_that_has_moved_is_not_moved_back(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the index is behind then: the next delivery puts it in place."""
    new = landed(world, FILES)
    with monkeypatch.context() as patch:
        patch.setenv("PATH", failing_git(world.path, "update-index -q --refresh"))
        half_way(world, lambda: give(world, new))
    assert git(world.root, "rev-parse", MAIN) == new
    assert same(give(world, new), Delivered(new))
    assert_delivered(world, new)


def test_what_a_killed_run_left_is_not_undone(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody knows any more whose the whole files are: the next delivery goes on from there."""
    new = landed(world, FILES)
    interrupted(world, new)
    write(world.root, {"new/file": "n\n"})
    with monkeypatch.context() as patch:
        patch.setenv("PATH", failing_git(world.path, "read-tree -m"))
        half_way(world, lambda: give(world, new))
    write(world.root, {"src/a.py": "mine\n"})
    outcome = give(world, new)
    assert isinstance(outcome, Waiting)
    assert "half way" in outcome.reason
    git(world.root, "checkout", "src/a.py")
    assert same(give(world, new), Delivered(new))
    assert_delivered(world, new)


def test_a_filter_that_arrives_with_its_attributes_is_tried_too(world: World) -> None:
    """What the old attributes say does not count: git obeys those that it has just written."""
    old = landed(world, {"x.dat": "old\n"})
    assert same(give(world, old), Delivered(old))
    attributes = {".gitattributes": "*.dat filter=mine\n"}
    new = landed(world, {"x.dat": "new\n", **attributes}, onto=old)
    git(world.root, "config", "filter.mine.smudge", "false")
    git(world.root, "config", "filter.mine.required", "true")
    assert same(give(world, new), Waiting("the filter mine fails", ("x.dat",)))
    assert (world.root / "x.dat").read_text(encoding="utf-8") == "old\n"
    assert not (world.root / ".gitattributes").exists()
    assert git(world.root, "status", "--porcelain", "-uno") == ""
