"""The owner's standing words, as a person says them and as runs keep to them."""

import pytest

from tests.cli.desk import Desk
from tidegate.ledger.sqlite import SqliteLedger

BAD = "echo bad >> part.txt"
GOOD = "echo $TIDEGATE_ISSUE > part-$TIDEGATE_ISSUE"
ONE_FAIL = "[limits]\nfails_max = 1\n"


def explained(desk: Desk, issue: str) -> tuple[str, str]:
    """How an issue stands, and why."""
    said = desk.tidegate("explain", issue).json
    return said["stand"], said["reason"]


def test_a_stopped_issue_is_taken_again_after_retry(desk: Desk) -> None:
    """`retry 1` opens 001 again; the next run takes it, and what came before stays recorded."""
    desk.settle(BAD, more=ONE_FAIL)
    desk.issue(1)
    code, first = desk.run()
    assert (code, [each.issue for each in first.stopped]) == (1, ["001"])
    assert explained(desk, "1") == ("decided", f"stopped in run {first.run}")
    idle = desk.tidegate("run")
    assert (idle.code, idle.out) == (
        0,
        "nothing to do; stopped before: 001; `tidegate retry 001` opens one again\n",
    )
    assert desk.text("retry", "1") == "issue 001 is open again: `tidegate run` takes it\n"
    desk.settle(GOOD)
    assert explained(desk, "001") == ("next", "nothing is before it")
    assert "nothing is before it (opened again)" in desk.text("queue")
    assert desk.tidegate("next").json["next"][0]["said"]["word"] == "open"
    code, second = desk.run()
    assert (code, [each.issue for each in second.landed]) == (0, ["001"])
    assert desk.text("show", "1").startswith("001: ")
    assert desk.tidegate("status", "--run", str(first.run)).json["outcomes"] == {"stopped": 1}


def test_an_issue_that_stops_anew_is_decided_anew(desk: Desk) -> None:
    """An outcome that is newer than `open` counts; a second `retry` opens it once more."""
    desk.settle(BAD, more=ONE_FAIL)
    desk.issue(1)
    desk.run()
    desk.text("retry", "001", "--reason", "the check was wrong")
    _, second = desk.run()
    assert explained(desk, "001") == ("decided", f"stopped in run {second.run}")
    assert desk.tidegate("explain", "001").json["said"]["reason"] == "the check was wrong"
    assert "stopped before: 001" in desk.tidegate("run").out
    assert desk.tidegate("retry", "001").code == 0


def test_retry_refuses_what_is_not_closed(desk: Desk) -> None:
    """What landed, is open anyway or does not exist is named, and then nothing at all is opened."""
    desk.settle(GOOD)
    desk.issue(1)
    _, run = desk.run()
    desk.issue(2)
    landed = desk.tidegate("retry", "--json", "1")
    assert landed.code == 4
    assert landed.error.message == f"issue 001 landed in run {run.run}"
    assert "tidegate rule 001 open" in landed.error.hint
    opened = desk.tidegate("retry", "--json", "002")
    assert (opened.code, opened.error.message) == (4, "issue 002 is open: nothing came of it yet")
    unknown = desk.tidegate("retry", "--json", "20")
    assert (unknown.code, unknown.error.message) == (2, "there is no issue '20'")
    desk.text("rule", "2", "refused", "--reason", "no")
    assert desk.tidegate("retry", "2", "1").code == 4
    assert explained(desk, "002")[0] == "ruled"


@pytest.mark.parametrize("word", ["gated", "deferred", "refused"])
def test_a_ruled_issue_is_not_taken_until_open_is_said(desk: Desk, word: str) -> None:
    """D18: it is skipped by every run and by `next`, with the owner's reason, until `open`."""
    desk.settle(GOOD)
    desk.issue(1)
    desk.issue(2)
    told = desk.text("rule", "1", word, "--reason", "after the release")
    assert told == (
        f"issue 001 is {word}: it is not taken until you say open: `tidegate retry 001`\n"
    )
    assert explained(desk, "1") == ("ruled", f"the owner ruled it {word}: after the release")
    assert desk.text("next") == "002\n"
    code, run = desk.run()
    assert (code, [each.issue for each in run.landed]) == (0, ["002"])
    waits = f"the owner's word (it is {word})"
    assert [(each.issue, each.waits_for) for each in run.waiting] == [("001", waits)]
    again = desk.tidegate("run")
    assert (again.code, again.out) == (0, f"waiting  001  for {waits}\nnothing to do\n")
    desk.text("rule", "001", "open", "--reason", "it is out")
    assert [each.issue for each in desk.run()[1].landed] == ["001"]


