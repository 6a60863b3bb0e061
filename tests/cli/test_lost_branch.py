"""A branch that a run should land on, and that is gone or cannot be: the ways out are named."""

import pytest

from tests.cli.desk import Desk
from tests.cli.shapes import Summary

pytestmark = pytest.mark.slow


def delete_branch(desk: Desk) -> Summary:
    """Land one issue, delete the run's branch while the next works, and return what came of it."""
    desk.settle(
        f"echo x > part-$TIDEGATE_ISSUE; test $TIDEGATE_ISSUE = 001 || {{ touch {desk.folder}/side;"
        f" while test ! -e {desk.folder}/go; do sleep 0.05; done; }}",
        width=1,
    )
    desk.issue(1)
    desk.issue(2)
    process = desk.start("run", "--json")
    desk.sees("side")
    run = desk.tidegate("status").json["run"]
    desk.git("branch", "-q", "-D", f"tidegate/{run}")
    desk.let("go")
    said = desk.ended(process)
    assert said.code == 1
    return said.summary


def test_a_branch_that_was_deleted_can_be_made_again(desk: Desk) -> None:
    """The command that the run names is the whole of the mend."""
    summary = delete_branch(desk)
    assert summary.target is not None
    words = f"git branch tidegate/{summary.run} {summary.target.commit}"
    assert words in summary.note
    assert "tidegate run --anew" in summary.note
    desk.git(*words.split()[1:])
    code, after = desk.run()
    assert code == 0
    assert after.run == summary.run
    assert desk.tidegate("status").json["ended_at"]


def test_a_run_whose_branch_was_deleted_can_be_ended(desk: Desk) -> None:
    """`--anew` ends it, and what it landed is what the next run begins with."""
    summary = delete_branch(desk)
    assert summary.target is not None
    desk.issue(3)
    code, after = desk.run("--anew")
    assert code == 0
    assert after.run != summary.run
    assert desk.git("rev-parse", f"{after.landed[0].commit}^1") == summary.target.commit


@pytest.mark.parametrize("is_late", [False, True])
def test_a_branch_in_the_way_is_told_before_the_run(desk: Desk, *, is_late: bool) -> None:
    """Git cannot have `tidegate` beside `tidegate/<run>`: exit 3 with both remedies."""
    desk.settle("echo $TIDEGATE_ISSUE > part-$TIDEGATE_ISSUE")
    desk.issue(1)
    if is_late:
        _, summary = desk.run()
        desk.git("merge", "-q", f"tidegate/{summary.run}")
        desk.git("branch", "-q", "-D", f"tidegate/{summary.run}")
        desk.issue(2)
    desk.git("branch", "tidegate")
    before = desk.tidegate("status").json["run"]
    said = desk.tidegate("run")
    assert said.code == 3
    assert "there is a branch 'tidegate': rename that: git branch -m tidegate" in said.complaint
    assert "[land] to" in said.complaint
    assert desk.tidegate("status").json["run"] == before
    told = desk.tidegate("doctor", "--no-json")
    assert told.code == 3
    assert "fail  target: no run can land on tidegate/<run>" in told.out
    desk.git("branch", "-q", "-m", "tidegate", "other")
    assert desk.run()[0] == 0


def test_a_branch_of_that_name_is_no_matter_where_a_run_lands_elsewhere(desk: Desk) -> None:
    """With [land] to nothing is made beside it, in the hub no more than in the repository."""
    desk.settle("echo more >> part.txt", more="[land]\nto = 'main'\n")
    desk.issue(1)
    desk.git("branch", "tidegate")
    assert desk.tidegate("doctor").code == 0
    assert desk.run()[0] == 0
    assert desk.tidegate("land").code == 0


def test_a_branch_that_gets_in_the_way_of_a_run_is_named(desk: Desk) -> None:
    """Made while the run works, it holds the delivery up until it is renamed."""
    desk.settle(f"echo x > p; touch {desk.folder}/side; until test -e {desk.folder}/go; do :; done")
    desk.issue(1)
    process = desk.start("run", "--json")
    desk.sees("side")
    desk.git("branch", "tidegate")
    desk.let("go")
    said = desk.ended(process)
    assert said.code == 1
    assert "git branch -m tidegate OTHER" in said.summary.note
    desk.git("branch", "-q", "-m", "tidegate", "other")
    assert desk.run()[0] == 0
