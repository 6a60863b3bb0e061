"""Giving the user what landed: every outcome, and nothing of theirs overwritten in any."""

import shutil
from pathlib import Path

import pytest

from tests.git.world import World, commit, git, run_job, same, write
from tidegate.git.delivery import Delivered, Delivery, Diverged, Waiting, deliver

MAIN = "refs/heads/main"
OTHER = "refs/heads/tidegate/run"


def landed(world: World, files: dict[str, str], onto: str | None = None) -> str:
    """Land files in the hub, on the base or on an earlier landing; return the commit."""
    work = world.path / "landing"
    if not work.exists():
        git(world.path, "clone", "-q", world.hub.path, str(work), "-b", "main")
    git(work, "checkout", "-q", "--detach", onto or world.base)
    made = commit(work, files)
    world.hub.git.run("fetch", "-q", str(work), f"+{made}:refs/tidegate/landed/{made}")
    return made


def give(world: World, new: str, ref: str = MAIN, old: str | None = None) -> Delivery:
    """Deliver to the user's repository."""
    return deliver(world.hub, world.repository, ref, new=new, old=old)


def tree_of(world: World) -> dict[str, str]:
    """Return the user's files with their contents."""
    return {
        str(path.relative_to(world.root)): path.read_text()
        for path in world.root.rglob("*")
        if path.is_file() and ".git" not in path.relative_to(world.root).parts[:1]
    }


def test_a_branch_that_is_not_checked_out_is_made_and_moved(world: World) -> None:
    """By compare-and-swap; no file or index of the user's is touched."""
    first = landed(world, {"a": "1"})
    second = landed(world, {"b": "1"}, onto=first)
    before = (world.root / ".git/index").read_bytes(), tree_of(world)
    assert same(give(world, first, OTHER), Delivered(first))
    assert same(give(world, second, OTHER, old=first), Delivered(second))
    assert git(world.root, "rev-parse", OTHER) == second
    assert ((world.root / ".git/index").read_bytes(), tree_of(world)) == before


def test_a_clean_checkout_is_fast_forwarded(world: World) -> None:
    """Files, index and branch arrive together, and the user's status is clean."""
    write(world.root, {"untracked": "mine", "x.log": "ignored"})
    new = landed(world, {"src/a.py": "changed\n", "new/file": "n", "link": "x"})
    shutil.rmtree(world.path / "landing")
    assert same(give(world, new), Delivered(new))
    assert git(world.root, "rev-parse", "HEAD", MAIN).split() == [new, new]
    assert git(world.root, "status", "--porcelain") == "?? untracked"
    assert tree_of(world)["src/a.py"] == "changed\n"
    assert git(world.root, "log", "-g", "--format=%gs", "-1") == "tidegate: deliver"
    assert not list((world.root / ".git").glob("tidegate-*"))
    assert not (world.root / ".git/index.lock").exists()


def test_a_second_delivery_finds_it_done(world: World) -> None:
    """G4-15: killed before the receipt was written, the step is done again and changes nothing."""
    new = landed(world, {"a": "1"})
    give(world, new)
    stamp = (world.root / "a").stat().st_mtime_ns
    assert same(give(world, new), Delivered(new))
    assert (world.root / "a").stat().st_mtime_ns == stamp


def test_a_commit_made_on_top_is_no_reason_to_deliver_again(world: World) -> None:
    """G4-15, point 7: the user built on the landing; it is there, and where they are is told."""
    new = landed(world, {"a": "1"})
    give(world, new)
    on_top = commit(world.root, {"mine": "1"})
    assert same(give(world, new, old=world.base), Delivered(on_top))


def test_a_landing_that_was_taken_back_is_not_given_again(world: World) -> None:
    """G4-15, point 8: a user who reset the branch is asked, until somebody says again."""
    new = landed(world, {"a": "1"})
    give(world, new)
    git(world.root, "reset", "-q", "--hard", world.base)
    outcome = give(world, new)
    assert isinstance(outcome, Diverged)
    assert outcome.actual == world.base
    assert "a" not in tree_of(world)
    again = deliver(world.hub, world.repository, MAIN, new=new, old=None, again=True)
    assert same(again, Delivered(new))


def test_a_branch_moved_behind_an_earlier_delivery_is_not_moved_on(world: World) -> None:
    """What was delivered and then dropped does not come back with the next landing."""
    first = landed(world, {"a": "1"})
    second = landed(world, {"b": "1"}, onto=first)
    give(world, first)
    git(world.root, "reset", "-q", "--hard", world.base)
    assert isinstance(give(world, second, old=first), Diverged)


