"""What a person should hear about a footprint that is valid and may not be what was meant."""

from collections.abc import Iterable, Iterator

from tidegate.core.footprint import advice, parse
from tidegate.core.issue import Issue
from tidegate.ports.repository import Repository
from tidegate.verbs.house import House


def advised(
    house: House, repository: Repository, issues: Iterable[Issue]
) -> dict[str, tuple[str, ...]]:
    """The advice for each of these issues that gets any, by its id.

    It asks git for the files that there are, once, and compares each pattern with all of them: it
    is for the few issues that somebody looks at, and not for a whole queue.
    """
    with_footprint = [issue for issue in issues if issue.footprint]
    files = house.repositories.files(repository) if with_footprint else ()
    found = {issue.id: tuple(_advice(issue, files)) for issue in with_footprint}
    return {issue: told for issue, told in found.items() if told}


def _advice(issue: Issue, files: tuple[str, ...]) -> Iterator[str]:
    for pattern in map(parse, issue.footprint):
        told = advice(pattern, files)
        if told is not None:
            yield told
