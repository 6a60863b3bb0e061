"""The temporary folder that everything happens in, and the programs that are run there.

Every program gets an environment of the acceptance's own: a home without settings, a state folder
of its own, and the tools of this very Python first on the path, as in an environment that a person
has activated. Each has a limit, and one that exceeds it is ended.
"""

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

COMMAND_LIMIT_S = 120.0
_STRAYS = ("GIT_", "XDG_", "TIDEGATE_", "PYTEST_", "RUFF_", "COVERAGE_")


class Trouble(Exception):
    """The proof itself cannot go on. The message says which command, and what it said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What was asked, how it ended, and what it said."""

    command: str
    code: int
    output: str
    errors: str = ""

    @property
    def said(self) -> str:
        """All that it said, for a person."""
        return (self.output + self.errors).strip()


@dataclass(frozen=True, slots=True)
class Place:
    """The folder of one proof."""

    folder: Path

    @property
    def repository(self) -> Path:
        """The user's checkout."""
        return self.folder / "repository"

    @property
    def home(self) -> Path:
        """The user's home."""
        return self.folder / "home"

    @property
    def scratch(self) -> Path:
        """Where temporary files go."""
        return self.folder / "scratch"

    @property
    def meetings(self) -> Path:
        """Where builders say that they are at work, if somebody waits for it."""
        return self.folder / "meetings"

    @property
    def state(self) -> Path:
        """Where workspaces are."""
        return self.folder / "state"

    @property
    def ledger_folder(self) -> Path:
        """Tidegate's own folder in the user's repository."""
        return self.repository / ".git" / "tidegate"

    def environment(self) -> Mapping[str, str]:
        """This process's environment, less what would lead elsewhere."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(_STRAYS)}
        return kept | {
            "HOME": str(self.home),
            "TMPDIR": str(self.scratch),
            "XDG_STATE_HOME": str(self.state),
            "PATH": f"{Path(sys.executable).parent}:{os.environ.get('PATH', os.defpath)}",
        }

    def tell(self, *argv: str, cwd: Path | None = None) -> Told:
        """Run a command to its end, in the checkout where nothing else is said."""
        where = cwd or self.repository
        try:
            done = subprocess.run(
                argv,
                cwd=where,
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=COMMAND_LIMIT_S,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise Trouble(f"{shown(argv)} did not end within {COMMAND_LIMIT_S:g} s") from error
        return Told(
            command=shown(argv),
            code=done.returncode,
            output=done.stdout.decode(errors="replace"),
            errors=done.stderr.decode(errors="replace"),
        )

    def must(self, *argv: str, cwd: Path | None = None) -> str:
        """Run a command that has to succeed; what it printed."""
        told = self.tell(*argv, cwd=cwd)
        if told.code:
            raise Trouble(f"{told.command} ended with code {told.code}:\n{told.said}")
        return told.output

    def git(self, *arguments: str, cwd: Path | None = None) -> str:
        """What git says, without the last line's end. It takes no lock that it can do without."""
        return self.must("git", "--no-optional-locks", *arguments, cwd=cwd).strip()

    def tidegate(self, *arguments: str) -> Told:
        """What the command line answers."""
        return self.tell(sys.executable, "-m", "tidegate", *arguments)


def shown(argv: Sequence[str]) -> str:
    """A command as a person would write it."""
    words = argv[2:] if argv[:2] == (sys.executable, "-m") else argv
    return f"`{shlex.join(words)}`"
