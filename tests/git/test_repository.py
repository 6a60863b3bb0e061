"""Finding the user's repository from wherever the command was typed, and refusing clearly."""

import os
import shutil
from pathlib import Path

import pytest

from tests.git.world import World, commit, git, write
from tidegate.core.errors import NotReady
from tidegate.git import repository
from tidegate.git.errors import (
    BareRepository,
    FolderGone,
    ForeignOwner,
    GitTooOld,
    InsideWorkspace,
    MainRepositoryMissing,
    NoCommits,
    NotARepository,
    UnknownFormat,
    UnknownRevision,
)


def test_it_is_found_from_a_folder_below(world: World) -> None:
    """G8-07: from src/ the root, head and branch are those of the repository."""
    found = repository.find(str(world.root / "src"))
    assert found.root == str(world.root)
    assert found.git_dir == found.common_dir == str(world.root / ".git")
    assert found.head == world.base
    assert found.branch == "refs/heads/main"
    assert (found.is_linked_worktree, found.is_shallow, found.is_partial) == (False,) * 3


def test_a_linked_worktree_shares_the_common_folder(world: World) -> None:
    """G8-07: state has one place per repository, also when asked from a linked worktree."""
    git(world.root, "worktree", "add", "-q", "-b", "other", str(world.path / "linked"))
    found = repository.find(str(world.path / "linked"))
    assert found.is_linked_worktree
    assert found.root == str(world.path / "linked")
    assert found.common_dir == str(world.root / ".git")
    assert found.branch == "refs/heads/other"


def test_inside_a_submodule_the_submodule_is_the_repository(world: World, tmp_path: Path) -> None:
    """G8-07: the folder of a populated submodule answers for itself and not for its parent."""
    inner = tmp_path / "inner"
    inner.mkdir()
    git(inner, "init", "-q", "-b", "main")
    head = commit(inner, {"x": "x\n"})
    allow = ("-c", "protocol.file.allow=always")
    git(world.root, *allow, "submodule", "--quiet", "add", str(inner), "vendor/sub")
    found = repository.find(str(world.root / "vendor/sub"))
    assert found.root == str(world.root / "vendor/sub")
    assert found.common_dir == str(world.root / ".git/modules/vendor/sub")
    assert found.head == head


@pytest.mark.parametrize(
    ("where", "error"),
    [("hub.git", BareRepository), ("repository/.git", NotARepository), ("gone", FolderGone)],
)
def test_what_is_no_working_tree_is_refused(
    world: World, where: str, error: type[NotReady]
) -> None:
    """G8-07: a bare repository, a git folder and a deleted folder each get their own message."""
    with pytest.raises(error) as caught:
        repository.find(str(world.path / where))
    assert str(world.path / where) in str(caught.value)
    assert caught.value.hint


def test_outside_any_repository_the_message_names_the_folder() -> None:
    """G8-07: $HOME without a repository is told as that."""
    with pytest.raises(NotARepository, match="is in no git repository"):
        repository.find("/")


def test_a_repository_without_commits_says_to_make_one(tmp_path: Path) -> None:
    """G3-17: no worktree, no opaque reference error, but what to do."""
    git(tmp_path, "init", "-q")
    found = repository.find(str(tmp_path))
    assert found.head is None
    with pytest.raises(NoCommits, match="has no commits: make one"):
        repository.require_commit(found)
    with pytest.raises(NoCommits):
        repository.resolve(found, "HEAD")


def test_a_worktree_whose_repository_is_gone_is_left_alone(world: World) -> None:
    """G3-30: the message names the missing repository, and the worktree keeps its files."""
    linked = world.path / "linked"
    git(world.root, "worktree", "add", "-q", str(linked))
    write(linked, {"mine.txt": "work\n"})
    shutil.rmtree(world.root)
    with pytest.raises(MainRepositoryMissing, match=r"repository/\.git"):
        repository.find(str(linked))
    assert (linked / "mine.txt").read_text() == "work\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_foreign_owner_is_told_with_the_exact_path(world: World) -> None:
    """G3-15: what git refuses for its owner is named, and no configuration is written."""
    os.chown(world.root, 12345, 12345)
    with pytest.raises(ForeignOwner) as caught:
        repository.find(str(world.root))
    assert caught.value.hint.endswith(f"safe.directory {world.root}")
    assert "safe" not in (Path(os.environ["HOME"]) / ".gitconfig").read_text()


