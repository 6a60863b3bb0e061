"""What was harvested lands, or is said to be lost, whatever tidies up the hub meanwhile."""

import subprocess

import pytest

from tests.cli.desk import Desk

pytestmark = pytest.mark.slow

OWNER = '[ruling]\nmode = "owner"\n'


def hub(desk: Desk, *arguments: str) -> str:
    """Git in the hub."""
    folder = desk.ledger_folder / "hub.git"
    done = subprocess.run(
        ("git", f"--git-dir={folder}", *arguments), check=False, capture_output=True, text=True
    )
    return done.stdout


def passed_and_unpinned(desk: Desk) -> list[str]:
    """A change that has passed and waits for its owner, while every ref to it is deleted."""
    desk.settle("echo more >> part.txt", more=OWNER)
    desk.issue(1)
    desk.run()
    pins = [
        line.split()
        for line in hub(desk, "for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        if line.startswith("refs/tidegate/") and "/base/" not in line
    ]
    assert any(ref.endswith("/tip") for ref, _ in pins)
    for ref, _ in pins:
        hub(desk, "update-ref", "-d", ref)
    hub(desk, "gc", "--prune=now")
    return [oid for _, oid in pins]


def test_a_branch_that_is_deleted_before_its_landing_costs_nothing(desk: Desk) -> None:
    """G4-16: the pins go between PASS and landing, and git tidies up: it lands all the same."""
    commits = passed_and_unpinned(desk)
    desk.tidegate("answer", "001-q1", "land")
    code, summary = desk.run()
    assert code == 0
    assert summary.landed[0].commit in commits
    assert hub(desk, "cat-file", "-t", commits[0]) == "commit\n"


def test_a_change_whose_objects_are_gone_is_not_done(desk: Desk) -> None:
    """G4-16: nothing is said to have landed that no commit has: the run halts and names it."""
    for oid in passed_and_unpinned(desk):
        (desk.ledger_folder / "hub.git" / "objects" / oid[:2] / oid[2:]).unlink(missing_ok=True)
    desk.tidegate("answer", "001-q1", "land")
    said = desk.tidegate("run", "--json")
    assert said.code == 3
    assert said.summary.landed == []
    assert "the landing of 001 fails" in said.summary.note
    assert "nonexistent object" in said.summary.note
    assert desk.tidegate("status").json["outcomes"] == {}
