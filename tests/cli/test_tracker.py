"""The whole program over a tracker that is a command: the one of the page, and worse ones."""

import json
import os
import re
import signal
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.cli.desk import Desk

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "connect-a-tracker.md"
EDIT = "echo more >> part.txt"


def example() -> str:
    """The script that the page shows."""
    (script,) = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    return str(script)


def tracked(desk: Desk, agent: str = EDIT, *, before: str = "", more: str = "") -> Path:
    """Settle a desk whose issues are where the page's script keeps them; their folder."""
    box = desk.folder / "issues"
    box.mkdir()
    (desk.folder / "tracker.py").write_text(example())
    command = f"{before}{sys.executable} {desk.folder}/tracker.py {box}"
    table = f'[tracker]\nkind = "command"\ncommand = {json.dumps(command)}\n'
    desk.settle(agent, more=f"{table}{more}")
    return box


def issue(box: Path, name: str, title: str = "Change a part") -> None:
    """An issue of the page's tracker."""
    (box / f"{name}.json").write_text(json.dumps({"title": title, "text": "Please."}))


def done(box: Path) -> list[str]:
    """What the tracker did, without the run's id."""
    log = box / "done.log"
    keys = log.read_text().split() if log.exists() else []
    return [key.split("-", 2)[2] for key in keys]


def test_the_example_of_the_page_lists_claims_and_closes(desk: Desk) -> None:
    """From a title in a file to a landed commit and a closed issue, by what the page says."""
    box = tracked(desk)
    issue(box, "ABC-1")
    assert desk.tidegate("doctor").code == 0
    (line,) = desk.tidegate("explain").json
    assert (line["issue"], line["is_next"]) == ("ABC-1", True)
    code, summary = desk.run()
    assert (code, [each.issue for each in summary.landed], summary.effects) == (0, ["ABC-1"], [])
    assert done(box) == ["ABC-1-claim", "ABC-1-close"]
    assert (box / "ABC-1.closed").exists()
    assert desk.run()[1].note == "nothing to do"


def test_an_issue_is_added_through_the_command(desk: Desk) -> None:
    """The answer names it as the tracker does, and the next run takes it."""
    box = tracked(desk)
    assert desk.text("add", "Another one", "--text", "At length.") == "issue T-1\n"
    assert json.loads((box / "T-1.json").read_text())["text"] == "At length."
    assert desk.tidegate("add", "Two", "--json").json["issue"] == "T-2"


def test_what_stopped_is_told_and_what_is_taken_is_left(desk: Desk) -> None:
    """One issue is somebody else's, the other comes to nothing: a comment says why."""
    box = tracked(desk, "true")
    issue(box, "A")
    issue(box, "B")
    (box / "A.run").write_text("alice")
    code, summary = desk.run()
    assert code == 1
    assert [(each.issue, each.kind, each.reason) for each in summary.refused] == [
        ("A", "claimed", "alice has it")
    ]
    assert [each.issue for each in summary.stopped] == ["B"]
    assert "did not land this issue (stopped)" in (box / "B.md").read_text()
    line = desk.tidegate("explain", "A").json
    assert line["is_next"]
    assert "its tracker did not give it (alice has it)" in line["note"]


def test_what_stopped_is_tried_again_by_a_later_run(desk: Desk) -> None:
    """The run that did not land it has given it back, so `retry` opens it for the next one."""
    box = tracked(desk, f"test -e {desk.folder}/mended || exit 0; {EDIT}")
    issue(box, "A")
    assert [each.issue for each in desk.run()[1].stopped] == ["A"]
    assert done(box) == ["A-claim", "A-comment", "A-release"]
    desk.tidegate("retry", "A")
    desk.let("mended")
    code, summary = desk.run()
    assert (code, [each.issue for each in summary.landed]) == (0, ["A"])
    assert [each.removeprefix("2-") for each in done(box)[3:]] == ["A-claim", "A-close"]


WAITS = """\
asked=$(cat)
case "$asked" in *'"do": "%(kind)s"'*) echo "$asked" >> {desk}/asked;; esac
%(act)s
case "$asked" in *'"do": "%(kind)s"'*)
    touch {desk}/held; while test ! -e {desk}/go; do sleep 0.05; done
esac
%(tell)s
"""
"""A shell around the page's script that waits before the deed, or after it with its answer."""


def waiting(desk: Desk, box: Path, kind: str, *, is_after: bool) -> None:
    """Have the tracker wait at this kind of request."""
    script = f"{sys.executable} {desk.folder}/tracker.py {box}"
    act = f'said=$(printf "%s" "$asked" | {script})' if is_after else ":"
    tell = 'echo "$said"' if is_after else f'printf "%s" "$asked" | {script}'
    text = WAITS % {"kind": kind, "act": act, "tell": tell}
    (desk.folder / "waits.sh").write_text(text.replace("{desk}", str(desk.folder)))
    toml = desk.repository / "tidegate.toml"
    command = f"sh {desk.folder}/waits.sh"
    named = re.sub(r"command = .*tracker.py.*", f'command = "{command}"', toml.read_text())
    toml.write_text(named)


@pytest.mark.parametrize("kind", ["claim", "close"])
def test_a_controller_that_is_killed_has_each_thing_done_once(desk: Desk, kind: str) -> None:
    """Killed while the tracker is at work: the next one finds it, and asks for nothing again."""
    box = tracked(desk)
    issue(box, "ABC-1")
    waiting(desk, box, kind, is_after=False)
    process = desk.start("run", "--json")
    desk.sees("held")
    os.killpg(process.pid, signal.SIGKILL)
    desk.ended(process)
    assert desk.kinds().count("effect_intended") == desk.kinds().count("effect_settled") + 1
    desk.let("go")
    code, summary = desk.run()
    assert (code, [each.issue for each in summary.landed]) == (0, ["ABC-1"])
    assert done(box) == ["ABC-1-claim", "ABC-1-close"]
    assert len(desk.lines("asked")) == 1
    assert desk.kinds().count("effect_intended") == desk.kinds().count("effect_settled") == 2


