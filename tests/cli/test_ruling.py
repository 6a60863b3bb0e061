"""What an owner says reaches a run, whether a controller is at work or not; and who judges."""

import json
import os
import signal
import subprocess

import pytest

from tests.cli.desk import Desk
from tests.waiting import until
from tidegate.runner.singleton import controller_lock

pytestmark = pytest.mark.slow

OWNER = '[ruling]\nmode = "owner"\n'
WORKS = "echo more >> part.txt"
WAITS = (
    "echo early >> part.txt; git commit -qam early; echo half >> part.txt; "
    "touch {desk}/began.$TIDEGATE_ISSUE; "
    "while test ! -e {desk}/go.$TIDEGATE_ISSUE; do sleep 0.05; done"
)
"""An agent that commits, has more in its hands, and waits to be let on."""


def judge(role: str, script: str) -> str:
    """The section of a role that this script fills."""
    return f'[roles.{role}]\nagent = "shell"\ncommand = {json.dumps(script)}\n'


def report(*lines: str) -> str:
    """The shell's words that write a report."""
    quoted = " ".join(f"'{line}'" for line in lines)
    return f"printf '%s\\n' {quoted} > \"$TIDEGATE_REPORT\""


def requests_of(desk: Desk) -> list[str]:
    """What lies in the inbox and waits for a controller."""
    return [each.name for each in (desk.ledger_folder / "inbox").glob("*.request.json")]


PASS = report("VERDICT: PASS", "NOT-CHECKED: other machines")


def asking(desk: Desk) -> subprocess.Popen[bytes]:
    """A run at work on 002, while 001 waits for its owner."""
    waits = WAITS.format(desk=desk.folder)
    desk.settle(
        f"case $TIDEGATE_ISSUE in 001) echo more >> other.txt;; *) {waits};; esac", more=OWNER
    )
    desk.issue(1)
    desk.issue(2)
    process = desk.start("run", "--json")
    desk.sees("began.002")
    until(lambda: desk.tidegate("answer", "--json").json, within_s=60)
    return process


def test_a_ruling_is_the_answer_to_what_a_lane_asks(desk: Desk) -> None:
    """`rule LANE land` says the same as the answer; what is no ruling of a lane is refused."""
    desk.settle(WORKS, more=OWNER)
    desk.issue(1)
    assert desk.tidegate("run").code == 1
    refused = desk.tidegate("rule", "001", "again")
    assert (refused.code, "no answer" in refused.err) == (4, True)
    assert desk.tidegate("rule", "001", "land").code == 0
    assert desk.tidegate("run").code == 0


def test_an_answer_is_taken_by_the_controller_at_work(desk: Desk) -> None:
    """A17: the lane lands while the other still works; what was asked is no longer shown."""
    process = asking(desk)
    (question,) = desk.tidegate("answer", "--json").json
    assert (question["question"], question["options"]) == ("001-q1", ["land", "stop", "defer"])
    said = desk.tidegate("answer", "001-q1", "land", "--no-json")
    assert (said.code, said.out) == (0, "lane 001: your word is land\n")
    until(lambda: "landed" in desk.kinds(), within_s=60)
    assert desk.tidegate("answer", "--json").json == []
    assert desk.tidegate("answer", "001-q1", "land").code == 2
    desk.let("go.002")
    ended = desk.ended(process).summary
    assert [each.issue for each in ended.landed] == ["001"]
    assert [each.issue for each in ended.waiting] == ["002"]


def test_a_veto_is_taken_by_the_controller_at_work(desk: Desk) -> None:
    """A16: the builder is told the list and nothing else; the next PASS is asked again."""
    process = asking(desk)
    said = desk.tidegate("veto", "001", "--item", "a name", "--item", "a test", "--no-json")
    assert (said.code, said.out) == (0, "lane 001: vetoed, and back with its builder\n")
    until(
        lambda: [x["question"] for x in desk.tidegate("answer", "--json").json] == ["001-q2"],
        within_s=60,
    )
    finding = desk.tidegate("show", "001").json["findings"][-1]["text"]
    assert finding.endswith("\n\n1. a name\n2. a test\n")
    again = desk.tidegate("stop", "002", "--reason", "no longer wanted", "--no-json")
    assert (again.code, again.out) == (0, "lane 002: it is stopping\n")
    desk.ended(process)
    assert desk.tidegate("veto", "001").code == 2, "a veto names what is wrong"


