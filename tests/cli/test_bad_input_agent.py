"""Agents that are missing, hang, flood, leave children or are killed: each has its own end."""

import os
import signal
from pathlib import Path

import pytest

from tests.cli.desk import Desk
from tests.waiting import until

pytestmark = pytest.mark.slow

ONE_FAIL = "[limits]\nfails_max = 1\nreplacements_max = 0\n"


def tool(desk: Desk, script: str) -> Path:
    """An agent of its own that can be taken away."""
    path = desk.folder / "tool"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    desk.settle(f"{path} --work", width=1)
    return path


@pytest.mark.parametrize("name", ["no-such-agent", "{desk}/no-such-agent", "{desk}/home"])
def test_an_agent_that_is_not_there_is_told_before_the_run(desk: Desk, name: str) -> None:
    """Exit 3 with the name, and with the PATH that was searched; no run is begun (G8-05)."""
    name = name.format(desk=desk.folder)
    desk.settle(f"MODE=fast {name} --all")
    desk.issue(1)
    said = desk.tidegate("run")
    assert said.code == 3
    assert name in said.complaint
    assert "[roles.build]" in said.complaint
    assert ("on PATH" in said.complaint) is ("/" not in name)
    told = desk.tidegate("doctor")
    assert told.code == 3
    assert "`tidegate config roles`" in told.out
    assert desk.tidegate("status").json["run"] is None


def test_a_doctor_names_what_a_workspace_would_miss(desk: Desk) -> None:
    """The check's program, and the files and caches that are to be copied: each with its remedy."""
    desk.settle(
        "true",
        check="no-such-check --fast",
        more="""\
[workspace]
env_files = [".env.test"]
caches = ["node_modules"]
""",
    )
    said = desk.tidegate("doctor", "--no-json")
    assert said.code == 3
    assert "fail  check: 'no-such-check' is not on PATH" in said.out
    assert f"fail  env_files: .env.test is not in {desk.repository}" in said.out
    assert f"fail  caches: node_modules is not in {desk.repository}" in said.out
    assert "take it out of [workspace] caches" in said.out


def test_a_script_that_is_not_committed_is_told_before_the_run(desk: Desk) -> None:
    """Workspaces are made of commits: without it each issue would fail three times (G8-05)."""
    desk.settle("sh agent.sh")
    desk.issue(1)
    (desk.repository / "agent.sh").write_text("echo more >> part.txt\n", encoding="utf-8")
    said = desk.tidegate("run")
    assert said.code == 3
    assert "agent.sh, which [roles.build] command runs, is not committed" in said.complaint
    assert desk.tidegate("doctor").code == 3
    desk.commit("agent.sh", "echo more >> part.txt\n")
    assert desk.run()[0] == 0


def test_an_agent_whose_shell_says_that_it_was_killed_burns_no_issue(desk: Desk) -> None:
    """`sh -c` tells a child's KILL as 137: it costs no round, and another attempt lands."""
    mark = f"{desk.folder}/killed"
    killed = f"test -e {mark} || {{ touch {mark}; sh -c 'kill -9 $$'; exit $?; }}"
    desk.settle(f"{killed}; echo more >> part.txt")
    desk.issue(1)
    code, summary = desk.run()
    assert (code, len(summary.landed)) == (0, 1)
    lane = desk.tidegate("show", "001").json["lane"]
    assert lane["fails"] == 0


def test_an_agent_that_goes_missing_in_mid_run_burns_no_issue(desk: Desk) -> None:
    """Exit 3 after the first lane; the second has no FAIL, and goes on once the agent is back."""
    script = f"echo $TIDEGATE_ISSUE >> {desk.folder}/began; echo x > part-$TIDEGATE_ISSUE"
    path = tool(desk, f"{script}; rm {desk.folder}/tool")
    desk.issue(1)
    desk.issue(2)
    code, summary = desk.run()
    assert code == 3
    assert [each.issue for each in summary.landed] == ["001"]
    assert [each.issue for each in summary.waiting] == ["002"]
    assert str(path) in summary.note
    assert desk.tidegate("show", "002").json["lane"]["fails"] == 0
    said = desk.tidegate("run")
    assert said.code == 3
    assert "put it back" in said.err
    assert "tidegate run --anew" in said.err
    tool(desk, script)
    code, summary = desk.run()
    assert code == 0
    assert {each.issue for each in summary.landed} == {"001", "002"}
    assert desk.lines("began") == ["001", "002"]


def test_an_agent_that_is_gone_for_good_is_left_behind(desk: Desk) -> None:
    """The open run is ended, what it landed stays, and another begins as configured now."""
    script = "echo x > part-$TIDEGATE_ISSUE"
    tool(desk, f"{script}; rm {desk.folder}/tool")
    desk.issue(1)
    desk.issue(2)
    first = desk.run()[1].run
    desk.settle("no-such-agent", width=1)
    assert desk.tidegate("run", "--anew").code == 3
    assert desk.tidegate("status").json["ended_at"] is None  # nothing is ended for nothing
    desk.settle(script, width=1)
    assert desk.tidegate("run").code == 3
    said = desk.tidegate("run", "--anew", "--json")
    assert said.code == 0
    assert [each.issue for each in said.summary.landed] == ["002"]
    assert said.summary.run != first
    assert desk.tidegate("status", "--run", str(first)).json["outcomes"] == {
        "abandoned": 1,
        "landed": 1,
    }
    assert desk.tidegate("run", "--anew").code == 0
    assert said.summary.target is not None
    files = desk.git("ls-tree", "--name-only", said.summary.target.ref).splitlines()
    assert {"part-001", "part-002"} <= set(files)


