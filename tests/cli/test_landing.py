"""Where proved work goes: to a branch of the run's own, or to yours, and never over your work."""

import os
import signal
import subprocess

import pytest

from tests.cli.desk import Desk
from tests.cli.test_crashes import slow_git

TO_MAIN = "[land]\nto = 'main'\n"


def test_landing_on_the_branch_that_is_checked_out_moves_the_files_too(desk: Desk) -> None:
    """With a clean checkout the run delivers by itself, and `land` has nothing left to do."""
    desk.settle("echo more >> part.txt", more=TO_MAIN)
    desk.issue(1)
    said = desk.tidegate("run")
    assert said.code == 0
    assert said.out.splitlines()[-1].endswith(": 1 landed on main")
    assert (desk.repository / "part.txt").read_text(encoding="utf-8") == "first\nmore\n"
    assert desk.git("status", "--porcelain", "-uno") == ""
    assert desk.tidegate("land", "--json").json["moved"] is False


@pytest.mark.slow
def test_a_dirty_checkout_makes_a_landing_wait_and_nothing_is_overwritten(desk: Desk) -> None:
    """Exit 1 says what is in the way; the same command delivers once it is out of the way."""
    desk.settle("echo more >> part.txt", more=TO_MAIN)
    desk.issue(1)
    base = desk.git("rev-parse", "main")
    (desk.repository / "part.txt").write_text("mine\n", encoding="utf-8")
    code, summary = desk.run()
    assert code == 1
    assert [each.issue for each in summary.landed] == ["001"]
    assert "part.txt" in summary.note
    assert (desk.repository / "part.txt").read_text(encoding="utf-8") == "mine\n"
    assert desk.git("rev-parse", "main") == base
    assert "not delivered yet" in desk.text("status")
    refused = desk.tidegate("land", "--json")
    assert refused.code == 4
    assert "part.txt" in refused.error.message
    assert refused.error.hint.startswith("nothing is lost")
    assert refused.error.hint.endswith("a commit of yours would have to be merged")
    desk.git("checkout", "-q", "part.txt")
    code, summary = desk.run()
    assert code == 0
    assert desk.git("rev-parse", "main") == summary.landed[0].commit
    assert (desk.repository / "part.txt").read_text(encoding="utf-8") == "first\nmore\n"


@pytest.mark.slow
@pytest.mark.parametrize("exists", [True, False])
def test_a_branch_that_is_checked_out_nowhere_moves_alone(desk: Desk, *, exists: bool) -> None:
    """It is fast-forwarded or made; the checkout stays as it is."""
    if exists:
        desk.git("branch", "other")
    desk.settle("echo more >> part.txt", more="[land]\nto = 'other'\n")
    desk.issue(1)
    code, summary = desk.run()
    assert code == 0
    assert desk.git("rev-parse", "other") == summary.landed[0].commit
    assert (desk.repository / "part.txt").read_text(encoding="utf-8") == "first\n"


@pytest.mark.slow
def test_squash_makes_one_commit_of_a_builders_many(desk: Desk) -> None:
    """The landed commit is the base's only child, and its author is the repository's owner."""
    desk.settle(
        "for n in 1 2 3; do echo $n >> part.txt; git commit -qam step-$n; done",
        more="[land]\nstyle = 'squash'\n",
    )
    desk.issue(1, "Count to three")
    _, summary = desk.run()
    commit = summary.landed[0].commit
    assert desk.git("rev-list", "--count", f"main..{commit}") == "1"
    assert desk.git("show", "-s", "--format=%s", commit) == "Count to three"
    assert desk.git("show", "-s", "--format=%cn", commit) == "Owner"


@pytest.mark.slow
def test_a_run_that_landed_nothing_names_the_earlier_one_that_it_built_upon(desk: Desk) -> None:
    """What landed before it and was not taken is not forgotten, until the branch has it."""
    agent = "test $TIDEGATE_ISSUE = 002 || echo more >> part.txt"
    desk.settle(agent, more="[limits]\nfails_max = 1\n")
    desk.issue(1)
    _, first = desk.run()
    desk.issue(2)
    _, second = desk.run()
    assert [each.issue for each in second.stopped] == ["002"]
    nothing = f"nothing has landed in run {second.run}"
    left = f"; what landed in run {first.run} is not in main yet: `tidegate land --run {first.run}`"
    assert desk.text("land") == f"{nothing}{left}\n"
    desk.text("land", "--run", str(first.run))
    assert desk.text("land") == f"{nothing}\n"


@pytest.mark.slow
def test_a_target_that_has_moved_on_is_refused_with_the_way_out(desk: Desk) -> None:
    """Neither `land` nor a new run guesses; the command that they name mends it."""
    desk.settle("echo $TIDEGATE_ISSUE > part-$TIDEGATE_ISSUE")
    desk.issue(1)
    _, summary = desk.run()
    desk.commit("mine.txt", "mine\n")
    refused = desk.tidegate("land", "--json")
    assert refused.code == 4
    assert f"git merge tidegate/{summary.run}" in refused.error.hint
    desk.issue(2)
    again = desk.tidegate("run", "--json")
    assert again.code == 4
    assert f"git merge tidegate/{summary.run}" in again.error.hint
    assert "--base" in again.error.hint
    assert desk.tidegate("status").json["run"] == summary.run
    desk.git("merge", "-q", "-m", "Take it", f"tidegate/{summary.run}")
    code, after = desk.run()
    assert code == 0
    assert after.target is not None
    listed = desk.git("ls-tree", "--name-only", after.target.commit).split()
    assert {"mine.txt", "part-001", "part-002"} <= set(listed)


