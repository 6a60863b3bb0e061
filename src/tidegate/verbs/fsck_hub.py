"""The hub and the user's branch, held against what the events say of commits and refs."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from tidegate.core.errors import TidegateError
from tidegate.engine.places import hub_ref
from tidegate.ports.repository import HUB
from tidegate.verbs.damage import Found
from tidegate.verbs.facts import Facts, commits_of
from tidegate.verbs.site import Site

SHORT = 10
PINS = "refs/tidegate"


def of_hub(site: Site) -> Iterator[Found]:
    """Everything about refs and commits, the worst first."""
    try:
        yield from _of_hub(site)
    except TidegateError as error:  # git itself takes it for no repository any more
        yield Found(code="hub-broken", where=HUB, message=error.message)


def _of_hub(site: Site) -> Iterator[Found]:
    if not Path(site.home, HUB).is_dir():
        if site.runs:
            message = "the hub is gone, and with it what was harvested and landed"
            yield Found(code="hub-missing", where=HUB, message=message)
        return
    for path in site.hub.locks(site.home):
        message = f"{path} stops git, and no git that works can hold it"
        yield Found(code="hub-lock", where=path, message=message, mend=lambda: _unlocked(site))
    flaw = site.hub.flaw(site.home)
    if flaw:
        yield Found(code="hub-broken", where=HUB, message=flaw)
    refs = site.hub.refs(site.home)
    wanted = {c: what for facts in site.runs.values() for c, what in commits_of(facts).items()}
    absent = site.hub.absent(site.home, wanted)
    for commit in sorted(absent):
        message = f"{commit} is not in the hub: it is {wanted[commit]}"
        yield Found(code="commit-missing", where=commit, message=message)
    for facts in site.runs.values():
        yield from _ref(site, facts, refs, absent)
        yield from _pins(site, facts, refs, absent)
        if not flaw:  # over a hole in the history nobody can say what leads where
            yield from _unheld(site, facts, absent)
    yield from _branches(site)


def count_refs(site: Site) -> int:
    """How many refs the hub has; 0 where nobody can say."""
    try:
        return len(site.hub.refs(site.home)) if Path(site.home, HUB).is_dir() else 0
    except TidegateError:
        return 0


def _unlocked(site: Site) -> str:
    site.hub.clear_locks(site.home)
    return "removed"


def _ref(
    site: Site, facts: Facts, refs: Mapping[str, str], absent: frozenset[str]
) -> Iterator[Found]:
    """The run's own ref is where the ledger says that it landed last."""
    ref, wanted = hub_ref(facts.run), facts.target
    at = refs.get(ref)
    if at == wanted or not wanted:
        return
    can_be = wanted not in absent

    def put_back() -> str:
        site.hub.point(site.home, ref, wanted, old=at)
        return f"{ref} is at {wanted[:SHORT]} again"

    if at is None:
        message = f"{ref} is gone, and was at {wanted[:SHORT]}"
        yield Found(
            code="hub-ref-lost", where=ref, message=message, mend=put_back if can_be else None
        )
        return
    message = f"{ref} is at {at[:SHORT]}, and the ledger has it at {wanted[:SHORT]}"
    if at in facts.landing.values():
        yield Found(code="landing-open", where=ref, message=f"{message}: a landing is under way")
    elif site.hub.is_before(site.home, at, wanted):
        yield Found(code="hub-ref-behind", where=ref, message=message, mend=put_back)
    elif site.hub.is_before(site.home, wanted, at):
        yield Found(code="hub-ref-ahead", where=ref, message=message)
    else:
        yield Found(code="hub-ref-elsewhere", where=ref, message=message)


def _pins(
    site: Site, facts: Facts, refs: Mapping[str, str], absent: frozenset[str]
) -> Iterator[Found]:
    """What was harvested is held by refs of its own."""
    for (attempt, turn), harvested in facts.harvested.items():
        namespace = f"{PINS}/{facts.run}/{attempt}/{turn}/"
        there = sum(name.startswith(namespace) for name in refs)
        tip = f"{namespace}tip"
        if harvested.tree and refs.get(tip) != harvested.tip:
            there += tip not in refs
            can_be = harvested.tip not in absent
            yield _lost_pin(site, tip, harvested.tip, refs.get(tip), can_be=can_be)
        if there < harvested.pins:
            message = f"turn {turn} of {attempt} has {there} of {harvested.pins} pins"
            yield Found(code="pins-fewer", where=namespace, message=message)


def _unheld(site: Site, facts: Facts, absent: frozenset[str]) -> Iterator[Found]:
    """What landed is held by some ref, whichever."""
    landed = frozenset(facts.landed) - absent
    for commit in sorted(site.hub.unreachable(site.home, landed)):
        pin = f"{PINS}/{facts.run}/landed/{commit}"
        yield _lost_pin(site, pin, commit, None, can_be=facts.target != commit)


def _lost_pin(site: Site, ref: str, commit: str, at: str | None, *, can_be: bool) -> Found:
    def pinned() -> str:
        site.hub.point(site.home, ref, commit, old=at)
        return f"{ref} holds {commit[:SHORT]} again"

    message = f"{commit[:SHORT]} is not held by {ref}"
    return Found(code="pin-lost", where=ref, message=message, mend=pinned if can_be else None)


def _branches(site: Site) -> Iterator[Found]:
    """The user's branches are the user's: it is told where one lacks what was given to it."""
    if site.repository is None:
        return
    repositories = site.house.repositories
    for facts in site.runs.values():
        if facts.delivered is None or facts.started is None:
            continue
        ref, given = facts.started.ref, facts.delivered
        at = repositories.branch_commit(site.repository, ref)
        target = repositories.branch_commit(site.repository, facts.started.target)
        has_it = any(
            each is not None and repositories.has_before(site.repository, given, each)
            for each in (at, target)
        )
        if not has_it:
            where = "is gone" if at is None else f"is at {at[:SHORT]}"
            message = f"your {ref} {where}, and was given {given[:SHORT]}"
            yield Found(code="branch-differs", where=ref, message=message)
