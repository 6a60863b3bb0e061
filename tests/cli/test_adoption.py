"""Controllers and runners that die, freeze or come back: adopted, heard, or replaced once."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.cli.desk import Desk
from tests.waiting import until

pytestmark = pytest.mark.slow

WORKER = """\
echo $TIDEGATE_ATTEMPT.$TIDEGATE_TURN >> {desk}/began
n=0
while test $n -lt 400; do
    n=$((n+1))
    sha256sum part.txt >> sums-$TIDEGATE_ISSUE.txt
    test $((n % 10)) -ne 0 || {{ git add -A && git commit -qm "step $n"; echo "step $n"; }}
    test ! -e {desk}/finish-$TIDEGATE_ISSUE || break
done
while test ! -e {desk}/finish-$TIDEGATE_ISSUE; do sleep 0.05; done
printf 'done after %s steps\\n' $n > $TIDEGATE_REPORT
echo $TIDEGATE_ATTEMPT.$TIDEGATE_TURN >> {desk}/ended
"""
"""An agent that hashes, commits as it goes, reports, and keeps two side files of what it does."""


def begin(desk: Desk, lanes: int, *, missed: int = 10) -> "subprocess.Popen[bytes]":
    """A run whose agents are all at work. So many signs of life may be missing."""
    desk.settle(WORKER.format(desk=desk.folder), width=lanes)
    config = desk.repository / "tidegate.toml"
    patient = "missed_beats_max = 10"
    assert patient in config.read_text()
    short = f"missed_beats_max = {missed}\nstop_ack_s = 2"
    config.write_text(config.read_text().replace(patient, short))
    for number in range(1, lanes + 1):
        desk.issue(number, front=f"footprint: [sums-{number:03}.txt]\n")
    process = desk.start("run", "--json")
    desk.hears("began", lanes)
    until(lambda: desk.kinds().count("turn_started") == lanes)
    return process


def kill(process: "subprocess.Popen[bytes]") -> None:
    """End the controller, and nothing else, without a word."""
    process.kill()
    process.wait()


def end_unheard(desk: Desk) -> None:
    """An agent comes to its end while no controller is there."""
    kill(begin(desk, 1))
    desk.let("finish-001")
    until(lambda: not desk.living())


def of_kind(desk: Desk, kind: str) -> list[Any]:
    """The bodies of the events of one kind."""
    return [each["body"] for each in desk.events() if each["kind"] == kind]


def test_what_an_agent_prints_can_be_read_while_it_works(desk: Desk) -> None:
    """`show` names the file of each turn that is not over, with a controller and without one."""
    process = begin(desk, 1)
    with_one = desk.tidegate("show", "001").json["prints"]
    kill(process)
    assert desk.tidegate("show", "001").json["prints"] == with_one
    ((turn, path),) = desk.tidegate("show", "001").json["prints"]
    assert turn == "001-build-1, turn 1"
    assert path in desk.text("show", "001")
    until(lambda: "step 10" in Path(path).read_text(encoding="utf-8"))
    desk.let("finish-001")
    assert desk.run()[0] == 0
    assert desk.tidegate("show", "001").json["prints"] == []


def recovered(desk: Desk) -> dict[str, str]:
    """What each attempt was found to be, and that it was said once."""
    found = of_kind(desk, "recovered")
    told = {each["attempt"]: each["outcome"] for each in found}
    assert len(told) == len(found)
    return told


def runner_of(desk: Desk, attempt: str) -> int:
    """The pid of the runner of an attempt's first turn."""
    (beat,) = desk.ledger_folder.glob(f"runs/*/attempts/{attempt}/turns/1/beat.json")
    return int(json.loads(beat.read_text())["runner_pid"])


def test_one_lives_one_ended_one_hangs(desk: Desk) -> None:
    """G2-14: adopted, harvested from its durable output, and timed by its original deadline."""
    process = begin(desk, 3)
    kill(process)
    desk.let("finish-002")
    until(lambda: "002-build-1.1" in desk.lines("ended"))
    second = desk.start("run", "--json")
    until(lambda: len(of_kind(desk, "recovered")) == 3)
    assert recovered(desk) == {
        "001-build-1": "adopted",
        "002-build-1": "finished",
        "003-build-1": "adopted",
    }
    desk.let("finish-001")
    desk.let("finish-003")
    said = desk.ended(second)
    assert said.code == 0
    assert sorted(each.issue for each in said.summary.landed) == ["001", "002", "003"]
    assert sorted(desk.lines("began")) == sorted(desk.lines("ended"))
    assert len(desk.lines("began")) == 3


