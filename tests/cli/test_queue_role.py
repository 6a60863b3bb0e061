"""The queue role: a command of the owner's orders the issues, and a fault of it orders nothing."""

import json

import pytest

from tests.cli.desk import Desk

GOOD = "echo $TIDEGATE_ISSUE >> {folder}/order; echo x > part-$TIDEGATE_ISSUE"


def settle(desk: Desk, command: str, *, timeout_s: float = 20) -> None:
    """A repository with four issues and a queue role."""
    more = f"[roles.queue]\ncommand = {json.dumps(command)}\ntimeout_s = {timeout_s}\n"
    desk.settle(GOOD.format(folder=desk.folder), width=1, more=more)
    for number in (1, 2, 3, 4):
        desk.issue(number, front="priority: 9\n" if number == 1 else "")


def test_the_role_orders_the_run(desk: Desk) -> None:
    """B05: its order wins over priority, what it leaves out comes after, and needs win over all."""
    settle(desk, f"cat > {desk.folder}/asked; echo '003 it blocks two'; echo 002")
    desk.issue(3, front="needs: [004]\n")
    code, _ = desk.run()
    assert code == 0
    asked = [json.loads(line)["id"] for line in desk.lines("asked")]
    assert asked == ["001", "002", "003", "004"]
    assert desk.lines("order") == ["002", "001", "004", "003"]


def test_to_look_asks_nobody(desk: Desk) -> None:
    """`queue` and `next` show the order that the role gave last, and never run it."""
    settle(desk, f"echo asked >> {desk.folder}/asked; echo '004 first'; echo 003")
    assert desk.text("next") == "001\n"
    assert desk.lines("asked") == []
    assert desk.run("--max", "1")[0] == 0
    assert desk.lines("order") == ["004"]
    assert desk.lines("asked") == ["asked"]
    shown = desk.tidegate("queue").json
    assert [each["issue"] for each in shown] == ["004", "003", "001", "002"]
    assert desk.text("next") == "003\n"
    assert desk.lines("asked") == ["asked"]


def test_a_dry_run_asks_as_the_run_would(desk: Desk) -> None:
    """It shows the reason that the role gives, and keeps nothing of it."""
    settle(desk, "echo '003 it blocks two'")
    said = desk.tidegate("run", "--dry-run", "--json").json
    assert [(each["issue"], each["note"]) for each in said["starts"]] == [("003", "it blocks two")]
    assert not desk.ledger_folder.exists()


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("echo 002; exit 3", "it ended with code 3"),
        ("echo 002; echo 017", "line 2: '017' is no open issue"),
        ("echo 002; sleep 1000", "it took longer than 1 s"),
        ("yes 002", "it printed more than 1048576 bytes"),
    ],
)
def test_a_fault_of_the_role_orders_nothing(desk: Desk, command: str, reason: str) -> None:
    """B05: the run goes on in the order that there is without it, and one line says why."""
    settle(desk, command, timeout_s=1)
    said = desk.tidegate("run", "--json", "--max", "2")
    assert said.code == 0
    assert f"the queue role gave no order, so priority decides: {reason}" in said.err
    assert desk.lines("order") == ["001", "002"]


def test_issues_that_were_added_are_ordered_anew(desk: Desk) -> None:
    """While a run works the role is asked again once there is something new to order."""
    order = f"cat > {desk.folder}/asked; cat {desk.folder}/wanted"
    settle(desk, order)
    for name, text in (("wanted", "004\n"), ("wanted-later", "006\n005\n")):
        (desk.folder / name).write_text(text, encoding="utf-8")
    add = (
        f"if test $TIDEGATE_ISSUE = 003; then cp {desk.folder}/wanted-later {desk.folder}/wanted;"
        f" for n in 5 6; do sed s/x/x/ {desk.repository}/.tidegate/issues/004-issue.md"
        f" > {desk.repository}/.tidegate/issues/00$n-issue.md; done; fi; "
    )
    path = desk.repository / "tidegate.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"echo $TIDEGATE_ISSUE', f'"{add}echo $TIDEGATE_ISSUE'))
    code, _ = desk.run()
    assert code == 0
    assert desk.lines("order") == ["004", "001", "002", "003", "006", "005"]
