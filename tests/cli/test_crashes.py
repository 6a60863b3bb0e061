"""The controller is killed or told to leave: its agents go on, and nothing is done twice."""

import json
import os
import select
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.desk import Desk
from tests.waiting import let_pass, until
from tidegate.cli.signals import TWICE_S

pytestmark = pytest.mark.slow

WAITER = (
    "echo $TIDEGATE_ATTEMPT.$TIDEGATE_TURN >> {desk}/began; echo early >> part.txt; "
    "git commit -qam early; while test ! -e {desk}/go; do sleep 0.05; done; "
    "echo late >> part.txt; echo $TIDEGATE_ATTEMPT.$TIDEGATE_TURN >> {desk}/ended"
)
"""An agent that commits, waits to be let on, and keeps two side files of what it does."""


def begin(desk: Desk, *arguments: str, lanes: int = 1) -> subprocess.Popen[bytes]:
    """Start a run, and wait until its first agent is at work."""
    desk.settle(WAITER.format(desk=desk.folder), width=1)
    for number in range(1, lanes + 1):
        desk.issue(number)
    process = desk.start("run", *arguments)
    desk.hears("began")
    return process


def test_a_killed_controller_finds_its_agent_and_goes_on_with_it(desk: Desk) -> None:
    """After a kill -9 in mid-lane the agent lives on; it ran once, and its lane lands."""
    process = begin(desk)
    os.killpg(process.pid, signal.SIGKILL)
    assert desk.ended(process).code == -signal.SIGKILL
    assert any("runner" in words for words in desk.living().values())
    assert "nobody is at its controls: `tidegate run` goes on with it" in desk.text("status")
    second = desk.start("run", "--json")
    until(lambda: "controller_took_over" in desk.kinds()[2:])
    desk.let("go")
    said = desk.ended(second)
    assert said.code == 0
    assert [each.issue for each in said.summary.landed] == ["001"]
    assert desk.lines("began") == desk.lines("ended") == ["001-build-1.1"]
    assert desk.kinds().count("landed") == 1


def test_an_agent_that_ended_meanwhile_is_not_started_again(desk: Desk) -> None:
    """What happened while no controller lived is read from the turn's folder."""
    process = begin(desk)
    os.killpg(process.pid, signal.SIGKILL)
    desk.ended(process)
    desk.let("go")
    until(lambda: not desk.living())
    code, summary = desk.run()
    assert code == 0
    assert len(summary.landed) == 1
    assert desk.lines("began") == ["001-build-1.1"]


def test_a_landing_that_was_cut_short_is_finished_once(desk: Desk) -> None:
    """A kill -9 between the intent and the move of the ref: one landing, one commit, exit 0."""
    path = slow_git(desk, at="tidegate: land")
    desk.settle(f"touch {desk.folder}/hold; echo more >> part.txt")
    desk.issue(1)
    process = desk.start("run", env={"PATH": path})
    desk.sees("held")
    os.killpg(process.pid, signal.SIGKILL)
    desk.ended(process)
    assert "landing_intended" in desk.kinds()
    assert "landed" not in desk.kinds()
    desk.let("go")
    code, summary = desk.run()
    assert code == 0
    assert len(summary.landed) == 1
    assert desk.kinds().count("landing_intended") == 1
    assert desk.kinds().count("landed") == 1
    assert desk.git("rev-list", "--count", "--merges", f"tidegate/{summary.run}") == "1"


def slow_git(desk: Desk, *, at: str) -> str:
    """A PATH with a git that waits at such a command, as long as there is a file `hold`."""
    path = desk.folder / "bin" / "git"
    path.parent.mkdir()
    path.write_text(
        f"""#!/bin/sh
if test -e {desk.folder}/hold; then
    case "$*" in *"{at}"*)
        touch {desk.folder}/held
        while test ! -e {desk.folder}/go; do sleep 0.05; done
    esac
fi
exec {shutil.which("git")} "$@"
"""
    )
    path.chmod(0o755)
    return f"{path.parent}:{os.environ['PATH']}"


def test_an_interrupt_before_the_run_has_begun_is_one(desk: Desk) -> None:
    """While the repository is still looked at: exit 130, no trace of the inside, nothing left."""
    desk.settle("echo more >> part.txt")
    desk.issue(1)
    desk.let("hold")
    process = desk.start("run", env={"PATH": slow_git(desk, at="version")})
    desk.sees("held")
    os.kill(process.pid, signal.SIGINT)
    said = desk.ended(process)
    assert said.code == 130
    assert "Traceback" not in said.err
    assert desk.living() == {}
    assert not desk.ledger_folder.exists()


def test_an_interrupt_drains(desk: Desk) -> None:
    """What runs comes to its end and is kept, nothing new starts, exit 130; `run` goes on."""
    process = begin(desk, "--json", lanes=2)
    os.killpg(process.pid, signal.SIGINT)
    desk.let("go")
    said = desk.ended(process)
    assert said.code == 130
    assert "draining" in said.err
    assert [(each.issue, each.waits_for) for each in said.summary.waiting] == [
        ("001", "the run to go on"),
        ("002", "the run to go on"),
    ]
    assert desk.lines("ended") == ["001-build-1.1"]
    assert "harvested" in desk.kinds()
    assert desk.living() == {}
    desk.settle("exit 1")  # the run keeps the configuration that it began with
    code, summary = desk.run()
    assert code in {0, 1}  # the second issue's change meets the first one's
    assert "001" in {each.issue for each in summary.landed}
    assert desk.lines("began")[:2] == ["001-build-1.1", "002-build-1.1"]


