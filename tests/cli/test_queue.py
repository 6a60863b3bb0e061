"""The order in which issues are taken, and what waits for what."""

import pytest

from tests.cli.desk import Desk


@pytest.mark.slow
def test_needs_come_first_and_then_the_higher_priority(desk: Desk) -> None:
    """`explain` shows the order that the run then keeps."""
    desk.settle(
        f"echo $TIDEGATE_ISSUE >> {desk.folder}/order; echo x > part-$TIDEGATE_ISSUE", width=1
    )
    desk.issue(1, front="needs: [003]\n")
    desk.issue(2, front="priority: 5\n")
    desk.issue(3)
    assert [(each["issue"], each["is_next"]) for each in desk.tidegate("explain").json] == [
        ("002", True),
        ("001", False),
        ("003", False),
    ]
    code, summary = desk.run()
    assert code == 0
    assert desk.lines("order") == ["002", "003", "001"]
    assert {each.issue for each in summary.landed} == {"001", "002", "003"}


@pytest.mark.slow
def test_what_needs_a_stopped_issue_waits_and_begins_no_run(desk: Desk) -> None:
    """It is named with what it waits for and exits 1; a further run is not even begun."""
    desk.settle("echo bad >> part.txt", more="[limits]\nfails_max = 1\n")
    desk.issue(1)
    desk.issue(2, front="needs: [001]\n")
    code, summary = desk.run()
    assert code == 1
    assert [(each.issue, each.waits_for) for each in summary.waiting] == [("002", "issue 001")]
    again, nothing = desk.run()
    assert again == 1
    assert nothing.run is None
    assert nothing.waiting == summary.waiting
    assert desk.tidegate("status").json["run"] == summary.run
    assert "it needs issue 001 (stopped)" in desk.text("explain", "002")


def test_one_row_tells_of_all_that_wait_for_the_same(desk: Desk) -> None:
    """Fifty issues that wait for one are one line and not fifty."""
    desk.settle("echo more >> part.txt", check="false")
    for number in (1, 2, 3):
        desk.issue(number)
    said = desk.tidegate("run")
    assert said.code == 3
    assert said.out.splitlines()[0] == "waiting  001, 002, 003  for the next run"


@pytest.mark.slow
def test_a_further_run_builds_upon_what_landed_before(desk: Desk) -> None:
    """Though nobody has taken the earlier run's work into the branch yet."""
    desk.settle("echo $TIDEGATE_ISSUE >> part.txt")
    desk.issue(1)
    _, first = desk.run()
    desk.issue(2)
    code, second = desk.run()
    assert code == 0
    assert second.run != first.run
    assert second.target is not None
    assert desk.git("show", f"{second.target.commit}:part.txt") == "first\n001\n002"
    assert desk.git("merge-base", "--is-ancestor", first.landed[0].commit, second.target.ref) == ""
