"""Stored texts, artifacts, turn folders and small files, held against what events name."""

import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

from tidegate.core.digest import sha256_hex
from tidegate.engine.engine import BASE
from tidegate.verbs.damage import Found
from tidegate.verbs.facts import Facts
from tidegate.verbs.proved_dead import doubt, fence_off
from tidegate.verbs.site import Site, quarantined, removed

BLOBS, RUNS, QUARANTINE, INBOX, BELL = "blobs", "runs", "quarantine", "inbox", "bell"
_DIGEST = re.compile(r"[0-9a-f]{64}")
_DRAFT = re.compile(r"\.(?:[0-9a-f]{8}\.(\d+)\.\d+|.+?\.(\d+))")
"""A file that is being written: `.NAME.PID`, and of a text `.START.PID.COUNT`."""
_ASKER = re.compile(r"-(\d+)\.reply\.json")
_REQUEST, _REPLY = ".request.json", ".reply.json"


def of_texts(site: Site, named: Mapping[str, str]) -> Iterator[Found]:
    """Every text that an event names is there, and each is what its name says."""
    folder = Path(site.home, BLOBS)
    found = dict(_stored(folder))
    for digest, where in named.items():
        if digest not in found:
            message = f"the text {digest} is gone; {where} names it"
            yield Found(code="blob-missing", where=digest, message=message)
    for digest, path in found.items():
        if _digest_of(path) != digest:
            message = f"{path} is not what its name says; {named.get(digest, 'no event')} names it"
            yield Found(code="blob-differs", where=digest, message=message)
    orphans = found.keys() - named.keys()
    if orphans:
        message = f"no event names {len(orphans)} of {len(found)} texts"
        yield Found(code="blob-orphans", where=BLOBS, message=message)
    known = set(found.values())
    for path in _files(folder):
        if path not in known and not _is_draft(path):
            mend = partial(quarantined, path, Path(site.home, QUARANTINE))
            message = f"{path} is no text of ours"
            yield Found(code="blob-stranger", where=str(path), message=message, mend=mend)


