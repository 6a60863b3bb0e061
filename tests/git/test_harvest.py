"""What a harvest brings home: every commit, wherever it hangs, and what was not committed."""

from pathlib import Path

import pytest

from tests.git.world import STAMP, World, codes, commit, git, run_job, write
from tidegate.git.control import Control
from tidegate.git.errors import Busy
from tidegate.git.harvest import Harvest
from tidegate.git.tree_diff import Kind


def paths(harvest: Harvest) -> set[str]:
    """Return the paths of a harvest's changes."""
    return {change.path for change in harvest.changes}


def test_nothing_done_is_empty(world: World) -> None:
    """G6-15a: a clean workspace without commits changes nothing, and says so."""
    world.prepare()
    harvest = world.harvest()
    assert harvest.is_empty
    assert harvest.tip == world.base
    assert (harvest.changes, harvest.violations) == ((), ())


def test_clean_and_committed_is_not_empty(world: World) -> None:
    """G6-15b: work that is all committed counts; the tip is the agent's own commit."""
    world.prepare()
    commit(world.workspace, {"f0": "x"})
    commit(world.workspace, {"f1": "x"})
    head = commit(world.workspace, {"f2": "x"})
    harvest = world.harvest()
    assert (harvest.tip, harvest.head, harvest.snapshot_made) == (head, head, False)
    assert paths(harvest) == {"f0", "f1", "f2"}
    assert not harvest.is_empty


def test_a_commit_without_a_change_is_empty(world: World) -> None:
    """G6-15: `--allow-empty` makes a commit, which is kept, and no change, which is EMPTY."""
    world.prepare()
    head = commit(world.workspace, {})
    harvest = world.harvest()
    assert harvest.is_empty
    assert harvest.tip == head
    assert world.kept(head)


def test_what_is_not_committed_is_committed_on_top(world: World) -> None:
    """New, changed, deleted, executable and linked files arrive; ignored ones do not."""
    world.prepare()
    head = commit(world.workspace, {"committed": "x"})
    write(world.workspace, {"new/file": "n", "src/a.py": "changed\n", "x.log": "ignored"})
    (world.workspace / "src/b.py").unlink()
    (world.workspace / "README.md").chmod(0o755)
    (world.workspace / "link").symlink_to("src/a.py")
    harvest = world.harvest()
    assert harvest.snapshot_made
    assert git(world.hub.path, "log", "-1", "--format=%P|%an|%ae|%at|%s", harvest.tip or "") == (
        f"{head}|{STAMP.name}|{STAMP.email}|{STAMP.at_s}|Keep what was not committed"
    )
    kinds = {change.path: change.kind for change in harvest.changes}
    assert kinds == {
        "committed": Kind.ADDED,
        "new/file": Kind.ADDED,
        "link": Kind.ADDED,
        "src/a.py": Kind.MODIFIED,
        "src/b.py": Kind.DELETED,
        "README.md": Kind.MODE,
    }


def test_the_workspace_is_not_changed_by_it(world: World) -> None:
    """The agent finds its files, index and refs as it left them."""
    world.prepare()
    commit(world.workspace, {"a": "1"})
    write(world.workspace, {"b": "2", "src/a.py": "x"})
    git(world.workspace, "add", "src/a.py")
    before = git(world.workspace, "status", "--porcelain"), git(world.workspace, "show-ref")
    world.harvest()
    assert (
        git(world.workspace, "status", "--porcelain"),
        git(world.workspace, "show-ref"),
    ) == before


@pytest.mark.parametrize("where", ["detached", "branch", "reset", "stash", "amended", "merging"])
def test_a_commit_survives_wherever_it_hangs(world: World, where: str) -> None:
    """G3-26: detached HEAD, other branches, reflogs, stash and MERGE_HEAD keep what they name."""
    world.prepare()
    if where == "detached":
        git(world.workspace, "checkout", "-q", "--detach")
    made = commit(world.workspace, {"work": "1"})
    if where == "branch":
        git(world.workspace, "branch", "aside")
        git(world.workspace, "reset", "-q", "--hard", world.base)
        git(world.workspace, "reflog", "expire", "--expire=now", "--all")
    elif where == "reset":
        git(world.workspace, "reset", "-q", "--hard", world.base)
    elif where == "stash":
        git(world.workspace, "reset", "-q", "--hard", world.base)
        for number in range(2):
            write(world.workspace, {"src/a.py": f"stashed {number}\n"})
            git(world.workspace, "stash", "-q")
        made = git(world.workspace, "rev-parse", "stash@{1}")
    elif where == "amended":
        git(world.workspace, "commit", "-q", "--amend", "-m", "other")
    elif where == "merging":
        git(world.workspace, "checkout", "-q", "-b", "other", world.base)
        commit(world.workspace, {"other": "1"})
        git(world.workspace, "merge", "-q", "--no-commit", made, check=False)
        git(world.workspace, "branch", "-D", "tidegate/one")
        git(world.workspace, "reflog", "expire", "--expire=now", "--all")
    harvest = world.harvest()
    assert world.kept(made)
    assert harvest.violations == ()
    assert harvest.under_way == ("merge" if where == "merging" else None)
    git(world.hub.path, "fsck", "--full", "--strict")


