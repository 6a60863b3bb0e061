"""Land: fast-forward the user's branch to what a run has proved, or say why not."""

from dataclasses import replace

from tidegate.core.errors import IntegrityError, Refused
from tidegate.core.records import record
from tidegate.engine.places import hub_ref
from tidegate.engine.setup import Remote
from tidegate.ports.git import Delivered, NotPublished
from tidegate.ports.ledger import Ledger, Row
from tidegate.ports.repository import Repository
from tidegate.verbs.frozen import frozen
from tidegate.verbs.house import House
from tidegate.verbs.landed import landed_commit, lost_landing
from tidegate.verbs.look import find_run
from tidegate.verbs.publication import remote_of
from tidegate.verbs.readiness import branch_in_the_way
from tidegate.verbs.reading import reading


@record
class LandResult:
    """`moved` is False where the branch had it all already; `published` names the remote branch."""

    run: str | None
    branch: str
    old: str | None
    new: str
    moved: bool
    note: str
    published: str = ""


def land(house: House, folder: str, *, run: str | None) -> LandResult:
    """Move the run's target branch to what has landed in it. Never overwrites, never merges.

    Raises IntegrityError where the ledger knows of a landing and the hub does not.
    """
    with reading(house, folder) as (repository, ledger):
        row = find_run(ledger, run) if ledger is not None else None
        if ledger is None or row is None:
            return _nothing(None, "", "nothing has landed: there is no run yet")
        run_id, branch = str(row["run_id"]), str(row["target"])
        landed = landed_commit(ledger, run_id)
        earlier = _built_upon(ledger, row) if landed is None else None
        remote = _remote(ledger, run_id, branch)
    tip = house.repositories.hub_commit(repository, hub_ref(run_id))
    old = house.repositories.branch_commit(repository, branch)
    if tip is None or tip == str(row["base"]):
        if landed is None:
            left = _left_behind(house, repository, branch, old, earlier)
            return _nothing(run_id, branch, f"nothing has landed in run {run_id}{left}")
        return _not_in_hub(house, repository, run_id, branch, old, landed)
    has_it = old is not None and _has_it(house, repository, tip, old)
    # Also where the branch is there: a landing that was killed may have left the index behind.
    _deliver(house, repository, run_id, branch, old, tip)
    published = _publish(house, repository, remote, tip)
    if old is not None and has_it:
        return replace(_had(run_id, branch, old), published=published)
    note = f"{_short(branch)} is at {tip[:10]}"
    return LandResult(
        run=run_id, branch=branch, old=old, new=tip, moved=True, note=note, published=published
    )


def _built_upon(ledger: Ledger, row: Row) -> tuple[str, str] | None:
    """The earlier run of the branch from whose landing a run began, and what landed in it."""
    for each in reversed(ledger.runs()):
        run = str(each["run_id"])
        if each["target"] == row["target"] and landed_commit(ledger, run) == row["base"]:
            return run, str(row["base"])
    return None


def _left_behind(
    house: House,
    repository: Repository,
    branch: str,
    old: str | None,
    earlier: tuple[str, str] | None,
) -> str:
    """That the branch has not got the landing of an earlier run, where that is so."""
    if earlier is None or (old is not None and _has_it(house, repository, earlier[1], old)):
        return ""
    run = earlier[0]
    return f"; what landed in run {run} is not in {_short(branch)} yet: `tidegate land --run {run}`"


def _remote(ledger: Ledger, run: str, branch: str) -> Remote | None:
    """Where the run's own configuration has it published."""
    try:
        return remote_of(frozen(ledger, run).settings.land.publish, branch)
    except IntegrityError:
        return None  # whoever lost that cannot be told to publish, and can land all the same


def _publish(house: House, repository: Repository, remote: Remote | None, tip: str) -> str:
    """Push what landed; not what the person has on top of it."""
    if remote is None:
        return ""
    outcome = house.repositories.publish(repository, remote.name, remote.ref, new=tip)
    if isinstance(outcome, NotPublished):
        raise Refused(outcome.reason, hint="your own branch has it; `tidegate land` tries again")
    return f"{remote.name} {_short(remote.ref)}"


def _not_in_hub(
    house: House,
    repository: Repository,
    run: str,
    branch: str,
    old: str | None,
    landed: str,
) -> LandResult:
    if old is not None and house.repositories.has_before(repository, landed, old):
        return _had(run, branch, old)
    raise lost_landing(house, repository, run, landed)


def _had(run: str, branch: str, at: str) -> LandResult:
    note = f"{_short(branch)} has all of run {run} already"
    return LandResult(run=run, branch=branch, old=at, new=at, moved=False, note=note)


def _has_it(house: House, repository: Repository, tip: str, branch_tip: str) -> bool:
    house.repositories.open_hub(repository, branch_tip)
    return house.repositories.is_ancestor(repository, tip, branch_tip)


def _nothing(run: str | None, branch: str, note: str) -> LandResult:
    return LandResult(run=run, branch=branch, old=None, new="", moved=False, note=note)


def _deliver(
    house: House, repository: Repository, run: str, branch: str, old: str | None, tip: str
) -> None:
    outcome = house.repositories.deliver(repository, branch, old=old, new=tip)
    if not isinstance(outcome, Delivered):
        raise Refused(
            f"{_short(branch)} was not moved: {outcome.reason}",
            hint=remedy(house, repository, run, branch, tip),
        )


def remedy(house: House, repository: Repository, run: str, ref: str, tip: str) -> str:
    """What a person can do where a branch of theirs could not be moved to what has landed."""
    actual = house.repositories.branch_commit(repository, ref)
    if actual is None:
        return f"nothing is lost; {_make_again(house, repository, _short(ref), tip)}"
    if _is_behind(house, repository, actual, tip):
        return "nothing is lost; mend this and try again; a commit of yours would have to be merged"
    return f"nothing is lost; merge it yourself: {merge_command(house, repository, run, tip)}"


def _make_again(house: House, repository: Repository, branch: str, tip: str) -> str:
    taken = branch_in_the_way(house, repository, branch)
    if taken is not None:
        return f"rename the branch {taken!r}: git branch -m {taken} OTHER; and try again"
    return (
        f"make the branch again: git branch {branch} {tip}; and run again; "
        "or end this run: `tidegate run --anew`"
    )


def _is_behind(house: House, repository: Repository, actual: str, tip: str) -> bool:
    house.repositories.open_hub(repository, actual)
    return house.repositories.is_ancestor(repository, actual, tip)


def merge_command(house: House, repository: Repository, run: str, tip: str) -> str:
    """What a person types to merge what a run has landed into the branch that is checked out."""
    branch = hub_ref(run)
    if house.repositories.branch_commit(repository, branch) == tip:
        return f"git merge {_short(branch)}"
    return f"git pull --no-rebase {repository.home}/hub.git {_short(branch)}"


def _short(branch: str) -> str:
    return branch.removeprefix("refs/heads/")
