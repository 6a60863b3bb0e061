"""What `fsck` says while a controller works, after one was killed, and of what lives on."""

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.desk import Desk
from tests.cli.test_crashes import begin, slow_git
from tests.cli.test_gc import two_runs
from tests.waiting import until
from tidegate.playbooks.build import WORKSPACE

pytestmark = pytest.mark.slow

USUAL = frozenset({"blob-orphans"})


def found(desk: Desk, *arguments: str, code: int = 0) -> dict[str, dict[str, Any]]:
    """What `fsck` finds, by its name."""
    said = desk.tidegate("fsck", "--json", *arguments)
    assert said.code == code, said
    return {each["code"]: each for each in said.json["found"] if each["code"] not in USUAL}


def kill(process: subprocess.Popen[bytes], desk: Desk) -> None:
    """SIGKILL for a controller; its runners go on."""
    os.killpg(process.pid, signal.SIGKILL)
    assert desk.ended(process).code == -signal.SIGKILL


def runner_of(desk: Desk) -> int:
    """The pid of the one runner at work."""
    (pid,) = [pid for pid, words in desk.living().items() if "tidegate/runner" in words]
    return pid


def test_while_a_controller_works_nothing_is_called_wrong(desk: Desk) -> None:
    """G4-16: the look is of one moment of the ledger; --repair is refused with exit 4."""
    run = begin(desk)
    said = desk.tidegate("fsck", "--json")
    assert said.code == 0, said
    assert f"process {run.pid}" in said.json["controller"]
    assert {each["level"] for each in said.json["found"]} <= {"note", "in use"}
    refused = desk.tidegate("fsck", "--repair", "--json")
    assert refused.code == 4
    assert f"process {run.pid}" in refused.error.message
    stray = desk.ledger_folder / "runs" / desk.events()[0]["run"] / "artifacts" / "late.md"
    stray.parent.mkdir(exist_ok=True)
    stray.write_text("late")
    assert found(desk)["artifact-unknown"]["level"] == "in use"
    desk.let("go")
    assert desk.ended(run).code == 0
    assert found(desk, code=5)["artifact-unknown"]["level"] == "wrong"


def test_looks_beside_a_run_that_lands_find_nothing(desk: Desk) -> None:
    """G4-16: as often as anybody looks while lanes are built and landed, nothing is wrong."""
    desk.settle("echo $TIDEGATE_ISSUE > part-$TIDEGATE_ISSUE", width=2)
    for number in range(1, 5):
        desk.issue(number)
    run = desk.start("run", "--json")
    until(desk.ledger_folder.joinpath("runs").exists)
    looks = 0
    while run.poll() is None:
        said = desk.tidegate("fsck", "--json")
        assert said.code == 0, said.out
        looks += 1
    assert desk.ended(run).code == 0
    assert looks > 1


def test_an_agent_whose_controller_died_is_told(desk: Desk) -> None:
    """G3: it is at work and nobody is at its controls; then it is over and nobody heard it."""
    kill(begin(desk), desk)
    alone = found(desk)
    assert alone.keys() == {"turn-alone"}
    assert "`tidegate run` goes on with it" in alone["turn-alone"]["remedy"]
    desk.let("go")
    until(lambda: not desk.living())
    assert found(desk).keys() == {"turn-unheard"}
    assert desk.run()[0] == 0
    assert found(desk) == {}


def test_a_runner_that_died_is_told_with_what_it_left(desk: Desk) -> None:
    """G6: a dead runner and the pids of what still carries its mark; the next run settles it."""
    kill(begin(desk), desk)
    os.kill(runner_of(desk), signal.SIGKILL)
    until(lambda: not any("tidegate/runner" in words for words in desk.living().values()))
    dead = found(desk)["turn-dead"]
    pids = sorted(desk.living())
    assert pids
    assert all(str(pid) in dead["message"] for pid in pids[:1])
    desk.let("go")
    until(lambda: not desk.living())
    assert desk.run()[0] == 0
    assert "turn-dead" not in found(desk)


def test_a_process_of_a_turn_that_is_over_is_told_and_not_ended(desk: Desk) -> None:
    """Whoever carries its mark is named by number; to end it is for a person to say."""
    desk.settle("echo more >> part.txt")
    desk.issue(1)
    assert desk.run()[0] == 0
    turn = next(desk.ledger_folder.glob("runs/*/attempts/001-build-1/turns/1"))
    process = subprocess.Popen(("sleep", "60"), env={**os.environ, "TIDEGATE_MARK": str(turn)})
    try:
        left = found(desk, "--repair", code=5)["process-left"]
        assert process.poll() is None
    finally:
        process.kill()
        process.wait()
    assert str(process.pid) in left["message"]
    assert found(desk) == {}


