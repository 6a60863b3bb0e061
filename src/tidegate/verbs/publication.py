"""Publication: which branch of which remote gets what landed, where one is named."""

from tidegate.config.load import Configuration
from tidegate.engine.setup import Remote
from tidegate.ports.repository import Repository
from tidegate.verbs.house import House


def remote_of(publish: str, ref: str) -> Remote | None:
    """The place that `[land] publish` names for a ref; the branch has the same name by default."""
    remote, _, branch = publish.partition(" ")
    return Remote(name=remote, ref=f"refs/heads/{branch}" if branch else ref) if remote else None


def remote_problem(
    house: House, repository: Repository, configuration: Configuration
) -> str | None:
    """What is wrong with the remote, None where it is there, or none is named."""
    remote = configuration.settings.land.publish.partition(" ")[0]
    known = house.repositories.remotes(repository) if remote else ()
    if not remote or remote in known:
        return None
    there = f"there is {', '.join(known)}" if known else "the repository has none"
    return f"there is no remote {remote!r}, which [land] publish names: {there}"
