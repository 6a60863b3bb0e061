"""Only one of ours is at work in a checkout, and one that was killed may have left a git there."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests.git.test_delivery import MAIN, give, landed
from tests.git.test_fast_forward import FILES, assert_delivered, job_of
from tests.git.world import World, git, same, start_job
from tests.waiting import until
from tidegate.git import checkout, journal
from tidegate.git.checkout import Checkout
from tidegate.git.delivery import Delivered, Waiting
from tidegate.git.journal import Intent


def held_git(folder: Path, at: str) -> str:
    """Return a PATH on which git waits at the subcommand `at` until somebody writes into `go`.

    It makes the file `held` when it comes there, and waits once: nobody would let it go again.
    """
    bin_folder = folder / "held-bin"
    bin_folder.mkdir(parents=True)
    os.mkfifo(folder / "go")
    real = shutil.which("git")
    script = f"""#!/bin/sh
case " $* " in
*" {at} "*) test -e {folder}/held || {{ touch {folder}/held; read -r _ < {folder}/go; }};;
esac
exec {real} "$@"
"""
    (bin_folder / "git").write_text(script)
    (bin_folder / "git").chmod(0o755)
    return f"{bin_folder}:{os.environ['PATH']}"


def started_and_held(world: World, new: str, at: str) -> subprocess.Popen[bytes]:
    """Start a delivery whose git waits at a subcommand."""
    folder = world.path / "job"
    process = start_job(folder, job_of(world, new), path=held_git(folder, at))
    until((folder / "held").exists, within_s=30)
    return process


def let_go(world: World) -> None:
    """Let the git that waits go on."""
    (world.path / "job/go").write_text("\n")


def deliveries(world: World) -> list[str]:
    """Return what was delivered to main, by its reflog."""
    return [
        row.split()[0]
        for row in git(world.root, "log", "-g", "--format=%H %gs", MAIN).splitlines()
        if row.endswith("tidegate: deliver")
    ]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("at", ["read-tree", "update-ref"])
def test_the_git_of_a_killed_run_is_waited_for(
    world: World, monkeypatch: pytest.MonkeyPatch, at: str, number: signal.Signals
) -> None:
    """It writes into the checkout until it has ended: nobody else is at it before, then one is."""
    new = landed(world, FILES)
    process = started_and_held(world, new, at)
    process.send_signal(number)
    if number == signal.SIGKILL:
        process.wait()
    with monkeypatch.context() as patch:
        patch.setattr(journal, "WAIT_S", 0.0)
        at_work = Waiting("a delivery is at work in the checkout", (str(world.root),))
        assert same(give(world, new), at_work)
    let_go(world)
    assert same(give(world, new), Delivered(new))
    process.wait()
    assert_delivered(world, new)
    assert deliveries(world) == [new]


def place_of(world: World) -> Checkout:
    """Return where main is checked out."""
    place = checkout.of_branch(world.repository, MAIN)
    assert isinstance(place, Checkout)
    return place


def test_what_git_leaves_running_is_not_waited_for(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lock is given up when git has ended, though a process of the user's inherited it."""
    pid_file = world.path / "pid"
    leave = f"!sleep 600 </dev/null >/dev/null 2>&1 & echo $! > {pid_file}"
    git(world.root, "config", "alias.leave", leave)
    place = place_of(world)
    try:
        with journal.held(place, Intent(MAIN, world.base, world.base)) as hold:
            assert hold is not None
            hold.git().run("leave")
        monkeypatch.setattr(journal, "WAIT_S", 0.0)
        assert journal.is_quiet(place)
    finally:
        os.kill(int(pid_file.read_text()), signal.SIGKILL)


def test_the_index_is_free_whatever_happens(world: World) -> None:
    """Also a mistake of ours does not leave the user's index locked; the journal tells of it."""
    place = place_of(world)
    intent = Intent(MAIN, world.base, world.base)

    def fail() -> None:
        with journal.held(place, intent) as hold:
            assert hold is not None
            assert hold.lock_index()
            assert Path(journal.lock_path(place)).exists()
            raise ValueError("a mistake")

    with pytest.raises(ValueError, match="a mistake"):
        fail()
    assert not Path(journal.lock_path(place)).exists()
    assert journal.interrupted(place) == intent


def test_one_at_a_time_has_the_journal(world: World) -> None:
    """A second one gets nothing, until the first has dropped it; then it begins anew."""
    place = place_of(world)
    intent = Intent(MAIN, world.base, world.base)
    with journal.held(place, intent) as first:
        assert first is not None
        with journal.held(place, intent) as second:
            assert second is None
        first.drop()
        with journal.held(place, intent) as third:
            assert third is not None
            assert not third.resuming
            third.drop()
    assert journal.is_quiet(place)
