"""A repository of many small files, and an issue a lane, in a folder of its own.

The files are few kilobytes and the check takes no time, so that what is measured is the control
plane and not somebody's tests. Issues and settings are kept out of git: with five thousand lanes
every checkout would else write five thousand issues, and would hide what is to be seen.
"""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src"
FILES = 100
"""Lane 00142 changes file 42: lanes at work at the same time never change the same file."""

AGENT = "sed -i s/^state.*/state=$TIDEGATE_LANE/ part-${TIDEGATE_LANE#???}"
"""Changes one line of one file and commits nothing. In `sh` and in JSON it needs no quotes."""

CHECK = "test -s part-00"
CHECK_S = 0.15
SLOW_CHECK = f"sleep {CHECK_S} && {CHECK}"
"""A check that takes a moment, as the field's own measurements have it."""
WIDTH = 2
_LIMIT_S = 60

_SETTINGS = f"""\
[run]
width = {WIDTH}
[check]
command = "CHECK"
[roles.build]
agent = "shell"
command = "{AGENT}"
[disk]
floor_bytes = 1000000
"""


@dataclass(frozen=True, slots=True)
class World:
    """`home` is a home directory that holds nothing but a name to commit with."""

    home: Path

    @property
    def repository(self) -> Path:
        """The user's checkout."""
        return self.home / "repository"

    @property
    def environment(self) -> Mapping[str, str]:
        """For every process of a benchmark: nothing of whoever started it but the search path."""
        return {
            "HOME": str(self.home),
            "LC_ALL": "C.UTF-8",
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(SOURCE),
        }

    def git(self, *arguments: str) -> str:
        """What git says in the user's checkout. Raises CalledProcessError."""
        done = subprocess.run(
            ("git", *arguments),
            cwd=self.repository,
            env=self.environment,
            check=True,
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
        )
        return done.stdout.strip()


def make_world(home: Path, lanes: int, *, check: str = CHECK) -> World:
    """Write the repository, commit it, and write an issue for each lane."""
    world = World(home)
    world.repository.mkdir(parents=True)
    (home / ".gitconfig").write_text(
        "[user]\n\tname = Bench\n\temail = bench@example.invalid\n[init]\n\tdefaultBranch = main\n",
        encoding="utf-8",
    )
    world.git("init", "-q")
    for number in range(FILES):
        _write(world.repository / f"part-{number:02}", f"part {number}\nstate=new\nthe end\n")
    world.git("add", "-A")
    world.git("commit", "-q", "-m", "A hundred parts")
    _write(world.repository / ".git" / "info" / "exclude", "/tidegate.toml\n/.tidegate/\n")
    _write(world.repository / "tidegate.toml", _SETTINGS.replace('"CHECK"', f'"{check}"'))
    for number in range(1, lanes + 1):
        issue = world.repository / ".tidegate" / "issues" / f"{lane(number)}-set-the-state.md"
        _write(issue, f"---\ntitle: Set the state of part {number % FILES}\n---\n\nOne line.\n")
    return world


def lane(number: int) -> str:
    """The id of an issue and of its lane."""
    return f"{number:05}"


def expected_files(lanes: int) -> Mapping[str, str]:
    """What every part must hold once all lanes have landed, in their order."""
    states = dict.fromkeys(range(FILES), "new")
    states |= {number % FILES: lane(number) for number in range(1, lanes + 1)}
    return {
        f"part-{number:02}": f"part {number}\nstate={state}\nthe end"
        for number, state in states.items()
    }


def files_at(world: World, ref: str) -> Mapping[str, str]:
    """What every part holds at a ref of the user's repository."""
    names = world.git("ls-tree", "-r", "--name-only", ref).splitlines()
    return {name: world.git("show", f"{ref}:{name}") for name in names}


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def start_run(world: World) -> subprocess.Popen[bytes]:
    """Start `tidegate run` as a process of its own that says nothing."""
    return subprocess.Popen(
        (sys.executable, "-m", "tidegate", "run"),
        cwd=world.repository,
        env=world.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
