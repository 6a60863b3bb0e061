"""The program that a shell command begins with, as far as it can be told without a shell."""

from pathlib import Path

import pytest

from tidegate.config.shell_command import missing_program, script_of


def a_program(folder: Path, name: str, *, mode: int = 0o755) -> Path:
    """A file that can be run, where its mode says so."""
    path = folder / name
    path.write_text("#!/bin/sh\n")
    path.chmod(mode)
    return path


@pytest.mark.parametrize(
    "command",
    [
        "there --flag", "MODE=fast A=b there", "'there' x", "cd sub && missing", "$AGENT run",
        "(missing)", "{ missing; }", "~/bin/missing", "./missing", "bin/missing x", "if true; then",
        "# a comment\nmissing", "it's no shell word", "", "exec missing",
        "PATH=bin:$PATH missing", "A=1 PATH=bin missing", "source x && missing", "pushd x",
        '"$HOME"/missing', "id=$(date -u); there", "n=$((1 + 2)); there", "a=`date -u`; there",
        "a=1;cd sub", "a=1&&there x", "a=${b:-c d e} there", "a=(b c d); there",
        'id="$(date -u)"; missing',
    ],
)  # fmt: skip
def test_a_command_is_only_faulted_for_what_is_certain(tmp_path: Path, command: str) -> None:
    """What a shell alone could tell, or a workspace that is not there yet, is left to them."""
    a_program(tmp_path, "there")
    assert missing_program(command, str(tmp_path)) is None


@pytest.mark.parametrize(
    "command", ["missing --flag", "MODE=fast missing", "'missing' < prompt", "A=$B; missing"]
)
def test_a_program_that_is_on_no_path_is_named_with_the_path(tmp_path: Path, command: str) -> None:
    """The message shows where was looked, for the PATH is what is most often wrong."""
    said = missing_program(command, str(tmp_path))
    assert said == f"'missing' is not on PATH ({tmp_path})"


def test_an_absolute_path_must_lead_to_a_program(tmp_path: Path) -> None:
    """Nothing, a folder and a file that cannot be run are told apart from a program."""
    path = a_program(tmp_path, "agent")
    assert missing_program(str(path), "") is None
    assert missing_program(f"{tmp_path}/none", "") == f"the program {tmp_path}/none is not there"
    assert missing_program(str(tmp_path), "") == f"the program {tmp_path} cannot be run"
    plain = a_program(tmp_path, "plain", mode=0o644)
    assert missing_program(str(plain), "") == f"the program {plain} cannot be run"


@pytest.mark.parametrize(
    ("command", "script"),
    [
        ("./agent.sh --fast", "./agent.sh"), ("A=1 tools/agent", "tools/agent"),
        ("sh agent.sh", "agent.sh"), ("python3.12 work.py x", "work.py"),
        ("python -u work.py", None), ("python -m tests", None),
        ("/bin/sh a.sh", "a.sh"), ("sh -c", None), ("sh $AGENT", None), ("/opt/agent", None),
        ("make test", None), ("echo x >> notes", None), ("it's no shell word", None), ("", None),
    ],
)  # fmt: skip
def test_the_script_of_a_command(command: str, script: str | None) -> None:
    """What it runs, where that is a file of the workspace; what it only writes is none."""
    assert script_of(command) == script
