"""A fast-forward that is killed at any point is finished by the next one, and nothing is lost."""

import os
import shutil
from pathlib import Path

import pytest

from tests.git.test_delivery import MAIN, give, landed, tree_of
from tests.git.world import World, commit, git, killed_at, same, start_job, write
from tidegate.git import checkout, fast_forward
from tidegate.git.checkout import Checkout
from tidegate.git.delivery import Delivered, Diverged, Waiting
from tidegate.git.fast_forward import Lost
from tidegate.git.journal import Intent

FILES = {"new/file": "n\n", "src/a.py": "changed\n", "infra/deploy.tf": "x\n" * 2000}


def job_of(world: World, new: str) -> dict[str, object]:
    """Return the job that delivers a commit to main."""
    return {
        "job": "deliver",
        "hub": world.hub.path,
        "repository": str(world.root),
        "ref": MAIN,
        "new": new,
        "old": None,
    }


def assert_delivered(world: World, new: str) -> None:
    """Everything is as after a delivery that nobody disturbed."""
    assert git(world.root, "rev-parse", "HEAD") == new
    assert git(world.root, "status", "--porcelain") == ""
    assert tree_of(world).items() >= FILES.items()
    assert not list((world.root / ".git").glob("tidegate-*"))
    assert not (world.root / ".git/index.lock").exists()


@pytest.mark.parametrize("at", ["read-tree", "update-ref"])
def test_it_is_finished_after_a_kill(world: World, at: str) -> None:
    """SIGKILL before the files are written, or before the branch moves: done again, it ends."""
    new = landed(world, FILES)
    killed_at(world.path / "job", job_of(world, new), at)
    assert git(world.root, "rev-parse", MAIN) == world.base
    refused = git(world.root, "commit", "--allow-empty", "-m", "in between", check=False)
    assert refused == ""
    assert git(world.root, "rev-parse", MAIN) == world.base
    assert same(give(world, new), Delivered(new))
    assert_delivered(world, new)


def dying_git(folder: Path, leaving: dict[Path, str], *, killing: bool) -> str:
    """A PATH with a git that dies at the branch and leaves locks there; its starter dies too."""
    script = folder / "bin" / "git"
    script.parent.mkdir()
    left = "\n".join(f"printf '%s' '{text}' > {path}" for path, text in leaving.items())
    starter = "kill -9 $PPID\n" if killing else ""
    script.write_text(f"""#!/bin/sh
case " $* " in *" update-ref -m "*)
{left}
{starter}kill -9 $$;;
esac
exec {shutil.which("git")} "$@"
""")
    script.chmod(0o755)
    return f"{script.parent}:{os.environ['PATH']}"


def locks_of(world: World, new: str) -> dict[Path, str]:
    """The locks that git makes when it moves the branch that is checked out."""
    folder = world.root / ".git"
    return {folder / "refs/heads/main.lock": f"{new}\n", folder / "HEAD.lock": ""}


@pytest.mark.parametrize("killing", [False, True])
def test_the_locks_of_a_killed_git_of_ours_go(world: World, *, killing: bool) -> None:
    """What our own git left on the branch stops neither the next delivery nor the user."""
    new = landed(world, FILES)
    leaving = locks_of(world, new)
    path = dying_git(world.path, leaving, killing=killing)
    started = start_job(world.path / "job", job_of(world, new), path=path)
    assert started.wait(timeout=30) == (-9 if killing else 1)
    assert all(lock.exists() for lock in leaving) is killing
    assert same(give(world, new), Delivered(new))
    assert_delivered(world, new)
    assert not any(lock.exists() for lock in leaving)


@pytest.mark.parametrize("content", ["another", "{base}\n"])
def test_a_lock_that_says_something_else_stays(world: World, content: str) -> None:
    """G3-02: a lock on the branch that is not what our git leaves is another's."""
    new = landed(world, FILES)
    killed_at(world.path / "job", job_of(world, new), "update-ref")
    lock = world.root / ".git/refs/heads/main.lock"
    lock.write_text(content.format(base=world.base))
    outcome = give(world, new)
    assert isinstance(outcome, Waiting)
    assert outcome.paths == (str(lock),)
    assert lock.exists()
    lock.unlink()
    assert same(give(world, new), Delivered(new))


