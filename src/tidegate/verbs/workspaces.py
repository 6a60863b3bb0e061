"""Where a repository's workspaces are, and whether they could be made there."""

import os
from pathlib import Path

from tidegate.core.errors import Misused, NotReady
from tidegate.ports.repository import Repository
from tidegate.verbs.house import House

_HINT = "name another folder, [workspace] root in tidegate.toml"


def workspaces_root(house: House, repository: Repository, configured: str) -> str:
    """The folder of a repository's workspaces. Raises NotReady where there is no home for it."""
    if configured.startswith("~"):
        root = f"{_home(house)}{configured[1:]}"
    else:
        root = configured or f"{_state(house)}/tidegate"
    return f"{root}/{repository.id}/w"


def _state(house: House) -> str:
    """Where state of programs is. As the standard has it, a path that is not absolute is none."""
    state = house.environment.get("XDG_STATE_HOME", "")
    return state if state.startswith("/") else f"{_home(house)}/.local/state"


def _home(house: House) -> str:
    # Not Path.home(): that raises where there is none.
    home = house.environment.get("HOME") or os.path.expanduser("~")  # noqa: PTH111 - a path as text, as the ports take it
    if not home.startswith("/"):
        raise NotReady("there is no home folder for workspaces", hint=f"set HOME, or {_HINT}")
    return home.rstrip("/")


def require_workspaces(house: House, repository: Repository, configured: str) -> str:
    """The folder of a repository's workspaces. Raises Misused or NotReady where it would not do."""
    root = workspaces_root(house, repository, configured)
    if Path(root).resolve().is_relative_to(Path(repository.root).resolve()):
        raise Misused(f"the workspaces would be inside the repository ({root})", hint=_HINT)
    there = _nearest(Path(root))
    if not there.is_dir():
        raise NotReady(f"no workspace can be made in {root}: {there} is no folder", hint=_HINT)
    if not os.access(there, os.W_OK | os.X_OK):
        raise NotReady(
            f"no workspace can be made in {root}: {there} is not writable for this user",
            hint=_HINT,
        )
    if not os.statvfs(there).f_blocks:
        raise NotReady(
            f"no workspace can be made in {root}: no folder can be made in {there}, which is of "
            "the system's own",
            hint=_HINT,
        )
    return root


def _nearest(path: Path) -> Path:
    """The path, or the nearest of its parents that is there."""
    # os.path and not pathlib: where a parent may not be looked into, pathlib raises.
    return next(each for each in (path, *path.parents) if os.path.lexists(each))