def test_what_is_said_without_a_controller_is_there_for_the_next_run(desk: Desk) -> None:
    """The run is opened for a moment; `tidegate run` goes on from there."""
    desk.settle(WORKS, more=OWNER)
    desk.issue(1)
    code, summary = desk.run()
    assert (code, [each.issue for each in summary.waiting]) == (code, ["001"])
    assert desk.tidegate("answer", "001-q1", "dance").code == 4
    said = desk.tidegate("veto", "001", "--item", "a test", "--no-json")
    assert (
        said.out
        == "lane 001: vetoed, and back with its builder; `tidegate run` goes on from there\n"
    )
    desk.run()
    assert desk.tidegate("answer", "001-q2", "defer").code == 0
    assert desk.tidegate("answer", "001-q2", "defer").code == 4
    assert [x["is_deferred"] for x in desk.tidegate("answer", "--json").json] == [True]
    assert desk.tidegate("answer", "001-q2", "land").code == 0
    code, summary = desk.run()
    assert (code, [each.issue for each in summary.landed]) == (0, ["001"])
    assert desk.kinds().count("vetoed") == desk.kinds().count("landed") == 1


def asked_twice(desk: Desk) -> None:
    """A run that is left open, in which two lanes wait for their owner."""
    desk.settle("echo more >> $TIDEGATE_ISSUE.txt", more=OWNER)
    desk.issue(1, front="footprint: [001.txt]\n")
    desk.issue(2, front="footprint: [002.txt]\n")
    _, summary = desk.run()
    assert [each.issue for each in summary.waiting] == ["001", "002"]


def test_who_waits_for_a_controller_that_ends_records_it_by_themselves(desk: Desk) -> None:
    """Another `answer` is a controller for a moment: it is no reason to wait in vain."""
    asked_twice(desk)
    with controller_lock(str(desk.ledger_folder), holder="another"):
        asks = desk.start("answer", "001-q1", "land", "--no-json")
        until(lambda: requests_of(desk), within_s=60)
    said = desk.ended(asks)
    assert (said.code, said.err) == (0, "")
    assert said.out == "lane 001: your word is land; `tidegate run` goes on from there\n"
    assert desk.kinds().count("answered") == 1
    assert not list((desk.ledger_folder / "inbox").glob("*.re*.json"))


def test_two_answers_at_once_are_both_heard_and_each_once(desk: Desk) -> None:
    """Whoever has the lock takes what the other left as well."""
    asked_twice(desk)
    with controller_lock(str(desk.ledger_folder), holder="another"):
        both = [desk.start("answer", f"{lane}-q1", "land", "--no-json") for lane in ("001", "002")]
        until(lambda: len(requests_of(desk)) == 2, within_s=60)
    assert [desk.ended(each).code for each in both] == [0, 0]
    assert desk.kinds().count("answered") == 2
    assert not list((desk.ledger_folder / "inbox").glob("*.re*.json"))
    code, summary = desk.run()
    assert (code, [each.issue for each in summary.landed]) == (0, ["001", "002"])


def test_what_somebody_left_is_taken_by_whoever_speaks_next(desk: Desk) -> None:
    """Its asker was killed while it waited."""
    asked_twice(desk)
    with controller_lock(str(desk.ledger_folder), holder="another"):
        asks = desk.start("answer", "001-q1", "land")
        until(lambda: requests_of(desk), within_s=60)
        os.killpg(asks.pid, signal.SIGKILL)
    assert desk.tidegate("answer", "002-q1", "stop").code == 0
    assert desk.kinds().count("answered") == 2
    assert not requests_of(desk)


def test_a_lane_is_stopped_while_its_agent_works(desk: Desk) -> None:
    """G1: the agent is gone, and all that it did is in the hub, also what it had not committed."""
    desk.settle(WAITS.format(desk=desk.folder), width=1)
    desk.issue(1)
    process = desk.start("run", "--json")
    desk.sees("began.001")
    assert desk.tidegate("stop", "001", "--reason", "no longer wanted").code == 0
    said = desk.ended(process)
    (stopped,) = said.summary.stopped
    assert stopped.reason == "stopped by its owner: no longer wanted"
    assert not desk.living()
    (harvested,) = [each["body"] for each in desk.events() if each["kind"] == "harvested"]
    hub = desk.ledger_folder / "hub.git"
    kept = desk.git("show", f"{harvested['tip']}:part.txt", cwd=hub)
    assert kept == "first\nearly\nhalf"


def test_a_request_whose_controller_was_killed_is_taken_by_the_next(desk: Desk) -> None:
    """G2: kill -9 for both, between the request and its reply; it is heard, and once."""
    desk.settle(WAITS.format(desk=desk.folder), width=1)
    desk.issue(1)
    process = desk.start("run")
    desk.sees("began.001")
    os.killpg(process.pid, signal.SIGSTOP)
    asks = desk.start("stop", "001", "--reason", "no longer wanted", "--no-json")
    until(lambda: requests_of(desk), within_s=60)
    os.killpg(asks.pid, signal.SIGKILL)
    os.killpg(process.pid, signal.SIGKILL)
    desk.ended(process)
    code, summary = desk.run()
    assert code == 1
    assert [each.reason for each in summary.stopped] == ["stopped by its owner: no longer wanted"]
    assert desk.kinds().count("stop_asked") == 1
    assert requests_of(desk) == []


