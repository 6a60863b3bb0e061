"""What a run would do now, without doing any of it: no lock, no ledger, no hub, no run is made."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tidegate.config.load import load
from tidegate.core.records import record
from tidegate.playbooks.queue import Facts, Place, Stand, arrange, ordered
from tidegate.verbs.advice import advised
from tidegate.verbs.doctor import Symptom, doctor
from tidegate.verbs.frozen import frozen
from tidegate.verbs.house import House
from tidegate.verbs.idle import WISHED
from tidegate.verbs.open_run import find_open_run, refuse_other_base
from tidegate.verbs.queue import chosen, facts_of, read_issues
from tidegate.verbs.ranking import ranking
from tidegate.verbs.reading import reading
from tidegate.verbs.start import RunWish

_NEEDS_NOBODY = WISHED | {Stand.DECIDED, Stand.SLOT, Stand.UNDER_WAY, Stand.HANDED_OVER}


@record
class Planned:
    """An issue and what a run would do about it, with the reason."""

    issue: str
    title: str
    stand: str
    reason: str
    note: str
    advice: tuple[str, ...] = ()
    """What should be heard of the footprint, of an issue that would start."""


@record
class Preview:
    """`run` is the open run that would be taken up again; `refused` keeps any from beginning."""

    run: str | None
    starts: tuple[Planned, ...]
    waits: tuple[Planned, ...]
    refused: tuple[Symptom, ...]
    needs_somebody: bool


def preview(house: House, folder: str, wish: RunWish, tell: Callable[[str], None]) -> Preview:
    """What would start and why, what would not, and what would be refused."""
    refused = tuple(each for each in doctor(house, folder) if each.level == "fail")
    with reading(house, folder) as (repository, ledger):
        loaded = load(Path(repository.root))
        open_run = find_open_run(ledger) if ledger is not None and not wish.anew else None
        refuse_other_base(open_run, wish)
        if wish.base is not None:
            house.repositories.resolve(repository, wish.base)
        configuration = loaded.configuration
        if ledger is not None and open_run is not None:
            configuration = frozen(ledger, open_run)
        issues = read_issues(house, repository, loaded.configuration)
        width = wish.width or configuration.settings.run.width
        is_carried = house.controller_holder(repository.home) is not None
        facts = facts_of(ledger, is_carried=is_carried, only=chosen(wish.only, issues, ledger))
        facts = _with_slots(facts, wish, width)
        busy = {holder.issue for holder in facts.holders}
        still = [i for i in issues if i.id not in facts.outcomes and i.id not in busy]
        found = ranking(house, repository, configuration, still, tell)
        places = list(arrange(ordered(issues, found.rank), facts))
        first = [each for each in places if each.is_next]
        advice = advised(house, repository, [each.issue for each in first])
    return Preview(
        run=open_run,
        starts=_planned(first, found.notes, advice),
        waits=_planned([each for each in places if not each.is_next], found.notes, {}),
        refused=refused,
        needs_somebody=any(not each.is_next and each.stand not in _NEEDS_NOBODY for each in places),
    )


def _with_slots(facts: Facts, wish: RunWish, width: int) -> Facts:
    """With `--anew` the lanes of the open run are given up, and their issues are open again.

    A lane that waits for its owner holds no slot.
    """
    if wish.anew:
        facts = replace(facts, holders=())
    slots = width - sum(not each.is_asking for each in facts.holders)
    return replace(facts, slots=slots if wish.opened_max is None else min(slots, wish.opened_max))


def _planned(
    places: Sequence[Place], notes: Mapping[str, str], advice: Mapping[str, tuple[str, ...]]
) -> tuple[Planned, ...]:
    return tuple(
        Planned(
            issue=each.issue.id,
            title=each.issue.title,
            stand=each.stand.value,
            reason=each.reason,
            note=notes.get(each.issue.id, ""),
            advice=advice.get(each.issue.id, ()),
        )
        for each in places
    )
