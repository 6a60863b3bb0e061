"""From an empty repository to a landed change, as the first page of the README tells it."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cli.desk import Desk
from tests.cli.shapes import Summary

AGENT = 'cat "$TIDEGATE_PROMPT" >> NOTES.md; echo "Noted." > "$TIDEGATE_REPORT"'


class Used(NamedTuple):
    """A desk, and what its first run ended with."""

    desk: Desk
    code: int
    summary: Summary


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory, seed: Path) -> Iterator[Used]:
    """A desk on which one issue was added and has landed, by the commands alone."""
    desk = Desk.copy_of(seed, tmp_path_factory.mktemp("used"))
    try:
        assert desk.tidegate("init").code == 0
        settings = desk.repository / "tidegate.toml"
        edited = settings.read_text(encoding="utf-8").replace(
            '\ncommand = ""', '\ncommand = "test -s part.txt"'
        )
        shown = '# command = "my-agent < \\"$TIDEGATE_PROMPT\\""'
        assert shown in edited
        settings.write_text(edited.replace(shown, f"command = {json.dumps(AGENT)}"))
        assert desk.tidegate("add", "Begin a file of notes", "--footprint", "NOTES.md").code == 0
        yield Used(desk, *desk.run())
    finally:
        desk.clear()


def test_init_writes_what_a_repository_needs_and_touches_nothing_else(desk: Desk) -> None:
    """A second `init` writes nothing; neither changes a file that is there."""
    before = desk.git("status", "--porcelain")
    first = desk.tidegate("init", "--json").json
    assert (desk.repository / "tidegate.toml").exists()
    assert before == ""
    second = desk.tidegate("init", "--json").json
    assert second["written"] == []
    assert set(first["written"]) - {".gitignore"} == set(second["kept"])
    assert (desk.repository / "part.txt").read_text(encoding="utf-8") == "first\n"


def test_the_change_lands_on_a_branch_of_the_runs_own(used: Used) -> None:
    """`run --json` says what landed where; the user's branch and checkout are as they were."""
    desk, code, summary = used
    assert code == 0
    (landed,) = summary.landed
    assert (landed.issue, landed.lane) == ("001", "001")
    assert summary.target is not None
    assert summary.target.ref == f"refs/heads/tidegate/{summary.run}"
    assert summary.target.commit == landed.commit == desk.git("rev-parse", summary.target.ref)
    assert summary.wakes == 0
    assert (summary.refused, summary.stopped, summary.waiting, summary.note) == ([], [], [], "")
    assert "Begin a file of notes" in desk.git("show", f"{landed.commit}:NOTES.md")
    assert not (desk.repository / "NOTES.md").exists()


def test_what_landed_says_where_it_comes_from(used: Used) -> None:
    """The landed commit names its run, its lane and the ledger's head."""
    desk, _, summary = used
    message = desk.git("show", "-s", "--format=%B", summary.landed[0].commit)
    assert message.startswith("Begin a file of notes\n")
    assert f"Tidegate-Run: {summary.run}" in message
    assert "Tidegate-Lane: 001" in message
    assert re.search(r"^Tidegate-Ledger: \d+:[0-9a-f]{64}$", message, re.MULTILINE)


def test_status_tells_persons_and_programs_the_same(used: Used) -> None:
    """Piped it is JSON by itself, and `--no-json` gives the lines that a terminal gets."""
    desk, _, summary = used
    seen = desk.tidegate("status").json
    assert seen["run"] == summary.run
    assert seen["outcomes"] == {"landed": 1}
    assert seen["controller"] is None
    assert seen["ended_at"]
    assert desk.text("status").splitlines() == [
        f"run {summary.run} of main: ended {seen['ended_at']}",
        "1 landed",
        f"what landed is not in main yet: `tidegate land --run {summary.run}` takes it",
    ]


def test_the_log_is_in_order_and_chained(used: Used) -> None:
    """Each event has its number and its hash; the lines for people leave the quiet ones out."""
    desk = used.desk
    events = desk.events()
    sequences = [event["sequence"] for event in events]
    assert sequences == sorted(sequences)
    assert len({event["hash"] for event in events}) == len(events)
    assert events[0]["kind"] == "run_started"
    said = desk.text("log")
    assert [line.split()[-1] for line in said.splitlines()].count("PASS") == 1
    assert len(desk.text("log", "-n", "2").splitlines()) == 2
    assert len(said.splitlines()) < len(desk.text("log", "--all").splitlines()) == len(events)


def test_show_has_the_lanes_story(used: Used) -> None:
    """Attempts, findings and reports; the agent's own report stands there word for word."""
    desk = used.desk
    story = desk.tidegate("show", "001").json
    assert story["lane"]["stage"] == "landed"
    assert [attempt["attempt_id"] for attempt in story["attempts"]] == [
        "001-build-1",
        "001-check-1",
    ]
    assert story["findings"] == []
    assert ["001-build-1, turn 1", "Noted.\n"] in story["reports"]
    assert "Noted." in desk.text("show", "001")


def test_explain_says_why_nothing_is_next(used: Used) -> None:
    """An issue with an outcome is told with its run."""
    desk, _, summary = used
    (line,) = desk.tidegate("explain").json
    assert line["reason"] == f"landed in run {summary.run}"
    assert line["is_next"] is False


def test_a_second_run_has_nothing_to_do(used: Used) -> None:
    """It begins no run, says so, and exits 0."""
    desk = used.desk
    code, summary = desk.run()
    assert code == 0
    assert summary.run is None
    assert summary.note == "nothing to do"
    assert desk.text("run") == "nothing to do\n"


def test_doctor_has_looked_at_everything(used: Used) -> None:
    """It finds nothing wrong where a run just went well, and says what it looked at."""
    desk = used.desk
    said = desk.tidegate("doctor")
    assert said.code == 0
    assert {each["name"] for each in said.json} == {
        *("repository", "ledger", "configuration", "check", "agent", "issues", "target"),
        *("workspaces", "disk"),
    }
    assert {each["level"] for each in said.json} == {"ok"}


def test_no_workspace_is_left(used: Used) -> None:
    """After the run its folders are gone, and so are its processes."""
    desk = used.desk
    assert not list((desk.folder / "state").rglob("001-build-1"))
    assert desk.living() == {}


@pytest.mark.slow
def test_land_fast_forwards_the_branch(desk: Desk) -> None:
    """`land` moves branch and checkout to what was proved; again it has nothing to move."""
    desk.settle("echo more >> part.txt")
    desk.issue(1)
    _, summary = desk.run()
    assert desk.tidegate("land", "--json").json["moved"] is True
    assert desk.git("rev-parse", "main") == summary.landed[0].commit
    assert (desk.repository / "part.txt").read_text(encoding="utf-8") == "first\nmore\n"
    assert desk.git("status", "--porcelain", "-uno") == ""
    assert desk.tidegate("status").json["note"] == ""
    again = desk.tidegate("land", "--json").json
    assert again["moved"] is False
    assert "already" in again["note"]