def test_every_start_says_again_what_it_found(desk: Desk) -> None:
    """G2-16: killed three times, each controller says of each open attempt once what it found.

    And before that, which run it takes up.
    """
    process = begin(desk, 2)
    for _ in range(3):
        before = len(of_kind(desk, "recovered"))
        kill(process)
        process = desk.start("run", "--json")
        until(lambda: len(of_kind(desk, "recovered")) == before + 2)  # noqa: B023 - asked at once
    desk.let("finish-001")
    desk.let("finish-002")
    said = desk.ended(process)
    assert said.code == 0
    assert "is taken up again" in said.err.splitlines()[0]
    told = [(each["attempt"], each["controller_epoch"]) for each in of_kind(desk, "recovered")]
    assert len(told) == len(set(told))
    assert len(desk.lines("began")) == 2


def test_a_frozen_controller_is_no_reason_to_do_anything_twice(desk: Desk) -> None:
    """G2-11: stopped for longer than a lease; a second one is refused; then it goes on."""
    process = begin(desk, 1, missed=3)
    process.send_signal(signal.SIGSTOP)
    refused = desk.tidegate("run", "--json")
    assert refused.code == 4
    until(lambda: _is_past_its_lease(desk), within_s=40.0)
    process.send_signal(signal.SIGCONT)
    desk.let("finish-001")
    said = desk.ended(process)
    assert said.code == 0
    assert desk.lines("began") == ["001-build-1.1"]
    assert "intervention_claimed" not in desk.kinds()


_PAST = "select max(lease_expiry_utc) < strftime('%Y-%m-%dT%H:%M:%fZ', 'now') from attempt"


def _is_past_its_lease(desk: Desk) -> bool:
    """As anybody may ask the ledger, whoever writes it."""
    with closing(sqlite3.connect(desk.ledger_folder / "ledger.db")) as ledger:
        (is_past,) = ledger.execute(_PAST).fetchone()
    return bool(is_past)


def test_a_frozen_runner_is_ended_and_replaced_once(desk: Desk) -> None:
    """C118, G2: no sign of life, no acknowledgment, force, the old one proved empty, one other."""
    process = begin(desk, 1, missed=3)
    runner = runner_of(desk, "001-build-1")
    os.kill(runner, signal.SIGSTOP)
    desk.hears("began", 2)
    assert not Path(f"/proc/{runner}").exists()
    claims = [each["key"] for each in of_kind(desk, "intervention_claimed")]
    assert claims == ["001-build-1/1/missed_beats/stop", "001-build-1/1/stop_ack_timeout/kill"]
    stopped = [each["reason"] for each in of_kind(desk, "stopped")]
    assert stopped == ["stop_ack_timeout"]
    desk.let("finish-001")
    said = desk.ended(process)
    assert [each.issue for each in said.summary.landed] == ["001"]
    assert desk.lines("began") == ["001-build-1.1", "001-build-2.1"]


def test_a_run_folder_that_was_moved_is_found_where_it_is(desk: Desk) -> None:
    """The repository moves while no controller is there: who ended there is heard."""
    end_unheard(desk)
    moved = desk.folder / "elsewhere"
    desk.repository.rename(moved)
    said = desk.tidegate("-C", str(moved), "run", "--json", cwd=desk.folder)
    assert said.code == 0, said.err
    assert [each.issue for each in said.summary.landed] == ["001"]


@pytest.mark.parametrize("arguments", [(), ("--anew",)])
def test_a_copied_repository_leaves_the_agents_of_the_other_alone(
    desk: Desk, arguments: tuple[str, ...]
) -> None:
    """G1, G3: from a copy every live agent looks dead; its workspace is not taken from under it."""
    process = begin(desk, 1)
    copied = desk.folder / "copied"
    shutil.copytree(desk.repository, copied, ignore=shutil.ignore_patterns("bell"))
    said = desk.tidegate("-C", str(copied), "run", "--json", *arguments, cwd=desk.folder)
    assert said.code == 4
    assert said.error.message.startswith(f"{copied}/.git/tidegate is a copy: 001-build-1 was begun")
    assert "go on there" in (said.error.hint or "")
    desk.let("finish-001")
    ended = desk.ended(process)
    assert [each.issue for each in ended.summary.landed] == ["001"]
    assert desk.lines("began") == ["001-build-1.1"]


def test_a_copy_whose_other_is_gone_goes_on(desk: Desk) -> None:
    """Where a folder was copied and the first one moved away there is one owner again."""
    end_unheard(desk)
    copied = desk.folder / "copied"
    shutil.copytree(desk.repository, copied, ignore=shutil.ignore_patterns("bell"))
    desk.repository.rename(desk.folder / "given-up")
    said = desk.tidegate("-C", str(copied), "run", "--json", cwd=desk.folder)
    assert said.code == 0, said.err
    assert [each.issue for each in said.summary.landed] == ["001"]
