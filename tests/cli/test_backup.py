"""A backup is made while a run works, proved by a drill, and restored step by step."""

import json
import os
import shutil
import signal
from pathlib import Path

import pytest

from tests.cli.desk import Desk, Said
from tests.cli.test_crashes import begin
from tests.waiting import until

pytestmark = pytest.mark.slow


def backed_up(desk: Desk) -> Path:
    """A backup, made and proved."""
    place = desk.folder / "backup"
    said = desk.tidegate("backup", str(place), "--json")
    assert said.code == 0, said
    assert verified(desk, place).code == 0
    return place


def verified(desk: Desk, place: Path) -> Said:
    """The drill; it needs no repository."""
    return desk.tidegate("backup", "--verify", "--json", str(place), cwd=desk.folder)


def land(desk: Desk, number: int) -> None:
    """One issue lands."""
    desk.settle("echo $TIDEGATE_ISSUE > part-$TIDEGATE_ISSUE")
    desk.issue(number)
    code, summary = desk.run()
    assert (code, len(summary.landed)) == (0, 1)


def restore(desk: Desk, place: Path) -> None:
    """As the page says: what is there is put aside, and the copy in its place."""
    desk.ledger_folder.rename(desk.ledger_folder.with_name("tidegate.damaged"))
    shutil.copytree(place, desk.ledger_folder, symlinks=True)


def test_what_is_restored_goes_on(desk: Desk) -> None:
    """G1: the file is torn, the backup is put back, and the next issue lands as if nothing was."""
    land(desk, 1)
    events = desk.events()
    place = backed_up(desk)
    (desk.ledger_folder / "ledger.db").write_bytes(b"torn" * 1000)
    assert desk.tidegate("fsck", "--json").code == 5
    restore(desk, place)
    assert desk.tidegate("fsck", "--json").code == 0
    assert desk.tidegate("status").json["outcomes"] == {"landed": 1}
    assert desk.events() == events
    assert desk.tidegate("audit", "--json").code == 0
    land(desk, 2)
    assert desk.tidegate("fsck", "--json").code == 0
    assert "1 runs" in desk.text("backup", "--verify", str(place))


def test_a_backup_of_a_run_at_work_is_whole_and_goes_on_after_a_restore(desk: Desk) -> None:
    """G1, G2: made while an agent works; restored after all has died, its turn is begun again."""
    run = begin(desk)
    place = backed_up(desk)
    os.killpg(run.pid, signal.SIGKILL)
    desk.ended(run)
    desk.let("go")
    until(lambda: not desk.living())
    restore(desk, place)
    assert desk.tidegate("fsck", "--json").code == 0
    code, summary = desk.run()
    assert (code, len(summary.landed)) == (0, 1)
    assert desk.kinds().count("landed") == 1
    assert desk.tidegate("fsck", "--json").code == 0
    assert desk.tidegate("audit", "--json").code == 0


def test_what_an_agent_left_in_quarantine_keeps_no_backup_from_being_made(desk: Desk) -> None:
    """G1: a link to nowhere stays a link, and a FIFO, which would hang a reader, is left out."""
    land(desk, 1)
    (run,) = (desk.ledger_folder / "runs").iterdir()
    late = run / "quarantine" / "001-build-1" / "1"
    late.mkdir(parents=True)
    (late / "nowhere").symlink_to("gone")
    os.mkfifo(late / "pipe")
    (late / "report.md").write_text("late\n", encoding="utf-8")
    copied = backed_up(desk) / late.relative_to(desk.ledger_folder)
    assert sorted(each.name for each in copied.iterdir()) == ["nowhere", "report.md"]
    assert (copied / "nowhere").is_symlink()


def test_backups_beside_a_run_that_lands_are_whole(desk: Desk) -> None:
    """G1, G4-10: each holds one moment, whatever was built and landed while it was made."""
    desk.settle("echo $TIDEGATE_ISSUE > part-$TIDEGATE_ISSUE", width=2)
    for number in range(1, 5):
        desk.issue(number)
    run = desk.start("run", "--json")
    until(desk.ledger_folder.joinpath("runs").exists)
    made: list[Path] = []
    while run.poll() is None:
        made.append(desk.folder / f"backup-{len(made)}")
        assert desk.tidegate("backup", str(made[-1]), "--json").code == 0
    assert desk.ended(run).code == 0
    for place in made:
        said = verified(desk, place)
        assert said.code == 0, said.out
    restore(desk, made[0])
    assert desk.tidegate("audit", "--json").code == 0
    assert desk.run()[0] in {0, 1}  # your branch may have more than this moment knew of
    assert desk.tidegate("fsck", "--json").code == 0


