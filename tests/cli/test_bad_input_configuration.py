"""Wrong settings: file and line, what is wrong, what to do; and nothing is begun meanwhile."""

import pytest

from tests.cli.desk import Desk

WRONG = {
    "no TOML": ("[run\nwidth = 2\n", "tidegate.toml:1:", None),
    "a wrong type": ('[run]\nwidth = "2"\n', "tidegate.toml:2:", None),
    "an unknown key": ("[run]\nwidht = 2\n", "tidegate.toml:2:", "width"),
    "an unknown section": ("[chekc]\n", "tidegate.toml:1:", "check"),
    "a key twice": ("[run]\nwidth = 2\nwidth = 3\n", "tidegate.toml:3:", None),
    "nothing": ("", "tidegate.toml:1:", None),
    "a number out of range": ("[run]\nwidth = 0\n", "tidegate.toml:2:", None),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_file_that_cannot_be_read_stops_everything(desk: Desk, wrong: str) -> None:
    """Exit 2 with file and line; never a run with defaults, and no ledger is made (G8-04)."""
    text, where, meant = WRONG[wrong]
    desk.issue(1)
    (desk.repository / "tidegate.toml").write_text(text, encoding="utf-8")
    said = desk.tidegate("run", "--json")
    assert said.code == 2
    assert said.error.code == "misused"
    assert said.error.message.startswith(where)
    assert said.error.hint
    assert said.error.did_you_mean == meant
    assert not desk.ledger_folder.exists()


def test_a_person_gets_one_line_a_problem_and_all_problems_at_once(desk: Desk) -> None:
    """Two slips are told together; what a run would do with the rest is not tried."""
    text = "[run]\nwidht = 2\n[check]\ncommand = 7\n"
    (desk.repository / "tidegate.toml").write_text(text, encoding="utf-8")
    said = desk.tidegate("run")
    assert said.code == 2
    lines = said.err.splitlines()
    assert lines[0].startswith("tidegate: tidegate.toml:2: [run] has no key `widht`")
    assert any(line.startswith("tidegate.toml:4:") for line in lines)
    assert "(did you mean 'width'?)" in said.err


def test_what_needs_no_settings_works_without_them(desk: Desk) -> None:
    """`status`, `log` and `land` read the ledger alone; the other commands say why they cannot."""
    (desk.repository / "tidegate.toml").write_text("[run\n", encoding="utf-8")
    for command in ("status", "log", "land"):
        assert desk.tidegate(command).code == 0
    assert desk.tidegate("explain", "--no-json").code == 2
    assert desk.tidegate("add", "A title").code == 2
    doctor = desk.tidegate("doctor", "--no-json")
    assert doctor.code == 3
    assert "fail  configuration: tidegate.toml:1:" in doctor.out


def test_no_settings_at_all_name_the_command_that_writes_them(desk: Desk) -> None:
    """Exit 2, and `tidegate init` in the same line."""
    said = desk.tidegate("run")
    assert said.code == 2
    assert "run `tidegate init`" in said.complaint


def test_a_run_without_a_check_is_none(desk: Desk) -> None:
    """What nothing can prove is not built: exit 2, and an example of a check."""
    desk.settle("echo more >> part.txt", check="")
    desk.issue(1)
    said = desk.tidegate("run")
    assert said.code == 2
    assert "[check] command is not set in tidegate.toml" in said.complaint
    assert desk.tidegate("doctor").code == 3
    assert desk.tidegate("status").json["run"] is None


def test_a_secret_in_the_settings_is_refused(desk: Desk) -> None:
    """Settings are frozen with their secrets masked, and a run must never act on a mask."""
    desk.settle("API_KEY=sk-ant-api03-" + "a1B2" * 23 + " true")
    desk.issue(1)
    said = desk.tidegate("run")
    assert said.code == 2
    assert "looks like a secret" in said.complaint
    assert "[env] allow" in said.complaint
    assert desk.tidegate("status").json["run"] is None


def test_a_wrong_issue_is_told_with_its_file(desk: Desk) -> None:
    """A title that would move a terminal never gets as far as one (G8-14)."""
    desk.settle("echo more >> part.txt")
    desk.issue(1, '"\\e]0;owned"')
    for command in (["run"], ["explain", "--no-json"]):
        said = desk.tidegate(*command)
        assert said.code == 2
        assert said.complaint.startswith(".tidegate/issues/001-issue.md:2:")
        assert "\x1b" not in said.err


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["", "--json"], None),
        (["a\nb", "--json"], None),
        (["a \x1b]0;b", "--json"], None),
        (["A title", "--json", "--footprint", "src\\app\\*.py"], "src/app/*.py"),
        (["A title", "--json", "--footprint", "/absolute"], None),
    ],
)
def test_an_issue_that_could_not_be_read_back_is_not_added(
    desk: Desk, arguments: list[str], meant: str | None
) -> None:
    """Exit 2 with the reason, and no file."""
    desk.settle("true")
    said = desk.tidegate("add", *arguments)
    assert said.code == 2
    assert said.error.did_you_mean == meant
    assert not list((desk.repository / ".tidegate").rglob("*.md"))


def test_a_changed_configuration_reaches_the_next_run_only_and_that_is_said(desk: Desk) -> None:
    """An open run keeps what it began with; whoever edits meanwhile is not left wondering."""
    tool = desk.folder / "tool"
    desk.settle(str(tool))
    tool.write_text(f"#!/bin/sh\necho more >> part.txt; rm {tool}\n")
    tool.chmod(0o755)
    desk.issue(1)
    desk.issue(2)
    assert desk.run()[0] == 3
    desk.settle("echo other >> part.txt")
    said = desk.tidegate("run")
    assert said.code == 3
    assert "the configuration has changed; run" in said.err
    assert "put it back, since run" in said.err
