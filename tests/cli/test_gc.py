"""What runs have left is removed once nobody needs it, and nothing else is."""

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.desk import Desk
from tests.cli.test_crashes import begin
from tests.waiting import until

pytestmark = pytest.mark.slow

YARD = "state/tidegate/*/w/*/001-build-1"
AT_ONCE = ("--older-than", "0")


def land(desk: Desk, number: int, *, merges: bool = True) -> str:
    """A run that has landed one issue; with `merges` the checkout's branch takes it."""
    desk.issue(number)
    code, summary = desk.run()
    assert code == 0
    if merges:
        desk.git("merge", "-q", f"tidegate/{summary.run}")
    assert summary.run is not None
    return summary.run


def two_runs(desk: Desk, *, merges: bool = True) -> tuple[str, str]:
    """An old run, and the newest of the branch."""
    desk.settle("echo $TIDEGATE_ISSUE > part-$TIDEGATE_ISSUE")
    return land(desk, 1, merges=merges), land(desk, 2, merges=merges)


def tidied(desk: Desk, *arguments: str, code: int = 0) -> dict[tuple[str, str], Any]:
    """What `gc` says of each leftover, by its kind and name."""
    said = desk.tidegate("gc", "--json", *arguments)
    assert said.code == code, said
    return {(each["kind"], each["name"]): each for each in said.json["leftovers"]}


def run_folder(desk: Desk, run: str) -> Path:
    """Where the files of a run are."""
    return desk.ledger_folder / "runs" / run


def branches(desk: Desk) -> list[str]:
    """The branches of the checkout that runs have made."""
    return desk.git("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads/tidegate").split()


def test_nothing_goes_without_yes_and_all_of_it_goes_with_it(desk: Desk) -> None:
    """The old run's folder and branch; its events stay, and so does the newest run."""
    old, new = two_runs(desk)
    before = desk.events(old)
    seen = tidied(desk, *AT_ONCE)
    assert {key: each["fate"] for key, each in seen.items()} == {
        ("run", old): "removable",
        ("branch", f"tidegate/{old}"): "removable",
    }
    assert seen["run", old]["size_bytes"] > 4096
    assert run_folder(desk, old).is_dir()
    text = desk.tidegate("gc", *AT_ONCE).out
    assert "nothing was done: `tidegate gc --yes` does it" in text
    done = desk.tidegate("gc", "--yes", *AT_ONCE)
    assert done.code == 0
    assert f"removed   branch tidegate/{old}" in done.out
    assert not run_folder(desk, old).exists()
    assert not (desk.ledger_folder / "trash").exists()
    assert run_folder(desk, new).is_dir()
    assert branches(desk) == [f"tidegate/{new}"]
    assert desk.events(old) == before
    assert desk.tidegate("show", "001", "--run", old).code == 0
    assert desk.tidegate("doctor").code == 0
    assert desk.tidegate("gc", *AT_ONCE).out == "nothing is to be removed\n"
    assert land(desk, 3)


def test_a_run_that_ended_lately_is_kept(desk: Desk) -> None:
    """Two weeks are the default; without a run at all there is nothing to remove either."""
    assert desk.tidegate("gc", "--yes").out == "0.0 kB freed\n"
    old, _ = two_runs(desk)
    assert tidied(desk, "--yes") == {}
    assert run_folder(desk, old).is_dir()


def test_what_is_not_in_the_target_yet_is_kept(desk: Desk) -> None:
    """Neither the folder nor the branch of a landing that nobody took goes, with --yes either."""
    old, new = two_runs(desk, merges=False)
    found = tidied(desk, "--yes", *AT_ONCE)
    assert {each["fate"] for each in found.values()} == {"kept"}
    assert f"tidegate land --run {old}" in found["run", old]["reason"]
    assert branches(desk) == [f"tidegate/{old}", f"tidegate/{new}"]
    assert desk.tidegate("land").code == 0
    assert tidied(desk, "--yes", *AT_ONCE)["branch", f"tidegate/{old}"]["fate"] == "removed"


def test_a_branch_that_is_checked_out_is_kept_and_others_are_not_looked_at(desk: Desk) -> None:
    """A worktree of the person's has it; and `tidegate/mine` is theirs, whatever its name."""
    old, _ = two_runs(desk)
    desk.git("worktree", "add", "-q", str(desk.folder / "other"), f"tidegate/{old}")
    desk.git("branch", "tidegate/mine")
    found = tidied(desk, "--yes", *AT_ONCE)
    assert "it is checked out in" in found["branch", f"tidegate/{old}"]["reason"]
    assert found["branch", f"tidegate/{old}"]["fate"] == "kept"
    assert found["run", old]["fate"] == "removed"
    assert ("branch", "tidegate/mine") not in found
    assert "tidegate/mine" in branches(desk)


def test_it_is_refused_while_a_controller_is_at_work(desk: Desk) -> None:
    """Exit 4; to look is no matter."""
    run = begin(desk)
    said = desk.tidegate("gc", "--yes", "--json")
    assert said.code == 4
    assert "a controller runs already" in said.error.message
    assert desk.tidegate("gc").code == 0
    desk.let("go")
    assert desk.ended(run).code == 0