def test_a_workspace_that_is_gone_under_its_agent_is_told(desk: Desk) -> None:
    """G1: it is wrong, since what was not harvested in it is lost; nothing is made in its place."""
    kill(begin(desk), desk)
    (place,) = desk.folder.glob(f"state/tidegate/*/w/*/001-build-1/{WORKSPACE}")
    place.rename(desk.folder / "elsewhere")
    gone = found(desk, "--repair", code=5)
    assert gone.keys() == {"workspace-missing", "turn-alone"}
    assert not place.exists()
    (desk.folder / "elsewhere").rename(place)
    assert "workspace-missing" not in found(desk)
    desk.let("go")
    assert desk.run()[0] == 0


def test_what_gc_has_taken_is_no_damage(desk: Desk) -> None:
    """An old run's folder and branch are gone by right; its events and commits are all there."""
    old, _ = two_runs(desk)
    assert desk.tidegate("gc", "--yes", "--older-than", "0").code == 0
    assert not (desk.ledger_folder / "runs" / old).exists()
    assert found(desk) == {}
    assert desk.tidegate("audit", "--json").code == 0


def test_the_evidence_of_a_critical_stop_is_no_damage(desk: Desk) -> None:
    """Its workspace stays, which is told, and nothing is wrong with that."""
    desk.settle("echo more >> part.txt; echo stray > ../stray")
    desk.issue(1)
    assert desk.run()[0] == 1
    assert {name: each["level"] for name, each in found(desk).items()} == {"workspace-left": "note"}
    assert desk.tidegate("audit", "--json").code == 0


def test_what_stands_and_should_not_is_told(desk: Desk) -> None:
    """A workspace that was removed and is there, one of unknown origin, and a cut removal."""
    desk.settle("echo more >> part.txt")
    desk.issue(1)
    assert desk.run()[0] == 0
    path = Path(next(e for e in desk.events() if e["kind"] == "dispatched")["body"]["workspace"])
    path.mkdir(parents=True)
    (path / "mine").write_text("precious")
    stranger = path.parents[1] / "009-build-1" / path.name
    stranger.mkdir(parents=True)
    trash = Path(f"{path}.trash") / "workspace.0"
    trash.mkdir(parents=True)
    told = found(desk, "--repair")
    assert {name: each["level"] for name, each in told.items()} == {
        "workspace-left": "note",
        "workspace-unknown": "note",
        "trash-left": "mended",
    }
    assert (path / "mine").exists()
    assert stranger.exists()
    assert not trash.exists()


def test_a_promotion_that_was_cut_short_is_told_and_finished_by_the_run(desk: Desk) -> None:
    """C121, G1: the digest is in the ledger before the artifact is; the next run publishes it."""
    once = f"{desk.folder}/once"
    blocks = f"test -e {once} || touch {once} ${{TIDEGATE_BRIEF%/attempts/*}}/artifacts"
    desk.settle(f"echo more >> part.txt; {blocks}")
    desk.issue(1)
    said = desk.tidegate("run")
    assert said.code != 0
    (obstacle,) = desk.ledger_folder.glob("runs/*/artifacts")
    assert obstacle.is_file()  # the fault has struck: no artifact could be published
    staged = found(desk)
    assert "artifact-staged" in staged
    obstacle.unlink()
    assert desk.run()[0] == 0
    assert found(desk) == {}


def test_a_landing_that_was_cut_short_is_told_as_under_way(desk: Desk) -> None:
    """G4-15: killed between the move of the ref and its record; a repair leaves it to the run."""
    path = slow_git(desk, at="tidegate: land")
    desk.settle(f"touch {desk.folder}/hold; echo more >> part.txt")
    desk.issue(1)
    process = desk.start("run", env={"PATH": path})
    desk.sees("held")
    kill(process, desk)
    desk.let("go")
    until(lambda: not desk.living())  # git has moved the ref, and nobody has recorded it
    assert "landed" not in desk.kinds()
    told = found(desk, "--repair")
    assert told["landing-open"]["level"] == "note"
    assert len(desk.run()[1].landed) == 1
    assert found(desk) == {}