def test_a_lock_that_is_older_than_the_delivery_stays(world: World) -> None:
    """G3-02: one that looks like ours and was there before is not ours."""
    new = landed(world, FILES)
    killed_at(world.path / "job", job_of(world, new), "update-ref")
    lock = world.root / ".git/refs/heads/main.lock"
    lock.touch()
    os.utime(lock, (lock.stat().st_mtime - 3600,) * 2)
    assert isinstance(give(world, new), Waiting)
    assert lock.exists()


def test_a_move_that_git_noted_and_did_not_make_was_not_taken_back(world: World) -> None:
    """Git writes the reflog before the branch: killed in between, the commit is delivered again."""
    new = landed(world, FILES)
    git(world.root, "fetch", "-q", world.hub.path, new)
    log = world.root / ".git/logs/refs/heads/main"
    who = "User <user@example.invalid> 1700000000 +0000"
    with log.open("a") as file:
        file.write(f"{world.base} {new} {who}\ttidegate: deliver\n")
    assert same(give(world, new), Delivered(new))


def test_it_is_finished_after_a_kill_between_branch_and_index(world: World) -> None:
    """SIGKILL when the branch has moved and the index has not: the branch's value is no proof."""
    new = landed(world, FILES)
    killed_at(world.path / "job", job_of(world, new), "update-index -q --refresh")
    assert git(world.root, "rev-parse", MAIN) == new
    assert same(give(world, new), Delivered(new))
    assert_delivered(world, new)


def interrupted(world: World, new: str) -> None:
    """Leave the journal and the lock of a run that was killed before it wrote a file."""
    killed_at(world.path / "job", job_of(world, new), "read-tree")


def test_a_file_that_was_half_written_is_written_whole(world: World) -> None:
    """What a killed git left of a file is known by being its beginning."""
    new = landed(world, FILES)
    interrupted(world, new)
    (world.root / "infra/deploy.tf").write_text("x\n" * 700)
    (world.root / "src/a.py").unlink()
    write(world.root, {"new/file": ""})
    assert same(give(world, new), Delivered(new))
    assert_delivered(world, new)


def test_what_the_user_wrote_after_a_kill_is_kept(world: World) -> None:
    """An edit made in the meantime is no beginning of ours: the lock goes, the edit stays."""
    new = landed(world, FILES)
    interrupted(world, new)
    (world.root / "infra/deploy.tf").write_text("x\n" * 700)
    write(world.root, {"src/a.py": "mine\n"})
    outcome = give(world, new)
    assert isinstance(outcome, Waiting)
    assert outcome.paths == ("src/a.py",)
    assert not (world.root / ".git/index.lock").exists()
    assert tree_of(world)["src/a.py"] == "mine\n"
    git(world.root, "checkout", "src/a.py")
    assert same(give(world, new), Delivered(new))
    assert_delivered(world, new)


def test_half_a_file_without_a_kill_is_the_users_own(world: World) -> None:
    """Only a journal of ours makes a beginning acceptable: a user may have cut the file."""
    new = landed(world, FILES)
    (world.root / "infra/deploy.tf").write_text("x\n" * 700)
    assert isinstance(give(world, new), Waiting)
    assert tree_of(world)["infra/deploy.tf"] == "x\n" * 700


def test_an_interrupted_one_is_finished_before_the_next(world: World) -> None:
    """A later landing first completes what an earlier one had begun."""
    first = landed(world, FILES)
    interrupted(world, first)
    second = landed(world, {"later": "1"}, onto=first)
    assert same(give(world, second), Delivered(second))
    assert_delivered(world, second)
    assert git(world.root, "log", "-g", "--format=%H", "-2", MAIN).split() == [second, first]