def test_a_folder_with_a_living_process_is_kept(desk: Desk) -> None:
    """Whatever carries the mark of one of its turns lives on, and the run's folder with it."""
    old, _ = two_runs(desk)
    turn = run_folder(desk, old) / "attempts" / "001-build-1" / "turns" / "1"
    environment = {**os.environ, "TIDEGATE_MARK": str(turn)}
    process = subprocess.Popen(("sleep", "60"), env=environment)
    try:
        found = tidied(desk, "--yes", *AT_ONCE)
    finally:
        process.kill()
        process.wait()
    assert found["run", old]["fate"] == "kept"
    assert f"processes of it live ({process.pid})" in found["run", old]["reason"]
    assert run_folder(desk, old).is_dir()
    assert tidied(desk, "--yes", *AT_ONCE)["run", old]["fate"] == "removed"


def test_a_removal_that_is_killed_is_finished_by_the_next(desk: Desk) -> None:
    """G3-35: SIGKILL in the middle; the run's folder was gone at once, and nothing is left."""
    old, _ = two_runs(desk)
    for number in range(60):
        folder = run_folder(desk, old) / "many" / f"{number}"
        folder.mkdir(parents=True)
        for name in range(150):
            (folder / f"{name}").touch()
    trash = desk.ledger_folder / "trash"
    process = desk.start("gc", "--yes", *AT_ONCE)
    until(lambda: trash.is_dir() and len(list(trash.iterdir())) > 20)
    process.kill()
    assert desk.ended(process).code == -signal.SIGKILL
    assert not run_folder(desk, old).exists()
    assert list(trash.iterdir())
    found = tidied(desk, "--yes", *AT_ONCE)
    assert found["trash", "trash"]["fate"] == "removed"
    assert found["branch", f"tidegate/{old}"]["fate"] == "removed"
    assert not trash.exists()
    assert tidied(desk, *AT_ONCE) == {}


def test_one_failure_does_not_stop_the_rest(desk: Desk) -> None:
    """G3-35: exit 1 and the reason; what could be removed is gone, and the next time all is."""
    old, _ = two_runs(desk)
    trash = desk.ledger_folder / "trash"
    trash.write_text("in the way", encoding="utf-8")
    found = tidied(desk, "--yes", *AT_ONCE, code=1)
    assert found["run", old]["fate"] == "failed"
    assert str(trash) in found["run", old]["reason"]
    assert found["branch", f"tidegate/{old}"]["fate"] == "removed"
    trash.unlink()
    assert tidied(desk, "--yes", *AT_ONCE)["run", old]["fate"] == "removed"


def left_by_a_kill(desk: Desk) -> Path:
    """The yard of a workspace whose removal was killed, with all that took part in it."""
    desk.settle(
        "echo more >> part.txt; mkdir many; echo '*' > many/.gitignore; cd many;"
        "for d in $(seq 40); do mkdir $d; (cd $d; seq 200 | xargs touch); done",
        width=1,
    )
    desk.issue(1)
    process = desk.start("run")
    until(lambda: list(desk.folder.glob(f"{YARD}/*.trash")), within_s=60)
    os.killpg(process.pid, signal.SIGKILL)
    for pid in desk.living():
        os.kill(pid, signal.SIGKILL)
    desk.ended(process)
    until(lambda: not desk.living())
    return next(desk.folder.glob(YARD))


def test_a_workspace_whose_removal_was_cut_short_goes(desk: Desk) -> None:
    """G3-26: its lane is over and what it held is in the hub, where it stays."""
    yard = left_by_a_kill(desk)
    found = tidied(desk)["workspace", "001-build-1"]
    assert found["fate"] == "removable"
    assert "lane 001 is over (landed), and harvested" in found["reason"]
    assert tidied(desk, "--yes")["workspace", "001-build-1"]["fate"] == "removed"
    assert not yard.exists()
    tips = [each["body"]["tip"] for each in desk.events() if each["kind"] == "harvested"]
    hub = desk.ledger_folder / "hub.git"
    assert all(desk.git("--git-dir", str(hub), "cat-file", "-t", tip) == "commit" for tip in tips)
    assert desk.run()[0] == 0
    assert tidied(desk) == {}


def test_what_lies_where_a_workspace_was_is_kept(desk: Desk) -> None:
    """G3-06: nobody knows whose it is, so it is never deleted; it is told."""
    desk.settle("echo more >> part.txt")
    land(desk, 1)
    path = Path(next(e for e in desk.events() if e["kind"] == "dispatched")["body"]["workspace"])
    path.mkdir(parents=True)
    (path / "mine").write_text("precious", encoding="utf-8")
    Path(f"{path}.aside").mkdir()
    found = tidied(desk, "--yes")
    assert {each["fate"] for each in found.values()} == {"kept"}
    assert len(found) == 2
    assert "nobody knows whose it is" in found["workspace", "001-build-1"]["reason"]
    assert (path / "mine").read_text(encoding="utf-8") == "precious"


def test_evidence_of_a_critical_stop_is_kept(desk: Desk) -> None:
    """The workspace and the run's folder, until a person says that they go too."""
    desk.settle("echo more >> part.txt; echo stray > ../stray")
    desk.issue(1)
    assert desk.run()[0] == 1
    old = desk.tidegate("status").json["run"]
    desk.settle("echo more >> part.txt")
    land(desk, 2)
    found = tidied(desk, "--yes", *AT_ONCE)
    assert found["workspace", "001-build-1"]["fate"] == "kept"
    assert "critical stop" in found["workspace", "001-build-1"]["reason"]
    assert found["run", old]["fate"] == "kept"
    done = tidied(desk, "--yes", "--with-evidence", *AT_ONCE)
    assert done["workspace", "001-build-1"]["fate"] == "removed"
    assert done["run", old]["fate"] == "removed"
    assert list((desk.folder / "state").rglob("stray"))  # of unknown origin, and beside it