def test_a_branch_with_commits_of_its_own_has_diverged(world: World) -> None:
    """No merge is made in the user's name; where their branch is, is told."""
    new = landed(world, {"a": "1"})
    own = commit(world.root, {"mine": "1"})
    outcome = give(world, new, old=world.base)
    assert isinstance(outcome, Diverged)
    assert outcome.actual == own
    git(world.root, "branch", "tidegate/run", own)
    assert isinstance(give(world, new, OTHER), Diverged)


def test_a_deleted_branch_is_not_made_again(world: World) -> None:
    """A branch that was delivered to and is gone was deleted on purpose."""
    new = landed(world, {"a": "1"})
    assert same(give(world, new, OTHER, old=world.base), Diverged(None, "the branch was deleted"))


IN_THE_WAY = {
    "untracked file": ({"a": "mine"}, "untracked", ("a",)),
    "ignored file": ({"x.log": "mine"}, "untracked", ("x.log",)),
    "file for a folder": ({"dir": "mine"}, "untracked", ("dir",)),
    "folder for a file": ({"a/deep/mine": "mine"}, "untracked", ("a/deep/mine",)),
    "changed file": ({"src/a.py": "mine"}, "uncommitted", ("src/a.py",)),
    "change elsewhere": ({"README.md": "mine"}, "uncommitted", ("README.md",)),
}


@pytest.mark.parametrize("case", IN_THE_WAY)
def test_what_is_in_the_way_is_told_and_kept(world: World, case: str) -> None:
    """G6-19: changed, untracked or ignored, a file of the user's makes the delivery wait."""
    mine, reason, paths = IN_THE_WAY[case]
    new = landed(world, {"a": "1", "dir/b": "1", "src/a.py": "changed\n"})
    forced = {"x.log": "1"} if case == "ignored file" else {}
    if forced:
        write(world.path / "landing", forced)
        git(world.path / "landing", "add", "-f", "x.log")
        new = landed(world, {}, onto=git(world.path / "landing", "rev-parse", "HEAD"))
    write(world.root, mine)
    before = tree_of(world), git(world.root, "status", "--porcelain", "--ignored")
    outcome = give(world, new)
    assert isinstance(outcome, Waiting)
    assert reason in outcome.reason
    assert outcome.paths == paths
    assert (tree_of(world), git(world.root, "status", "--porcelain", "--ignored")) == before
    assert git(world.root, "rev-parse", MAIN) == world.base
    assert not list((world.root / ".git").glob("*.lock"))


def test_a_change_that_is_only_staged_is_kept(world: World) -> None:
    """Content that is in the index and in no file is work too."""
    new = landed(world, {"src/a.py": "changed\n"})
    write(world.root, {"src/a.py": "staged\n"})
    git(world.root, "add", "src/a.py")
    write(world.root, {"src/a.py": "changed\n"})
    outcome = give(world, new)
    assert isinstance(outcome, Waiting)
    assert "staged" in outcome.reason
    assert git(world.root, "show", ":src/a.py") == "staged"


def test_a_change_that_the_index_hides_is_kept(world: World) -> None:
    """A file marked assume-unchanged may hold the user's own settings: it is looked at."""
    new = landed(world, {"src/a.py": "changed\n"})
    git(world.root, "update-index", "--assume-unchanged", "src/a.py")
    write(world.root, {"src/a.py": "my settings\n"})
    assert isinstance(give(world, new), Waiting)
    assert tree_of(world)["src/a.py"] == "my settings\n"


def test_the_same_change_made_by_hand_is_no_obstacle(world: World) -> None:
    """A file that already is what it will be is left as it is."""
    new = landed(world, {"src/a.py": "changed\n", "new": "n"})
    write(world.root, {"src/a.py": "changed\n", "new": "n"})
    stamp = (world.root / "new").stat().st_mtime_ns
    assert same(give(world, new), Delivered(new))
    assert (world.root / "new").stat().st_mtime_ns == stamp
    assert git(world.root, "status", "--porcelain") == ""


