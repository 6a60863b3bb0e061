"""A person's desk: a small repository, and `tidegate` as a process of its own.

Everything that is started carries the desk's folder in its environment or its command line, so
that what a test leaves running is found, whoever its parent is.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Self

import msgspec

import tidegate
from tests.cli.shapes import Error, Failure, Summary
from tests.waiting import until

SOURCE = Path(tidegate.__file__).parents[1]
TIDEGATE = (sys.executable, "-m", "tidegate")
LIMIT_S = 90.0
"""What takes longer hangs. The machine may be busy with other tests."""

CHECK = "! grep -q bad part.txt"
SETTINGS = """\
[run]
width = {width}
[check]
command = {check}
reruns = 0
[roles.build]
command = {agent}
[deadlines]
heartbeat_s = 1.5
missed_beats_max = 10
checkpoint_look_s = 0.1
start_s = 3
term_grace_s = 1
[disk]
floor_bytes = 1000
"""


@dataclass(frozen=True, slots=True)
class Said:
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Its answer as JSON."""
        return json.loads(self.out)

    @property
    def error(self) -> Error:
        """What is wrong, as `--json` has it."""
        return msgspec.json.decode(self.out, type=Failure).error

    @property
    def summary(self) -> Summary:
        """What became of a run, as `--json` has it."""
        return msgspec.json.decode(self.out, type=Summary)

    @property
    def complaint(self) -> str:
        """What is wrong, as a person is told: one line on standard error, and nothing else."""
        assert self.out == ""
        assert self.err.startswith("tidegate: ")
        assert self.err.count("\n") == 1, self.err
        return self.err.removeprefix("tidegate: ").rstrip()


@dataclass(slots=True)
class Desk:
    """`folder` holds everything: `repository`, `home`, `state` and what a test puts there."""

    folder: Path
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @classmethod
    def copy_of(cls, seed: Path, folder: Path) -> Self:
        """A desk in this folder, as the seed has it."""
        shutil.copytree(seed, folder, symlinks=True, dirs_exist_ok=True)
        return cls(folder)

    @property
    def repository(self) -> Path:
        """The person's checkout."""
        return self.folder / "repository"

    @property
    def ledger_folder(self) -> Path:
        """Tidegate's own folder in the repository."""
        return self.repository / ".git" / "tidegate"

    def environment(self, changes: Mapping[str, str] | None = None) -> dict[str, str]:
        """What every process gets: little, and nothing of whoever runs the tests."""
        coverage = {name: os.environ[name] for name in os.environ if name.startswith("COVERAGE")}
        return {
            "HOME": str(self.folder / "home"),
            "XDG_STATE_HOME": str(self.folder / "state"),
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(SOURCE),
            "LC_ALL": "C.UTF-8",
            **coverage,
            **(changes or {}),
        }

    def settle(self, agent: str, *, check: str = CHECK, width: int = 2, more: str = "") -> None:
        """Write `tidegate.toml`. `more` comes after it, as further sections."""
        text = SETTINGS.format(width=width, check=json.dumps(check), agent=json.dumps(agent))
        (self.repository / "tidegate.toml").write_text(f"{text}{more}", encoding="utf-8")

    def issue(self, number: int, title: str = "Change a part", *, front: str = "") -> str:
        """Write an issue as a person would, and return its id."""
        name = f"{number:03}"
        path = self.repository / ".tidegate" / "issues" / f"{name}-issue.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"---\ntitle: {title}\n{front}---\n\nPlease.\n", encoding="utf-8")
        return name

    def git(self, *arguments: str, cwd: Path | None = None) -> str:
        """What git says in the checkout."""
        done = subprocess.run(
            ("git", *arguments),
            cwd=cwd or self.repository,
            env=self.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def commit(self, name: str, text: str, *, cwd: Path | None = None) -> str:
        """Commit one file in the checkout; the commit."""
        where = cwd or self.repository
        (where / name).write_text(text, encoding="utf-8")
        self.git("add", "-f", name, cwd=where)
        self.git("commit", "-q", "-m", f"Change {name}", cwd=where)
        return self.git("rev-parse", "HEAD", cwd=where)

    def tidegate(
        self, *arguments: str, cwd: Path | None = None, env: Mapping[str, str] | None = None
    ) -> Said:
        """Run a command to its end."""
        done = subprocess.run(
            (*TIDEGATE, *arguments),
            cwd=cwd or self.repository,
            env=self.environment(env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=LIMIT_S,
            check=False,
        )
        return Said(done.returncode, done.stdout.decode(), done.stderr.decode())

    def run(self, *arguments: str) -> tuple[int, Summary]:
        """`tidegate run --json`: its exit code and its answer, which must be of the right shape."""
        said = self.tidegate("run", "--json", *arguments)
        assert said.out, said.err
        return said.code, said.summary

    def start(
        self, *arguments: str, env: Mapping[str, str] | None = None, before: Sequence[str] = ()
    ) -> subprocess.Popen[bytes]:
        """Start a command in a process group of its own. `before` stands before its words."""
        process = subprocess.Popen(
            (*before, *TIDEGATE, *arguments),
            cwd=self.repository,
            env=self.environment(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,  # what is read line by line must not be taken from who reads the rest
            start_new_session=True,
        )
        self.started.append(process)
        return process

    def ended(self, process: subprocess.Popen[bytes]) -> Said:
        """Wait for a started command's end."""
        out, err = process.communicate(timeout=LIMIT_S)
        return Said(process.returncode, out.decode(), err.decode())

    def lines(self, name: str) -> list[str]:
        """What agents wrote into a side file of the desk's; nothing where there is none."""
        path = self.folder / name
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    def hears(self, name: str, count: int = 1) -> None:
        """Wait until so many lines are in a side file."""
        until(lambda: len(self.lines(name)) >= count, within_s=LIMIT_S)

    def sees(self, name: str) -> None:
        """Wait until an agent has made this file."""
        until((self.folder / name).exists, within_s=LIMIT_S)

    def let(self, name: str) -> None:
        """Make the file that an agent waits for."""
        (self.folder / name).touch()

    def kinds(self) -> list[str]:
        """The kinds of the newest run's events, in order."""
        return [event["kind"] for event in self.events()]

    def text(self, *arguments: str) -> str:
        """What a command that succeeds says to a person."""
        said = self.tidegate(*arguments, "--no-json")
        assert said.code == 0, said
        return said.out

    def events(self, run: str | None = None) -> list[Any]:
        """The newest run's events."""
        chosen = ("--run", run) if run else ()
        said = self.tidegate("log", "--json", *chosen)
        assert said.code == 0, said
        return [json.loads(line) for line in said.out.splitlines()]

    def living(self) -> dict[int, str]:
        """Processes that have to do with this desk, whoever started them."""
        mark = os.fsencode(self.folder)
        found = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                with suppress(OSError):
                    words = (entry / "cmdline").read_bytes()
                    if mark in words or mark in (entry / "environ").read_bytes():
                        found[int(entry.name)] = words.replace(b"\0", b" ").decode()
        return found

    def clear(self) -> None:
        """End whatever is left, by its number."""
        for process in self.started:
            if process.poll() is None:
                process.kill()
            process.communicate()
        while left := self.living():
            for pid in left:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            until(partial(self._are_gone, tuple(left)))

    def _are_gone(self, pids: tuple[int, ...]) -> bool:
        return not set(pids) & set(self.living())
