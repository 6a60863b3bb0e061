"""What is unknown outside: it is listed, blocks its issue, and is settled by its owner's word."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.cli.desk import Desk

pytestmark = pytest.mark.slow

TRACKER = """\
import json, os, sys
asked = json.load(sys.stdin)
if asked["do"] == "list":
    for name in {names}:
        print(json.dumps({{"id": name, "title": "Change", "text": "Please."}}))
elif asked["do"] == {silent!r} and asked["issue"] == "A":
    os.kill(os.getpid(), 9)
else:
    print(json.dumps({{"ok": True}}))
"""
"""Of one kind of request, and one issue, nobody ever hears the end."""


def hurried(desk: Desk) -> None:
    """What fails is tried twice, and soon."""
    toml = desk.repository / "tidegate.toml"
    text = toml.read_text().replace("[deadlines]\n", "[deadlines]\nretry_s = 0.1\n")
    toml.write_text(f"{text}[limits]\ninfra_max = 2\n")


def tracked(desk: Desk, silent: str, names: str = '["A", "B"]') -> None:
    """A desk whose tracker dies at one kind of request."""
    script = desk.folder / "tracker.py"
    script.write_text(TRACKER.format(silent=silent, names=names))
    command = json.dumps(f"{sys.executable} {script}")
    more = f'[tracker]\nkind = "command"\ncommand = {command}\n'
    desk.settle("echo $TIDEGATE_ISSUE >> $TIDEGATE_ISSUE.txt", more=more)
    hurried(desk)


def receipt(desk: Desk, kind: str) -> str:
    """The receipt of this kind for issue A."""
    run = desk.tidegate("status").json["run"]
    return f"{run}-A-{kind}"


def test_an_unknown_receipt_is_told_with_its_remedy_and_settled(desk: Desk) -> None:
    """C167: the other issue lands and is closed; the run ends once the owner has said it."""
    tracked(desk, "close")
    code, summary = desk.run()
    assert (code, sorted(each.issue for each in summary.landed)) == (1, ["A", "B"])
    name = receipt(desk, "close")
    todo = f"`tidegate reconcile {name} done` or `failed`"
    assert todo in summary.effects[0].detail
    assert todo in " ".join(desk.text("status").split())
    listed = {each["receipt"]: each for each in desk.tidegate("receipts", "--json").json}
    assert (listed[name]["outcome"], listed[name]["todo"] != "") == ("unknown", True)
    assert listed[name.replace("-A-", "-B-")]["outcome"] == "done"
    assert desk.tidegate("status").json["ended_at"] is None
    assert desk.tidegate("reconcile", name, "perhaps").code == 2
    assert desk.tidegate("reconcile", f"{name}x", "done").code == 2
    assert desk.tidegate("reconcile", name.replace("-A-", "-B-"), "done").code == 4
    agent = desk.tidegate("reconcile", name, "done", env={"TIDEGATE_ATTEMPT": "A-build-1"})
    assert agent.code == 4
    said = desk.tidegate("reconcile", name, "done", "I closed it", "--no-json")
    assert (said.code, "is known now: done" in said.out) == (0, True)
    assert desk.tidegate("reconcile", name, "done").code == 4
    (settled,) = [e for e in desk.events() if e["kind"] == "receipt_reconciled"]
    assert settled["actor"] == "owner"
    listed = {each["receipt"]: each for each in desk.tidegate("receipts", "--json").json}
    assert (listed[name]["outcome"], listed[name]["recorded"]) == ("done", "unknown")
    assert desk.run()[0] == 0
    assert desk.tidegate("status").json["ended_at"]


def test_an_unknown_claim_keeps_its_issue_back_by_name(desk: Desk) -> None:
    """`explain` and `next` name the receipt and the remedy; the other issue lands."""
    tracked(desk, "claim")
    code, summary = desk.run()
    assert (code, [each.issue for each in summary.landed]) == (1, ["B"])
    name = receipt(desk, "claim")
    (line,) = [each for each in desk.tidegate("explain").json if each["issue"] == "A"]
    assert line["stand"] == "unknown"
    assert f"`tidegate reconcile {name} done` or `failed`" in line["reason"]
    asked = desk.tidegate("next", "--no-json")
    assert (asked.code, name in asked.err) == (1, True)
    assert "A" not in {each["lane"] for each in desk.events() if each["kind"] == "lane_opened"}


def test_what_an_ended_run_left_unknown_is_settled_too(desk: Desk) -> None:
    """`--anew` ends the run; its issue is blocked until the word is said, and it stays over."""
    tracked(desk, "claim", names='["A"]')
    desk.run()
    first, name = desk.tidegate("status").json["run"], receipt(desk, "claim")
    assert desk.run("--anew")[0] == 1
    row = desk.tidegate("status", "--run", first).json
    assert row["ended_at"]
    assert desk.tidegate("next").code == 1
    said = desk.tidegate("reconcile", name, "failed", "nobody has it", "--no-json")
    assert said.code == 0, said
    assert desk.tidegate("status", "--run", first).json["ended_at"]
    assert desk.tidegate("next", "--no-json").out == "A\n"
    kinds = [event["kind"] for event in desk.events(first)]
    assert kinds[-3:] == ["controller_took_over", "receipt_reconciled", "run_ended"]


def test_an_unknown_push_holds_back_further_pushes_until_it_is_known(
    desk: Desk, tmp_path: Path
) -> None:
    """The remote cannot be asked: nothing is pushed after it, and the owner is told what to say."""
    remote = tmp_path / "remote.git"
    desk.git("init", "-q", "--bare", "-b", "main", "--template=", str(remote), cwd=desk.folder)
    desk.git("remote", "add", "origin", str(remote))
    desk.settle("echo more >> part.txt", more='[land]\nto = "main"\npublish = "origin"\n')
    real = shutil.which("git")
    wrapper = desk.folder / "bin" / "git"
    wrapper.parent.mkdir()
    wrapper.write_text(
        f'#!/bin/sh\nfor word in "$@"; do case $word in\n'
        f"ls-remote) echo asked >> {desk.folder}/asked; test -e {desk.folder}/mended || "
        f'{{ kill -9 $PPID; exit 1; }};;\nesac; done\nexec {real} "$@"\n'
    )
    wrapper.chmod(0o755)
    hurried(desk)
    desk.issue(1)
    path = {"PATH": f"{wrapper.parent}:{os.environ['PATH']}"}
    said = desk.tidegate("run", "--json", env=path)
    assert said.code == 1, said.err
    assert desk.lines("asked"), "the fault has struck"
    assert desk.kinds().count("publish_intended") == 1, "no other push was tried"
    assert desk.kinds().count("run_ended") == 0
    (effect,) = said.summary.effects
    assert (effect.kind, effect.outcome) == ("publication", "unknown")
    run = desk.tidegate("status").json["run"]
    assert f"tidegate reconcile {run}-publication-1 done" in effect.detail
    desk.let("mended")
    assert desk.tidegate("run", "--json", env=path).code == 0
    assert desk.kinds().count("publish_intended") == 2
    assert desk.git("rev-parse", "main", cwd=remote) == desk.git("rev-parse", "main")
    (settled,) = [e for e in desk.events() if e["kind"] == "receipt_reconciled"]
    assert settled["actor"] == "controller"
