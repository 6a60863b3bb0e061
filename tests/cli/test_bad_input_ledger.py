"""A ledger that must not be touched, cannot be written, or is another controller's."""

import hashlib
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.desk import TIDEGATE, Desk, Said

COMMANDS = (
    *(["run"], ["status"], ["log"], ["show", "001"], ["explain"], ["land"]),
    *(["log", "001", "--all"], ["run", "--base", "main"]),
)

_WITHOUT_PRIVILEGE = (
    "import ctypes, os, sys; drop = ctypes.CDLL(None).prctl; "
    "[drop(24, capability, 0, 0, 0) for capability in (1, 2)]; os.execv(sys.argv[1], sys.argv[1:])"
)
"""Gives up the right to go past permissions, which root has and nobody else (PR_CAPBSET_DROP)."""


def unprivileged(desk: Desk, *arguments: str) -> Said:
    """A command that permissions hold for, also where root runs the tests."""
    done = subprocess.run(
        (sys.executable, "-c", _WITHOUT_PRIVILEGE, *TIDEGATE, *arguments),
        cwd=desk.repository,
        env=desk.environment(),
        capture_output=True,
        check=False,
    )
    return Said(done.returncode, done.stdout.decode(), done.stderr.decode())


def digests(folder: Path) -> dict[str, str]:
    """What every file of the ledger is, byte for byte."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("ledger*")
    }


@pytest.fixture
def landed(desk: Desk) -> Desk:
    """A desk with a ledger of one run."""
    desk.settle("echo more >> part.txt")
    desk.issue(1)
    assert desk.run()[0] == 0
    return desk


@pytest.mark.slow
def test_a_ledger_from_the_future_is_left_alone_by_every_command(landed: Desk) -> None:
    """Exit 3 with both versions; not a byte of it changes (G4-08)."""
    path = landed.ledger_folder / "ledger.db"
    with sqlite3.connect(path) as connection:
        version = connection.execute("pragma user_version").fetchone()[0]
        connection.execute("pragma user_version = 999")
    connection.close()
    before = digests(landed.ledger_folder)
    for command in COMMANDS:
        said = landed.tidegate(*command, "--json")
        assert said.code == 3
        assert "version 999" in said.error.message
        assert f"up to {version}" in said.error.message
        assert "upgrade" in said.error.hint
    assert landed.tidegate("doctor").code == 3
    assert digests(landed.ledger_folder) == before


def test_what_is_no_ledger_is_not_taken_for_one(desk: Desk) -> None:
    """Garbage in its place is an integrity error: exit 5, and the garbage stays."""
    desk.settle("true")
    desk.issue(1)
    desk.ledger_folder.mkdir()
    (desk.ledger_folder / "ledger.db").write_bytes(b"not a database at all" * 50)
    before = digests(desk.ledger_folder)
    for command in COMMANDS[:6]:
        said = desk.tidegate(*command, "--json")
        assert said.code == 5
        assert said.error.code == "integrity"
    assert desk.tidegate("doctor").code == 5
    assert "fail  ledger: " in desk.tidegate("doctor", "--no-json").out
    assert desk.tidegate("run").complaint.startswith(str(desk.ledger_folder))
    assert digests(desk.ledger_folder)["ledger.db"] == before["ledger.db"]


@pytest.mark.slow
def test_a_damaged_page_does_not_end_the_look_around(landed: Desk) -> None:
    """`doctor` tells of a ledger that opens and cannot be read, and of all else: exit 5."""
    path = landed.ledger_folder / "ledger.db"
    content = path.read_bytes()
    path.write_bytes(content[:4096] + bytes(len(content) - 4096))
    said = landed.tidegate("doctor", "--json")
    assert said.code == 5
    levels = {each["name"]: each["level"] for each in said.json}
    assert levels["ledger"] == "fail"
    assert levels["disk"] == "ok"
    (told,) = [each for each in said.json if each["name"] == "ledger"]
    assert "`tidegate fsck`" in told["remedy"]


@pytest.mark.slow
def test_an_emptied_ledger_is_not_taken_for_a_new_one(landed: Desk) -> None:
    """Exit 5 from every command with the two ways out; nothing is built again."""
    (landed.ledger_folder / "ledger.db").write_bytes(b"")
    for command in COMMANDS:
        said = landed.tidegate(*command, "--json")
        assert said.code == 5
        assert "is empty" in said.error.message
        assert "aside to begin anew" in said.error.hint
        assert "tidegate backup" in said.error.hint
    assert (landed.ledger_folder / "ledger.db").read_bytes() == b""


@pytest.mark.slow
def test_a_log_that_grows_is_told_with_its_reader(landed: Desk) -> None:
    """`status` and `doctor` say how long the log is and who reads, and it is no failure (G4-10)."""
    path = landed.ledger_folder / "ledger.db"
    assert landed.tidegate("status").json["log_bytes"] == 0
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("begin")
    reader.execute("select count(*) from event").fetchall()
    os.truncate(path.with_name("ledger.db-wal"), 65_000_000)  # what is behind its end is not read
    seen = landed.tidegate("status")
    doctor = landed.tidegate("doctor", "--json")
    words = landed.tidegate("status", "--no-json").out.replace("\n", " ")
    reader.execute("rollback")
    reader.close()
    assert seen.json["log_bytes"] == 65_000_000
    named = f"grown to 65 MB, and is being read by process {os.getpid()} "
    assert named in seen.json["alarm"]
    assert "grown to 65 MB" in words
    (ledger,) = (each for each in doctor.json if each["name"] == "ledger")
    assert (ledger["level"], doctor.code) == ("note", 0)
    assert named in ledger["message"]
    assert "end what reads it" in ledger["remedy"]


@pytest.mark.slow
def test_reading_needs_no_right_to_write(landed: Desk) -> None:
    """In a folder that is read-only every reading command answers and makes no file (G4-18)."""
    folder = landed.ledger_folder
    before = sorted(path.name for path in folder.iterdir())
    folder.chmod(0o500)
    try:
        for command in (["status"], ["log"], ["show", "001"], ["explain"], ["doctor", "--json"]):
            said = unprivileged(landed, *command)
            assert said.code == 0, said
        assert unprivileged(landed, "status").json["outcomes"] == {"landed": 1}
        landed.issue(2)
        refused = unprivileged(landed, "run")
        assert refused.code == 3
        assert str(folder) in refused.complaint
        assert sorted(path.name for path in folder.iterdir()) == before
    finally:
        folder.chmod(0o700)


@pytest.mark.slow
def test_an_unwritable_root_of_workspaces_is_told_before_the_run(desk: Desk) -> None:
    """Exit 3 with the folder that is in the way."""
    desk.settle("true")
    desk.issue(1)
    root = desk.folder / "closed"
    root.mkdir(0o500)
    desk.settle("true", more=f"[workspace]\nroot = '{root}/inner'\n")
    said = unprivileged(desk, "run")
    assert said.code == 3
    assert f"{root} is not writable" in said.complaint
    root.chmod(0o700)


@pytest.mark.slow
def test_a_second_controller_is_turned_away_by_name(desk: Desk) -> None:
    """Exit 4 with who holds the lock; the first one lands as if nothing had been."""
    desk.settle(
        f"touch {desk.folder}/began; while test ! -e {desk.folder}/go; do sleep 0.05; done; "
        "echo more >> part.txt"
    )
    desk.issue(1)
    first = desk.start("run", "--json")
    desk.sees("began")
    second = desk.tidegate("run", "--json")
    assert second.code == 4
    assert second.error.code == "refused"
    assert f"process {first.pid}" in second.error.message
    assert f"process {first.pid}" in desk.tidegate("status").json["controller"]
    desk.let("go")
    said = desk.ended(first)
    assert said.code == 0
    assert len(said.summary.landed) == 1


@pytest.mark.slow
def test_of_three_that_start_at_once_one_runs(desk: Desk) -> None:
    """Each issue is taken once, whoever wins; the others exit 4, or find nothing left to do."""
    desk.settle(f"echo $TIDEGATE_ISSUE >> {desk.folder}/began; echo more >> part.txt")
    desk.issue(1)
    started = [desk.start("run", "--json") for _ in range(3)]
    said = [desk.ended(process) for process in started]
    assert {each.code for each in said} <= {0, 4}
    assert desk.lines("began") == ["001"]
    assert sum(bool(each.code == 0 and each.summary.landed) for each in said) == 1


def test_a_controller_that_died_holds_no_lock(desk: Desk) -> None:
    """Its word still stands in the file, and only the lock itself counts."""
    desk.settle("true")
    (desk.repository / ".tidegate" / "issues").mkdir(parents=True)
    folder = desk.ledger_folder / "controller"
    folder.mkdir(parents=True)
    (folder / "lock").write_text("elsewhere, process 1\n", encoding="utf-8")
    code, summary = desk.run()
    assert code == 0
    assert summary.note == "nothing to do"


def test_a_hub_that_went_between_two_runs_is_told(desk: Desk) -> None:
    """G4-16: what landed is in the branch, so the next run goes on; it says what may be gone."""
    desk.settle("echo more >> part.txt")
    desk.issue(1)
    assert desk.run()[0] == 0
    hub = desk.ledger_folder / "hub.git"
    hub.rename(desk.folder / "elsewhere.git")
    desk.issue(2)
    refused = desk.tidegate("run", "--json")
    assert (refused.code, hub.exists()) == (5, False), "what landed is nowhere else yet"
    assert "is gone" not in refused.err
    (desk.folder / "elsewhere.git").rename(hub)
    assert desk.tidegate("land").code == 0
    hub.rename(desk.folder / "elsewhere.git")
    said = desk.tidegate("run", "--json")
    assert (said.code, [each["issue"] for each in said.json["landed"]]) == (0, ["002"])
    assert "the hub of earlier runs is gone" in said.err
