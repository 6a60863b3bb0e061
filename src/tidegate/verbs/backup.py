"""Backup: everything that is recorded, in a folder that is laid out as it is at home.

To restore is to put that folder back. The ledger is copied first and at one moment; what it names
was there before it, so texts, artifacts and the hub that are copied after it have all of it. The
hub's run refs stand where that moment has them: a landing since then is done again, and the same.

It is built beside its place and renamed, with its manifest last: a backup is whole or is none.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import asdict, replace
from hashlib import file_digest
from pathlib import Path
from typing import Any

from tidegate.core.errors import IntegrityError, Misused, NotReady, Refused
from tidegate.core.records import record
from tidegate.engine.places import hub_ref
from tidegate.ports.ledger import Ledger
from tidegate.ports.repository import HUB
from tidegate.verbs.facts import facts_of
from tidegate.verbs.house import House

MANIFEST, FORMAT = "manifest.json", 1
LEDGER, BLOBS = "ledger.db", "blobs"
_KEPT_OF_RUNS = ("artifacts", "quarantine")


@record
class Backup:
    """What a backup holds. `heads` are the ends of the runs' chains: they would show a cut."""

    folder: str
    made_at: str
    version: str
    heads: Mapping[str, tuple[int, str]]
    refs: Mapping[str, str]
    files: Mapping[str, str]
    """Each file's path in it, save the hub's, and its sha256."""
    size_bytes: int


def backup(house: House, folder: str, target: str) -> Backup:
    """Make one. Raises Refused where the target is there already, NotReady without a ledger."""
    repository = house.repositories.find(folder)
    place = Path(os.path.abspath(target))  # noqa: PTH100 - a path as it was typed, links and all
    if os.path.lexists(place):
        raise Refused(f"{place} is there already", hint="name a folder that is not there yet")
    if place.is_relative_to(repository.home):
        raise Misused(f"{place} is inside what is backed up", hint="take another disk")
    if not place.parent.is_dir():
        raise NotReady(f"{place.parent} is no folder", hint="make it first")
    made = Path(tempfile.mkdtemp(prefix=f".{place.name}.", suffix=".making", dir=place.parent))
    try:
        done = _made(house, repository.home, made)
        made.rename(place)
        _sync(place.parent)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise
    return replace(done, folder=str(place))


def _made(house: House, home: str, made: Path) -> Backup:
    house.examiner.ledger.copy(home, str(made))
    _sync(made / LEDGER)
    _copy_tree(Path(home, BLOBS), made / BLOBS)
    for run in sorted(Path(home, "runs").glob("*")):
        for name in _KEPT_OF_RUNS:
            _copy_tree(run / name, made / "runs" / run.name / name)
    with closing(house.examiner.ledger.open(str(made))) as ledger:
        heads, refs = dict(_heads(ledger)), dict(_run_refs(ledger))
        _drop_later_artifacts(made, ledger)
    for left in made.glob(f"{LEDGER}-*"):
        left.unlink()  # a reader's side files: there is no log beside a copy
    if Path(home, HUB).is_dir():
        refs = dict(house.examiner.hub.copy(home, str(made), refs))
    done = Backup(
        folder=str(made),
        made_at=house.clock.now().utc,
        version=house.version,
        heads=heads,
        refs=refs,
        files=dict(digests(made)),
        size_bytes=house.cleaning.size(str(made)),
    )
    _write_manifest(made / MANIFEST, done)
    return done


def _heads(ledger: Ledger) -> Iterator[tuple[str, tuple[int, str]]]:
    for row in ledger.runs():
        head = ledger.head(str(row["run_id"]))
        yield str(row["run_id"]), (head.sequence, head.hash)


def _run_refs(ledger: Ledger) -> Iterator[tuple[str, str]]:
    for row in ledger.runs():
        run = str(row["run_id"])
        yield hub_ref(run), facts_of(run, ledger.read(run)).target


def _drop_later_artifacts(made: Path, ledger: Ledger) -> None:
    """What was promoted after the moment of the ledger is not of this backup."""
    for folder in made.glob("runs/*/artifacts"):
        run = folder.parent.name
        known = facts_of(run, ledger.read(run)).staged
        for path in folder.iterdir():
            if path.name not in known:
                path.unlink()


def digests(folder: Path) -> Iterator[tuple[str, str]]:
    """Every file of a backup but the hub's and the manifest, with its sha256."""
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        is_ours = not (name == HUB or name.startswith(f"{HUB}/"))
        if is_ours and name != MANIFEST and path.is_file() and not path.is_symlink():
            yield name, digest_of(path)


def digest_of(path: Path) -> str:
    """The sha256 of a file, however large."""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def read_manifest(folder: Path) -> Backup:
    """What a backup says of itself. Raises IntegrityError where it is none, or unfinished."""
    try:
        said: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        if said.pop("format") != FORMAT:
            raise IntegrityError(
                f"{folder} is a backup of another format", hint="use the Tidegate that made it"
            )
        heads = {run: (int(n), str(digest)) for run, (n, digest) in said.pop("heads").items()}
        return Backup(**{**said, "folder": str(folder), "heads": heads})
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise IntegrityError(
            f"{folder} is no backup: its {MANIFEST} cannot be read ({error})",
            hint="`tidegate backup FOLDER` makes one",
        ) from error


def _write_manifest(path: Path, done: Backup) -> None:
    said = {"format": FORMAT, **asdict(done)}
    path.write_text(json.dumps(said, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    _sync(path)
    for folder, _, _ in os.walk(path.parent):
        _sync(Path(folder))


def _copy_tree(source: Path, target: Path) -> None:
    """Copy files, and sync each; what is being written, and what goes meanwhile, is left out.

    A folder in quarantine is what an agent made of it: a link stays a link, and is not followed,
    and what is neither link nor plain file (a FIFO) holds nothing that could be kept.
    """
    for at, _, names in os.walk(source):
        place = target / Path(at).relative_to(source)
        for name in sorted(names):
            if not name.startswith("."):
                _copy_file(Path(at, name), place / name)


def _copy_file(source: Path, target: Path) -> None:
    if not (source.is_symlink() or source.is_file()):
        return
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        shutil.copyfile(source, target, follow_symlinks=False)
    except FileNotFoundError:
        return
    if not target.is_symlink():
        _sync(target)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