def test_what_a_rebase_keeps_aside_is_kept(world: World) -> None:
    """G3-26: changes that a rebase has stashed hang on a file of its own until it ends."""
    world.prepare()
    commit(world.workspace, {"src/b.py": "mine\n"})
    git(world.workspace, "branch", "other", world.base)
    git(world.workspace, "checkout", "-q", "other")
    commit(world.workspace, {"src/b.py": "theirs\n"})
    git(world.workspace, "checkout", "-q", "tidegate/one")
    write(world.workspace, {"src/a.py": "not committed\n"})
    git(world.workspace, "rebase", "--autostash", "other", check=False)
    kept = (world.workspace / ".git/rebase-merge/autostash").read_text().strip()
    harvest = world.harvest()
    assert harvest.under_way == "rebase"
    assert world.kept(kept)


def test_both_sides_of_a_reflogs_line_count(world: World) -> None:
    """G3-26: a line whose neighbours have expired still keeps the commit that it leads to."""
    world.prepare()
    made = commit(world.workspace, {"work": "1"})
    git(world.workspace, "reset", "-q", "--hard", world.base)
    git(world.workspace, "reflog", "expire", "--expire=now", "--all")
    (world.workspace / ".git/ORIG_HEAD").unlink()
    line = f"{world.base} {made} Agent <agent@example.invalid> 1700000000 +0000\tcommit: work\n"
    write(world.workspace, {".git/logs/HEAD": line})
    assert world.harvest().violations == ()
    assert world.kept(made)


def test_a_ref_of_a_linked_worktree_alone_is_read(world: World) -> None:
    """G3-26: a worktree has refs that the others do not see."""
    world.prepare()
    git(world.workspace, "worktree", "add", "-q", "--detach", "inner")
    made = commit(world.workspace / "inner", {"work": "1"})
    git(world.workspace / "inner", "update-ref", "refs/worktree/mine", made)
    git(world.workspace / "inner", "reset", "-q", "--hard", world.base)
    git(world.workspace / "inner", "reflog", "expire", "--expire=now", "--all")
    (world.workspace / ".git/worktrees/inner/ORIG_HEAD").unlink()
    assert world.harvest().violations == ()
    assert world.kept(made)


def test_packed_refs_and_tags_are_read(world: World) -> None:
    """Refs that the agent's git has packed, and annotated tags, keep their commits."""
    world.prepare()
    made = commit(world.workspace, {"work": "1"})
    git(world.workspace, "tag", "-m", "note", "annotated")
    git(world.workspace, "reset", "-q", "--hard", world.base)
    git(world.workspace, "reflog", "expire", "--expire=now", "--all")
    git(world.workspace, "pack-refs", "--all")
    (world.workspace / ".git/ORIG_HEAD").unlink()
    assert world.harvest().violations == ()
    assert world.kept(made)


def test_a_rewritten_commit_stays_kept_by_the_next_harvest(world: World) -> None:
    """Pins are named for what they hold, so a later harvest of the same turn drops none."""
    world.prepare()
    first = commit(world.workspace, {"work": "1"})
    world.harvest()
    git(world.workspace, "reset", "-q", "--hard", world.base)
    git(world.workspace, "reflog", "expire", "--expire=now", "--all")
    second = commit(world.workspace, {"work": "2"})
    harvest = world.harvest()
    assert harvest.tip == second
    assert world.kept(first)
    assert world.hub.pins("refs/tidegate/run/one/1/tip") == {"refs/tidegate/run/one/1/tip": second}


def test_a_later_turn_builds_on_the_same_workspace(world: World) -> None:
    """What was harvested is harvested again with what came after it, from any kept index."""
    world.prepare()
    write(world.workspace, {"one": "1"})
    first = world.harvest(turn=1)
    assert world.harvest(turn=1).tip == first.tip
    commit(world.workspace, {"two": "2"})
    (world.workspace / "src/b.py").unlink()
    second = world.harvest(turn=2)
    assert paths(second) == {"one", "two", "src/b.py"}
    write(world.workspace, {"src/b.py": "b\n"})
    assert paths(world.harvest(turn=2)) == {"one", "two"}


