"""Fsck: hold everything that is kept against everything else, tell what differs, mend what is safe.

The look is at one moment of the ledger, copied as it is while others write; what the ledger names
was durable before it was named, so it must be there however much goes on meanwhile. A kind of
thing that moves while a controller works is then told as in use. Nothing that might be evidence is
ever deleted.
"""

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from functools import cache
from pathlib import Path

from tidegate.core.errors import IntegrityError, TidegateError
from tidegate.core.records import record
from tidegate.ports.repository import Repository
from tidegate.verbs import fsck_files as files
from tidegate.verbs import fsck_hub as hub
from tidegate.verbs import fsck_live as live
from tidegate.verbs.damage import KINDS, Damage, Found, Level
from tidegate.verbs.facts import facts_of
from tidegate.verbs.house import House
from tidegate.verbs.site import Site

UNREADABLE = frozenset({"ledger-unreadable", "ledger-pages"})
_REST = "nothing else was looked at: it is the ledger that says what should be there"
_ROWS = frozenset({"row-missing", "row-extra", "row-differs"})


@record
class Examined:
    """What was found, in the order of the look. `looked_at` counts what there was to look at."""

    found: tuple[Damage, ...]
    looked_at: Mapping[str, int]
    controller: str | None
    has_repaired: bool
    note: str = ""

    @property
    def is_clean(self) -> bool:
        """Nothing is wrong; notes are no fault."""
        return not any(each.level is Level.WRONG for each in self.found)


def fsck(house: House, folder: str, *, repairs: bool) -> Examined:
    """Look at everything; with `repairs` mend what is safe, under the controller's lock.

    Raises Refused where a controller is at work then.
    """
    repository = house.repositories.find(folder)
    with ExitStack() as stack:
        controller = None
        if repairs and _has_ledger(house, repository):
            stack.enter_context(house.lock_controller(repository.home))
        else:
            controller = house.controller_holder(repository.home)
        return _examined(house, repository, controller, repairs=repairs)


def _has_ledger(house: House, repository: Repository) -> bool:
    try:
        ledger = house.open_ledger_read_only(repository)
    except IntegrityError:
        return True
    if ledger is not None:
        ledger.close()
    return ledger is not None


def _examined(
    house: House, repository: Repository, controller: str | None, *, repairs: bool
) -> Examined:
    try:
        if not _has_ledger(house, repository):
            return _told(house, repository, (), {}, controller, repairs=repairs)
        with tempfile.TemporaryDirectory(prefix="tidegate-fsck-") as moment:
            house.examiner.ledger.copy(repository.home, moment)
            return _of_moment(house, repository, moment, controller, repairs=repairs)
    except IntegrityError as error:
        lost = Found(code="ledger-unreadable", where="ledger.db", message=error.message)
        return _told(house, repository, (lost,), {}, controller, repairs=repairs)


def _of_moment(
    house: House, repository: Repository, moment: str, controller: str | None, *, repairs: bool
) -> Examined:
    flaws = tuple(_of_ledger(house, repository.home, moment))
    if any(each.code in UNREADABLE for each in flaws):
        return _told(house, repository, flaws, {}, controller, repairs=repairs, note=_REST)
    try:
        with open_site(
            house, repository.home, moment, repository=repository, is_busy=bool(controller)
        ) as site:
            named = house.examiner.ledger.texts(moment)
            found = (*flaws, *of_site(site, named))
            # Mended here, since what mends may have to read the moment's ledger.
            return _told(house, repository, found, _looked_at(site), controller, repairs=repairs)
    except IntegrityError as error:
        lost = Found(code="ledger-unreadable", where="ledger.db", message=error.message)
        found = (*flaws, lost)
        return _told(house, repository, found, {}, controller, repairs=repairs, note=_REST)


@contextmanager
def open_site(
    house: House, home: str, moment: str, *, repository: Repository | None, is_busy: bool
) -> Iterator[Site]:
    """A home with one moment of its ledger, read once. Texts are read where they are."""
    Path(moment, files.BLOBS).symlink_to(Path(home, files.BLOBS))
    with closing(house.examiner.ledger.open(moment)) as ledger:
        runs = [str(row["run_id"]) for row in ledger.runs()]
        yield Site(
            house=house,
            home=home,
            moment=moment,
            ledger=ledger,
            runs={run: facts_of(run, ledger.read(run)) for run in runs},
            repository=repository,
            is_busy=is_busy,
        )


def of_site(site: Site, named: Mapping[str, str]) -> Iterator[Found]:
    """Everything beside the ledger's own file."""
    yield from files.of_texts(site, named)
    yield from hub.of_hub(site)
    for facts in site.runs.values():
        yield from files.of_artifacts(site, facts)
    yield from files.of_turn_folders(site)
    yield from live.of_turns(site)
    for facts in site.runs.values():
        yield from live.of_workspaces(site, facts)
    yield from live.of_trash(site)
    yield from files.of_drafts(site)
    yield from files.of_inbox(site)


def _of_ledger(house: House, home: str, moment: str) -> Iterator[Found]:
    """The flaws of the ledger's file, each with what would mend it."""
    examiner = house.examiner.ledger
    flaws = tuple(examiner.flaws(moment))
    codes = {each.code for each in flaws}
    can_rebuild = codes <= {*_ROWS, "guard-missing", "lease-differs"}

    @cache
    def rebuilt() -> str:
        return f"made anew from the events: {', '.join(examiner.rebuild(home))}"

    @cache
    def guarded() -> str:
        return f"put back: {', '.join(examiner.restore_guards(home))}"

    for each in flaws:
        mend = guarded if each.code == "guard-missing" else None
        if each.code in _ROWS and can_rebuild:
            mend = rebuilt
        yield Found(code=each.code, where=each.where, message=each.message, mend=mend)


def _looked_at(site: Site) -> Mapping[str, int]:
    texts, artifacts = files.count_files(site)
    return {
        "runs": len(site.runs),
        "turns": sum(len(each.turns) for each in site.runs.values()),
        "texts": texts,
        "artifacts": artifacts,
        "refs": hub.count_refs(site),
    }


def _told(
    house: House,
    repository: Repository,
    found: Iterable[Found],
    looked_at: Mapping[str, int],
    controller: str | None,
    *,
    repairs: bool,
    note: str = "",
) -> Examined:
    """Each as it is to be told, mended where that was asked for."""
    seen = tuple(found)
    # Whoever began meanwhile was at work in what was looked at.
    holder = controller if repairs else controller or house.controller_holder(repository.home)
    told = [_mended(each) if repairs else as_told(each, is_busy=bool(holder)) for each in seen]
    return Examined(
        found=tuple(told),
        looked_at=looked_at,
        controller=holder,
        has_repaired=repairs,
        note=note,
    )


def as_told(found: Found, *, is_busy: bool, done: str = "", level: Level | None = None) -> Damage:
    """A thing that was found, with its kind's level and remedy."""
    kind = KINDS[found.code]
    usual = Level.IN_USE if is_busy and kind.moves else kind.level
    return Damage(
        level=level or usual,
        code=found.code,
        where=found.where,
        message=found.message,
        remedy="" if level is Level.MENDED else kind.remedy,
        done=done,
    )


def _mended(found: Found) -> Damage:
    if found.mend is None:
        return as_told(found, is_busy=False)
    try:
        done = found.mend()
    except (TidegateError, OSError) as error:
        return as_told(found, is_busy=False, done=f"it was not mended: {error}", level=Level.WRONG)
    return as_told(found, is_busy=False, done=done, level=Level.MENDED)
