"""What an agent can leave for its harvest: programs, pipes, links, lies. None has its way."""

import os
import shutil
from pathlib import Path

import pytest

from tests.git.world import World, codes, commit, git, write
from tidegate.git import foreign, snapshot


def marker(world: World) -> tuple[Path, str]:
    """Return a file that must never appear, and a program that makes it."""
    program = world.path / "marker.sh"
    program.write_text(f"#!/bin/sh\necho ran >> {world.path}/marker\ncat\n")
    program.chmod(0o755)
    return world.path / "marker", str(program)


def test_nothing_that_the_agent_configured_runs(world: World) -> None:
    """G3-29: fsmonitor, filters, drivers, hooks: the marker is never made."""
    world.prepare()
    made, program = marker(world)
    for key in (
        "core.fsmonitor",
        "core.alternateRefsCommand",
        "core.sshCommand",
        "core.editor",
        "core.pager",
        "diff.external",
        "diff.z.command",
        "diff.z.textconv",
        "filter.z.clean",
        "filter.z.smudge",
        "filter.z.process",
        "merge.z.driver",
        "uploadpack.packObjectsHook",
        "gpg.program",
    ):
        git(world.workspace, "config", key, program)
    git(world.workspace, "config", "core.hooksPath", str(world.path / "hooks"))
    git(world.workspace, "config", "commit.gpgSign", "true")
    for hook in ("pre-commit", "post-checkout", "reference-transaction", "post-index-change"):
        write(world.path, {f"hooks/{hook}": Path(program).read_text()})
        (world.path / "hooks" / hook).chmod(0o755)
    write(world.workspace, {".gitattributes": "* filter=z diff=z merge=z\n", "src/a.py": "x\n"})
    harvest = world.harvest()
    assert {change.path for change in harvest.changes} == {".gitattributes", "src/a.py"}
    assert harvest.violations == ()
    assert not made.exists()


def test_no_configuration_is_read_at_all(world: World) -> None:
    """A configuration that no git could read, or that is a pipe, changes nothing."""
    world.prepare()
    head = commit(world.workspace, {"a": "1"})
    (world.workspace / ".git/config").unlink()
    os.mkfifo(world.workspace / ".git/config")
    assert world.harvest().tip == head
    (world.workspace / ".git/config").unlink()
    (world.workspace / ".git/config").write_bytes(b"[broken\x00")
    assert world.harvest().tip == head


PLACES = [
    ".git/HEAD",
    ".git/MERGE_HEAD",
    ".git/packed-refs",
    ".git/refs/heads/pipe",
    ".git/logs/HEAD",
    ".git/refs/stash",
    ".git/rebase-merge/autostash",
    ".git/objects/info/alternates",
    ".git/objects/ab/cdef",
    ".git/objects/pack/pack-x.idx",
    ".git/worktrees/x/HEAD",
    ".gitignore",
    "src/.gitattributes",
    ".gitmodules",
]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("trap", ["pipe", "link"])
def test_a_trap_in_gits_place_is_a_violation(world: World, place: str, trap: str) -> None:
    """A pipe, or a link to one, where git keeps a file is told and never opened."""
    world.prepare()
    path = world.workspace / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    os.mkfifo(world.path / "pipe")
    if trap == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(world.path / "pipe")
    harvest = world.harvest()
    git_ignores = trap == "link" and path.name in (".gitignore", ".gitattributes")
    assert bool(harvest.violations) is not git_ignores


@pytest.mark.parametrize("place", ["file", "link", "pipe", "missing", "gitfile"])
def test_another_thing_in_place_of_the_git_folder_is_a_violation(world: World, place: str) -> None:
    """`.git` replaced by a file, a link, a pipe or nothing: no crash, no hang, no tip."""
    world.prepare()
    git_folder = world.workspace / ".git"
    shutil.move(git_folder, world.path / "elsewhere")
    match place:
        case "file":
            git_folder.write_text("x")
        case "gitfile":
            git_folder.write_text(f"gitdir: {world.path}/elsewhere\n")
        case "link":
            git_folder.symlink_to(world.path / "elsewhere")
        case "pipe":
            os.mkfifo(git_folder)
    harvest = world.harvest()
    assert harvest.tip is None
    assert codes(harvest.violations) <= {"not_a_folder", "missing"}
    assert harvest.violations


@pytest.mark.parametrize("folder", ["refs", "refs/heads", "logs", "objects", "objects/pack", "."])
def test_a_link_in_place_of_a_folder_is_a_violation(world: World, folder: str) -> None:
    """No folder of the workspace's is followed out of it."""
    world.prepare()
    commit(world.workspace, {"a": "1"})
    place = world.workspace if folder == "." else world.workspace / ".git" / folder
    shutil.move(place, world.path / "elsewhere")
    place.symlink_to(world.path / "elsewhere")
    assert world.harvest().violations


