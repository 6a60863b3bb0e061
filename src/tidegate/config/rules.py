"""What a value must be beyond its type. Each rule answers with a complaint, or with None.

Rules are pure and look at one value alone: whether a branch or a folder exists is asked when it
is needed, by whoever needs it.
"""

import re
from collections.abc import Callable
from typing import Any

from tidegate.core.records import record
from tidegate.core.text import first_unsafe, named

Complaint = str | None

_AGENT = re.compile(r"[a-z][a-z0-9_-]*")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\*?")
_NO_BRANCH = re.compile(r"\.\.|//|@\{|[ ~^:?*\[\\]|^[-/.]|[/.]$|/\.|\.lock(?:/|$)|^@$")
_REMOTE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]*")
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


@record(kw_only=False)
class Rule:
    """Carried in a key's type beside its bounds."""

    complaint: Callable[[Any], Complaint]


def plain(value: str) -> Complaint:
    """One line without characters that could not be shown."""
    place = first_unsafe(value)
    return f"it holds the character {named(value[place])}" if place is not None else None


def command(value: str) -> Complaint:
    """Something that a shell can be handed: lines and tabs are its own business."""
    place = first_unsafe(value, keep="\n\t")
    return f"it holds the character {named(value[place])}" if place is not None else None


def sentences(values: tuple[str, ...]) -> Complaint:
    """Texts of one line each, none of them empty."""
    if not all(value.strip() for value in values):
        return "an entry is empty"
    return _first(plain, values)


def agent(value: str) -> Complaint:
    """A name of the registry of agents."""
    return None if _AGENT.fullmatch(value) else "it is not the name of an agent"


def branch(value: str) -> Complaint:
    """A branch by its short name, or empty for the default."""
    if value.startswith("refs/heads/"):
        return f"write the short name, `{value.removeprefix('refs/heads/')}`"
    wrong = value and (plain(value) or _NO_BRANCH.search(value))
    return "git allows no branch of that name" if wrong else None


def publication(value: str) -> Complaint:
    """A remote, and perhaps a branch of it; or empty for none."""
    remote, *rest = value.split(" ") if value else ("", "")
    if value and (len(rest) > 1 or not _REMOTE.fullmatch(remote) or rest == [""]):
        return "write the name of a remote, and after a space that of a branch, if it is another"
    return branch("".join(rest))


def inner_path(value: str) -> Complaint:
    """A path that stays inside the repository."""
    if "\\" in value:
        return f"write it with slashes, `{value.replace(chr(92), '/')}`"
    if not value or value.startswith(("/", "~")) or _DRIVE.match(value):
        return "it must be a path below the root of the repository"
    if {"..", ".git"} & set(value.split("/")):
        return "it must stay inside the repository and out of .git"
    return plain(value)


def inner_paths(values: tuple[str, ...]) -> Complaint:
    """Paths that stay inside the repository."""
    return _first(inner_path, values)


def inner_folders(values: tuple[str, ...]) -> Complaint:
    """Folders below the root of the repository, by their names and by no pattern."""
    return _first(_inner_folder, values)


def _inner_folder(value: str) -> Complaint:
    if {"", "."} & set(value.rstrip("/").split("/")):
        return "it must be a folder below the root of the repository"
    if set("*?[") & set(value):
        return "it must be a folder's name, not a pattern"
    return inner_path(value)


def outer_folder(value: str) -> Complaint:
    """A folder named from the root or from the home folder, or empty for the default."""
    if value and not value.startswith(("/", "~/")):
        return "it must begin with / or ~/, since it lies outside the repository"
    return plain(value)


def variable(value: str) -> Complaint:
    """The name of an environment variable; a star at the end stands for any ending."""
    if not _VARIABLE.fullmatch(value):
        return "write a variable's name, or the beginning of one with * after it"
    if value.rstrip("*").startswith("TIDEGATE"):
        return "Tidegate sets those itself"
    return None


def variables(values: tuple[str, ...]) -> Complaint:
    """Names of environment variables."""
    return _first(variable, values)


def _first(rule: Callable[[str], Complaint], values: tuple[str, ...]) -> Complaint:
    for value in values:
        complaint = rule(value)
        if complaint is not None:
            return f"`{value}`: {complaint}"
    return None