def test_an_agent_that_never_ends_is_ended_at_its_deadline(desk: Desk) -> None:
    """Its children too; what it left is kept in the hub, and the reason is in `show`."""
    desk.settle("echo kept >> part.txt; git commit -qam kept; sleep 600 & sleep 601", more=ONE_FAIL)
    settings = desk.repository / "tidegate.toml"
    text = settings.read_text(encoding="utf-8")
    settings.write_text(text.replace("[roles.build]", "[roles.build]\ntimeout_s = 1"))
    desk.issue(1)
    code, summary = desk.run()
    assert code == 1
    assert "deadline" in summary.stopped[0].reason
    assert desk.living() == {}
    assert "kept" in desk.git("log", "--all", "--format=%s", cwd=desk.ledger_folder / "hub.git")
    assert "deadline" in desk.text("show", "001")


def test_a_flood_of_output_is_cut_at_its_cap(desk: Desk) -> None:
    """The agent is ended, the disk is not filled, and what it said last is shown."""
    desk.settle(
        "echo more >> part.txt; yes flood",
        more=f"{ONE_FAIL}output_max_bytes = 1_000_000\n",
    )
    desk.issue(1)
    code, summary = desk.run()
    assert code == 1
    assert "output_cap" in summary.stopped[0].reason
    outputs = [path.stat().st_size for path in desk.ledger_folder.rglob("stdout")]
    assert 1_000_000 < max(outputs) < 200_000_000
    assert desk.living() == {}
    assert "flood" in desk.text("show", "001")


def test_no_child_outlives_its_agent(desk: Desk) -> None:
    """Grandchildren in sessions of their own are swept, and the lane lands."""
    desk.settle(
        "echo more >> part.txt; setsid sleep 600 & setsid sh -c 'setsid sleep 601 & sleep 602' & "
        "(sleep 603 &); exit 0"
    )
    desk.issue(1)
    code, summary = desk.run()
    assert code == 0
    assert len(summary.landed) == 1
    assert desk.living() == {}


def test_an_agent_that_is_killed_from_outside_costs_no_round(desk: Desk) -> None:
    """Another attempt takes its place, the lane lands, and there is no FAIL in it (G2-10)."""
    desk.settle(
        f"echo $$ >> {desk.folder}/pids; echo more >> part.txt; "
        "test $TIDEGATE_ATTEMPT != 001-build-1 || sleep 600"
    )
    desk.issue(1)
    process = desk.start("run", "--json")
    desk.hears("pids")
    os.kill(int(desk.lines("pids")[0]), signal.SIGKILL)
    said = desk.ended(process)
    assert said.code == 0
    story = desk.tidegate("show", "001").json
    assert story["lane"]["fails"] == 0
    assert [each["attempt_id"] for each in story["attempts"] if each["role"] == "build"] == [
        "001-build-1",
        "001-build-2",
    ]
    assert len(said.summary.landed) == 1


def test_a_runner_that_is_killed_takes_its_agent_with_it(desk: Desk) -> None:
    """The controller proves the turn empty, and another attempt lands the lane."""
    desk.settle(
        f"echo $PPID >> {desk.folder}/pids; echo more >> part.txt; "
        "test $TIDEGATE_ATTEMPT != 001-build-1 || sleep 600"
    )
    desk.issue(1)
    process = desk.start("run", "--json")
    desk.hears("pids")
    os.kill(int(desk.lines("pids")[0]), signal.SIGKILL)
    said = desk.ended(process)
    assert said.code == 0
    assert len(said.summary.landed) == 1
    assert desk.living() == {}


def test_hostile_output_is_harmless_wherever_it_is_shown(desk: Desk) -> None:
    """Escapes, overrides, zero bytes and a line of a megabyte reach no terminal as they are."""
    hostile = "printf '\\033]0;owned\\007\\033[2J\\342\\200\\256rtl\\302\\233\\000\\r\\n'"
    flood = "head -c 1000000 /dev/zero | tr '\\0' x"
    desk.settle(
        f"{hostile}; {flood}; {hostile} > $TIDEGATE_REPORT; echo bad >> part.txt",
        check=f"{hostile}; {flood}; {hostile}; ! grep -q bad part.txt",
        more="[limits]\nfails_max = 1\n",
    )
    desk.issue(1, "A title with ünïcödé and 日本語")
    process = desk.start("run")
    said = desk.ended(process)
    assert said.code == 1
    shown = [said.out, said.err]
    shown += [desk.tidegate(*each).out for each in (["log", "--all"], ["explain", "--no-json"])]
    shown += [desk.tidegate(*each).out for each in (["show", "001"], ["log", "--json"])]
    shown.append(desk.text("show", "001"))
    for text in shown:
        assert not {c for c in text if not c.isprintable()} - {"\n"}, text
    assert "\\x1b]0;owned" in shown[-1]
    assert "\\u202e" in shown[-1]


def test_an_agent_may_do_its_work_in_the_prompts_shape(desk: Desk) -> None:
    """A prompt of 300 KB with quotes reaches the agent by file and by standard input (G2-20)."""
    desk.settle(f"cat > {desk.folder}/input; echo more >> part.txt")
    text = 'it\'s "quoted" $HOME `x` {title}\n' * 10_000
    said = desk.tidegate("add", "A long story", "--text", text[:100_000])
    assert said.code == 0
    path = next((desk.repository / ".tidegate" / "issues").glob("001-*.md"))
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")
    code, _ = desk.run()
    assert code == 0
    assert text in (desk.folder / "input").read_text(encoding="utf-8")
    until(lambda: not desk.living())
