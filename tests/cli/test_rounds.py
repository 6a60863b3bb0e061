"""What becomes of a red check: the finding goes back word for word, and the third FAIL stops."""

import pytest

from tests.cli.desk import Desk

FINDING = "line 7: 'Ä' is not <allowed>\n\t{here} and \\n there   "


def test_a_finding_goes_back_word_for_word_and_the_second_round_lands(desk: Desk) -> None:
    """The output of the red check is in the finding's file, in the prompt and in `show`."""
    (desk.folder / "says").write_text(FINDING, encoding="utf-8")
    out = desk.folder
    desk.settle(
        f'cp "$TIDEGATE_FINDING" {out}/finding.$TIDEGATE_ROUND;'
        f'cp "$TIDEGATE_PROMPT" {out}/prompt.$TIDEGATE_ROUND;'
        'if test -s "$TIDEGATE_FINDING"; then echo good > part.txt; else echo bad > part.txt; fi',
        check=f"if grep -q bad part.txt; then cat {out}/says; exit 3; fi",
    )
    desk.issue(1)
    code, summary = desk.run()
    assert code == 0
    assert [each.issue for each in summary.landed] == ["001"]
    assert (out / "finding.1").read_bytes() == b""
    finding = (out / "finding.2").read_text(encoding="utf-8")
    assert FINDING in finding
    assert "[exit code 3]" in finding
    assert finding.rstrip() in (out / "prompt.2").read_text(encoding="utf-8")
    story = desk.tidegate("show", "001").json
    assert [each["text"] for each in story["findings"]] == [finding]
    assert story["lane"]["fails"] == 1
    assert story["target_checks"] == ["001-check-2"]
    assert desk.text("show", "001").count("of the target, without the change") == 1
    assert desk.git("show", f"{summary.landed[0].commit}:part.txt") == "good"


@pytest.mark.slow
def test_the_third_fail_stops_the_lane(desk: Desk) -> None:
    """Exit 1 and the reason; nothing landed, three findings are kept, no issue is asked again."""
    desk.settle("echo bad $TIDEGATE_ROUND >> part.txt")
    desk.issue(1)
    code, summary = desk.run()
    assert code == 1
    assert [(each.lane, each.reason) for each in summary.stopped] == [("001", "STOP at FAIL 3")]
    assert summary.landed == []
    assert summary.target is not None
    assert summary.target.commit == desk.git("rev-parse", "main")
    assert len(desk.tidegate("show", "001").json["findings"]) == 3
    assert "stopped in run" in desk.text("explain", "001")
    again, nothing = desk.run()
    assert again == 0
    assert nothing.run is None
    assert nothing.note.startswith("nothing to do")


@pytest.mark.slow
def test_no_change_is_a_fail_and_is_said_so(desk: Desk) -> None:
    """An agent that ends at once without a change gets EMPTY as its finding, until it stops."""
    desk.settle(f'cat "$TIDEGATE_FINDING" >> {desk.folder}/heard')
    desk.issue(1)
    code, summary = desk.run()
    assert code == 1
    assert [each.reason for each in summary.stopped] == ["STOP at FAIL 3"]
    assert (
        desk.lines("heard")
        == ["Nothing was changed: the tree is the same as the one that was started from."] * 2
    )


@pytest.mark.slow
def test_an_agent_that_fails_hears_its_own_output(desk: Desk) -> None:
    """Another exit code without a report is a FAIL; the next round may do better and land."""
    heard = desk.folder / "heard"
    desk.settle(
        f'cat "$TIDEGATE_FINDING" >> {heard}; echo more >> part.txt;'
        'if test ! -s "$TIDEGATE_FINDING"; then echo out; echo problem >&2; exit 9; fi'
    )
    desk.issue(1)
    code, _ = desk.run()
    assert code == 0
    assert {"The command ended with exit code 9.", "out", "problem"} <= set(desk.lines("heard"))


@pytest.mark.slow
def test_a_check_that_is_red_only_once_costs_no_round(desk: Desk) -> None:
    """A red check runs once more before it counts, where `[check] reruns` says so."""
    desk.settle(
        "echo more >> part.txt",
        check=f"grep -q more part.txt || exit 0; test -e {desk.folder}/seen || "
        f"{{ touch {desk.folder}/seen; exit 1; }}",
    )
    settings = desk.repository / "tidegate.toml"
    text = settings.read_text(encoding="utf-8").replace("reruns = 0", "reruns = 1")
    settings.write_text(text, encoding="utf-8")
    desk.issue(1)
    code, _ = desk.run()
    assert code == 0
    assert desk.tidegate("show", "001").json["lane"]["fails"] == 0
    assert "looked at once more" in desk.text("log")
