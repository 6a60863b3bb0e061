"""The made repository of the proof, its agents, and its issues: as many as are asked for."""

import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tidegate.showcase.world import commit_all, git, made_text, toml

HEARTBEAT_S, MISSED_BEATS_MAX = 0.75, 4
"""Short, so that a pause longer than a lease is a matter of seconds; and long enough for a busy
machine, on which a runner that nobody stopped must not seem silent."""
LEASE_S = HEARTBEAT_S * (MISSED_BEATS_MAX + 1)
WIDTH = 3
PIECES = 4
SHARED = 3
"""Files that issues want in turn: lanes have to wait for each other's paths."""


@dataclass(kw_only=True)
class World:
    """Where everything of one proof is. All of it lies in `folder`."""

    folder: Path
    environment: Mapping[str, str] = field(repr=False)
    pace_s: float
    issues: int = 0
    """How many issues were written so far."""

    @property
    def repository(self) -> Path:
        """The user's checkout."""
        return self.folder / "repository"

    @property
    def home(self) -> Path:
        """What Tidegate keeps: the ledger, the hub, the runs."""
        return self.repository / ".git" / "tidegate"

    @property
    def hub(self) -> Path:
        """Where all that was ever committed is."""
        return self.home / "hub.git"

    @property
    def remote(self) -> Path:
        """What the run publishes to."""
        return self.folder / "remote.git"

    @property
    def journal(self) -> Path:
        """What the agents wrote of themselves."""
        return self.folder / "journal"

    @property
    def clock_offset(self) -> Path:
        """By how many seconds the wall clock of a stepped controller is off."""
        return self.folder / "clock-offset"

    def make(self) -> None:
        """Write the repository, the agent and the check."""
        self.repository.mkdir()
        (self.repository / ".gitignore").write_text("__pycache__/\n", encoding="utf-8")
        first = "import unittest\n\n\nclass First(unittest.TestCase):\n    def test_it(self):\n"
        (self.repository / "test_first.py").write_text(f"{first}        pass\n", encoding="utf-8")
        for name in ("prove_agent.py", "prove_check.py"):
            (self.folder / name).write_text(made_text(f"{name}.txt"), encoding="utf-8")
        settings = self.repository / "tidegate.toml"
        settings.write_text(self._configuration(), encoding="utf-8")
        commit_all(self.repository, self.environment, "A repository that is about to be tried")
        git(self.folder, ("init", "-q", "--bare", str(self.remote)), self.environment)
        added = ("remote", "add", "origin", str(self.remote))
        git(self.repository, added, self.environment)

    def write_issues(self, count: int) -> None:
        """Put so many more issues into the queue."""
        folder = self.repository / ".tidegate" / "issues"
        folder.mkdir(parents=True, exist_ok=True)
        for _ in range(count):
            self.issues += 1
            issue = f"{self.issues:03}"
            wanted = f"part_{issue}_*.py, test_{issue}_*.py, shared_{self.issues % SHARED}.txt"
            head = f"---\ntitle: Write the parts of {issue}\nfootprint: [{wanted}]\n---\n"
            text = f"{head}\nWrite {PIECES} parts, each with a test, and sign for them.\n"
            (folder / f"{issue}-parts.md").write_text(text, encoding="utf-8")

    def _configuration(self) -> str:
        python, journal = shlex.quote(sys.executable), shlex.quote(str(self.journal))
        agent = shlex.quote(str(self.folder / "prove_agent.py"))
        check = shlex.quote(str(self.folder / "prove_check.py"))
        build = f"{python} {agent} {journal} {self.pace_s} {PIECES}"
        return (
            f"[check]\ncommand = {toml(f'{python} {check} {journal}')}\n"
            f"[roles.build]\ncommand = {toml(build)}\n"
            f"[workspace]\nroot = {toml(str(self.folder / 'workspaces'))}\n"
            f'[run]\nwidth = {WIDTH}\n[land]\npublish = "origin"\n'
            "[limits]\nreplacements_max = 10\ninfra_max = 20\n"
            f"[deadlines]\nheartbeat_s = {HEARTBEAT_S}\nmissed_beats_max = {MISSED_BEATS_MAX}\n"
            "checkpoint_look_s = 0.5\nretry_s = 0.5\nterm_grace_s = 2\n"
            "[disk]\nfloor_bytes = 50_000_000\n"
        )


def asked_git(folder: Path, path: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Ask git, found on `path`, about a repository, with nobody's configuration."""
    settings = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    return subprocess.run(
        ("git", "-C", str(folder), *arguments),
        env={"PATH": path, "LC_ALL": "C", **settings},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
