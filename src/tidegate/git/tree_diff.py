"""What a commit changes, seen path by path.

Renames are never paired: both sides count, or a file could be taken out of a place by moving it.
Modes, links and submodules count as much as text. All of this is read from trees in the hub, never
from a working tree.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from tidegate.git.command import Git

LINK, GITLINK, ABSENT = "120000", "160000", "000000"


class Kind(StrEnum):
    """What happened to a path."""

    ADDED = "added"
    MODIFIED = "modified"
    DELETED = "deleted"
    MODE = "mode"
    """Only the executable bit changed."""
    TYPE = "type"
    """A file became a link, or the other way round."""
    GITLINK = "gitlink"
    """A submodule was added, moved to another commit or removed."""


class Change(NamedTuple):
    """One changed path, as `shown` gives it."""

    path: str
    kind: Kind
    old_mode: str
    new_mode: str
    old_oid: str
    new_oid: str


class Finding(NamedTuple):
    """A changed path that may not land as it is, or that somebody should look at."""

    code: str
    path: str
    detail: str


def shown(path: bytes) -> str:
    r"""Return a path as text that can be stored anywhere: bytes that are no UTF-8 as ``\xNN``."""
    return path.decode("utf-8", "backslashreplace")


def between(git: Git, old: str, new: str) -> tuple[Change, ...]:
    """List what differs between two commits or trees."""
    items = git.run("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", old, new).items
    return tuple(_change(row, path) for row, path in zip(items[::2], items[1::2], strict=True))


def _change(row: bytes, path: bytes) -> Change:
    old_mode, new_mode, old_oid, new_oid, _ = row[1:].decode().split(" ")
    kind = _kind(old_mode, new_mode, same_content=old_oid == new_oid)
    return Change(shown(path), kind, old_mode, new_mode, old_oid, new_oid)


def _kind(old_mode: str, new_mode: str, *, same_content: bool) -> Kind:
    if GITLINK in (old_mode, new_mode):
        return Kind.GITLINK
    if old_mode == ABSENT:
        return Kind.ADDED
    if new_mode == ABSENT:
        return Kind.DELETED
    if LINK in (old_mode, new_mode) and old_mode != new_mode:
        return Kind.TYPE
    return Kind.MODE if same_content else Kind.MODIFIED


Entries = dict[str, tuple[str, str]]


def tree_entries(git: Git, tree: str, *, mode: str = "", below: Sequence[str] = ()) -> Entries:
    """Map every path of a tree or commit to its mode and oid; of one mode or some places alone."""
    entries: Entries = {}
    wanted = mode.encode()
    rows = git.run("ls-tree", "-r", "-z", "--full-tree", tree, "--", *below).items
    for row in (row for row in rows if row.startswith(wanted)):
        attributes, _, path = row.partition(b"\t")
        found, _, oid = attributes.decode().split(" ")
        entries[shown(path)] = (found, oid)
    return entries