def test_a_backup_without_its_workspaces_goes_on_too(desk: Desk) -> None:
    """G1: on another machine there is no workspace of it; the lane lands all the same."""
    run = begin(desk)
    place = backed_up(desk)
    os.killpg(run.pid, signal.SIGKILL)
    desk.ended(run)
    desk.let("go")
    until(lambda: not desk.living())
    restore(desk, place)
    shutil.rmtree(desk.folder / "state")
    code, summary = desk.run()
    assert (code, len(summary.landed)) == (0, 1)


def test_landings_after_the_backup_are_not_in_it(desk: Desk) -> None:
    """G2: the hub's ref stands where the ledger's moment has it, and the issue is open again."""
    land(desk, 1)
    place = backed_up(desk)
    land(desk, 2)
    restore(desk, place)
    said = desk.tidegate("fsck", "--json")
    assert said.code == 0, said
    assert desk.tidegate("next", "--json").code == 0


def test_nothing_is_overwritten(desk: Desk) -> None:
    """Exit 4 for a folder that is there, whatever is in it; exit 2 inside of what is copied."""
    land(desk, 1)
    place = desk.folder / "there"
    place.mkdir()
    said = desk.tidegate("backup", str(place), "--json")
    assert (said.code, said.error.code) == (4, "refused")
    assert list(place.iterdir()) == []
    inside = desk.ledger_folder / "copy"
    assert desk.tidegate("backup", str(inside), "--json").code == 2
    assert desk.tidegate("backup", str(desk.folder / "no" / "where"), "--json").code == 3
    assert not [path for path in desk.folder.iterdir() if path.name.endswith(".making")]


def test_without_a_ledger_nothing_is_made(desk: Desk) -> None:
    """Exit 3, and no folder."""
    place = desk.folder / "backup"
    assert desk.tidegate("backup", str(place), "--json").code == 3
    assert not place.exists()


def test_a_backup_has_every_pin(desk: Desk) -> None:
    """G1: all refs of the hub, hidden ones too, and it stands by itself."""
    land(desk, 1)
    place = backed_up(desk)
    refs = "for-each-ref"
    there = desk.git(f"--git-dir={place / 'hub.git'}", refs)
    assert there == desk.git(f"--git-dir={desk.ledger_folder / 'hub.git'}", refs)
    assert "refs/tidegate/" in there
    assert not (place / "hub.git" / "objects" / "info" / "alternates").exists()
    config = (place / "hub.git" / "config").read_text()
    assert config == (desk.ledger_folder / "hub.git" / "config").read_text()
    manifest = json.loads((place / "manifest.json").read_text())
    assert {line.split("\t")[1] for line in there.splitlines()} == set(manifest["refs"])


@pytest.mark.parametrize("what", ["text", "ledger", "artifact", "more", "object", "ref"])
def test_the_drill_sees_whatever_was_done_to_a_backup(desk: Desk, what: str) -> None:
    """Exit 5, with the name of the file, object or ref."""
    land(desk, 1)
    place = backed_up(desk)
    hub = f"--git-dir={place / 'hub.git'}"
    ref = next(iter(json.loads((place / "manifest.json").read_text())["heads"]))
    match what:
        case "text":
            path = next(path for path in (place / "blobs").rglob("*") if path.is_file())
            path.write_text("other")
        case "ledger":
            with (place / "ledger.db").open("r+b") as file:
                file.seek(5000)
                file.write(b"torn")
        case "artifact":
            next(place.glob("runs/*/artifacts/*")).unlink()
        case "more":
            (place / "blobs" / "late.txt").write_text("late")
        case "object":
            next((place / "hub.git" / "objects" / "pack").glob("*.pack")).unlink()
        case _:
            desk.git(hub, "update-ref", "-d", f"refs/heads/tidegate/{ref}")
    said = verified(desk, place)
    assert said.code == 5, said
    codes = {each["code"] for each in said.json["found"]}
    expected = {"object": "hub-broken", "ref": "hub-ref-lost"}.get(what, "backup-differs")
    assert expected in codes


def test_an_unfinished_folder_is_no_backup(desk: Desk) -> None:
    """The manifest is written last: without it nothing is believed. A person reads one line."""
    land(desk, 1)
    place = backed_up(desk)
    (place / "manifest.json").unlink()
    said = verified(desk, place)
    assert (said.code, said.error.code) == (5, "integrity")
    assert "is no backup" in said.error.message
