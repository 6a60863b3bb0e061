"""G8-13: what fails says what it was, in its own words, without secrets, and what to type next."""

import os
import shutil
from pathlib import Path

import pytest

from tests.cli.desk import Desk

pytestmark = pytest.mark.slow

SECRET = "sup3rs3cret"
WORDS = f"fatal: out of luck with https://me:{SECRET}@host/x"
ONCE = "[limits]\ninfra_max = 1\n"


def failing_git(desk: Desk, at: str) -> dict[str, str]:
    """A PATH with a git that fails at such a command, and says a secret."""
    path = desk.folder / "bin" / "git"
    path.parent.mkdir()
    path.write_text(
        f'#!/bin/sh\ncase "$*" in *"{at}"*) echo "{WORDS}" >&2; echo "hint: second" >&2; exit 9;;\n'
        f'esac\nexec {shutil.which("git")} "$@"\n',
        encoding="utf-8",
    )
    path.chmod(0o755)
    return {"PATH": f"{path.parent}:{os.environ['PATH']}"}


@pytest.fixture
def settled(desk: Desk) -> Desk:
    """A desk with one issue, at which nothing is tried twice."""
    desk.settle("echo more >> part.txt", more=ONCE)
    desk.issue(1)
    return desk


@pytest.mark.parametrize("flag", ["--no-json", "--json"])
def test_a_git_that_fails_at_once_is_told_whole(settled: Desk, flag: str) -> None:
    """The command, its code, git's first and further words; the password is masked."""
    said = settled.tidegate("run", flag, env=failing_git(settled, "rev-parse"))
    assert said.code == 3
    told = said.out + said.err
    assert "`git rev-parse" in told
    assert "exit code 9: fatal: out of luck" in told
    assert "hint: second" in told
    assert "`tidegate doctor` says what else is in the way" in told
    assert SECRET not in told
    assert "[masked:url-password]" in told


def test_doctor_says_the_same_without_the_secret(settled: Desk) -> None:
    """Its screens are pasted into issues."""
    said = settled.tidegate("doctor", "--no-json", env=failing_git(settled, "rev-parse"))
    assert "out of luck" in said.out
    assert SECRET not in said.out


def test_a_job_that_fails_tells_its_cause_in_the_progress(settled: Desk) -> None:
    """The line below the event has git's words, and where there is more."""
    said = settled.tidegate("run", env=failing_git(settled, "merge-tree"))
    assert said.code == 1
    cause = next(line for line in said.err.splitlines() if line.startswith("  001: "))
    assert "exit code 9: fatal: out of luck" in cause
    assert cause.endswith("more: tidegate show 001")
    assert SECRET not in said.err + said.out


def test_an_agent_that_fails_tells_its_last_words_in_the_progress(desk: Desk) -> None:
    """What it said on standard error, which is the finding too."""
    desk.settle("echo first >&2; echo cannot sign in >&2; exit 7")
    desk.issue(1)
    said = desk.tidegate("run")
    assert said.code == 1
    assert "  001: cannot sign in; more: tidegate show 001" in said.err.splitlines()


def test_a_run_that_halts_says_what_to_type(settled: Desk) -> None:
    """The cause once, without the secret, and the command that goes on."""
    said = settled.tidegate("run", env=failing_git(settled, "read-tree"))
    assert said.code == 3
    note = next(line for line in said.out.splitlines() if "could not be run" in line)
    assert "out of luck" in note
    assert note.endswith("mend that, then `tidegate run` goes on")
    assert SECRET not in said.out + said.err


def test_a_set_up_that_fails_on_the_base_says_what_it_said(settled: Desk) -> None:
    """Its last words are told, and the next step stands on a line of its own."""
    settled.settle("true", more="[workspace]\nsetup = 'echo no compiler; exit 4'\n")
    said = settled.tidegate("run")
    assert said.code == 3
    *_, first, output, step = said.out.splitlines()
    assert first.endswith("ended with exit code 4:")
    assert output == "no compiler"
    assert step == "mend that, then `tidegate run` goes on"


def test_a_long_complaint_is_bounded(settled: Desk) -> None:
    """Git may say a thousand lines; the end is told by their number."""
    environment = failing_git(settled, "rev-parse")
    program = Path(environment["PATH"].partition(":")[0], "git")
    many = "seq 5000 >&2; exit 9"
    program.write_text(program.read_text().replace("exit 9", many), encoding="utf-8")
    said = settled.tidegate("run", env=environment)
    assert "out of luck" in said.complaint
    assert len(said.complaint) < 2_300
    assert "characters)" in said.complaint
