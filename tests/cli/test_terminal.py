"""A run in a real terminal: what Ctrl-C does, what is drawn, and what no terminal can do to it."""

import re

import pytest

from tests.cli.desk import Desk
from tests.cli.terminal import Terminal
from tests.cli.test_crashes import WAITER
from tests.waiting import until

pytestmark = pytest.mark.slow


def working(desk: Desk) -> Terminal:
    """A run in a terminal, with its first agent at work."""
    desk.settle(WAITER.format(desk=desk.folder), width=1)
    desk.issue(1, "A title that is far too long for one line of a terminal of eighty columns")
    terminal = Terminal.running(desk, "run")
    desk.hears("began")
    return terminal


def test_one_ctrl_c_drains_and_the_agent_never_sees_it(desk: Desk) -> None:
    """G2-19: the terminal signals its whole foreground group; agents are not in it."""
    terminal = working(desk)
    terminal.press("\x03")
    terminal.sees("draining")
    desk.let("go")
    assert terminal.code() == 130
    assert desk.lines("ended") == ["001-build-1.1"]


def test_a_second_ctrl_c_stops(desk: Desk) -> None:
    """Exit 130, no process is left, and the ledger has a whole story."""
    terminal = working(desk)
    terminal.press("\x03")
    terminal.sees("draining")
    terminal.press("\x03")
    terminal.sees("stopping")
    assert terminal.code() == 130
    assert desk.living() == {}
    assert desk.lines("ended") == []
    assert desk.kinds()[-1] != "turn_started"


def test_closing_the_window_detaches(desk: Desk) -> None:
    """G2-18: the hang-up leaves the agent at work, and the next run lands what it makes."""
    terminal = working(desk)
    terminal.close()
    terminal.process.wait(30)
    assert any("runner" in words for words in desk.living().values())
    desk.let("go")
    code, summary = desk.run()
    assert code == 0
    assert len(summary.landed) == 1
    assert desk.lines("began") == ["001-build-1.1"]


def test_two_ctrl_c_within_a_second_stop(desk: Desk) -> None:
    """G2-19: both reach the controller alone; its runner ends the agent, which is no failure."""
    terminal = working(desk)
    terminal.press("\x03")
    terminal.press("\x03")
    terminal.sees("stopping")
    assert terminal.code() == 130
    assert desk.living() == {}
    assert desk.tidegate("show", "001").json["lane"]["fails"] == 0
    desk.let("go")
    assert len(desk.run()[1].landed) == 1


def test_three_ctrl_c_in_the_grace_leave_no_group_behind(desk: Desk) -> None:
    """G2-19: the controller is gone at once, its runner goes on to KILL, the ledger is whole."""
    stubborn = f"trap '' TERM INT HUP; echo 1 >> {desk.folder}/began; test -e {desk.folder}/go || "
    desk.settle(f"{stubborn}sleep 600; echo more >> part.txt", width=1)
    desk.issue(1)
    terminal = Terminal.running(desk, "run")
    desk.hears("began")
    for words in ("draining", "stopping", "leaving"):
        terminal.press("\x03")
        terminal.sees(words)
    assert terminal.code() == 130
    until(lambda: desk.living() == {}, within_s=60)
    desk.let("go")
    code, summary = desk.run()
    assert (code, len(summary.landed)) == (0, 1)


@pytest.mark.parametrize("keys", ["", "\x13"])
def test_under_nohup_a_run_outlives_its_terminal(desk: Desk, keys: str) -> None:
    """G2-18: an inherited SIG_IGN is kept; a terminal that is gone or stopped is no matter."""
    ignoring = desk.folder / "nohup.sh"
    ignoring.write_text("trap '' HUP\nexec \"$@\"\n")
    desk.settle(WAITER.format(desk=desk.folder), width=1)
    desk.issue(1)
    terminal = Terminal.running(desk, "run", before=("/bin/sh", str(ignoring)))
    desk.hears("began")
    terminal.press(keys)
    terminal.close()
    desk.let("go")
    until(lambda: "run_ended" in desk.kinds(), within_s=60)
    assert terminal.process.wait(30) == 0
    assert desk.lines("began") == desk.lines("ended") == ["001-build-1.1"]


def test_a_stopped_terminal_does_not_hold_up_a_run(desk: Desk) -> None:
    """Ctrl-S stops the output; the lane lands all the same, and Ctrl-Q shows the result."""
    terminal = working(desk)
    terminal.press("\x13")
    desk.let("go")
    until(lambda: "run_ended" in desk.kinds(), within_s=60)
    terminal.press("\x11")
    assert terminal.code() == 0
    assert "1 landed" in terminal.text


def test_time_is_seen_to_pass_while_nothing_happens(desk: Desk) -> None:
    """The lane's line is redrawn each second with the time that its stage has taken."""
    terminal = working(desk)
    terminal.sees("building  0:02")
    desk.let("go")
    assert terminal.code() == 0
    assert {"building  0:00", "building  0:01"} <= set(
        re.findall(r"building +\d:\d\d", terminal.text)
    )


@pytest.mark.parametrize("columns", [40, 80])
def test_ids_are_never_cut(desk: Desk, columns: int) -> None:
    """However narrow it is, the ids of lanes and attempts, and the run's, are shown whole."""
    desk.settle("echo more >> part.txt")
    desk.issue(1, "短い題名 and a title that is far too long for one line of any terminal there is")
    terminal = Terminal.running(desk, "run", columns=columns)
    assert terminal.code() == 0
    run = desk.tidegate("status").json["run"]
    for words in ("001  ", "001-build-1", "001-check-1", f"tidegate/{run}"):
        assert words in terminal.text
    widths = [len(line) for line in re.findall(r"\x1b\[2m([^\x1b]*)\x1b\[0m", terminal.text)]
    assert max(widths) <= columns


def test_colours_are_left_out_where_they_are_not_wanted(desk: Desk) -> None:
    """NO_COLOR is heeded, and a dumb terminal gets plain lines."""
    desk.settle("echo more >> part.txt")
    desk.issue(1)
    plain = Terminal.running(desk, "run", NO_COLOR="1")
    assert plain.code() == 0
    assert not re.search(r"\x1b\[(\d+;)*3\dm", plain.text)
    desk.issue(2)
    dumb = Terminal.running(desk, "run", TERM="dumb")
    assert dumb.code() == 0
    assert "\x1b" not in dumb.text
    assert "002-build-1 works" in dumb.text
