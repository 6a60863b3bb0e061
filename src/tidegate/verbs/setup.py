"""The first verbs: init writes the files that a repository needs, add writes an issue."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from tidegate.config.detection import READ, detect
from tidegate.config.load import load
from tidegate.config.starter import starter_files
from tidegate.core.issue import Issue
from tidegate.core.records import record
from tidegate.ports.repository import Repository
from tidegate.verbs.advice import advised
from tidegate.verbs.house import House
from tidegate.verbs.tracking import open_tracker

_READ_MAX_BYTES = 1_000_000
IGNORE = ".gitignore"


@record
class Initialized:
    """What was written, what stood there already and was left alone, and what was guessed."""

    root: str
    written: tuple[str, ...]
    kept: tuple[str, ...]
    check: str


def init(house: House, folder: str) -> Initialized:
    """Write the starter files. A file that exists is left as it is, whatever it says."""
    root = Path(house.repositories.find(folder).root)
    names = sorted(entry.name for entry in root.iterdir())
    detected = detect(names, _texts(root))
    written, kept = [], []
    for path, text in starter_files(detected).items():
        if path == IGNORE and (root / path).exists():
            _append(root / path, text[len(detected.gitignore) :])
            written.append(path)
        elif (root / path).exists():
            kept.append(path)
        else:
            _write(root / path, text)
            written.append(path)
    return Initialized(
        root=str(root), written=tuple(written), kept=tuple(kept), check=detected.check
    )


def _texts(root: Path) -> Mapping[str, str]:
    return {name: text for name in READ if (text := _text(root / name)) is not None}


def _text(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            return file.read(_READ_MAX_BYTES).decode(errors="replace")
    except OSError:
        return None


def _append(path: Path, text: str) -> None:
    """Add to a file of the user's; what is in it stays byte for byte as it is."""
    with path.open("ab") as file:
        file.write(text.encode())


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    staged = path.with_name(f".{path.name}.{os.getpid()}")
    staged.write_text(text, encoding="utf-8")
    staged.replace(path)


def add(
    house: House,
    folder: str,
    title: str,
    *,
    text: str,
    footprint: Sequence[str],
    priority: int,
) -> tuple[Issue, Sequence[str]]:
    """Write an issue under the next free number; with it what should be heard of its footprint.

    A tracker's command writes it by itself.
    """
    repository = house.repositories.find(folder)
    tracker = open_tracker(house, repository, load(Path(repository.root)).configuration)
    issue = tracker.add(
        title,
        text=text,
        footprint=footprint,
        priority=priority,
        above=_highest_used(house, repository),
    )
    return issue, advised(house, repository, [issue]).get(issue.id, ())


def _highest_used(house: House, repository: Repository) -> int:
    """The highest number that an issue with an outcome had, be its file there or not."""
    ledger = house.open_ledger_read_only(repository)
    if ledger is None:
        return 0
    try:
        return max((int(issue) for issue in ledger.outcomes() if issue.isdigit()), default=0)
    finally:
        ledger.close()
