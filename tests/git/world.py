"""The world of the git tests: one user, one hub, some workspaces, and git as its agents run it."""

import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tidegate.git
from tests.waiting import until
from tidegate.git import candidate as candidates
from tidegate.git import harvest as harvests
from tidegate.git import hub as hubs
from tidegate.git import repository as repositories
from tidegate.git import workspace as workspaces
from tidegate.git.candidate import Candidate, Part, Style, Unmergeable
from tidegate.git.commits import Stamp
from tidegate.git.harvest import Harvest
from tidegate.git.hub import Hub
from tidegate.git.repository import Repository
from tidegate.git.workspace import Prepared

PROGRAM = Path(tidegate.git.__file__).parent
STAMP = Stamp("Tidegate", "tidegate@example.invalid", 1_700_000_000)
FILES = {
    "README.md": "read me\n",
    "src/a.py": "".join(f"line {number}\n" for number in range(40)),
    "src/b.py": "b\n",
    "infra/deploy.tf": "a\nb\nc\nd\n",
    ".gitignore": "*.log\n/build/\n",
}


def git(folder: Path | str, *args: str, stdin: str | None = None, check: bool = True) -> str:
    """Run git as a user or an agent does; return its output."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(
        ("git", *args),
        cwd=folder,
        env=env,
        input=stdin,
        text=True,
        capture_output=True,
        check=False,
    )
    if check and done.returncode != 0:
        raise AssertionError(f"git {' '.join(args)}: {done.stderr}")
    return done.stdout.strip()


def write(folder: Path, files: dict[str, str]) -> None:
    """Write files, with the folders they need."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


def commit(folder: Path, files: dict[str, str], message: str = "work") -> str:
    """Write files and commit them; return the commit."""
    write(folder, files)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", message)
    return git(folder, "rev-parse", "HEAD")


def seed(folder: Path) -> None:
    """Make the repository and its hub."""
    root = folder / "repository"
    root.mkdir()
    git(root, "init", "-q", "-b", "main", "--template=")
    git(root, "config", "user.name", "User")
    git(root, "config", "user.email", "user@example.invalid")
    (folder / "base").write_text(commit(root, FILES, "base"))
    found = repositories.find(str(root))
    hubs.fetch_base(hubs.make(str(folder / "hub.git"), found), found, found.head or "")


@dataclass(frozen=True)
class World:
    """Where everything is."""

    path: Path

    @property
    def root(self) -> Path:
        """The user's checkout."""
        return self.path / "repository"

    @property
    def repository(self) -> Repository:
        """The user's repository, as it is found now."""
        return repositories.find(str(self.root))

    @property
    def hub(self) -> Hub:
        """The hub."""
        return Hub(str(self.path / "hub.git"))

    @property
    def base(self) -> str:
        """The commit that all work starts from."""
        return (self.path / "base").read_text()

    @property
    def workspace(self) -> Path:
        """The first attempt's workspace."""
        return self.path / "w" / "one"

    def order(self, name: str = "one", **changes: object) -> workspaces.Order:
        """Return the order for a workspace, changed as wanted."""
        standard: dict[str, object] = {
            "path": str(self.path / "w" / name),
            "commit": self.base,
            "author": ("Agent", "agent@example.invalid"),
            "made_from": str(self.root),
            "aside": str(self.path / "w" / "aside"),
            "trash": str(self.path / "w" / "trash"),
            "branch": f"refs/heads/tidegate/{name}",
            "target": "refs/heads/main",
        }
        return workspaces.Order(**(standard | changes))  # type: ignore[arg-type]  # what it is given is the test's affair

    def prepare(self, name: str = "one", **changes: object) -> Prepared:
        """Make a workspace."""
        return workspaces.prepare(self.hub, self.order(name, **changes))

    def harvest(self, name: str = "one", turn: int = 1, **changes: object) -> Harvest:
        """Harvest a workspace."""
        standard: dict[str, object] = {
            "workspace": str(self.path / "w" / name),
            "base": self.base,
            "namespace": f"refs/tidegate/run/{name}/{turn}",
            "author": STAMP,
            "message": "Keep what was not committed\n",
        }
        return harvests.harvest(self.hub, harvests.Order(**(standard | changes)))  # type: ignore[arg-type]  # what it is given is the test's affair

    def build(self, *parts: Part, **changes: object) -> Candidate | Unmergeable:
        """Build a candidate on the base."""
        standard: dict[str, object] = {
            "target": self.base,
            "parts": parts,
            "style": Style.MERGE,
            "author": STAMP,
            "committer": STAMP,
            "pin": "refs/tidegate/run/candidate",
        }
        return candidates.build(self.hub, candidates.Order(**(standard | changes)))  # type: ignore[arg-type]  # what it is given is the test's affair

    def kept(self, oid: str) -> bool:
        """Tell whether the hub has a commit, reachable from one of its refs."""
        return bool(git(self.hub.path, "for-each-ref", "--contains", oid, check=False))


def start_job(
    folder: Path, job: dict[str, object], *, wrapper: tuple[str, ...] = (), path: str = ""
) -> subprocess.Popen[bytes]:
    """Start the job program as a runner would, in a session of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "job.json").write_text(json.dumps(job | {"result": str(folder / "result.json")}))
    argv = (*wrapper, sys.executable, "-I", "-S", str(PROGRAM), str(folder / "job.json"))
    env = dict(os.environ) | ({"PATH": path} if path else {})
    return subprocess.Popen(argv, env=env, start_new_session=True)


def run_job(
    folder: Path, job: dict[str, object], *, wrapper: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Run a job to its end and return its result; a missing one is an error."""
    process = start_job(folder, job, wrapper=wrapper)
    code = process.wait(timeout=60)
    result: dict[str, Any] = json.loads((folder / "result.json").read_text())
    assert code == (1 if "error" in result else 0)
    return result


def stopping_git(folder: Path, at: str, *, done: bool) -> str:
    """Return a PATH on which git stops for good before the subcommand `at`, or when it is done.

    It leaves its pid in the file `stopped` when it does.
    """
    bin_folder = folder / "bin"
    bin_folder.mkdir()
    real = shutil.which("git")
    script = f"""#!/bin/sh
case " $* " in *" {at} "*)
  {f'{real} "$@"' if done else ":"}
  echo $$ > {folder}/stopped.new
  mv {folder}/stopped.new {folder}/stopped
  exec sleep 600;;
esac
exec {real} "$@"
"""
    (bin_folder / "git").write_text(script)
    (bin_folder / "git").chmod(0o755)
    return f"{bin_folder}:{os.environ['PATH']}"


def killed_at(folder: Path, job: dict[str, object], at: str, *, done: bool = False) -> None:
    """Run a job and kill it with all its children, by SIGKILL, when its git comes to `at`.

    `done`: what it came to has happened, and the job has not heard of it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    process = start_job(folder, job, path=stopping_git(folder, at, done=done))
    until((folder / "stopped").exists, within_s=30)
    process.kill()
    process.wait()
    os.kill(int((folder / "stopped").read_text()), signal.SIGKILL)
    assert not (folder / "result.json").exists()


def is_running(pid: int) -> bool:
    """Tell whether a process is there and has not ended, though nobody may have reaped it."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in "ZX"


def same(one: object, other: object) -> bool:
    """Tell whether two records are alike and of one kind: as tuples, other kinds can be equal."""
    return type(one) is type(other) and one == other


def codes(items: object) -> set[str]:
    """Return the codes of findings or violations."""
    return {item.code for item in items}  # type: ignore[attr-defined]  # what it is given is the test's affair
