"""A small repository with tests, issues and a builder, made in a folder of its own."""

import shlex
import subprocess
import sys
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

from tidegate.core.errors import Unavailable
from tidegate.core.records import record

_MODULES = ("dates", "months", "ranges")
_FILES = (*(f"{name}.py" for name in _MODULES), *(f"test_{name}.py" for name in _MODULES))


@record(kw_only=False)
class Made:
    """An issue of the demo. Without a footprint it may touch what does not judge it."""

    title: str
    text: str
    footprint: tuple[str, ...] = ()


_ISSUES = (
    Made(
        "Tell the day of the week",
        "Add weekday(date); Monday is 0. Test it.",
        ("weekday.py", "test_weekday.py"),
    ),
    Made(
        "Say what a date should look like",
        "parse() should help who writes nonsense.",
        ("dates.py",),
    ),
    Made("Show dates without zeros", "show() should not pad the month.", ("dates.py",)),
    Made("Count whole weeks", "Add weeks(first, last).", ("ranges.py",)),
    Made("Tell what is past", "Add is_past(day, today).", ("ranges.py",)),
    Made("Make it better", "Everything should be better."),
    Made("Tell what day it is", "Add clock.py with today().", ("clock.py",)),
    Made("Read months with a dot", "months.number('Nov.') should be 11."),
    Made("Say it nicer", "Find a better word for spans.", ("ranges.py",)),
)
_GIT_LIMIT_S = 60


LOOKS, LONG_LOOKS = 6, 25
"""How often the first builder looks at the tests between its two commits."""


def make_world(folder: Path, environment: Mapping[str, str], *, looks: int = LOOKS) -> Path:
    """Write the repository and its issues; the path of the checkout."""
    repository = folder / "repository"
    repository.mkdir()
    for name in _FILES:
        (repository / name).write_text(made_text(f"{name}.txt"), encoding="utf-8")
    (repository / ".gitignore").write_text("__pycache__/\n", encoding="utf-8")
    agent = folder / "agent.sh"
    agent.write_text(made_text("agent.sh"), encoding="utf-8")
    (repository / "tidegate.toml").write_text(
        _configuration(folder, agent, looks), encoding="utf-8"
    )
    _write_issues(repository / ".tidegate" / "issues")
    commit_all(repository, environment)
    return repository


def made_text(name: str) -> str:
    """A file that comes with the showcase."""
    return resources.files("tidegate.showcase").joinpath("made", name).read_text(encoding="utf-8")


def _configuration(folder: Path, agent: Path, looks: int) -> str:
    python = shlex.quote(sys.executable)
    command = f"DEMO_PYTHON={python} DEMO_LOOKS={looks} sh {shlex.quote(str(agent))}"
    return (
        f"[check]\ncommand = {toml(f'{python} -m unittest -q')}\n"
        f'[roles.adjudicate]\nagent = "shell"\ncommand = {toml(command)}\n'
        f"[roles.build]\ncommand = {toml(command)}\n"
        f"[workspace]\nroot = {toml(str(folder / 'workspaces'))}\n"
        "[run]\nwidth = 3\n"
        "[deadlines]\nheartbeat_s = 3\nmissed_beats_max = 10\ncheckpoint_look_s = 0.2\n"
        "[disk]\nfloor_bytes = 50_000_000\n"
    )


def toml(text: str) -> str:
    """A text as TOML has it."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _write_issues(folder: Path) -> None:
    folder.mkdir(parents=True)
    for number, made in enumerate(_ISSUES, start=1):
        path = folder / f"{number:03}-{made.title.lower().replace(' ', '-')}.md"
        listed = f"footprint: [{', '.join(made.footprint)}]\n" if made.footprint else ""
        head = f"---\ntitle: {made.title}\n{listed}---\n"
        path.write_text(f"{head}\n{made.text}\n", encoding="utf-8")


def commit_all(
    repository: Path,
    environment: Mapping[str, str],
    message: str = "Dates, months and ranges, with tests",
) -> None:
    """Make a folder a repository with one commit of all that is in it."""
    for arguments in (
        ("init", "-q", "-b", "main"),
        ("config", "user.name", "Demo"),
        ("config", "user.email", "demo@example.invalid"),
        ("config", "commit.gpgSign", "false"),
        ("add", "-A"),
        ("commit", "-q", "-m", message),
    ):
        git(repository, arguments, environment)


def git(repository: Path, arguments: tuple[str, ...], environment: Mapping[str, str]) -> None:
    """Run git without hooks and without what the environment says to git. Raises Unavailable."""
    clean = {name: value for name, value in environment.items() if not name.startswith("GIT_")}
    done = subprocess.run(
        ("git", "-c", "core.hooksPath=/dev/null", *arguments),
        cwd=repository,
        env=clean,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=_GIT_LIMIT_S,
        check=False,
    )
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()
        raise Unavailable(f"git {arguments[0]} failed in the demo's folder: {said}")
