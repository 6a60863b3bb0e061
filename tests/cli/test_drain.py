"""A durable drain: whatever it comes into, nothing begins before it is lifted, and then it ends."""

import json
import os
import signal
import subprocess
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from tests.cli.desk import CHECK, Desk
from tests.cli.test_crashes import slow_git
from tests.cli.test_ruling import PASS, judge
from tests.waiting import until

pytestmark = pytest.mark.slow

EDIT = "echo more >> part.txt"
HOLDS = "touch {desk}/held; while test ! -e {desk}/go; do sleep 0.05; done; "
BEGINNINGS = {"lane_opened", "requested", "dispatched", "turn_opened", "landing_intended"}


@dataclass(frozen=True)
class Moment:
    """What is under way when the drain comes: how it is brought about, and the event it ends in."""

    settle: Callable[[Desk, str], None]
    ends: str


def _check(desk: Desk, holds: str) -> None:
    """The check of the change, and not of the base, waits."""
    desk.settle(EDIT, check=f"{CHECK}; if grep -q more part.txt; then {holds} fi", width=1)


def _landing(desk: Desk, holds: str) -> None:
    """The git that moves the target waits."""
    desk.settle(f"touch {desk.folder}/hold; {EDIT}", width=1)
    del holds


MOMENTS = {
    "build": Moment(lambda desk, holds: desk.settle(f"{holds}{EDIT}", width=1), "harvested"),
    "check": Moment(_check, "judged"),
    "verify": Moment(
        lambda desk, holds: desk.settle(EDIT, width=1, more=judge("verify", holds + PASS)),
        "judged",
    ),
    "landing": Moment(_landing, "landed"),
}


def begin(desk: Desk, moment: Moment) -> subprocess.Popen[bytes]:
    """A run over two issues, in the middle of this."""
    moment.settle(desk, HOLDS.format(desk=desk.folder))
    path = slow_git(desk, at="tidegate: land")
    desk.issue(1)
    desk.issue(2)
    process = desk.start("run", "--json", env={"PATH": path})
    desk.sees("held")
    return process


def beginnings_since_the_drain(desk: Desk) -> list[str]:
    """What began after the run was drained."""
    kinds = desk.kinds()
    return [kind for kind in kinds[kinds.index("drain_asked") :] if kind in BEGINNINGS]


@pytest.mark.parametrize("name", MOMENTS)
def test_a_drain_in_the_middle_of_anything(desk: Desk, name: str) -> None:
    """D23, D26: what runs ends and is recorded, nothing begins, also after two restarts."""
    moment = MOMENTS[name]
    process = begin(desk, moment)
    said = desk.tidegate("drain", "an upgrade", "--no-json")
    assert (said.code, "nothing new begins" in said.out) == (0, True)
    os.killpg(process.pid, signal.SIGKILL)
    desk.ended(process)
    second = desk.start("run", "--json", env={"PATH": f"{desk.folder}/bin:{os.environ['PATH']}"})
    until(lambda: desk.kinds().count("controller_took_over") == 2, within_s=60)
    desk.let("go")
    ended = desk.ended(second)
    assert (ended.code, moment.ends in desk.kinds()) == (1, True)
    assert "by owner (an upgrade): `tidegate undrain` lifts it" in ended.summary.note
    assert beginnings_since_the_drain(desk) == []
    third, summary = desk.run()
    assert (third, "is drained since" in summary.note) == (1, True)
    assert beginnings_since_the_drain(desk) == []
    assert desk.living() == {}
    assert desk.tidegate("undrain").code == 0
    code, summary = desk.run()
    landed = {each.issue for each in summary.landed}
    assert ("001" in landed, code in {0, 1}) == (True, True), summary
    assert desk.kinds().count("landed") == len(landed)


def test_a_drain_is_seen_wherever_one_looks(desk: Desk) -> None:
    """`status`, `explain`, `next`, `run --dry-run` say since when, by whom, and what lifts it."""
    process = begin(desk, MOMENTS["build"])
    desk.tidegate("drain", "an upgrade")
    desk.let("go")
    desk.ended(process)
    words = "by owner (an upgrade): `tidegate undrain` lifts it"
    for look in (("status",), ("explain",), ("explain", "002"), ("run", "--dry-run")):
        said = desk.tidegate(*look, "--no-json")
        assert words in " ".join(said.out.split()), look
    asked = desk.tidegate("next", "--no-json")
    assert (asked.code, asked.err.count(words)) == (1, 1)
    (line,) = [each for each in desk.tidegate("explain").json if each["issue"] == "002"]
    assert line["stand"] == "drained"


def test_a_drain_is_refused_where_it_makes_no_sense(desk: Desk) -> None:
    """Without a run, twice, lifted where there is none, and by an agent: exit 4 each."""
    assert "no run is under way" in desk.tidegate("drain").err
    process = begin(desk, MOMENTS["build"])
    assert desk.tidegate("undrain").code == 4
    assert desk.tidegate("drain").code == 0
    again = desk.tidegate("drain")
    assert (again.code, "is drained already" in again.err) == (4, True)
    agent = desk.tidegate("undrain", env={"TIDEGATE_ATTEMPT": "001-build-1"})
    assert (agent.code, "rules nothing" in agent.err) == (4, True)
    desk.let("go")
    desk.ended(process)


def test_waiting_for_a_drain_is_waiting_for_agents_without_a_controller_too(desk: Desk) -> None:
    """It returns when the last of them is over, and not when the controller has died."""
    process = begin(desk, MOMENTS["build"])
    waits = desk.start("drain", "--wait", "--no-json")
    until(lambda: desk.tidegate("status").json["drained"], within_s=60)
    os.killpg(process.pid, signal.SIGKILL)
    desk.ended(process)
    assert any("runner" in words for words in desk.living().values())
    assert waits.poll() is None
    desk.let("go")
    said = desk.ended(waits)
    assert (said.code, said.out) == (0, "nothing is under way\n")
    assert "waiting for 1 at work" in said.err
    assert not any("runner" in words for words in desk.living().values())
    again = desk.tidegate("drain", "--wait", "--no-json")
    assert (again.code, again.out) == (0, "nothing is under way\n"), "a drained run is waited for"


def test_a_controller_at_work_goes_on_once_its_drain_is_lifted(desk: Desk) -> None:
    """It was not to leave: lifted in time, nothing has changed."""
    process = begin(desk, MOMENTS["build"])
    desk.tidegate("drain")
    desk.tidegate("undrain")
    desk.let("go")
    assert desk.ended(process).code in {0, 1}
    assert "landed" in desk.kinds()
    assert desk.kinds().count("controller_took_over") == 1


def test_a_drained_run_is_abandoned_as_any_other(desk: Desk) -> None:
    """`--anew` ends it, and the next one is not drained."""
    process = begin(desk, MOMENTS["build"])
    desk.tidegate("drain")
    desk.let("go")
    desk.ended(process)
    desk.settle(f"echo $TIDEGATE_ISSUE >> $TIDEGATE_ISSUE.txt; echo {json.dumps('x')}", width=1)
    code, summary = desk.run("--anew")
    assert (code, len(summary.landed)) == (0, 2)
