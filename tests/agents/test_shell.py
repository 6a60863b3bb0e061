"""Any command as an agent: what can be told before it runs, and what its end means."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from tidegate.agents.shell import ShellAgent
from tidegate.ports.agents import Brief, Place, RoleSettings
from tidegate.ports.runners import EndReason, Exit
from tidegate.rules.report import BYTES_MAX, read_verification

SETTINGS = RoleSettings(agent="shell", command="sh work.sh", prompt="", timeout_s=60.0)
BRIEF = Brief(
    run="r", lane="001", attempt="001-build-1", turn=1, round=1, role="build", issue="001",
    title="T", text="", base="b", target="refs/heads/main", footprint=(), finding=None,
    finding_kind="", checkpoint_s=1.0, deadline_s=1.0, report_path="/nowhere",
)  # fmt: skip
EXITED = Exit(
    reason=EndReason.EXITED, code=0, signal=None, started_utc="", ended_utc="", active_s=1.0,
    stdout_bytes=0, stderr_bytes=0, leftovers=(), swept=0, error=None,
)  # fmt: skip


def place(folder: Path) -> Place:
    """A turn's paths below a folder."""
    names = ("staging", "workspace", "brief", "prompt", "finding", "report")
    paths: Mapping[str, str] = {name: str(folder / name) for name in names}
    return Place(folder=str(folder), **paths)


def test_without_a_command_nothing_can_start() -> None:
    """The remedy names the key."""
    said = ShellAgent().preflight(replace(SETTINGS, command=None), path="/bin")
    assert said is not None
    assert "[roles.build] command" in said


def test_the_command_goes_to_a_shell_and_the_prompt_by_file(tmp_path: Path) -> None:
    """No word of an issue is ever on a command line."""
    start = ShellAgent().start(BRIEF, place(tmp_path), SETTINGS)
    assert start.argv == ("/bin/sh", "-c", "sh work.sh")
    assert start.stdin_path == f"{tmp_path}/prompt"


def test_a_program_that_went_missing_is_named_without_a_shell(tmp_path: Path) -> None:
    """So the runner cannot start it and says so: no shell ends as if the agent had failed."""
    settings = replace(SETTINGS, command=f"MODE=fast {tmp_path}/gone --flag")
    start = ShellAgent().start(BRIEF, place(tmp_path), settings)
    assert start.argv == (f"{tmp_path}/gone", "--flag")


def test_a_report_that_was_written_is_the_report(tmp_path: Path) -> None:
    """With it a bad exit code is no failure: what counts is what was changed."""
    (tmp_path / "report").write_text("Done.\n", encoding="utf-8")
    result = ShellAgent().result(place(tmp_path), replace(EXITED, code=3), tail="")
    assert (result.report, result.failure, result.is_external) == ("Done.\n", None, False)


@pytest.mark.parametrize("content", [None, "", "  \n"])
def test_without_one_a_report_is_made(tmp_path: Path, content: str | None) -> None:
    """From the exit code and the end of the output; a code other than 0 is then a failure."""
    if content is not None:
        (tmp_path / "report").write_text(content, encoding="utf-8")
    fine = ShellAgent().result(place(tmp_path), EXITED, tail="last words")
    assert fine.failure is None
    assert fine.report == "The command ended with exit code 0.\n\nlast words"
    failed = ShellAgent().result(place(tmp_path), replace(EXITED, code=9), tail="last words")
    assert failed.failure == failed.report
    assert not failed.is_external


@pytest.mark.parametrize(
    ("ending", "is_external"),
    [
        (replace(EXITED, code=None, signal=9), True),
        (replace(EXITED, reason=EndReason.STOPPED, code=None, signal=15), True),
        (replace(EXITED, reason=EndReason.NOT_STARTED, code=None, error="ENOENT: x"), True),
        (replace(EXITED, reason=EndReason.FENCED, code=None), True),
        (replace(EXITED, reason=EndReason.DEADLINE, code=None, signal=15), False),
        (replace(EXITED, reason=EndReason.OUTPUT_CAP, code=None, signal=9), False),
    ],
)
def test_an_end_from_outside_is_not_the_agents(
    tmp_path: Path, ending: Exit, *, is_external: bool
) -> None:
    """A kill, a stop and a start that failed cost no round; a deadline and a flood are its own."""
    result = ShellAgent().result(place(tmp_path), ending, tail="")
    assert result.is_external is is_external
    assert result.failure is not None


def test_a_report_that_is_no_file_is_not_followed(tmp_path: Path) -> None:
    """A link to a secret, a pipe and a folder are no report, and nothing waits for them."""
    secret = tmp_path / "secret"
    secret.write_text("token", encoding="utf-8")
    report = tmp_path / "report"
    report.symlink_to(secret)
    agent = ShellAgent()
    assert "token" not in agent.result(place(tmp_path), EXITED, tail="").report
    report.unlink()
    os.mkfifo(report)
    held = os.open(report, os.O_RDWR)
    os.write(held, b"token")
    assert "token" not in agent.result(place(tmp_path), EXITED, tail="").report
    os.close(held)
    report.unlink()
    report.mkdir()
    assert agent.result(place(tmp_path), EXITED, tail="t").report.endswith("t")


def test_a_report_that_is_cut_off_is_too_long_to_be_a_verdict(tmp_path: Path) -> None:
    """G10: what its end says is not known, so nothing of it is read as one."""
    report = tmp_path / "report"
    report.write_text(f"VERDICT: PASS\nNOT-CHECKED: x\n\n{'a' * 200_000}\nVERDICT: FAIL\n")
    written = ShellAgent().result(place(tmp_path), EXITED, tail="").report
    assert len(written) > BYTES_MAX
    assert read_verification(written).verdict is None
    report.write_text("VERDICT: PASS\nNOT-CHECKED: x\n")
    short = ShellAgent().result(place(tmp_path), EXITED, tail="").report
    assert read_verification(short).verdict is not None
