"""What `doctor`, and a run that starts, say of a repository: the words and what to do."""

import hashlib
from pathlib import Path

import pytest

from tests.git.world import World, commit, git, write
from tidegate.git import concerns, repository
from tidegate.ports.repository import Concern


def of(root: Path) -> dict[str, Concern]:
    """Return all that is said of a repository, by its code."""
    return {concern.code: concern for concern in concerns.of(repository.find(str(root)))}


def test_of_an_ordinary_repository_nothing_is_said(world: World) -> None:
    """No note is ever there by habit."""
    assert of(world.root) == {}


def test_no_commit_and_no_identity_are_fatal(world: World, tmp_path: Path) -> None:
    """G3-17, G8-06: nothing could be started from, or committed with; each has its remedy."""
    (tmp_path / "new").mkdir()
    git(tmp_path / "new", "init", "-q")
    (told,) = of(tmp_path / "new").values()
    assert (told.code, told.is_fatal) == ("no_commits", True)
    assert told.remedy.startswith("make one")
    git(world.root, "config", "user.name", "")
    git(world.root, "config", "user.useConfigOnly", "true")
    told = of(world.root)["identity"]
    assert told.is_fatal
    assert told.remedy.startswith("git config user.name")


def test_a_branch_behind_its_remote_is_told(world: World) -> None:
    """G3-16: a run would start without commits that were fetched already."""
    clone = world.path / "clone"
    git(world.path, "clone", "-q", str(world.root), str(clone))
    assert of(clone) == {}
    commit(world.root, {"x": "1"})
    git(clone, "fetch", "-q")
    assert "remote branch" in of(clone)["behind"].message
    assert of(clone)["behind"].remedy.startswith("git pull")


def test_a_clone_without_all_of_its_history_or_files_is_told(world: World) -> None:
    """G3-18: shallow and partial clones work, and what they lack is said before it is missed."""
    commit(world.root, {"x": "1"})
    git(world.root, "config", "uploadpack.allowFilter", "true")
    url = f"file://{world.root}"
    git(world.path, "clone", "-q", "--depth", "1", url, "shallow")
    git(world.path, "clone", "-q", "--filter=blob:none", url, "partial")
    assert of(world.path / "shallow")["shallow"].remedy.startswith("git fetch --unshallow")
    assert "fetched when a run starts" in of(world.path / "partial")["partial"].message


def test_a_checkout_that_is_not_as_it_is_stored_is_told(world: World) -> None:
    """G3-23: changes, missing folders and other line endings are not what builders see."""
    write(world.root, {"src/a.py": "changed\n"})
    git(world.root, "sparse-checkout", "set", "--cone", "src")
    git(world.root, "config", "core.autocrlf", "input")
    told = of(world.root)
    assert told.keys() == {"dirty", "sparse", "line_endings"}
    assert told["dirty"].message.startswith("1 tracked file differs from HEAD")
    assert "[workspace] sparse" in told["sparse"].remedy
    assert ".gitattributes" in told["line_endings"].remedy


def test_a_filter_that_does_not_come_along_is_told(world: World) -> None:
    """G3-24: whatever its name, where nothing configures it, and for others than lfs always."""
    commit(world.root, {".gitattributes": "*.bin filter=lfs\n*.zap filter=zap\n"})
    assert "(lfs, zap)" in of(world.root)["filters"].message
    git(world.root, "config", "filter.lfs.clean", "cat")
    git(world.root, "config", "filter.lfs.smudge", "cat")
    git(world.root, "config", "filter.zap.clean", "cat")
    assert "(zap)" in of(world.root)["filters"].message
    assert "git lfs install" in of(world.root)["filters"].remedy


def test_large_files_need_their_program(world: World) -> None:
    """G3-24: without it no workspace could be checked out."""
    git(world.root, "config", "filter.lfs.process", "no-such-program filter-process")
    assert of(world.root) == {}
    commit(world.root, {".gitattributes": "*.bin filter=lfs\n"})
    told = of(world.root)["lfs_program"]
    assert told.is_fatal
    assert "no-such-program" in told.message


def test_large_files_that_are_not_here_are_told(world: World) -> None:
    """G3-24: a pointer whose content is in no store of the user's is named by its path."""
    git(world.root, "config", "filter.lfs.clean", "cat")
    content = b"large"
    digest = hashlib.sha256(content).hexdigest()
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize 5\n"
    commit(world.root, {".gitattributes": "*.bin filter=lfs\n", "x.bin": pointer, "y.bin": "raw\n"})
    assert "1 large files are not in your store (x.bin)" in of(world.root)["large_files"].message
    store = world.root / ".git/lfs/objects" / digest[:2] / digest[2:4]
    store.mkdir(parents=True)
    (store / digest).write_bytes(content)
    assert of(world.root) == {}


def test_submodules_that_are_not_here_are_told(world: World, tmp_path: Path) -> None:
    """G3-10: before a run it is known which folders will be empty."""
    (tmp_path / "inner").mkdir()
    git(tmp_path / "inner", "init", "-q")
    commit(tmp_path / "inner", {"x": "1"})
    allow = ("-c", "protocol.file.allow=always")
    git(world.root, *allow, "submodule", "--quiet", "add", str(tmp_path / "inner"), "vendor/sub")
    commit(world.root, {})
    assert of(world.root) == {}
    git(world.path, "clone", "-q", str(world.root), "bare-of-it")
    told = of(world.path / "bare-of-it")["submodules"]
    assert "1 submodules are not here (vendor/sub)" in told.message
    assert told.remedy.startswith("git submodule update --init")


@pytest.mark.parametrize("place", [".git/hooks", ".husky/_", "outside"])
def test_hooks_that_will_not_run_are_told(world: World, place: str) -> None:
    """The user's pre-commit hook is named, wherever git would find it, with where its work goes."""
    if place == "outside":
        git(world.root, "config", "core.hooksPath", "~/hooks")
        folder = Path.home() / "hooks"
    else:
        if place != ".git/hooks":
            git(world.root, "config", "core.hooksPath", place)
        folder = world.root / place
    write(folder, {"pre-commit": "#!/bin/sh\nexit 1\n", "commit-msg.sample": "x", "pre-rebase": ""})
    assert of(world.root) == {}
    (folder / "pre-commit").chmod(0o755)
    told = of(world.root)["hooks"]
    assert "(pre-commit)" in told.message
    assert "[check] command" in told.remedy
    (folder / "pre-commit").unlink()


def test_a_signature_that_will_be_missing_is_told(world: World) -> None:
    """Nobody is asked for a passphrase in the night; who signs is told so."""
    git(world.root, "config", "commit.gpgSign", "true")
    assert "not signed" in of(world.root)["signing"].message
    git(world.root, "config", "commit.gpgSign", "false")
    assert of(world.root) == {}


@pytest.mark.parametrize("other", ["SRC/new", "readme.md", "caf\u00e9"])
def test_names_that_a_disk_may_not_tell_apart_are_told(world: World, other: str) -> None:
    """G3-22: files or folders, by case or Unicode form: no agent is blamed for such a base."""
    commit(world.root, {"cafe\u0301": "1"})
    git(world.root, "update-index", "--add", "--cacheinfo", f"100644,{blob(world)},{other}")
    git(world.root, "commit", "-q", "-m", "alike")
    assert "differ only by case or Unicode form" in of(world.root)["names"].message


def blob(world: World) -> str:
    """Return some blob of the repository's."""
    return git(world.root, "rev-parse", "HEAD:src/b.py")
