"""Partial clones: a repository that has promised objects and fetches them when they are read.

A hub must not depend on a network in the middle of a merge. So the files of each base are fetched
before it is used; older history stays promised, and is only missed by who reads it.
"""

from tidegate.git.command import LONG_S, Git
from tidegate.git.repository import Repository

REMOTE = "user"
"""In the hub's configuration: the user's repository, as the one that has what is missing."""


def hub_config(source: Repository) -> str:
    """Return what makes git accept that old objects are missing from the hub."""
    quoted = source.common_dir.replace("\\", "\\\\").replace('"', '\\"')
    return (
        f"[extensions]\n\tpartialClone = {REMOTE}\n"
        f'[remote "{REMOTE}"]\n\turl = "{quoted}"\n\tpromisor = true\n'
        "\tpartialclonefilter = blob:none\n"
    )


def hydrate(source: Repository, commit: str) -> None:
    """Fetch all files of a commit into the user's repository, from where it was cloned."""
    git = source.git.within(LONG_S)
    _fetch_missing(git, _promisor(git), commit)


def complete(hub: Git, commit: str) -> None:
    """Bring all files of a commit from the user's repository into the hub."""
    _fetch_missing(hub.within(LONG_S), REMOTE, commit)


def _promisor(git: Git) -> str:
    configured = git.run("config", "--get", "extensions.partialclone", ok_codes=(0, 1)).text
    if configured:
        return configured
    rows = git.run("config", "--get-regexp", r"^remote\..*\.promisor$").text.splitlines()
    return rows[0].split(" ")[0].removeprefix("remote.").removesuffix(".promisor")


def _fetch_missing(git: Git, remote: str, commit: str) -> None:
    listed = git.run(
        "rev-list", "--objects", "--missing=print", "--no-object-names", f"{commit}^{{tree}}"
    ).text
    missing = [row[1:] for row in listed.splitlines() if row.startswith("?")]
    if missing:
        options = (
            "--no-tags",
            "--no-write-fetch-head",
            "--no-auto-maintenance",
            "--filter=blob:none",
        )
        git.run(
            "-c",
            "fetch.negotiationAlgorithm=noop",
            "fetch",
            "--quiet",
            *options,
            "--stdin",
            remote,
            stdin="".join(f"{oid}\n" for oid in missing).encode(),
        )
