"""Any shell command as an agent: no model needed.

The command runs in the workspace with the brief, the prompt and the finding as files, named by
``TIDEGATE_*`` variables. Its report is the file at ``TIDEGATE_REPORT``; where it wrote none, one
is made from its exit code and the end of its output, and a code other than 0 is then a failure
that goes back to it as the finding of its next turn.
"""

import os
import stat
from pathlib import Path

from tidegate.config.shell_command import missing_program, words
from tidegate.ports.agents import Brief, Place, Result, RoleSettings, Start
from tidegate.ports.runners import EndReason, Exit

_REPORT_MAX_BYTES = 131_072
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
        """One `sh -c`; the prompt is on standard input too, for programs that read it there.

        A program that has gone since the preflight is named without a shell around it: a shell
        would start, and end as if the agent had failed.
        """
        del brief
        command = settings.command or ""
        is_gone = missing_program(command, os.environ.get("PATH", os.defpath)) is not None
        argv = tuple(words(command)) if is_gone else ("/bin/sh", "-c", command)
        return Start(argv=argv, env={}, stdin_path=place.prompt)

    def result(self, place: Place, exit: Exit, *, tail: str) -> Result:  # noqa: A002 - the port's word
        """The report as written, or one made from what can be seen."""
        written = _read_report(Path(place.report))
        made = f"{_how(exit)}\n\n{tail}"
        is_external = exit.reason in _NOT_ITS_DOING or exit.was_killed
        has_failed = exit.reason is not EndReason.EXITED or (exit.code != 0 and written is None)
        return Result(
            report=written if written is not None else made,
            failure=made if has_failed else None,
            is_external=is_external,
        )


def _read_report(path: Path) -> str | None:
    """The report, unless it is missing, empty, or no regular file that we may read."""
    try:
        content = _content(path)
    except OSError:
        return None
    return content.decode(errors="replace") if content.strip() else None


def _content(path: Path) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return b""
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(_REPORT_MAX_BYTES)
    finally:
        os.close(descriptor)


def _how(exit: Exit) -> str:  # noqa: A002 - the port's word
    if exit.error:
        return f"The command could not be run: {exit.error}."
    if exit.reason is not EndReason.EXITED:
        return f"The command was ended: {exit.reason}."
    if exit.signal is not None:
        return f"The command was killed by signal {exit.signal} from outside."
    return f"The command ended with exit code {exit.code}."
