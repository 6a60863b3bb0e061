"""A landing that the ledger knows of and the hub has lost is said, and never taken for none."""

import shutil

import pytest

from tests.cli.desk import Desk

pytestmark = pytest.mark.slow


def lose_hub(desk: Desk) -> str:
    """Land one issue, delete the hub, and return the commit that landed."""
    desk.settle("echo $TIDEGATE_ISSUE > part-$TIDEGATE_ISSUE")
    desk.issue(1)
    code, summary = desk.run()
    assert code == 0
    shutil.rmtree(desk.ledger_folder / "hub.git")
    return summary.landed[0].commit


def test_a_lost_landing_is_told_by_land_and_by_run(desk: Desk) -> None:
    """Exit 5 with the run and the commit; no new run begins without what has landed."""
    commit = lose_hub(desk)
    desk.issue(2)
    run = desk.tidegate("status").json["run"]
    for command in (["land"], ["run"], ["land"], ["run"]):
        said = desk.tidegate(*command, "--json")
        assert said.code == 5
        assert said.error.code == "integrity"
        assert run in said.error.message
        assert commit in said.error.message
        assert "hub.git" in said.error.hint
        assert "`tidegate fsck --repair`" in said.error.hint
        assert f"git merge {commit}" in said.error.hint
    assert desk.tidegate("status").json["run"] == run
    assert "--base" in desk.tidegate("run", "--json").error.hint


def test_a_lost_landing_that_was_taken_already_is_no_loss(desk: Desk) -> None:
    """Once the branch has it by the command that was named, both go on as ever."""
    commit = lose_hub(desk)
    desk.git("merge", "-q", commit)
    assert "has all of run" in desk.tidegate("land").out
    desk.issue(2)
    code, summary = desk.run()
    assert code == 0
    assert desk.git("rev-parse", f"{summary.landed[0].commit}^1") == commit


def test_a_start_that_is_named_needs_no_earlier_landing(desk: Desk) -> None:
    """`--base` says where to begin, whatever was lost."""
    commit = lose_hub(desk)
    desk.issue(2)
    code, summary = desk.run("--base", "main")
    assert code == 0
    assert summary.landed[0].commit != commit