def _stored(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in _files(folder):
        name = path.parent.name + path.name
        if _DIGEST.fullmatch(name) and path.parent.parent == folder:
            yield name, path


def of_artifacts(site: Site, facts: Facts) -> Iterator[Found]:
    """What was promoted is at its place for good; what is there was staged."""
    folder = Path(site.places(facts.run).folder)
    if not folder.is_dir() and facts.is_ended:
        return  # `gc` took all of the run: its texts and events stay
    artifacts = folder / "artifacts"
    for name, digest in facts.promoted.items():
        yield from _promoted(site, artifacts / name, digest)
    for name in facts.staged.keys() - facts.promoted.keys():
        if not (artifacts / name).exists():
            message = f"{name} was staged, and its promotion is not recorded"
            yield Found(code="artifact-staged", where=str(artifacts / name), message=message)
    for path in _files(artifacts):
        if path.name not in facts.staged and not _is_draft(path):
            mend = partial(quarantined, path, folder / QUARANTINE)
            message = f"no event has made {path}"
            yield Found(code="artifact-unknown", where=str(path), message=message, mend=mend)
    for path in sorted((folder / QUARANTINE).glob("*")):
        message = f"{path} is in quarantine"
        yield Found(code="quarantined", where=str(path), message=message)


def _promoted(site: Site, path: Path, digest: str) -> Iterator[Found]:
    def made_anew() -> str:
        text = site.ledger.text(digest)
        site.house.store.promote(str(path), text, digest=digest)
        return "made anew from its stored text"

    if not path.exists():
        message = f"the artifact {path} is gone"
        yield Found(code="artifact-missing", where=str(path), message=message, mend=made_anew)
    elif _digest_of(path) != digest:
        message = f"{path} is not the artifact that was promoted there ({digest[:10]})"
        yield Found(code="artifact-differs", where=str(path), message=message)


def of_turn_folders(site: Site) -> Iterator[Found]:
    """Each turn's folder has its row: a grant is recorded before anything is started."""
    for run in _folders(Path(site.home, RUNS)):
        facts = site.runs.get(run.name)
        if facts is None:
            message = f"{run} is of no run that is recorded"
            yield Found(code="run-unknown", where=str(run), message=message)
            continue
        for attempt in _folders(run / "attempts"):
            if attempt.name == BASE:
                continue  # the check of the base is a job, and has no attempt
            for turn in _folders(attempt / "turns"):
                if (attempt.name, _number(turn.name)) not in facts.turns:
                    message = f"{turn} is of no turn that was granted"
                    mend = partial(_turn_aside, site, turn, run / QUARANTINE)
                    yield Found(code="turn-unknown", where=str(turn), message=message, mend=mend)


def _turn_aside(site: Site, turn: Path, quarantine: Path) -> str:
    folders, runners = (str(turn),), site.house.runners
    keep = doubt(runners, folders) or fence_off(runners, folders)
    if keep:
        raise OSError(keep)
    return quarantined(turn, quarantine / turn.parent.parent.name)


def of_drafts(site: Site) -> Iterator[Found]:
    """Files that somebody was writing who has died."""
    home = Path(site.home)
    places = [*home.glob("ledger.db*.new"), *_files(home / BLOBS), *_files(home / INBOX)]
    places += home.glob(f"{RUNS}/*/artifacts/.*")
    places += home.glob(f"{RUNS}/*/attempts/*/turns/*/.*")
    places += home.glob(f"{RUNS}/*/jobs/*/.*")
    for path in places:
        if _is_draft(path) and not _writer_lives(path):
            message = f"{path} was never finished: whoever wrote it has died"
            mend = partial(removed, path)
            yield Found(code="draft-left", where=str(path), message=message, mend=mend)


def of_inbox(site: Site) -> Iterator[Found]:
    """Requests that nobody has heard, replies that nobody waits for, and the bell."""
    folder = Path(site.home, INBOX)
    bell = folder / BELL
    if bell.exists() and not stat.S_ISFIFO(bell.lstat().st_mode):
        mend = partial(quarantined, bell, Path(site.home, QUARANTINE))
        message = f"{bell} is no FIFO: nobody can ring"
        yield Found(code="bell-blocked", where=str(bell), message=message, mend=mend)
    for path in _files(folder):
        if path.name.endswith(_REQUEST) and not path.name.startswith("."):
            message = f"{path.name} was asked, and no controller has heard it"
            yield Found(code="inbox-unheard", where=str(path), message=message)
        asker = _ASKER.search(path.name)
        if path.name.endswith(_REPLY) and not (asker and _lives(int(asker[1]))):
            mend = partial(removed, path)
            message = f"{path.name} is a reply, and whoever asked has gone"
            yield Found(code="inbox-left", where=str(path), message=message, mend=mend)


def count_files(site: Site) -> tuple[int, int]:
    """How many stored texts and artifacts there are."""
    artifacts = sum(1 for _ in Path(site.home, RUNS).glob("*/artifacts/*"))
    return sum(1 for _ in _stored(Path(site.home, BLOBS))), artifacts


def _files(folder: Path) -> list[Path]:
    """Everything below a folder that is no folder, following no link, in order."""
    found = []
    for at, folders, names in os.walk(folder):
        folders.sort()
        found += [Path(at, name) for name in sorted(names)]
    return found


def _digest_of(path: Path) -> str:
    """The sha256 of a file, empty for what cannot be read: a folder, or a FIFO that brings nothing.

    One thing that is amiss must not end the look at all others.
    """
    with suppress(OSError):
        if path.is_file():
            return sha256_hex(path.read_bytes())
    return ""


def _folders(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*") if path.is_dir())


def _number(name: str) -> int:
    return int(name) if name.isdecimal() else 0


def _is_draft(path: Path) -> bool:
    return _DRAFT.fullmatch(path.name) is not None or path.suffix == ".new"


def _writer_lives(path: Path) -> bool:
    found = _DRAFT.fullmatch(path.name)
    return found is not None and _lives(int(found[1] or found[2]))


def _lives(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()
