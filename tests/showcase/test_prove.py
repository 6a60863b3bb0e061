"""`tidegate prove` does what it says to real runs, finds nothing wrong, and leaves nothing."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import tidegate
from tests.waiting import until
from tidegate.showcase.proving import sight

SOURCE = Path(tidegate.__file__).parents[1]
SHORT = ("kill-runner", "kill-controller", "duplicate", "take-over", "full-disk")
LONG = ("kill-agent", "stop-controller", "stop-runner", "clock-steps")

pytestmark = pytest.mark.slow


def started(folder: Path, *arguments: str) -> "subprocess.Popen[bytes]":
    """The proof, with this folder for all that it makes, and a session of its own."""
    return subprocess.Popen(
        (sys.executable, "-m", "tidegate", "prove", *arguments),
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


@pytest.mark.parametrize("faults", [SHORT, LONG], ids=["deaths", "pauses"])
def test_nothing_is_lost_and_nothing_is_done_twice(tmp_path: Path, faults: tuple[str, ...]) -> None:
    """Each fault takes effect on a real run; nothing is lost or doubled; nothing stays behind."""
    named = [word for fault in faults for word in ("--fault", fault)]
    proving = started(tmp_path, "--seed", "5", "--json", *named)
    out, err = proving.communicate(timeout=300.0)
    said = json.loads(out)
    assert proving.returncode == 0, (said["problems"], err.decode())
    assert said["holds"]
    assert (said["lost"], said["doubled"]) == (0, 0)
    assert [(line["injected"], line["took_effect"]) for line in said["lines"]] == [
        (1, 1) for _ in faults
    ]
    assert said["looked_at"]["landings"] == said["looked_at"]["issues"]
    assert list(tmp_path.iterdir()) == []


def test_kills_are_counted_and_agents_adopted(tmp_path: Path) -> None:
    """B09: killed again and again, each next start finds what there is and goes on with it."""
    proving = started(tmp_path, "--kills", "3", "--seed", "1", "--json")
    out, err = proving.communicate(timeout=300.0)
    said = json.loads(out)
    assert proving.returncode == 0, (said["problems"], err.decode())
    assert [line["took_effect"] for line in said["lines"]] == [3]
    assert said["adopted_agents"] > 0


def test_a_turn_that_ran_twice_is_told_with_exit_code_5(tmp_path: Path) -> None:
    """Where the journal says that a turn was begun once more, the proof does not hold."""
    proving = started(tmp_path, "--fault", "duplicate", "--seed", "5", "--json")

    def begun() -> list[str]:
        lines = [each.read_text().splitlines() for each in tmp_path.glob("*/journal")]
        return [line for each in lines for line in each if '"begin"' in line]

    until(begun, within_s=60.0)
    (journal,) = tmp_path.glob("*/journal")
    with journal.open("a", encoding="utf-8") as file:
        file.write(f"{begun()[0]}\n")
    out, _ = proving.communicate(timeout=300.0)
    said = json.loads(out)
    assert proving.returncode == 5
    assert (said["holds"], said["doubled"]) == (False, 1)
    assert "ran twice" in said["problems"][0]
    assert said["kept"] == str(journal.parent)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_proof_ends_all_that_it_started(
    tmp_path: Path, number: signal.Signals
) -> None:
    """Neither a process nor a file stays behind, whatever asks it to end."""
    proving = started(tmp_path, "--seed", "5")
    try:
        until(lambda: list(tmp_path.glob("*/workspaces/*/w/*/*")), within_s=60.0)
        os.kill(proving.pid, number)
        _, err = proving.communicate(timeout=60.0)
    finally:
        proving.kill()
    assert proving.returncode == 130, err
    assert b"Traceback" not in err
    assert b"interrupted; what it started is ended" in err, "no next one goes on from there"
    assert list(tmp_path.iterdir()) == []
    assert list(sight.of_folder(tmp_path)) == []


def test_an_unknown_fault_is_refused(tmp_path: Path) -> None:
    """A word that names no fault is wrong use, and those that there are are named."""
    proving = started(tmp_path, "--fault", "earthquake")
    _, err = proving.communicate(timeout=60.0)
    assert proving.returncode == 2
    assert b"kill-controller" in err


def test_what_is_no_number_of_minutes_is_refused(tmp_path: Path) -> None:
    """A proof of `nan` minutes would never be over."""
    proving = started(tmp_path, "--minutes", "nan", "--json")
    out, _ = proving.communicate(timeout=30.0)
    assert proving.returncode == 2
    assert "no number of minutes" in json.loads(out)["error"]["message"]