def test_a_drain_whose_controller_was_killed_does_not_end_the_next(desk: Desk) -> None:
    """D23: it was said to that controller; the run goes on when it is taken up again."""
    desk.settle(WAITS.format(desk=desk.folder), width=1)
    desk.issue(1)
    desk.issue(2)
    process = desk.start("run")
    desk.sees("began.001")
    os.killpg(process.pid, signal.SIGSTOP)
    asks = desk.start("stop", "--no-json")
    until(lambda: requests_of(desk), within_s=60)
    os.killpg(asks.pid, signal.SIGKILL)
    os.killpg(process.pid, signal.SIGKILL)
    desk.ended(process)
    desk.let("go.001")
    desk.let("go.002")
    code, summary = desk.run()
    assert (code, [each.issue for each in summary.landed]) == (0, ["001", "002"])
    assert requests_of(desk) == []


def test_a_run_is_let_come_to_its_end(desk: Desk) -> None:
    """D23: nothing more starts; without a controller there is nothing to stop."""
    desk.settle(WAITS.format(desk=desk.folder), width=1)
    desk.issue(1)
    desk.issue(2)
    process = desk.start("run", "--json")
    desk.sees("began.001")
    assert desk.tidegate("stop", "--no-json").out == "the run starts nothing more\n"
    desk.let("go.001")
    desk.ended(process)
    assert [x["kind"] for x in desk.events() if x["kind"] == "lane_opened"] == ["lane_opened"]
    refused = desk.tidegate("stop", "--no-json")
    assert refused.code == 4
    assert "no controller is at work" in refused.complaint
    assert "Agents of one that died go on" in refused.complaint


def test_agents_without_a_controller_are_stopped(desk: Desk) -> None:
    """G3: what outlives its controller ends by one command; its work is kept and gone on with."""
    desk.settle(WAITS.format(desk=desk.folder))
    desk.issue(1)
    process = desk.start("run", "--json")
    desk.sees("began.001")
    process.kill()
    process.wait()
    assert desk.living()
    said = desk.tidegate("stop", "--now", "--no-json")
    assert (said.code, desk.living()) == (0, {})
    assert "turns that were open and are ended: 1" in said.out
    assert "no turn was open" in desk.tidegate("stop", "--now", "--no-json").out
    desk.let("go.001")
    code, summary = desk.run()
    assert (code, [each.issue for each in summary.landed]) == (0, ["001"])
    assert desk.tidegate("stop", "--now", "--no-json").code == 4, "no run is open"


def test_an_agent_rules_nothing(desk: Desk) -> None:
    """Authority flows down only: what an agent at work asks of the run is refused."""
    desk.settle(WORKS, more=OWNER)
    desk.issue(1)
    desk.run()
    env = {"TIDEGATE_ATTEMPT": "001-build-1"}
    for words in (
        ("answer", "001-q1", "land"),
        ("veto", "001", "--item", "x"),
        ("stop", "001"),
        ("stop",),
    ):
        said = desk.tidegate(*words, "--no-json", env=env)
        assert said.code == 4
        assert "an agent at work rules nothing" in said.complaint
    assert not {"ruled", "answered", "vetoed", "stop_asked"} & set(desk.kinds())


# --- who judges ---------------------------------------------------------------------------------


def test_a_verifier_that_fails_once_sends_it_back(desk: Desk) -> None:
    """A14, A15: its report is the finding, word for word; a fresh one passes the next round."""
    script = (
        f"if grep -q mended part.txt; then {PASS}; "
        f"else {report('VERDICT: FAIL', '', 'It is not mended.')}; fi; "
        f"echo $TIDEGATE_ATTEMPT >> {desk.folder}/verified"
    )
    desk.settle(
        'if test -s "$TIDEGATE_FINDING"; then echo mended; else echo more; fi >> part.txt',
        more=judge("verify", script),
    )
    desk.issue(1)
    code, summary = desk.run()
    assert (code, [each.issue for each in summary.landed]) == (0, ["001"])
    assert desk.lines("verified") == ["001-verify-1", "001-verify-2"]
    (finding,) = desk.tidegate("show", "001").json["findings"]
    assert finding["text"] == "VERDICT: FAIL\n\nIt is not mended.\n"


