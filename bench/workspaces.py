"""Workspaces beside `git worktree add`: how long until one is ready, and how much disk ten take.

Both check out the same commit with the same `checkout.workers`. A round makes one of each, in turns
of which is first, and removes both before the next. Disk is what the file system has allocated, a
file with several names counted once, and what the repository itself has not counted at all: so the
hub, which shares its objects with the repository, and what is kept about each workspace are in it.
"""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from bench.figures import AT_MOST, Goal, Row, Table
from tidegate.git import hub as hubs
from tidegate.git import repository, trash, workspace
from tidegate.git.clone import CHECKOUT_WORKERS_MAX
from tidegate.git.control import Control
from tidegate.git.hub import Hub

FILES = 20_000
FILES_A_FOLDER = 100
LINES = 100
"""The size of a file: some four kilobytes, as source files have."""
TOGETHER = 10
TIME_GOAL = Goal(AT_MOST, 1.1)
DISK_GOAL = Goal(AT_MOST, 1.05)
MEGABYTE = 1e6
_BLOCK_BYTES = 512


class _Place(NamedTuple):
    """The user's repository with its hub, and where checkouts are made."""

    root: Path
    hub: Hub
    commit: str
    checkouts: Path

    def make(self, name: str) -> None:
        """Make a workspace."""
        workspace.prepare(
            self.hub,
            workspace.Order(
                path=str(self.checkouts / name),
                commit=self.commit,
                author=("Bench", "bench@example.invalid"),
                made_from=str(self.root),
                aside=str(self.checkouts / "aside"),
                trash=str(self.checkouts / "trash"),
                branch=f"refs/heads/tidegate/{name}",
            ),
        )

    def add(self, name: str) -> None:
        """Add a worktree, as a person would who knows of the setting."""
        path = str(self.checkouts / name)
        workers = f"checkout.workers={_workers()}"
        _git(self.root, "-c", workers, "worktree", "add", "-q", "-b", name, path, self.commit)

    def forget(self, name: str) -> None:
        """Remove a workspace or a worktree, whichever it is."""
        trash.clear(str(self.checkouts / name))
        Control.of(self.hub.path, str(self.checkouts / name)).forget()
        _git(self.root, "worktree", "prune")


def measure(folder: Path, *, rounds: int, files: int = FILES, together: int = TOGETHER) -> Table:
    """Make checkouts of so many files in rounds, then so many together."""
    place = _repository(folder, files)
    ours, other = [], []
    for number in range(rounds + 1):
        took = _round(place, number)
        if number:  # the first fills the caches for both
            ours.append(took["w"])
            other.append(took["t"])
    ours_bytes, other_bytes = _disk(place, together)
    return Table(
        name="workspaces",
        title=f"A workspace of {files:,} files, beside `git worktree add`",
        ours="workspace",
        other="worktree",
        rows=(
            Row(what="until it is ready", unit="ms", ours=ours, other=other, goal=TIME_GOAL),
            Row(
                what=f"disk that {together} of them take",
                unit="MB",
                ours=[ours_bytes / MEGABYTE],
                other=[other_bytes / MEGABYTE],
                goal=DISK_GOAL,
            ),
        ),
        notes=(f"Both write with {_workers()} checkout.workers.",),
    )


def _round(place: _Place, number: int) -> dict[str, float]:
    """Return the milliseconds that one of each kind took."""
    sides = {"w": place.make, "t": place.add}
    took: dict[str, float] = {}
    for side in sorted(sides, reverse=bool(number % 2)):
        start_s = time.perf_counter()
        sides[side](f"{side}{number}")
        took[side] = 1000 * (time.perf_counter() - start_s)
    for side in sides:
        place.forget(f"{side}{number}")
    return took


def _disk(place: _Place, together: int) -> tuple[int, int]:
    """Return the bytes that so many workspaces take, and so many worktrees."""
    before = set(_blocks(place.root))
    for number in range(together):
        place.make(f"disk-w{number}")
    os.sync()  # some file systems allocate only then
    ours = _new_bytes(before, place.checkouts, Path(place.hub.path))
    for number in range(together):
        place.forget(f"disk-w{number}")
        place.add(f"disk-t{number}")
    os.sync()
    other = _new_bytes(before, place.checkouts, place.root)
    shutil.rmtree(place.checkouts)
    return ours, other


def _new_bytes(before: set[int], *folders: Path) -> int:
    found = {inode: size for folder in folders for inode, size in _blocks(folder).items()}
    return sum(size for inode, size in found.items() if inode not in before)


def _blocks(folder: Path) -> dict[int, int]:
    """Return the allocated bytes of everything below a folder, by inode."""
    return {entry.st_ino: _BLOCK_BYTES * entry.st_blocks for entry in _below(folder)}


def _below(folder: Path) -> Iterator[os.stat_result]:
    yield folder.lstat()
    for path in folder.rglob("*"):
        yield path.lstat()


def _repository(folder: Path, files: int) -> _Place:
    root, checkouts = folder / "repository", folder / "checkouts"
    checkouts.mkdir()
    for number in range(files):
        path = root / f"part-{number // FILES_A_FOLDER}" / f"file-{number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            "".join(f"file {number}, line {line}, {line**3:x}\n" for line in range(LINES))
        )
    _git(root, "init", "-q", "-b", "main")
    _git(root, "config", "user.name", "Bench")
    _git(root, "config", "user.email", "bench@example.invalid")
    _git(root, "add", "-A")
    _git(root, "commit", "-q", "-m", "All files")
    _git(root, "repack", "-a", "-d", "-q")
    found = repository.find(str(root))
    hub = hubs.make(str(folder / "hub.git"), found)
    hubs.fetch_base(hub, found, found.head or "")
    return _Place(root, hub, found.head or "", checkouts)


def _workers() -> int:
    return min(os.cpu_count() or 1, CHECKOUT_WORKERS_MAX)


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(("git", *arguments), cwd=folder, check=True)
