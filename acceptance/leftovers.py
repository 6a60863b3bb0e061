"""What a run may not leave behind: processes, workspaces, folders of jobs. It only looks."""

import os
from collections.abc import Iterator
from pathlib import Path

MARK = b"TIDEGATE_MARK="
"""What every process of a turn carries in its environment."""


def processes(folder: Path, *, table: Path = Path("/proc")) -> Iterator[str]:
    """Every process that has to do with the folder: by its words, its place, or its mark.

    The mark alone names no run of ours, so it counts where the folder is in the environment too.
    """
    name = os.fsencode(folder)
    for entry in sorted(table.iterdir()):
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        words, variables = _read(entry / "cmdline"), _read(entry / "environ")
        is_ours = name in words or _is_at(entry / "cwd", folder)
        if is_ours or (MARK in variables and name in variables):
            shown = words.replace(b"\0", b" ").decode(errors="replace").strip()
            yield f"process {entry.name}: {shown or 'without a command line'}"


def _read(path: Path) -> bytes:
    """A file of a process; empty where it has gone or is not ours to look at."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _is_at(link: Path, folder: Path) -> bool:
    try:
        return link.readlink().is_relative_to(folder)
    except OSError:
        return False


def contents(folder: Path) -> Iterator[str]:
    """Everything in the folder that is no folder itself, and every empty folder, by its path."""
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_dir() or not any(path.iterdir()):
            yield str(path)