def test_a_verifier_sees_the_commit_and_nothing_of_the_builders(desk: Desk) -> None:
    """A12, G6-08: the exact commit, in a checkout of its own, without what is not in it."""
    script = (
        f"git rev-parse HEAD > {desk.folder}/head; git status --porcelain --ignored "
        f"> {desk.folder}/status; ls -A > {desk.folder}/files; pwd > {desk.folder}/where; {PASS}"
    )
    desk.settle(
        f"{WORKS}; echo '*.o' > .gitignore; echo x > junk.o; mkdir -p .cache; echo '*' > "
        f".cache/.gitignore; pwd >> {desk.folder}/where",
        more=judge("verify", script),
    )
    desk.issue(1)
    _, summary = desk.run()
    (landed,) = summary.landed
    assert desk.lines("head") == [landed.commit]
    assert desk.lines("status") == []
    assert "junk.o" not in desk.lines("files")
    assert ".cache" not in desk.lines("files")
    assert ".gitignore" in desk.lines("files")
    assert desk.lines("where")[-1].endswith("001-verify-1/work")


@pytest.mark.parametrize(
    "deed",
    [
        "echo mended >> part.txt",
        "echo mended >> part.txt; git add part.txt",
        "echo mended >> part.txt; git commit -qam mend",
        "echo new > new.txt",
    ],
    ids=["edits", "stages", "commits", "adds"],
)
def test_a_verifier_that_changes_what_it_judges_is_not_heard(desk: Desk, deed: str) -> None:
    """G6-09: its PASS is void, another takes its place, and nothing of it lands."""
    first = f"case $TIDEGATE_ATTEMPT in *-1) {deed};; esac; {PASS}"
    desk.settle(WORKS, more=judge("verify", first))
    desk.issue(1)
    code, summary = desk.run()
    (landed,) = summary.landed
    assert code == 0
    assert desk.git("show", f"{landed.commit}:part.txt") == "first\nmore"
    assert "new.txt" not in desk.git("ls-tree", "--name-only", landed.commit)
    failed = [each for each in desk.events() if each["kind"] == "failed"]
    assert [(each["attempt"], each["reason"]) for each in failed] == [("001-verify-1", "tampered")]


def test_an_adjudicator_that_refuses_ends_the_issue(desk: Desk) -> None:
    """A11, D18: with its kind; nothing is built, and it is not asked about again."""
    words = report("VERDICT: REFUSE", "KIND: done", "REASON: it is so already")
    desk.settle(f"touch {desk.folder}/built", more=judge("adjudicate", words))
    desk.issue(1)
    _, summary = desk.run()
    assert [(each.issue, each.kind) for each in summary.refused] == [("001", "done")]
    assert not (desk.folder / "built").exists()
    code, again = desk.run()
    assert (code, again.run) == (0, None)
    assert again.note.startswith("nothing to do")


def test_an_adjudicator_that_asks_is_answered(desk: Desk) -> None:
    """It is asked again with the answer, which is in the builder's prompt too."""
    asks = report("QUESTION: which one?", "OPTIONS: this | that")
    builds = report("VERDICT: BUILD")
    words = f'if grep -q "Answered: that" "$TIDEGATE_PROMPT"; then {builds}; else {asks}; fi'
    agent = f'cat "$TIDEGATE_PROMPT" > {desk.folder}/prompt; {WORKS}'
    desk.settle(agent, more=judge("adjudicate", words))
    desk.issue(1)
    _, summary = desk.run()
    assert [each.issue for each in summary.waiting] == ["001"]
    shown = desk.text("answer")
    assert "which one?" in shown
    assert "tidegate answer 001-q1 this  (recommended)" in shown
    assert desk.text("status").splitlines()[-1] == "what waits for you: `tidegate answer`"
    wrong = desk.tidegate("answer", "001-q2", "that", "--json").error
    assert (wrong.hint, wrong.did_you_mean) == ("open: 001-q1", "001-q1")
    told = desk.tidegate("explain", "001").json
    assert told["reason"] == "it waits for your answer in lane 001: `tidegate answer`"
    assert told["waits_for"] == "your answer: `tidegate answer`"
    assert desk.tidegate("answer", "001-q1", "that").code == 0
    code, summary = desk.run()
    assert (code, [each.issue for each in summary.landed]) == (0, ["001"])
    assert "Answered: that" in "\n".join(desk.lines("prompt"))


def test_an_output_whose_beginning_is_cut_off_is_no_verdict(desk: Desk) -> None:
    """G10: a verifier that writes no report may say it by its output, but by all of it."""
    said = "printf 'VERDICT: PASS\\nNOT-CHECKED: other machines\\n'"
    desk.settle(WORKS, more=judge("verify", f"seq 1 20000; {said}"))
    desk.issue(1)
    code, summary = desk.run()
    (stopped,) = summary.stopped
    assert (code, stopped.reason.partition(": ")[0]) == (1, "verify no verdict, 2 times")
    assert stopped.reason.partition(": ")[2], "and what was wrong with the last one"
    desk.settle(WORKS, more=judge("verify", said))
    desk.issue(2)
    code, summary = desk.run()
    assert (code, [each.issue for each in summary.landed]) == (0, ["002"])