def test_a_deed_whose_answer_was_lost_is_asked_for_again_and_done_once(desk: Desk) -> None:
    """Controller, runner and command are killed when it is done: the same key comes again."""
    box = tracked(desk)
    issue(box, "ABC-1")
    waiting(desk, box, "claim", is_after=True)
    process = desk.start("run", "--json")
    desk.sees("held")
    for pid in desk.living():
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    desk.ended(process)
    assert done(box) == ["ABC-1-claim"]
    desk.let("go")
    code, summary = desk.run()
    assert (code, [each.issue for each in summary.landed]) == (0, ["ABC-1"])
    first, second = desk.lines("asked")
    assert first == second
    assert done(box) == ["ABC-1-claim", "ABC-1-close"]


def test_a_tracker_that_fails_is_told_and_stops_nothing(desk: Desk) -> None:
    """The change lands; what could not be told is in the summary, in status, and exit 1 says so."""
    retry = "[limits]\ninfra_max = 2\n"
    box = tracked(
        desk,
        before=f"test -e {desk.folder}/closed && {{ echo no entry >&2; exit 3; }}; ",
        more=retry,
    )
    text = (desk.repository / "tidegate.toml").read_text()
    (desk.repository / "tidegate.toml").write_text(
        text.replace("[deadlines]\n", "[deadlines]\nretry_s = 0.1\n").replace(
            EDIT, f"{EDIT}; touch {desk.folder}/closed"
        )
    )
    issue(box, "A")
    code, summary = desk.run()
    assert (code, [each.issue for each in summary.landed]) == (1, ["A"])
    assert [(each.kind, each.about, each.outcome) for each in summary.effects] == [
        ("close", "A", "failed")
    ]
    assert "exit code 3: no entry" in summary.effects[0].detail
    assert "close A" in desk.text("status")


def test_doctor_looks_at_the_program(desk: Desk) -> None:
    """Before anything is asked of it; a kind without a command is told as well."""
    table = '[tracker]\nkind = "command"\n'
    desk.settle(EDIT, more=f'{table}command = "no-such-tracker"\n')
    said = desk.tidegate("doctor", "--no-json")
    assert (said.code, "fail  tracker: 'no-such-tracker' is not on PATH" in said.out) == (3, True)
    desk.settle(EDIT, more=f'{table}command = "tools/tracker.sh"\n')
    assert (
        "tools/tracker.sh, which [tracker] command runs" in desk.tidegate("doctor", "--no-json").out
    )
    desk.settle(EDIT, more=table)
    assert "[tracker] command is not set" in desk.tidegate("explain").out
    desk.settle(EDIT, more='[tracker]\ncommand = "x"\n')
    assert 'kind = \\"command\\"' in desk.tidegate("explain").out


def test_agents_do_not_see_what_the_tracker_signs_in_with(desk: Desk) -> None:
    """`[tracker] allow` is the tracker's alone."""
    see = f"echo agent-$MY_TOKEN >> {desk.folder}/seen; {EDIT}"
    box = tracked(
        desk, see, before=f"echo tracker-$MY_TOKEN >> {desk.folder}/seen; ",
        more='allow = ["MY_TOKEN"]\n',
    )  # fmt: skip
    issue(box, "A")
    assert desk.tidegate("run", env={"MY_TOKEN": "s3"}).code == 0
    assert {*desk.lines("seen")} == {"tracker-s3", "agent-"}


# --- a tracker that is down while a run is open ------------------------------------------------


@pytest.mark.parametrize("kind", ["a command that fails", "a broken issue file"])
def test_an_open_run_is_taken_up_whatever_its_tracker_says(desk: Desk, kind: str) -> None:
    """Its agents are adopted and land; new issues are read once they can be, and are not guessed.

    Only what needs an issue that is not known yet fails, and leaves the run as it was.
    """
    waits = f"touch {desk.folder}/began; while test ! -e {desk.folder}/go; do sleep 0.05; done; "
    down = desk.folder / "down"
    if kind == "a command that fails":
        box = tracked(desk, f"{waits}{EDIT}", before=f"test -e {down} && exit 1; ")
        issue(box, "001")
    else:
        desk.settle(f"{waits}{EDIT}")
        desk.issue(1)
        down = desk.repository / ".tidegate" / "issues" / "002-broken.md"
    process = desk.start("run")
    desk.sees("began")
    os.killpg(process.pid, signal.SIGKILL)
    desk.ended(process)
    down.write_text("---\ntitle: [half\n")
    for refused in (("--only", "001"), ("--anew",)):
        assert desk.tidegate("run", "--json", *refused).code in (2, 3)
        assert "run_ended" not in desk.kinds()
    taken_up = desk.start("run", "--json")
    desk.let("go")
    said = desk.ended(taken_up)
    assert "new issues cannot be read" in said.err
    assert [each.issue for each in said.summary.landed] == ["001"]
    assert (said.code, "cannot be read" in said.summary.note) == (1, True)
    begun = [each["attempt"] for each in desk.events() if each["kind"] == "turn_started"]
    assert begun == ["001-build-1", "001-check-1"], "the agent was adopted"
    assert desk.tidegate("run").code in (2, 3), "a run that begins needs its issues"
