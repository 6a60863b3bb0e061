"""Service: keep the run of this repository going by systemd, as the user; or say how without it.

What a user expects of it: a controller that died is started again, a run that is over is no
failure, and issues that were added are taken. So a timer starts `tidegate run`, which ends at once
where there is nothing to do, and systemd restarts it where it died.
"""

import re
import shlex
import shutil
import sys
from dataclasses import replace
from pathlib import Path

from tidegate.config.load import load
from tidegate.core.digest import sha256_hex
from tidegate.core.records import record
from tidegate.ports.repository import Repository
from tidegate.verbs.house import House
from tidegate.verbs.systemd_units import service_unit, timer_unit

_NAME_MAX = 60
_DIGEST = 8
_SET_ANYWAY = frozenset({"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "COLORTERM"})
"""What systemd, or the unit itself, gives a service; and what is of a terminal."""
_RUNNING = Path("/run/systemd/system")
"""It is there where systemd has booted the machine: its programs alone start nothing."""


@record
class Unit:
    """A file of systemd's."""

    path: str
    text: str


@record
class Service:
    """The units, what was done with them, and what to type next."""

    units: tuple[Unit, ...]
    did: str
    next: tuple[str, ...]
    is_done: bool = True


def install(house: House, folder: str, *, writes: bool) -> Service:
    """The units of a repository, written where `writes`, and systemd is there."""
    repository = house.repositories.find(folder)
    units = _units(house, repository)
    timer = Path(units[1].path).name
    enable = (
        "systemctl --user daemon-reload",
        f"systemctl --user enable --now {timer}",
        f"to have it run while you are not logged in: loginctl enable-linger {_user(house)}",
    )
    made = Service(units=units, did="", next=enable)
    if not writes:
        return made
    if shutil.which("systemctl", path=house.environment.get("PATH")) is None:
        instead = _otherwise(repository, "there is no systemd here, so nothing was written.")
        return Service(units=(), did="", next=instead, is_done=False)
    for each in units:
        _write(Path(each.path), each.text)
    if _RUNNING.is_dir():
        return replace(made, did="wrote")
    instead = _otherwise(repository, "systemd does not run here, as in many containers.")
    return replace(made, did="wrote", next=(*enable, *instead))


def uninstall(house: House, folder: str) -> Service:
    """Take away the units of a repository, where they are there. What runs is left alone."""
    units = _units(house, house.repositories.find(folder))
    gone = tuple(each for each in units if Path(each.path).exists())
    timer, service = Path(units[1].path).name, Path(units[0].path).name
    for each in gone:
        Path(each.path).unlink()
    (Path(units[1].path).parent / "timers.target.wants" / timer).unlink(missing_ok=True)
    if not gone:
        return Service(units=(), did="", next=("there is no service of this repository",))
    after = (
        f"systemctl --user stop {timer} {service}",
        "systemctl --user daemon-reload",
        "agents that are at work go on; `tidegate run` finds them",
    )
    return Service(units=gone, did="removed", next=after)


def _units(house: House, repository: Repository) -> tuple[Unit, ...]:
    """The service and its timer, under a name that no other repository of the user's has."""
    root, home = repository.root, _configuration(house)
    name = _name(root)
    variables = home / "tidegate" / f"{name}.env"
    service = service_unit(
        root=root,
        command=(sys.executable, "-m", "tidegate", "run"),
        search_path=house.environment.get("PATH", ""),
        passed=_passed(root),
        variables=str(variables),
    )
    where = home / "systemd" / "user"
    unit = f"tidegate-{name}"
    return (
        Unit(path=str(where / f"{unit}.service"), text=service),
        Unit(
            path=str(where / f"{unit}.timer"),
            text=timer_unit(root=root, service=f"{unit}.service"),
        ),
    )


def _configuration(house: House) -> Path:
    home = house.environment.get("HOME") or str(Path.home())
    return Path(house.environment.get("XDG_CONFIG_HOME") or f"{home}/.config")


def _name(root: str) -> str:
    """The folder's name as far as a unit may have it, and which of that name it is."""
    plain = re.sub(r"[^A-Za-z0-9_.-]+", "-", Path(root).name)[:_NAME_MAX].strip("-.")
    return (
        f"{plain or 'repository'}-{sha256_hex(root.encode('utf-8', 'surrogateescape'))[:_DIGEST]}"
    )


def _passed(root: str) -> tuple[str, ...]:
    """The names that [env] allow gives in full; what a pattern means systemd cannot be told."""
    names = load(Path(root)).configuration.settings.env.allow
    is_name = re.compile(r"[A-Za-z_][A-Za-z0-9_]*").fullmatch
    return tuple(each for each in names if is_name(each) and each not in _SET_ANYWAY)


def _user(house: House) -> str:
    return house.environment.get("USER") or "$USER"


def _write(path: Path, text: str) -> None:
    """By rename: systemd never reads half of a unit."""
    path.parent.mkdir(parents=True, exist_ok=True)
    staged = path.with_name(f".{path.name}.new")
    staged.write_text(text, encoding="utf-8")
    staged.replace(path)


def _otherwise(repository: Repository, why: str) -> tuple[str, ...]:
    """How the same is had without systemd."""
    root = repository.root
    run = f"cd {shlex.quote(root)} && {shlex.quote(sys.executable)} -m tidegate run"
    log = shlex.quote(f"{repository.home}/run.log")
    at_cron = f"{run} >> {log} 2>&1".replace("%", "\\%")  # which ends a line of a crontab
    return (
        f"{why} The same with cron (`crontab -e`):",
        f"    */15 * * * * {at_cron}",
        "or once, until it is done: it goes on after you have left",
        f"    {run.replace(' && ', ' && nohup ')} > {log} 2>&1 &",
        "or with launchd: a job with StartInterval 900, AbandonProcessGroup true, and",
        f"    ProgramArguments {sys.executable} -m tidegate -C {root} run",
    )
