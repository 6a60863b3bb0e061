"""Fill the engine's queue, in order: when a controller comes, and when issues were added."""

from collections.abc import Sequence

from tidegate.config.load import Configuration
from tidegate.core.errors import TidegateError
from tidegate.core.issue import Issue
from tidegate.engine.engine import Engine
from tidegate.playbooks.queue import ordered
from tidegate.ports.repository import Repository
from tidegate.verbs.eyes import Eyes
from tidegate.verbs.house import House
from tidegate.verbs.queue import read_issues, undecided
from tidegate.verbs.ranking import keep_ranking, ranking


def fill(
    house: House,
    repository: Repository,
    engine: Engine,
    configuration: Configuration,
    issues: Sequence[Issue],
    eyes: Eyes,
) -> None:
    """Put the issues that have no lane under way into the queue, in the order of the queue role."""
    at_work = {lane.issue for lane in engine.book.lanes.values() if lane.outcome is None}
    away = at_work.union(engine.skipped)
    waiting = [issue for issue in issues if issue.id not in away]
    found = ranking(house, repository, configuration, waiting, eyes.tell)
    keep_ranking(repository, configuration, found, house.mask)
    engine.queue[:] = ordered(waiting, found.rank)


def refill(
    house: House,
    repository: Repository,
    engine: Engine,
    configuration: Configuration,
    eyes: Eyes,
) -> bool:
    """Take in issues that were added or opened again while the run went on.

    True where there is one that can be taken. One that cannot be read can wait.
    """
    if engine.is_at_limit:
        return False
    try:
        issues = read_issues(house, repository, configuration)
    except TidegateError as error:
        engine.unread = tell_unread(error, eyes)
        return False
    engine.unread = ""
    known = {issue.id for issue in engine.queue}.union(engine.skipped)
    issues = undecided(issues, engine.ports.ledger)
    if all(issue.id in known for issue in issues):
        return False
    fill(house, repository, engine, configuration, issues, eyes)
    return engine.has_takeable_issue


def tell_unread(error: TidegateError, eyes: Eyes) -> str:
    """Say that the tracker's issues cannot be read, and give what the summary says of it."""
    words = f"new issues cannot be read: {error}"
    eyes.tell(words)
    return words
