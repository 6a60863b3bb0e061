"""What an attempt's files amount to, whatever its own index, attributes and folders pretend."""

import os
from pathlib import Path

from tests.git.test_harvest import paths
from tests.git.world import World, commit, git, write
from tidegate.git.control import Control


def test_files_turned_into_folders_and_back_arrive(world: World) -> None:
    """A file in a folder's place, a folder in a file's, and a link in a folder's are taken in."""
    world.prepare()
    (world.workspace / "README.md").unlink()
    write(world.workspace, {"README.md/inside": "x"})
    for name in ("src/a.py", "src/b.py"):
        (world.workspace / name).unlink()
    (world.workspace / "src").rmdir()
    write(world.workspace, {"src": "a file now"})
    (world.workspace / "infra/deploy.tf").unlink()
    (world.workspace / "infra").rmdir()
    (world.workspace / "infra").symlink_to("/etc")
    tip = world.harvest().tip or ""
    assert git(world.hub.path, "ls-tree", "-r", "--format=%(objectmode) %(path)", tip).split(
        "\n"
    ) == [
        "100644 .gitignore",
        "100644 README.md/inside",
        "120000 infra",
        "100644 src",
    ]


def test_bits_in_the_agents_index_hide_nothing(world: World) -> None:
    """Assume-unchanged and skip-worktree are the agent's affair: the snapshot does not see them."""
    world.prepare()
    git(world.workspace, "update-index", "--assume-unchanged", "src/a.py")
    git(world.workspace, "update-index", "--skip-worktree", "src/b.py")
    write(world.workspace, {"src/a.py": "1", "src/b.py": "2"})
    assert git(world.workspace, "status", "--porcelain") == ""
    assert paths(world.harvest()) == {"src/a.py", "src/b.py"}


def test_a_change_with_its_old_size_and_time_is_seen(world: World) -> None:
    """The kept index is no way to hide: the kernel's change time gives a forged file away."""
    world.prepare()
    path = world.workspace / "src/b.py"
    status = path.stat()
    path.write_text("x\n")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert path.stat().st_size == status.st_size
    assert paths(world.harvest()) == {"src/b.py"}


def test_a_repository_among_the_files_is_left_out_and_told(world: World) -> None:
    """An embedded repository is no content of ours; the workspace is to be kept for it."""
    world.prepare()
    (world.workspace / "vendored").mkdir()
    git(world.workspace / "vendored", "init", "-q")
    commit(world.workspace / "vendored", {"x": "1"})
    write(world.workspace, {".gitignore": "!vendored\n!vendored/**\n"})
    harvest = world.harvest()
    assert paths(harvest) == {".gitignore"}
    assert harvest.left_out == ("vendored",)


def test_files_around_a_stray_git_folder_are_still_taken(world: World) -> None:
    """`git init` in a tracked folder takes nothing away from the snapshot."""
    world.prepare()
    git(world.workspace / "src", "init", "-q")
    write(world.workspace, {"src/a.py": "changed", "src/new.py": "new"})
    harvest = world.harvest()
    assert paths(harvest) == {"src/a.py", "src/new.py"}
    assert harvest.left_out == ()


def test_files_that_were_never_normalised_are_not_changed_by_touching(world: World) -> None:
    """G3-24: a stored file that attributes would convert is no change until its bytes differ."""
    write(world.root, {".gitattributes": "*.crlf text\n", "old.crlf": "x"})
    (world.root / "old.crlf").write_bytes(b"one\r\ntwo\r\n")
    blob = git(world.root, "hash-object", "-w", "--no-filters", "old.crlf")
    git(world.root, "add", ".gitattributes")
    git(world.root, "update-index", "--add", "--cacheinfo", f"100644,{blob},old.crlf")
    git(world.root, "commit", "-q", "-m", "raw")
    base = git(world.root, "rev-parse", "HEAD")
    world.hub.git.run("fetch", "-q", str(world.root), f"{base}:refs/tidegate/base/x")
    world.prepare(commit=base)
    os.utime(world.workspace / "old.crlf")
    assert world.harvest(base=base).is_empty
    (world.workspace / "old.crlf").write_bytes(b"one\r\ntwo\r\nthree\r\n")
    assert paths(world.harvest(base=base)) == {"old.crlf"}


def test_files_that_git_cannot_convert_are_taken_as_they_are(world: World) -> None:
    """G3-24: an encoding that an agent wrote, and its files have not, fails no harvest."""
    world.prepare()
    write(world.workspace, {".gitattributes": "*.py working-tree-encoding=UTF-16\n"})
    write(world.workspace, {"src/a.py": "no mark\n", "run.py": "none here\n", "other": "x"})
    (world.workspace / "run.py").chmod(0o755)
    tip = world.harvest().tip or ""
    assert git(world.hub.path, "show", f"{tip}:src/a.py") == "no mark"
    listed = git(
        world.hub.path, "ls-tree", "--format=%(objectmode) %(path)", tip, "other", "run.py"
    )
    assert listed.split("\n") == ["100644 other", "100755 run.py"]


def test_a_sparse_workspace_deletes_nothing_outside_its_cone(world: World) -> None:
    """What a sparse checkout never had is not deleted; what the agent puts there is taken."""
    world.prepare(cone=("src",))
    (world.workspace / "src/a.py").unlink()
    write(world.workspace, {"infra/new": "new"})
    assert paths(world.harvest()) == {"src/a.py", "infra/new"}
    write(world.workspace, {"infra/deploy.tf": "changed"})
    assert paths(world.harvest()) == {"src/a.py", "infra/new", "infra/deploy.tf"}


def test_a_kept_index_that_cannot_be_read_is_begun_anew(world: World) -> None:
    """An index that was spoilt costs time, and no harvest."""
    world.prepare()
    kept = Control.of(world.hub.path, str(world.workspace)).kept_index
    Path(kept).write_bytes(Path(kept).read_bytes()[:10])
    write(world.workspace, {"src/a.py": "changed\n"})
    assert paths(world.harvest()) == {"src/a.py"}


def test_a_kept_index_keeps_its_time(world: World) -> None:
    """Git looks closer at files as young as the index: with a later time it would not."""
    world.prepare()
    made = (world.workspace / ".git/index").stat().st_mtime_ns
    kept = Control.of(world.hub.path, str(world.workspace)).kept_index
    assert Path(kept).stat().st_mtime_ns == made
