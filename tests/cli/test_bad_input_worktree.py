"""Started from where people also are: a sub-folder, a linked worktree, a workspace, a git hook."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.desk import TIDEGATE as COMMAND
from tests.cli.desk import Desk

pytestmark = pytest.mark.slow


def test_a_sub_folder_is_as_good_as_the_root(desk: Desk) -> None:
    """G8-07: one state for the whole repository, and no file where the person stands."""
    below = desk.repository / "a" / "b"
    below.mkdir(parents=True)
    desk.settle("echo more >> part.txt")
    desk.issue(1)
    said = desk.tidegate("run", "--json", cwd=below)
    assert said.code == 0
    assert len(said.summary.landed) == 1
    assert desk.tidegate("status").json["outcomes"] == {"landed": 1}
    assert list(below.iterdir()) == []


def test_a_linked_worktree_shares_the_ledger(desk: Desk) -> None:
    """G8-07: what one sees the other sees; a run there starts from its own branch, lands on it."""
    desk.settle("echo $TIDEGATE_ISSUE >> part.txt")
    desk.issue(1)
    desk.git("add", "-A")
    desk.git("commit", "-q", "-m", "Set up")
    worktree = desk.folder / "worktree"
    desk.git("worktree", "add", "-q", "-b", "side", str(worktree))
    before = desk.git("rev-parse", "main")
    said = desk.tidegate("run", "--json", cwd=worktree)
    assert said.code == 0
    assert desk.tidegate("status").json == desk.tidegate("status", cwd=worktree).json
    assert not (worktree / ".git" / "tidegate").exists()
    assert desk.tidegate("land", cwd=worktree).code == 0
    assert (worktree / "part.txt").read_text(encoding="utf-8") == "first\n001\n"
    assert desk.git("rev-parse", "main") == before
    assert (desk.repository / "part.txt").read_text(encoding="utf-8") == "first\n"


def test_a_workspace_of_ours_is_refused(desk: Desk) -> None:
    """G8-07: an agent that calls `tidegate` in its workspace changes nothing, and is told so."""
    call = " ".join(COMMAND)
    desk.settle(
        f"echo more >> part.txt; {call} status --json > {desk.folder}/status; "
        f"{call} run > {desk.folder}/run 2>&1; echo $? > {desk.folder}/code",
        more="[env]\nallow = ['PATH', 'HOME', 'PYTHONPATH', 'LC_*']\n",
    )
    desk.issue(1)
    code, summary = desk.run()
    assert code == 0
    error = json.loads((desk.folder / "status").read_text(encoding="utf-8"))["error"]
    assert error["code"] == "inside_workspace"
    assert str(desk.repository) in error["hint"]
    assert desk.lines("code") == ["2"]
    assert desk.lines("run")[0].startswith("tidegate: ")
    assert desk.kinds().count("run_started") == 1
    assert len(summary.landed) == 1


def test_variables_of_a_hook_lead_nowhere(desk: Desk, tmp_path: Path) -> None:
    """Run from a hook of another repository, with all that git exports there: G3-01.

    The outer repository is the same byte for byte, and the work is in the one that was named.
    """
    outer = tmp_path / "outer"
    desk.git("init", "-q", "-b", "main", str(outer))
    desk.commit("outer.txt", "outer\n", cwd=outer)
    before = _bytes(outer)
    leaked = {
        "GIT_DIR": f"{outer}/.git",
        "GIT_WORK_TREE": str(outer),
        "GIT_INDEX_FILE": f"{outer}/.git/index",
        "GIT_OBJECT_DIRECTORY": f"{outer}/.git/objects",
        "GIT_COMMON_DIR": f"{outer}/.git",
        "GIT_PREFIX": "",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.worktree",
        "GIT_CONFIG_VALUE_0": str(outer),
        "GIT_AUTHOR_NAME": "Leaked",
    }
    desk.settle(
        f"env | grep ^GIT_ > {desk.folder}/seen; echo more >> part.txt; git commit -qam work",
        more="[env]\nallow = ['PATH', 'HOME', 'GIT_*']\n",
    )
    desk.issue(1)
    said = desk.tidegate("run", "--json", env=leaked)
    assert said.code == 0
    assert _bytes(outer) == before
    assert not any(str(outer) in line for line in desk.lines("seen") if "VALUE" not in line)
    commit = said.summary.landed[0].commit
    assert desk.git("show", f"{commit}:part.txt") == "first\nmore"
    assert desk.tidegate("land", "--json", env=leaked).json["moved"] is True
    assert _bytes(outer) == before


def _bytes(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_real_hook_can_start_a_run(desk: Desk) -> None:
    """A post-commit hook that runs `tidegate` over its own repository does no harm to it."""
    desk.settle("echo more >> part.txt")
    desk.issue(1)
    hook = desk.repository / ".git" / "hooks" / "post-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f'#!/bin/sh\n{" ".join(COMMAND)} run --json > "{desk.folder}/said"\n')
    hook.chmod(0o755)
    subprocess.run(
        ("git", "commit", "-q", "--allow-empty", "-m", "Start the hook"),
        cwd=desk.repository,
        env=desk.environment(),
        check=True,
    )
    summary = json.loads((desk.folder / "said").read_text(encoding="utf-8"))
    assert len(summary["landed"]) == 1
    assert desk.git("status", "--porcelain", "-uno") == ""
    assert desk.git("fsck", "--no-dangling") == ""
