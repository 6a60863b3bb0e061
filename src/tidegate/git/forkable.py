"""The job program as a fork server calls it: what jobs need is imported once, for all of them."""

from collections.abc import Sequence

from tidegate.git import (  # noqa: F401 - each is what some job imports when it begins
    candidate,
    delivery,
    environment,
    harvest,
    hub,
    jobs,
    landing,
    repository,
    scope,
    surface,
    workspace,
)


def main(argv: Sequence[str]) -> int:
    """Do the job of a command line as the adapter makes it: its last word is the job file."""
    return jobs.main(argv[-1:])