@pytest.mark.slow
def test_a_new_run_starts_where_it_is_told(desk: Desk) -> None:
    """`--base` goes over everything; a name that is no commit is refused before anything begins."""
    older = desk.git("rev-parse", "main")
    desk.commit("newer.txt", "newer\n")
    desk.settle("echo more >> part.txt")
    desk.issue(1)
    wrong = desk.tidegate("run", "--json", "--base", "no-such-branch")
    assert wrong.code == 2
    assert "no-such-branch" in wrong.error.message
    assert desk.tidegate("status").json["run"] is None
    code, summary = desk.run("--base", older)
    assert code == 0
    assert desk.git("rev-parse", f"{summary.landed[0].commit}^1") == older


@pytest.mark.slow
def test_status_names_the_merge_where_a_landing_would_be_refused(desk: Desk) -> None:
    """It says `tidegate land` only where that can be done."""
    desk.settle("echo more >> part.txt")
    desk.issue(1)
    _, summary = desk.run()
    desk.commit("mine.txt", "mine")
    merge = f"git merge tidegate/{summary.run}"
    told = desk.text("status").splitlines()[-1]
    assert told == f"what landed is not in main, which has moved on: {merge}"
    desk.git(*merge.split()[1:], "--no-edit")
    assert desk.text("status").splitlines()[-1] == "1 landed"


def test_a_landing_on_a_branch_with_commits_of_its_own_names_the_command(desk: Desk) -> None:
    """What landed is not in the user's repository yet, so the remedy says where to pull it from."""
    desk.git("branch", "other")
    desk.settle(
        f"echo more >> part.txt; touch {desk.folder}/side; "
        f"while test ! -e {desk.folder}/go; do sleep 0.05; done",
        more="[land]\nto = 'other'\n",
    )
    desk.issue(1)
    process = desk.start("run", "--json")
    desk.sees("side")
    elsewhere = desk.folder / "elsewhere"
    desk.git("worktree", "add", "-q", str(elsewhere), "other")
    desk.commit("mine.txt", "mine\n", cwd=elsewhere)
    desk.let("go")
    said = desk.ended(process)
    assert said.code == 1
    assert "commits of its own" in said.summary.note
    desk.git("pull", "-q", "--no-rebase", *_pulled(said.summary.note), cwd=elsewhere)
    code, summary = desk.run()
    assert code == 0
    assert summary.note == ""
    assert (elsewhere / "part.txt").read_text(encoding="utf-8") == "first\nmore\n"


def _pulled(note: str) -> list[str]:
    """The repository and the branch that a remedy names."""
    return note.partition("git pull --no-rebase ")[2].split()[:2]


@pytest.mark.slow
def test_what_a_filter_stores_is_what_lands(desk: Desk) -> None:
    """The large-file filter works in workspaces, also where the agent commits nothing itself."""
    desk.commit(".gitattributes", "*.bin filter=lfs\n")
    for key, value in (("clean", "tr a-z A-Z"), ("smudge", "tr A-Z a-z"), ("required", "true")):
        desk.git("config", f"filter.lfs.{key}", value)
    desk.settle("echo content > it.bin", more=TO_MAIN)
    desk.issue(1)
    assert desk.run()[0] == 0
    assert desk.git("show", "main:it.bin") == "CONTENT"
    assert (desk.repository / "it.bin").read_text(encoding="utf-8") == "content\n"
    assert desk.git("status", "--porcelain", "-uno") == ""


def landing(desk: Desk, at: str) -> tuple[subprocess.Popen[bytes], str]:
    """Start a `land` whose git waits at a command; the process, and the commit that it gives."""
    desk.settle("echo more >> part.txt")
    desk.issue(1)
    _, summary = desk.run()
    desk.let("hold")
    process = desk.start("land", env={"PATH": slow_git(desk, at=at)})
    desk.sees("held")
    return process, summary.landed[0].commit


def assert_landed(desk: Desk, commit: str) -> None:
    """Branch, files and index are at the commit, and nothing of ours is left."""
    assert desk.git("rev-parse", "main") == commit
    assert (desk.repository / "part.txt").read_text(encoding="utf-8") == "first\nmore\n"
    assert desk.git("status", "--porcelain", "-uno") == ""
    git_folder = desk.repository / ".git"
    assert not [*git_folder.glob("tidegate-*"), *git_folder.glob("*.lock")]


@pytest.mark.parametrize(
    ("number", "code", "words"),
    [
        (signal.SIGINT, 130, "tidegate: interrupted; the same command goes on from there"),
        (signal.SIGTERM, -signal.SIGTERM, ""),
        (signal.SIGHUP, -signal.SIGHUP, ""),
    ],
)
def test_a_landing_is_not_cut_in_two_by_a_signal(
    desk: Desk, number: signal.Signals, code: int, words: str
) -> None:
    """It is held until the checkout has moved, and honoured then."""
    process, commit = landing(desk, "read-tree")
    os.killpg(process.pid, number)
    desk.let("go")
    said = desk.ended(process)
    assert (said.code, said.err.strip()) == (code, words)
    assert_landed(desk, commit)


@pytest.mark.parametrize("at", ["read-tree", "update-index -q --refresh"])
def test_a_landing_that_was_killed_is_finished_by_the_next(desk: Desk, at: str) -> None:
    """Before the branch has moved or after it: once its git has ended, `land` finishes it."""
    process, commit = landing(desk, at)
    process.kill()
    process.wait()
    begun = desk.start("land", "--json")
    desk.let("go")
    said = desk.ended(begun)
    assert said.code == 0
    assert said.json["moved"] is (at == "read-tree")
    assert_landed(desk, commit)
    assert (
        desk.git("log", "-g", "--format=%gs", "main").splitlines().count("tidegate: deliver") == 1
    )
