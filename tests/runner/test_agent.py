"""A command that cannot be started: each cause is told apart, in words that say what to do."""

import os
from pathlib import Path

from tests.runner.stage import Stage, python
from tidegate.ports.runners import EndReason


def _script(at: Path, text: str, mode: int) -> Path:
    at.write_text(text, encoding="utf-8")
    at.chmod(mode)
    return at


def _why(stage: Stage, *argv: str, **changes: object) -> str:
    """Run a command that cannot be started; the reason on record."""
    _, end = stage.run(*argv, **changes)
    assert (end.reason, end.code, end.signal) == (EndReason.NOT_STARTED, None, None)
    assert (end.stdout_bytes, end.swept, end.leftovers) == (0, 0, ())
    assert end.error is not None
    return end.error


def test_no_such_program(stage: Stage) -> None:
    """A name that is nowhere on the agent's own PATH is named with that PATH."""
    error = _why(stage, "no-such-agent", env={"PATH": "/opt/none:/usr/none"})
    assert error == (
        "ENOENT: there is no program no-such-agent on the agent's PATH (/opt/none:/usr/none)"
    )


def test_no_such_path(stage: Stage) -> None:
    """A program given by its path and missing there is named by that path."""
    assert _why(stage, "/opt/none/agent") == "ENOENT: /opt/none/agent: No such file or directory"


def test_no_such_working_directory(stage: Stage) -> None:
    """A missing working directory is not mistaken for a missing program."""
    error = _why(stage, "true", cwd="/opt/none")
    assert error == "ENOENT: the working directory /opt/none: No such file or directory"


def test_no_such_interpreter(stage: Stage) -> None:
    """A script whose interpreter is missing is said to be there itself."""
    path = _script(stage.root / "agent", "#!/opt/none/python\n", 0o700)
    assert _why(stage, str(path)) == (
        f"ENOENT: {path} is there, but not the interpreter that its first line names"
    )


def test_not_executable(stage: Stage) -> None:
    """A program that may not be executed is told from one that is not there."""
    path = _script(stage.root / "agent", "#!/bin/sh\n", 0o600)
    assert _why(stage, str(path)) == f"EACCES: {path}: Permission denied"
    by_name = _why(stage, "agent", env={"PATH": str(stage.root)})
    assert by_name == f"EACCES: {path}: Permission denied"


def test_no_such_input(stage: Stage) -> None:
    """A prompt that is not there is named as the standard input."""
    error = _why(stage, "cat", stdin_path="/opt/none/prompt")
    assert error == "ENOENT: the standard input /opt/none/prompt: No such file or directory"


def test_no_place_for_the_output(stage: Stage) -> None:
    """Output files that cannot be made are the cause that is named."""
    folder = stage.root / "turn"
    (folder / "stderr").mkdir(parents=True)
    error = _why(stage, "true", folder=str(folder))
    assert error == f"EISDIR: the output files in {folder}: Is a directory"


def test_argument_too_long(stage: Stage) -> None:
    """A prompt of 150 KB as an argument is refused by the kernel, and the way out is said."""
    error = _why(stage, "echo", "x" * 150_000)
    assert error.startswith("E2BIG: the arguments and environment of ")
    assert error.endswith("give long text on standard input or in a file")


def test_program_of_no_known_form(stage: Stage) -> None:
    """A file that the kernel cannot execute is reported; no shell is tried on it."""
    path = _script(stage.root / "agent", "echo started\n", 0o700)
    assert _why(stage, str(path)) == f"ENOEXEC: {path}: Exec format error"


def test_first_executable_on_the_path(stage: Stage) -> None:
    """As in a shell, a file that may not be executed does not hide a later one that may."""
    for name, mode in (("a", 0o600), ("b", 0o700)):
        (stage.root / name).mkdir()
        _script(stage.root / name / "agent", f"#!/bin/sh\necho {name}\n", mode)
    spec, end = stage.run("agent", env={"PATH": f"{stage.root}/a:{stage.root}/b"})
    assert end.code == 0
    assert stage.said(spec) == "b\n"


def test_names_that_are_not_text(stage: Stage) -> None:
    """Arguments, variables and paths that are not UTF-8 arrive byte for byte."""
    odd = os.fsdecode(b"caf\xe9")
    (stage.root / odd).mkdir()
    script = "import os,sys; print(ascii([sys.argv[1], os.environ['A'], os.getcwd()[-4:]]))"
    spec, _ = stage.run(*python(script), odd, env={"A": odd}, cwd=str(stage.root / odd))
    assert stage.said(spec) == r"['caf\udce9', 'caf\udce9', 'caf\udce9']" + "\n"