@pytest.mark.parametrize("lender", ["/etc", "{hub}/objects\n/etc", "", "{hub}/objects/../objects"])
def test_borrowing_from_elsewhere_is_a_violation(world: World, lender: str) -> None:
    """`info/alternates` holds the hub's path alone, or nothing is taken through it."""
    world.prepare()
    alternates = world.workspace / ".git/objects/info/alternates"
    alternates.write_text(lender.format(hub=world.hub.path))
    assert codes(world.harvest().violations) == {"alternates_changed"}


def test_a_pipe_among_the_files_is_left_out(world: World) -> None:
    """A tracked file that became a pipe counts as deleted; an untracked pipe is nothing."""
    world.prepare()
    (world.workspace / "src/a.py").unlink()
    os.mkfifo(world.workspace / "src/a.py")
    os.mkfifo(world.workspace / "src/pipe")
    harvest = world.harvest()
    assert [(change.path, change.kind) for change in harvest.changes] == [("src/a.py", "deleted")]
    assert harvest.left_out == ("src/a.py",)


def test_a_trap_in_a_repository_among_the_files_is_not_looked_at(world: World) -> None:
    """A nested repository whose HEAD is a pipe stops no git of ours, whatever .gitignore says."""
    world.prepare()
    for name in ("objects", "refs"):
        (world.workspace / "nested/.git" / name).mkdir(parents=True)
    os.mkfifo(world.workspace / "nested/.git/HEAD")
    write(
        world.workspace, {".gitignore": "!nested\n!nested/\n", "src/.git": "gitdir: ../nested/.git"}
    )
    harvest = world.harvest()
    assert {change.path for change in harvest.changes} == {".gitignore"}
    assert harvest.left_out == ("nested",)


def test_a_huge_reflog_is_read_and_a_larger_one_is_told(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reflog of a hundred thousand lines costs little; one beyond the limit is a violation."""
    world.prepare()
    head = commit(world.workspace, {"a": "1"})
    line = f"{head} {head} A <a@x> 1700000000 +0000\tcommit\n"
    ghost = line.replace(head, "1" * 40)
    with (world.workspace / ".git/logs/HEAD").open("a") as log:
        log.write(line * 100_000 + ghost)
    assert world.harvest().violations == ()
    monkeypatch.setattr(foreign, "LOG_BYTES_MAX", 1 << 20)
    assert codes(world.harvest().violations) == {"too_large"}


def test_more_refs_than_the_limit_are_told(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A flood of refs ends in a violation and not in a harvest without end."""
    world.prepare()
    for number in range(30):
        git(world.workspace, "branch", f"b{number}")
    assert world.harvest().violations == ()
    monkeypatch.setattr(foreign, "FILES_MAX", 20)
    assert codes(world.harvest().violations) == {"too_many"}


def test_too_much_uncommitted_is_told_and_not_stored(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond the limit the files stay in the workspace; the commits are kept all the same."""
    world.prepare()
    head = commit(world.workspace, {"a": "1"})
    write(world.workspace, {"big": "x" * 5000})
    monkeypatch.setattr(snapshot, "BYTES_MAX", 1000)
    harvest = world.harvest()
    assert codes(harvest.violations) == {"too_large"}
    assert harvest.tip == head
    assert world.kept(head)


def test_history_that_does_not_descend_from_the_base_is_a_violation(world: World) -> None:
    """A tip that was begun anew is kept, and is no result."""
    world.prepare()
    git(world.workspace, "checkout", "-q", "--orphan", "fresh")
    head = commit(world.workspace, {"a": "1"})
    harvest = world.harvest()
    assert codes(harvest.violations) == {"history_rewritten"}
    assert harvest.tip == head
    assert world.kept(head)


def test_a_head_that_names_nothing_is_a_violation(world: World) -> None:
    """An unborn branch has no tip; what else was committed is kept."""
    world.prepare()
    made = commit(world.workspace, {"a": "1"})
    git(world.workspace, "checkout", "-q", "--orphan", "fresh")
    harvest = world.harvest()
    assert harvest.tip is None
    assert codes(harvest.violations) == {"no_head"}
    assert world.kept(made)


def test_an_empty_checkout_is_not_committed_as_a_deletion_of_everything(world: World) -> None:
    """G3-32: no file of the commit left, or most of many gone: a hard stop, and the tip stays."""
    world.prepare()
    for path in world.workspace.iterdir():
        if path.name != ".git":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    harvest = world.harvest()
    assert codes(harvest.violations) == {"mass_deletion"}
    assert harvest.tip == world.base
    assert harvest.is_empty


def test_a_git_folder_in_another_format_is_told(world: World) -> None:
    """Refs that were moved into a format that cannot be read as files are not silently lost."""
    world.prepare()
    (world.workspace / ".git/reftable").mkdir()
    assert codes(world.harvest().violations) == {"ref_format"}