def test_another_git_at_work_makes_it_wait(world: World) -> None:
    """G3-02: a lock that is not ours is left alone, stale or not."""
    new = landed(world, {"a": "1"})
    lock = world.root / ".git/index.lock"
    lock.touch()
    waiting = Waiting("another git command is at work in the checkout", (str(lock),))
    assert same(give(world, new), waiting)
    assert lock.exists()


@pytest.mark.parametrize("operation", ["merge", "rebase", "bisect"])
def test_an_operation_under_way_makes_it_wait(world: World, operation: str) -> None:
    """A branch in the middle of a merge, rebase or bisection is not moved under the user."""
    new = landed(world, {"a": "1"})
    git(world.root, "checkout", "-q", "-b", "side")
    side = commit(world.root, {"src/b.py": "side\n"})
    if operation == "bisect":
        git(world.root, "checkout", "-q", "main")
        git(world.root, "bisect", "start")
        git(world.root, "checkout", "-q", "--detach", side)
    else:
        git(world.root, "checkout", "-q", "main")
        git(world.root, "reset", "-q", "--hard", commit(world.root, {"src/b.py": "main\n"}))
        git(world.root, operation, "side", check=False)
        git(world.root, "update-ref", MAIN, world.base)
    outcome = give(world, new)
    assert isinstance(outcome, Waiting)
    assert operation[:5] in outcome.reason
    assert "under way" in outcome.reason


def test_a_linked_worktree_counts_as_a_checkout(world: World) -> None:
    """A branch that is checked out in another working tree is moved there, with its files."""
    git(world.root, "worktree", "add", "-q", "-b", "tidegate/run", str(world.path / "linked"))
    new = landed(world, {"a": "1"})
    write(world.path / "linked", {"a": "mine"})
    assert isinstance(give(world, new, OTHER), Waiting)
    (world.path / "linked/a").unlink()
    assert same(give(world, new, OTHER), Delivered(new))
    assert (world.path / "linked/a").read_text() == "1"
    assert git(world.path / "linked", "status", "--porcelain") == ""
    assert "a" not in tree_of(world)


def test_a_vanished_worktree_holds_no_branch(world: World) -> None:
    """G3-05: a registration whose folder is gone is no checkout, unless it is locked."""
    git(world.root, "worktree", "add", "-q", "-b", "tidegate/run", str(world.path / "linked"))
    first = landed(world, {"a": "1"})
    git(world.root, "worktree", "lock", str(world.path / "linked"))
    shutil.rmtree(world.path / "linked")
    assert isinstance(give(world, first, OTHER), Waiting)
    git(world.root, "worktree", "unlock", str(world.path / "linked"))
    assert same(give(world, first, OTHER), Delivered(first))


def test_the_users_filters_apply_and_their_hooks_do_not(world: World) -> None:
    """Files arrive as the user's own git would write them; no hook of theirs is set off."""
    hook = "#!/bin/sh\ntouch hooked\n"
    for name in ("post-checkout", "post-merge", "reference-transaction", "post-index-change"):
        write(world.root, {f".git/hooks/{name}": hook})
        (world.root / ".git/hooks" / name).chmod(0o755)
    git(world.root, "config", "core.autocrlf", "true")
    new = landed(world, {"text": "one\ntwo\n"})
    assert same(give(world, new), Delivered(new))
    assert not list(world.path.rglob("hooked"))
    assert (world.root / "text").read_bytes() == b"one\r\ntwo\r\n"
    assert git(world.root, "status", "--porcelain") == ""


def test_a_git_folder_that_lies_elsewhere_is_no_obstacle(world: World, tmp_path: Path) -> None:
    """A repository whose git folder lies elsewhere is fast-forwarded where its files are."""
    moved = tmp_path / "moved.git"
    git(world.root, "init", "-q", f"--separate-git-dir={moved}")
    new = landed(world, {"a": "1"})
    assert same(give(world, new), Delivered(new))
    assert tree_of(world)["a"] == "1"


def test_as_a_job_each_outcome_is_a_result(world: World) -> None:
    """The job finds the repository by its root and tells the outcome by its kind."""
    new = landed(world, {"a": "1"})
    job: dict[str, object] = {
        "job": "deliver",
        "hub": world.hub.path,
        "repository": str(world.root),
        "ref": MAIN,
        "new": new,
        "old": None,
    }
    write(world.root, {"a": "mine"})
    assert run_job(world.path / "job", job)["kind"] == "waiting"
    (world.root / "a").unlink()
    assert run_job(world.path / "job", job) == {"kind": "delivered", "at": new}
