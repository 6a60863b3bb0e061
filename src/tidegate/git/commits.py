"""Make commits from trees, with author, dates and trailers stated by the caller.

The same arguments make the same commit on any machine: a step that is done again after a crash
finds its result already there.
"""

from collections.abc import Sequence
from typing import NamedTuple

from tidegate.git.command import Git


class Stamp(NamedTuple):
    """Who, and when: seconds since the epoch, shown in UTC."""

    name: str
    email: str
    at_s: int

    def as_variables(self, whose: str) -> tuple[tuple[str, str], ...]:
        """Return the variables by which git takes it, for AUTHOR or COMMITTER."""
        return (
            (f"GIT_{whose}_NAME", self.name),
            (f"GIT_{whose}_EMAIL", self.email),
            (f"GIT_{whose}_DATE", f"@{self.at_s} +0000"),
        )


def commit_tree(
    git: Git,
    tree: str,
    *,
    parents: Sequence[str],
    message: str,
    author: Stamp,
    committer: Stamp,
) -> str:
    """Write a commit and return its oid. The message is kept to the letter."""
    variables = (*author.as_variables("AUTHOR"), *committer.as_variables("COMMITTER"))
    options = [option for parent in parents for option in ("-p", parent)]
    stating = git._replace(variables=(*git.variables, *variables))
    return stating.run("commit-tree", *options, "-F", "-", tree, stdin=message.encode()).text


def with_trailers(message: str, trailers: Sequence[tuple[str, str]]) -> str:
    """Return a message that ends in a block of trailers, each on a line of its own."""
    body = message.strip()
    lines = [f"{key}: {' '.join(value.split())}" for key, value in trailers]
    return "\n\n".join(filter(None, (body, "\n".join(lines)))) + "\n"
