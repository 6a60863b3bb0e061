"""The restore drill: whether a backup, opened somewhere else, has everything that it should.

It looks at the backup with the eyes of `fsck`: pages, chains, rows, texts, artifacts, commits and
refs. Processes and workspaces are of the machine that it was made on, and are no part of it.
"""

import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from tidegate.core.errors import IntegrityError
from tidegate.core.records import record
from tidegate.verbs import fsck_files as files
from tidegate.verbs import fsck_hub as hub
from tidegate.verbs.backup import LEDGER, Backup, digest_of, digests, read_manifest
from tidegate.verbs.damage import Damage, Found, Level
from tidegate.verbs.fsck import UNREADABLE, as_told, open_site
from tidegate.verbs.house import House
from tidegate.verbs.site import Site


@record
class Drilled:
    """What came of it."""

    backup: Backup
    found: tuple[Damage, ...]

    @property
    def is_whole(self) -> bool:
        """Nothing is wrong with it."""
        return not any(each.level is Level.WRONG for each in self.found)


def drill(house: House, folder: str) -> Drilled:
    """Look at a backup; nothing in it is changed. Raises IntegrityError where it is none."""
    place = Path(folder).absolute()
    said = read_manifest(place)
    found = [*_against_manifest(place, said)]
    if not any(each.where == LEDGER for each in found):
        found += _opened(house, place, said)
    return Drilled(backup=said, found=tuple(as_told(each, is_busy=False) for each in found))


def _against_manifest(place: Path, said: Backup) -> Iterator[Found]:
    there = dict(digests(place))
    for name, digest in said.files.items():
        have = there.pop(name, None)
        if have != digest:
            what = "is gone" if have is None else "is not what was backed up"
            yield Found(code="backup-differs", where=name, message=f"{name} {what}")
    for name in there:
        message = f"{name} was put there after the backup was made"
        yield Found(code="backup-differs", where=name, message=message)


def _opened(house: House, place: Path, said: Backup) -> Iterator[Found]:
    """As a restore would find it: in another place, from the copy of its ledger."""
    examiner = house.examiner.ledger
    with tempfile.TemporaryDirectory(prefix="tidegate-drill-") as moment:
        Path(moment, LEDGER).write_bytes((place / LEDGER).read_bytes())
        if digest_of(Path(moment, LEDGER)) != said.files[LEDGER]:
            raise IntegrityError(f"{place / LEDGER} changes while it is read")
        flaws = tuple(
            Found(code=each.code, where=each.where, message=each.message)
            for each in examiner.flaws(moment)
        )
        yield from flaws
        if any(each.code in UNREADABLE for each in flaws):
            return
        named = examiner.texts(moment)
        with open_site(house, str(place), moment, repository=None, is_busy=False) as site:
            yield from _of_site(site, said)
            yield from files.of_texts(site, named)


def _of_site(site: Site, said: Backup) -> Iterator[Found]:
    for run, (sequence, digest) in said.heads.items():
        with closing(site.house.examiner.ledger.open(site.moment)) as ledger:
            head = ledger.head(run)
        if (head.sequence, head.hash) != (sequence, digest):
            message = f"run {run} ends at event {head.sequence}, and was backed up to {sequence}"
            yield Found(code="chain-broken", where=f"run {run}", message=message)
    yield from hub.of_hub(site)
    refs = site.hub.refs(site.home) if hub.count_refs(site) else {}
    for ref, commit in said.refs.items():
        if refs.get(ref) != commit:
            message = f"{ref} was backed up at {commit}, and is at {refs.get(ref)}"
            yield Found(code="backup-differs", where=ref, message=message)
    for facts in site.runs.values():
        yield from files.of_artifacts(site, facts)