def test_a_journal_that_no_longer_applies_is_dropped(world: World) -> None:
    """When the user went on by themselves, the old intention is forgotten."""
    first = landed(world, {"a": "1"})
    interrupted(world, first)
    (world.root / ".git/index.lock").unlink()
    own = commit(world.root, {"mine": "1"})
    assert isinstance(give(world, first), Diverged)
    assert git(world.root, "rev-parse", MAIN) == own
    assert not list((world.root / ".git").glob("tidegate-*"))


def test_a_broken_journal_is_dropped_with_its_lock(world: World) -> None:
    """A journal that a power cut left empty is ours by its lock, and stands in nobody's way."""
    journal = world.root / ".git/tidegate-delivery.json"
    journal.touch()
    os.link(journal, world.root / ".git/index.lock")
    new = landed(world, FILES)
    assert same(give(world, new), Delivered(new))
    assert_delivered(world, new)


def test_a_branch_that_moves_meanwhile_gets_its_files_back(world: World) -> None:
    """When compare-and-swap fails after the files were written they are put back."""
    new = landed(world, FILES)
    place = checkout.of_branch(world.repository, MAIN)
    assert isinstance(place, Checkout)
    world.repository.git.run("fetch", "-q", world.hub.path, new)
    before = tree_of(world)
    tree = git(world.root, "rev-parse", f"{world.base}^{{tree}}")
    other = git(world.root, "commit-tree", "-p", world.base, "-m", "other", tree)
    git(world.root, "update-ref", MAIN, other)
    assert same(fast_forward.advance(place, Intent(MAIN, world.base, new)), Lost())
    assert tree_of(world) == before
    assert git(world.root, "rev-parse", MAIN) == other
    assert git(world.root, "status", "--porcelain") == ""


def test_folders_and_files_change_places(world: World) -> None:
    """A folder that becomes a file, a file that becomes a folder, a link that becomes a folder."""
    (world.root / "link").symlink_to("src")
    base = commit(world.root, {"file": "1", "folder/inner": "1"})
    git(world.path, "clone", "-q", str(world.root), "landing")
    work = world.path / "landing"
    for name in ("file", "folder/inner", "link"):
        (work / name).unlink()
    shutil.rmtree(work / "folder", ignore_errors=True)
    new = commit(work, {"file/inner": "2", "folder": "2", "link/inner": "2"})
    world.hub.git.run("fetch", "-q", str(work), f"+{new}:refs/tidegate/landed/x")
    write(world.root, {"folder/mine.log": "ignored"})
    assert isinstance(give(world, new, old=base), Waiting)
    (world.root / "folder/mine.log").unlink()
    assert same(give(world, new, old=base), Delivered(new))
    assert git(world.root, "status", "--porcelain") == ""
    assert (world.root / "link/inner").read_text() == "2"


def test_a_submodule_that_moves_waits_for_its_user(world: World, tmp_path: Path) -> None:
    """The pointer arrives; the submodule's own checkout is left alone and hinders no next one."""
    inner = tmp_path / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    old = commit(inner, {"x": "1"})
    allow = ("-c", "protocol.file.allow=always")
    git(world.root, *allow, "submodule", "--quiet", "add", str(inner), "sub")
    base = commit(world.root, {})
    moved = commit(inner, {"x": "2"})
    work = world.path / "landing"
    git(world.path, "clone", "-q", str(world.root), str(work))
    git(work, "update-index", "--cacheinfo", f"160000,{moved},sub")
    git(work, "commit", "-q", "-m", "move the submodule")
    first = git(work, "rev-parse", "HEAD")
    second = commit(work, {"later": "1"})
    world.hub.git.run("fetch", "-q", str(work), f"+{second}:refs/tidegate/landed/x")
    assert same(give(world, first, old=base), Delivered(first))
    assert git(world.root / "sub", "rev-parse", "HEAD") == old
    assert same(give(world, second, old=first), Delivered(second))