@pytest.mark.parametrize("where", ["repository", "linked"])
def test_a_format_that_git_does_not_know_is_named(world: World, where: str) -> None:
    """What a newer git made is not called broken: the extension is named, and what to install."""
    git(world.root, "worktree", "add", "-q", "-b", "side", str(world.path / "linked"))
    git(world.root, "config", "core.repositoryFormatVersion", "1")
    git(world.root, "config", "extensions.fromTheFuture", "true")
    with pytest.raises(UnknownFormat, match=r"extensions\.fromthefuture") as caught:
        repository.find(str(world.path / where))
    assert "newer" in caught.value.hint


def test_inside_a_workspace_of_ours_it_refuses(world: World) -> None:
    """G8-07: run from a workspace, the message leads back to the user's repository."""
    world.prepare()
    with pytest.raises(InsideWorkspace, match=str(world.root)):
        repository.find(str(world.workspace / "src"))
    shutil.rmtree(world.root)
    with pytest.raises(MainRepositoryMissing, match=str(world.root)):
        repository.find(str(world.workspace))


def test_an_old_git_is_refused(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before 2.38 git cannot merge without a checkout, so a run is not begun with it."""
    old = world.path / "bin" / "git"
    write(world.path, {"bin/git": "#!/bin/sh\necho git version 2.37.9\n"})
    old.chmod(0o755)
    monkeypatch.setenv("PATH", f"{old.parent}:{os.environ['PATH']}")
    with pytest.raises(GitTooOld, match=r"2\.37\.9"):
        repository.find(str(world.root))


def test_a_base_is_resolved_to_an_oid_and_never_guessed(world: World) -> None:
    """G3-16: a name becomes the commit it means here; origin/HEAD has no say."""
    other = commit(world.root, {"x": "1"})
    git(world.root, "branch", "feature", other)
    git(world.root, "reset", "-q", "--hard", world.base)
    assert repository.resolve(world.repository, "feature") == other
    assert repository.resolve(world.repository, "HEAD") == world.base
    for name in ("nope", "--all", "HEAD^{tree}", ""):
        with pytest.raises(UnknownRevision):
            repository.resolve(world.repository, name)


def test_a_branch_behind_its_remote_can_be_told(world: World) -> None:
    """G3-16: the commit of the remote branch is given, so that a difference can be warned of."""
    clone = world.path / "clone"
    git(world.path, "clone", "-q", str(world.root), str(clone))
    ahead = commit(world.root, {"x": "1"})
    git(clone, "fetch", "-q")
    found = repository.find(str(clone))
    assert repository.upstream(found, "main") == ahead
    assert found.head != ahead
    assert repository.upstream(world.repository, "main") is None


def test_an_identity_is_never_made_up(world: World) -> None:
    """G8-06: only a name and address that are written down count."""
    assert repository.identity(world.repository) == ("User", "user@example.invalid")
    git(world.root, "config", "--unset", "user.name")
    (Path(os.environ["HOME"]) / ".gitconfig").write_text("")
    assert repository.identity(world.repository) is None


def test_uncommitted_changes_of_tracked_files_are_listed(world: World) -> None:
    """A checkout with changes is told before the landing needs it; untracked files are not."""
    write(world.root, {"src/a.py": "changed\n", "new.txt": "x\n"})
    assert repository.uncommitted(world.repository) == ("src/a.py",)


def test_a_shallow_clone_is_seen(world: World) -> None:
    """G3-18: depth is a fact of the repository."""
    commit(world.root, {"x": "1"})
    git(world.path, "clone", "-q", "--depth", "1", f"file://{world.root}", "shallow")
    assert repository.find(str(world.path / "shallow")).is_shallow
