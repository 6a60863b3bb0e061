"""Any shell command as an agent: no model needed.

The command runs in the workspace with the brief, the prompt and the finding as files, named by
``TIDEGATE_*`` variables. Its report is the file at ``TIDEGATE_REPORT``; where it wrote none, one
is made from its exit code and the end of its output, and a code other than 0 is then a failure
that goes back to it as the finding of its next turn.
"""

import os
import shlex
import shutil
from pathlib import Path

from tidegate.ports.agents import Brief, Place, Result, RoleSettings, Start
from tidegate.ports.runners import EndReason, Exit

_REPORT_MAX_BYTES = 1_000_000
_NOT_ITS_DOING = (EndReason.NOT_STARTED, EndReason.FENCED, EndReason.STOPPED)


class ShellAgent:
    """See ports.agents.Agent."""

    name = "shell"

    def preflight(self, settings: RoleSettings, *, path: str) -> str | None:
        """The command must be there, and its first word something that can be run."""
        if not settings.command:
            return "the shell agent has no command: set [roles.build] command in tidegate.toml"
        return missing_program(settings.command, path)

    def start(self, brief: Brief, place: Place, settings: RoleSettings) -> Start:
        """One `sh -c`; the prompt is on standard input too, for programs that read it there."""
        del brief
        return Start(
            argv=("/bin/sh", "-c", settings.command or ""), env={}, stdin_path=place.prompt
        )

    def result(self, place: Place, exit: Exit, *, tail: str) -> Result:  # noqa: A002
        """The report as written, or one made from what can be seen."""
        written = _read_report(Path(place.report))
        made = f"{_how(exit)}\n\n{tail}"
        is_external = exit.reason in _NOT_ITS_DOING or (
            exit.reason is EndReason.EXITED and exit.signal is not None
        )
        has_failed = exit.reason is not EndReason.EXITED or (exit.code != 0 and written is None)
        return Result(
            report=written if written is not None else made,
            failure=made if has_failed else None,
            is_external=is_external,
        )


def missing_program(command: str, path: str) -> str | None:
    """Why the first program of a shell command cannot be run, where that can be told.

    A word that holds shell syntax is left to the shell: this check may stay silent, never wrong.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        return f"the command cannot be read by a shell ({error}): {command}"
    while words and "=" in words[0]:
        words.pop(0)
    if not words or any(mark in words[0] for mark in "$`(){}[]*?<>|&;!~") or words[0] in _BUILTINS:
        return None
    if shutil.which(words[0], path=path) is not None or "/" in words[0]:
        return None
    return f"{words[0]!r} is not on PATH ({path})"


_BUILTINS = frozenset({
    ".", ":", "[", "cd", "command", "echo", "eval", "exec", "exit", "export", "false", "for", "if",
    "printf", "read", "return", "set", "shift", "test", "trap", "true", "umask", "until", "while",
})  # fmt: skip


def _read_report(path: Path) -> str | None:
    """The report, unless it is missing, empty, or no regular file that we may read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        try:
            content = file.read(_REPORT_MAX_BYTES)
        except OSError:
            return None
    return content.decode(errors="replace") if content.strip() else None


def _how(exit: Exit) -> str:  # noqa: A002 - the port's word
    if exit.error:
        return f"The command could not be run: {exit.error}."
    if exit.reason is not EndReason.EXITED:
        return f"The command was ended: {exit.reason}."
    if exit.signal is not None:
        return f"The command was killed by signal {exit.signal} from outside."
    return f"The command ended with exit code {exit.code}."
