"""What landed goes to a remote where one is named: a real one, with other people in it."""

import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest

from tests.cli.desk import Desk
from tests.cli.test_crashes import slow_git

pytestmark = pytest.mark.slow

EDIT = "echo more >> part.txt"
TO_MAIN = '[land]\nto = "main"\npublish = "origin"\n'


@pytest.fixture
def remote(desk: Desk) -> Path:
    """A bare repository that the person calls origin."""
    path = desk.folder / "remote.git"
    desk.git("init", "-q", "--bare", "-b", "main", "--template=", str(path), cwd=desk.folder)
    desk.git("remote", "add", "origin", str(path))
    desk.git("push", "-q", "origin", "main")
    return path


def pushes(desk: Desk, remote: Path) -> None:
    """Have the remote keep a side file of all pushes that it took."""
    hook = remote / "hooks" / "post-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ncat >> {desk.folder}/pushed\n")
    hook.chmod(0o755)


def at(desk: Desk, remote: Path, branch: str) -> str:
    """What a branch of the remote is at."""
    return desk.git("rev-parse", f"refs/heads/{branch}", cwd=remote)


def test_what_landed_is_published_once(desk: Desk, remote: Path) -> None:
    """The remote's branch is at the very commit that was proved."""
    pushes(desk, remote)
    desk.settle(EDIT, more=TO_MAIN)
    desk.issue(1)
    code, summary = desk.run()
    assert (code, summary.effects) == (0, [])
    assert at(desk, remote, "main") == summary.landed[0].commit == desk.git("rev-parse", "main")
    assert len(desk.lines("pushed")) == 1


def test_a_remote_that_went_elsewhere_is_told(desk: Desk, remote: Path) -> None:
    """Exit 1 with both commits; nothing of theirs is overwritten."""
    other = desk.folder / "other"
    desk.git("clone", "-q", str(remote), str(other), cwd=desk.folder)
    theirs = desk.commit("theirs.txt", "1\n", cwd=other)
    desk.git("push", "-q", "origin", "main", cwd=other)
    desk.settle(EDIT, more=TO_MAIN)
    desk.issue(1)
    code, summary = desk.run()
    assert (code, len(summary.landed)) == (1, 1)
    (effect,) = summary.effects
    assert (effect.kind, effect.about, effect.outcome) == ("publication", "origin main", "refused")
    assert theirs in effect.detail
    assert summary.landed[0].commit in effect.detail
    assert at(desk, remote, "main") == theirs
    assert "publication origin main" in desk.text("status")


def test_a_push_that_outlives_its_controller_happens_once(desk: Desk, remote: Path) -> None:
    """A kill -9 between the intent and the outcome: the next one hears of the same push."""
    pushes(desk, remote)
    path = slow_git(desk, at="push --quiet")
    desk.settle(EDIT, more=TO_MAIN)
    desk.issue(1)
    desk.let("hold")
    process = desk.start("run", env={"PATH": path})
    desk.sees("held")
    os.killpg(process.pid, signal.SIGKILL)
    desk.ended(process)
    assert "publish_intended" in desk.kinds()
    assert "publish_settled" not in desk.kinds()
    desk.let("go")
    code, summary = desk.run()
    assert (code, summary.effects) == (0, [])
    assert len(desk.lines("pushed")) == 1
    assert desk.kinds().count("publish_intended") == 1
    assert at(desk, remote, "main") == summary.landed[0].commit


def test_a_push_that_died_after_the_deed_is_not_made_again(desk: Desk, remote: Path) -> None:
    """All is killed when the remote has it: unknown, and then found to be published."""
    pushes(desk, remote)
    hook = remote / "hooks" / "post-receive"
    hook.write_text(f"{hook.read_text()}touch {desk.folder}/held\nsleep 60\n")
    desk.settle(EDIT, more=TO_MAIN)
    desk.issue(1)
    process = desk.start("run")
    desk.sees("held")
    for pid in desk.living():
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    desk.ended(process)
    code, summary = desk.run()
    assert (code, summary.effects) == (0, [])
    assert len(desk.lines("pushed")) == 1
    ends = [each["body"]["outcome"] for each in desk.events() if each["kind"] == "publish_settled"]
    assert ends == ["unknown"], "the receipt stays as it was"
    known = [each["body"] for each in desk.events() if each["kind"] == "receipt_reconciled"]
    assert [(each["outcome"], each["by"]) for each in known] == [("done", "controller")]
    assert at(desk, remote, "main") == summary.landed[0].commit


def test_land_publishes_what_it_lands_and_nothing_more(desk: Desk, remote: Path) -> None:
    """A run on a branch of its own pushes that; `land` pushes the person's branch, up to there."""
    desk.settle(EDIT, more='[land]\npublish = "origin"\n')
    desk.issue(1)
    _, summary = desk.run()
    landed = summary.landed[0].commit
    assert at(desk, remote, f"tidegate/{summary.run}") == landed
    assert at(desk, remote, "main") != landed
    assert desk.tidegate("land", "--json").json["published"] == "origin main"
    desk.commit("mine.txt", "1\n")
    assert "published to origin main" in desk.text("land")
    assert at(desk, remote, "main") == landed


def test_land_says_what_was_not_published(desk: Desk, remote: Path) -> None:
    """The person's branch has it, the remote is as it was, and exit 4 says why."""
    desk.settle(EDIT, more='[land]\npublish = "origin main"\n')
    desk.issue(1)
    other = desk.folder / "other"
    desk.git("clone", "-q", str(remote), str(other), cwd=desk.folder)
    desk.run()
    theirs = desk.commit("theirs.txt", "1\n", cwd=other)
    desk.git("push", "-q", "--force", "origin", "main", cwd=other)
    said = desk.tidegate("land", "--json")
    assert said.code == 4
    assert theirs in said.error.message
    assert at(desk, remote, "main") == theirs


def test_a_remote_that_is_not_there_is_told_before_anything_is_spent(desk: Desk) -> None:
    """By `doctor` and by `run`, which begins nothing."""
    desk.settle(EDIT, more=TO_MAIN)
    desk.issue(1)
    assert "fail  publish: there is no remote 'origin'" in desk.tidegate("doctor", "--no-json").out
    said = desk.tidegate("run", "--json")
    assert (said.code, "there is no remote 'origin'" in said.error.message) == (3, True)
    desk.git("remote", "add", "origin", "https://host.invalid/x.git")
    assert "whether it can be reached was not tried" in desk.text("doctor")
