"""The demo is a real run, and a program can tell whether it went as planned."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import tidegate
from tests.waiting import until

SOURCE = Path(tidegate.__file__).parents[1]

pytestmark = pytest.mark.slow


def started(folder: Path, *arguments: str) -> subprocess.Popen[bytes]:
    """The demo, with this folder for all that it makes, and a session of its own."""
    return subprocess.Popen(
        (sys.executable, "-m", "tidegate", "demo", *arguments),
        cwd=folder,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "TMPDIR": str(folder),
            "PYTHONPATH": str(SOURCE),
            **{name: os.environ[name] for name in os.environ if name.startswith("COVERAGE")},
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def interrupted(folder: Path, numbers: Sequence[signal.Signals], *arguments: str) -> str:
    """What the demo says that gets these signals while its agents work; it must end with 130."""
    demo = started(folder, *arguments)
    try:
        until(lambda: list(folder.glob("tidegate-demo-*/workspaces/*/w/*/*")), within_s=60.0)
        for number in numbers:
            os.kill(demo.pid, number)
        out, err = demo.communicate(timeout=60.0)
    finally:
        demo.kill()
    assert demo.returncode == 130, err
    assert b"Traceback" not in err
    assert b"wrong:" not in out
    assert b"interrupted" in out
    return out.decode()


def at_work(folder: Path) -> list[int]:
    """The processes that have to do with the folder, those of the tests aside."""
    mark = os.fsencode(folder)
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if mark in (entry / "environ").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


def test_the_demo_goes_as_planned_and_leaves_nothing(tmp_path: Path) -> None:
    """Six lanes land, one is refused, two stop; its folder is gone afterwards."""
    demo = started(tmp_path, "--json")
    out, err = demo.communicate()
    assert demo.returncode == 0, err
    summary = json.loads(out)
    ends = {
        end: [each["issue"] for each in summary[end]] for end in ("landed", "stopped", "refused")
    }
    assert ends == {
        "landed": ["001", "002", "004", "005", "007", "008"],
        "stopped": ["003", "009"],
        "refused": ["006"],
    }
    assert list(tmp_path.iterdir()) == []


def test_a_demo_whose_controller_is_killed_ends_as_any_other(tmp_path: Path) -> None:
    """With --chaos agents are adopted by the next controller, and all nine end as planned."""
    demo = started(tmp_path, "--chaos")
    out, err = demo.communicate()
    assert demo.returncode == 0, err
    assert b"kill -9 of the controller" in err
    assert b"adopted: " in err
    *_, what, trick, _ = out.decode().splitlines()
    assert "kill -9 after" in what
    assert "001-build-1" in what
    assert "as if nothing had happened" in trick
    assert out.count(b"landed  ") >= 6
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_demo_with_chaos_leaves_nothing(
    tmp_path: Path, number: signal.Signals
) -> None:
    """Neither of its controllers, nor an agent, nor a folder stays."""
    interrupted(tmp_path, (number,), "--chaos")
    assert list(tmp_path.iterdir()) == []
    until(lambda: not at_work(tmp_path))


@pytest.mark.parametrize(
    "numbers",
    [
        (signal.SIGHUP,),
        (signal.SIGTERM,),
        (signal.SIGINT,),
        (signal.SIGINT, signal.SIGINT),
        (signal.SIGINT, signal.SIGINT, signal.SIGINT, signal.SIGHUP),
    ],
)
def test_an_interrupted_demo_stops_its_agents_and_leaves_nothing(
    tmp_path: Path, numbers: tuple[signal.Signals, ...]
) -> None:
    """It says that it was interrupted, and neither a folder nor a process stays."""
    interrupted(tmp_path, numbers)
    assert list(tmp_path.iterdir()) == []
    until(lambda: not at_work(tmp_path))


def test_an_interrupted_demo_can_be_kept(tmp_path: Path) -> None:
    """With --keep its folder stays, and is named; its agents are stopped all the same."""
    out = interrupted(tmp_path, (signal.SIGINT,), "--keep")
    (folder,) = tmp_path.glob("tidegate-demo-*")
    assert f"kept: cd {folder}/repository" in out
    until(lambda: not at_work(tmp_path))


def test_a_demo_that_is_interrupted_before_it_begins_leaves_nothing(tmp_path: Path) -> None:
    """While its repository is made there is nothing to stop: it only clears up."""
    demo = started(tmp_path)
    assert demo.stderr is not None
    assert b"a small repository" in demo.stderr.readline()
    os.kill(demo.pid, signal.SIGINT)
    _, err = demo.communicate(timeout=60.0)
    assert demo.returncode == 130, err
    assert b"interrupted before it began" in err
    assert b"Traceback" not in err
    assert list(tmp_path.iterdir()) == []