def test_open_takes_even_what_landed(desk: Desk) -> None:
    """`rule ISSUE open` takes an issue again whatever came of it."""
    desk.settle("echo more >> part.txt")
    desk.issue(1)
    desk.run()
    desk.text("rule", "1", "open", "--reason", "do it twice")
    _, again = desk.run()
    assert [each.issue for each in again.landed] == ["001"]


def test_a_word_needs_a_reason_and_a_known_issue(desk: Desk) -> None:
    """Without a reason, or for an issue that nobody wrote, nothing is recorded."""
    desk.settle(GOOD)
    desk.issue(1)
    for words, said in (
        (("rule", "1", "gated"), "a word needs its reason: say it: --reason TEXT"),
        (("rule", "1", "gated", "--reason", " "), "a word needs its reason: say it: --reason TEXT"),
        (("rule", "7", "gated", "--reason", "x"), "there is no issue '7'"),
    ):
        done = desk.tidegate(*words)
        assert done.code == 2
        assert done.complaint.startswith(said)
    assert desk.tidegate("rule", "1", "maybe", "--reason", "x").code == 2
    assert not desk.ledger_folder.exists()


def test_a_reason_is_kept_without_secrets(desk: Desk) -> None:
    """A secret in a reason is masked before it is stored, and in what is answered."""
    secret = "sk-ant-api03-" + "A1b2C3d4" * 6
    desk.settle(GOOD)
    desk.issue(1)
    said = desk.tidegate("rule", "1", "gated", "--reason", f"needs {secret}", "--json")
    assert said.json[0]["reason"] == "needs [masked:anthropic-key]"
    with SqliteLedger.open_read_only(desk.ledger_folder) as ledger:
        (word,) = ledger.words()
    assert (word.reason, word.actor) == ("needs [masked:anthropic-key]", "Owner")


def test_what_is_under_way_is_explained_and_not_taken_twice(desk: Desk) -> None:
    """D17: a claimed issue is skipped; its stage, since when and what it waits for are told.

    Without its controller it is handed over, and `run` takes it up again.
    """
    wait = f"touch {desk.folder}/at-work; while ! test -e {desk.folder}/go; do sleep 0.05; done"
    desk.settle(f"{wait}; {GOOD}", width=1)
    desk.issue(1)
    process = desk.start("run", "--json")
    desk.sees("at-work")
    said = desk.tidegate("explain", "1").json
    assert (said["stand"], said["lane"], said["stage"]) == ("under_way", "001", "building")
    assert said["since"]
    assert said["waits_for"] == "the end of 001-build-1's turn"
    taken = desk.tidegate("next", "--no-json")
    assert (taken.code, taken.out) == (1, "")
    assert "001: it is under way in lane 001: building" in taken.complaint
    refused = desk.tidegate("retry", "1")
    assert (refused.code, refused.complaint.split(":")[0]) == (
        4,
        "issue 001 is under way in lane 001",
    )
    process.kill()
    desk.ended(process)
    said = desk.tidegate("explain", "001").json
    assert (said["stand"], said["is_next"]) == ("handed_over", False)
    assert said["waits_for"] == "a controller: `tidegate run` takes it up again"
    assert "it is handed over in lane 001 (building)" in desk.tidegate("next").err
    path = desk.repository / ".tidegate" / "issues" / "001-issue.md"
    aside = path.rename(desk.folder / "aside.md")
    gone = desk.tidegate("explain", "1").json
    assert (gone["stand"], gone["title"]) == ("handed_over", "Change a part")
    aside.rename(path)
    desk.let("go")
    code, summary = desk.run()
    assert (code, [each.issue for each in summary.landed]) == (0, ["001"])


def test_a_run_that_is_under_way_hears_a_word(desk: Desk) -> None:
    """What is ruled while a run works is not taken by it, and what is opened again is.

    The issue that stopped gets a further lane in the same run.
    """
    agent = (
        f"echo $TIDEGATE_LANE >> {desk.folder}/lanes; case $TIDEGATE_LANE in"
        f" 001) {BAD};;"
        f" 002) while ! test -e {desk.folder}/go; do sleep 0.05; done; {GOOD};;"
        f" *) {GOOD};; esac"
    )
    desk.settle(agent, width=1, more=ONE_FAIL)
    for number in (1, 2, 3):
        desk.issue(number)
    process = desk.start("run", "--json")
    desk.hears("lanes", 2)
    desk.text("rule", "3", "deferred", "--reason", "not now")
    assert (
        desk.text("retry", "1") == "issue 001 is open again: the run that is under way takes it\n"
    )
    desk.let("go")
    said = desk.ended(process)
    assert desk.lines("lanes") == ["001", "002", "001-2"]
    assert sorted(each.issue for each in said.summary.landed) == ["001", "002"]
    assert (said.code, said.summary.stopped) == (0, [])
    assert explained(desk, "001")[1].startswith("landed in run ")
    assert explained(desk, "003")[0] == "ruled"