def test_a_linked_worktree_inside_is_harvested_too(world: World) -> None:
    """Commits and uncommitted files of a worktree that the agent made inside are kept."""
    world.prepare()
    git(world.workspace, "worktree", "add", "-q", "--detach", "inner/tree")
    made = commit(world.workspace / "inner/tree", {"work": "1"})
    write(world.workspace / "inner/tree", {"uncommitted": "2"})
    harvest = world.harvest()
    assert harvest.is_empty
    assert harvest.violations == ()
    assert world.kept(made)
    snapshot = git(world.hub.path, "log", "--all", "--format=%H", "--", "uncommitted")
    assert git(world.hub.path, "show", f"{snapshot}:uncommitted") == "2"
    assert harvest.left_out == ()


def test_a_worktree_outside_is_a_violation(world: World) -> None:
    """A worktree that the agent made elsewhere is told; its commits are kept all the same."""
    world.prepare()
    git(world.workspace, "worktree", "add", "-q", "--detach", str(world.path / "outside"))
    made = commit(world.path / "outside", {"work": "1"})
    assert codes(world.harvest().violations) == {"worktree_outside"}
    assert world.kept(made)


def test_without_files_only_commits_are_taken(world: World) -> None:
    """A harvest in the middle of a turn can leave the agent's files alone."""
    world.prepare()
    head = commit(world.workspace, {"a": "1"})
    write(world.workspace, {"b": "2"})
    harvest = world.harvest(takes_files=False)
    assert (harvest.tip, harvest.snapshot_made) == (head, False)
    assert world.kept(head)


def test_a_lock_that_a_killed_git_left_is_taken_away(world: World) -> None:
    """G3-02: in our own workspace, at the turn's end; a lock that is held open stays."""
    world.prepare()
    for name in ("index.lock", "refs/heads/tidegate/one.lock", "HEAD.lock"):
        write(world.workspace / ".git", {name: ""})
    with (world.workspace / ".git/HEAD.lock").open():
        harvest = world.harvest()
        assert set(harvest.unlocked) == {"index.lock", "refs/heads/tidegate/one.lock"}
        assert (world.workspace / ".git/HEAD.lock").exists()
    assert world.harvest().unlocked == ("HEAD.lock",)
    commit(world.workspace, {"a": "1"})
    assert world.harvest().unlocked == ()


def test_two_harvests_of_one_workspace_do_not_meet(world: World) -> None:
    """The second is turned away at once and changes nothing."""
    world.prepare()
    with Control.of(world.hub.path, str(world.workspace)).held(), pytest.raises(Busy):
        world.harvest()


def test_many_objects_are_kept_as_one_pack(world: World) -> None:
    """A large harvest does not fill the hub with loose objects, and is whole."""
    world.prepare()
    head = commit(world.workspace, {f"many/{number}": str(number) for number in range(300)})
    loose = len(list(Path(world.hub.objects).glob("??/*")))
    assert world.harvest().tip == head
    assert len(list(Path(world.hub.objects).glob("??/*"))) == loose
    git(world.hub.path, "fsck", "--full", "--strict")


def test_as_a_job_it_tells_the_same(world: World) -> None:
    """The job's result has the fields of the harvest, as JSON."""
    world.prepare()
    head = commit(world.workspace, {"a": "1"})
    job: dict[str, object] = {
        "job": "harvest",
        "hub": world.hub.path,
        "workspace": str(world.workspace),
        "base": world.base,
        "namespace": "refs/tidegate/run/one/1",
        "author": STAMP._asdict(),
        "message": "m\n",
    }
    result = run_job(world.path / "job", job)
    assert (result["kind"], result["tip"], result["is_empty"]) == ("harvest", head, False)
    assert result["changes"][0]["path"] == "a"
    assert result["changes"][0]["kind"] == "added"


def test_what_is_written_beside_the_workspace_is_a_breach(world: World) -> None:
    """C163: its yard holds nothing but the workspace, so whatever else is there came from it."""
    world.prepare()
    yard = world.workspace.parent
    assert world.harvest(yard=str(yard)).violations == ()
    (yard / "stolen.txt").write_text("out of bounds\n", encoding="utf-8")
    (breach,) = world.harvest(yard=str(yard)).violations
    assert (breach.code, breach.path) == ("outside", "../stolen.txt")
    assert (yard / "stolen.txt").exists(), "evidence is kept"
    assert world.harvest(yard=str(yard), takes_files=False).violations == ()