def test_a_termination_drains_too(desk: Desk) -> None:
    """TERM is what a service's stop sends: the same as one interrupt, however often it comes."""
    process = begin(desk)
    os.killpg(process.pid, signal.SIGTERM)
    until(lambda: "draining" in _read(process))
    os.killpg(process.pid, signal.SIGTERM)
    desk.let("go")
    assert desk.ended(process).code == 130
    assert desk.lines("ended") == ["001-build-1.1"]


def interrupt_twice(process: subprocess.Popen[bytes]) -> None:
    """Stop a run as a person does: the second time once the first was heard."""
    press(process)
    until(lambda: "draining" in _read(process))
    press(process)


def press(process: subprocess.Popen[bytes]) -> None:
    """Ctrl-C, as fast as a person can press it."""
    os.killpg(process.pid, signal.SIGINT)
    let_pass(2 * TWICE_S)


def _read(process: subprocess.Popen[bytes]) -> str:
    """What stands in a pipe now, without waiting for its end."""
    assert process.stderr is not None
    os.set_blocking(process.stderr.fileno(), False)
    try:
        return (process.stderr.read() or b"").decode()
    finally:
        os.set_blocking(process.stderr.fileno(), True)


def test_a_second_interrupt_stops_the_agents_and_keeps_their_work(desk: Desk) -> None:
    """No process is left, the early commit is in the hub, and the lane is open for the next run."""
    process = begin(desk, "--json")
    until(lambda: "checkpointed" in desk.kinds())
    interrupt_twice(process)
    said = desk.ended(process)
    assert said.code == 130
    assert "stopping the agents" in said.err
    assert desk.living() == {}
    assert desk.lines("ended") == []
    hub = desk.ledger_folder / "hub.git"
    subjects = desk.git("log", "--all", "--format=%s", cwd=hub).splitlines()
    assert "early" in subjects
    desk.let("go")
    code, summary = desk.run()
    assert code == 0
    assert len(summary.landed) == 1
    assert desk.tidegate("show", "001").json["lane"]["fails"] == 0


@pytest.mark.parametrize("where", ["base", "001-build-1"])
def test_a_second_interrupt_stops_a_set_up_too(desk: Desk, where: str) -> None:
    """It may take half an hour. Nothing of it is left, and it costs the issue nothing."""
    set_up = f"case $PWD in */{where}*) touch {desk.folder}/began; sleep 60;; esac"
    desk.settle("echo more >> part.txt", more=f"[workspace]\nsetup = {json.dumps(set_up)}\n")
    desk.issue(1)
    process = desk.start("run", "--json")
    desk.sees("began")
    interrupt_twice(process)
    assert desk.ended(process).code == 130
    assert desk.living() == {}
    assert "job_failed" not in desk.kinds()


def test_a_third_interrupt_leaves_at_once(desk: Desk) -> None:
    """Whatever will not end goes on, and the next run finds it."""
    holds = f"trap '' TERM; echo 1 >> {desk.folder}/began; test -e {desk.folder}/go || sleep 60"
    desk.settle(f"{holds}; echo more >> part.txt")
    desk.issue(1)
    process = desk.start("run")
    desk.hears("began")
    interrupt_twice(process)
    until(lambda: "stopping" in _read(process))
    press(process)
    said = desk.ended(process)
    assert (said.code, "leaving" in said.err) == (130, True)
    desk.let("go")
    assert len(desk.run()[1].landed) == 1


def test_a_hang_up_detaches(desk: Desk) -> None:
    """The controller leaves at once, its agent goes on, and the next run finds it."""
    process = begin(desk)
    os.killpg(process.pid, signal.SIGHUP)
    assert desk.ended(process).code == 130
    assert desk.lines("ended") == []
    assert any("runner" in words for words in desk.living().values())
    desk.let("go")
    code, summary = desk.run()
    assert code == 0
    assert len(summary.landed) == 1
    assert desk.lines("began") == ["001-build-1.1"]


def test_a_hang_up_that_was_ignored_at_the_start_stays_ignored(desk: Desk, tmp_path: Path) -> None:
    """Under nohup a run outlives its terminal and lands its lane."""
    ignoring = tmp_path / "nohup.sh"
    ignoring.write_text("trap '' HUP\nexec \"$@\"\n")
    desk.settle(WAITER.format(desk=desk.folder))
    desk.issue(1)
    process = desk.start("run", "--json", before=("/bin/sh", str(ignoring)))
    desk.hears("began")
    os.killpg(process.pid, signal.SIGHUP)
    desk.let("go")
    said = desk.ended(process)
    assert said.code == 0
    assert len(said.summary.landed) == 1


def test_a_run_in_which_nothing_was_begun_ends_with_its_controller(desk: Desk) -> None:
    """An interrupt during the base's check leaves no run behind that keeps an old configuration."""
    desk.settle("echo more >> part.txt", check=f"touch {desk.folder}/began; sleep 60")
    desk.issue(1)
    process = desk.start("run", "--json")
    desk.sees("began")
    interrupt_twice(process)
    said = desk.ended(process)
    assert said.code == 130
    assert desk.living() == {}
    assert desk.tidegate("status").json["ended_at"]
    desk.settle("echo more >> part.txt")
    code, summary = desk.run()
    assert code == 0
    assert summary.run != said.summary.run


def test_no_further_interrupt_changes_the_exit_code(desk: Desk) -> None:
    """Whoever presses Ctrl-C until it ends gets 130: it is not killed on its way out."""
    process = begin(desk)
    while process.poll() is None:
        os.kill(process.pid, signal.SIGINT)
        select.select([], [], [], 0.001)
    said = desk.ended(process)
    assert said.code == 130
    assert "Traceback" not in said.err
    desk.let("go")
    code, summary = desk.run()
    assert code == 0
    assert len(summary.landed) == 1
