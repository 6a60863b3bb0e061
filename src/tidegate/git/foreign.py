"""Read the git folder of a workspace without git: its refs, reflogs and HEADs, as plain files.

Git would obey the configuration it finds there, and that is the agent's. So the names of commits
are read here, byte by byte, and nothing else; whether those commits exist and what they contain is
for the hub's own git to say. The configuration, hooks, index and attributes are never opened.
"""

import contextlib
import os
import re
import stat
from collections.abc import Iterator
from typing import NamedTuple

from tidegate.git import plain
from tidegate.git.plain import Missing, Tampered

REF_BYTES_MAX = 64 * 1024
LOG_BYTES_MAX = 256 * 1024 * 1024
PACKED_BYTES_MAX = 256 * 1024 * 1024
FILES_MAX = 200_000
"""How many refs, reflogs and linked worktrees a workspace may have before it counts as tampered."""
MODULES_MAX = 1000
"""How many git folders of submodules; beyond that nobody meant them."""
DEPTH_MAX = 64
HOPS_MAX = 5

_OID = rb"[0-9a-f]{40}(?:[0-9a-f]{24})?"
_AT_LINE_START = re.compile(rb"^(" + _OID + rb")(?![0-9a-f])", re.MULTILINE)
_SECOND_IN_LINE = re.compile(rb"^" + _OID + rb" (" + _OID + rb") ", re.MULTILINE)
_PACKED_FROM_ELSEWHERE = re.compile(rb"^(" + _OID + rb") refs/(?:remotes|tags)/.*$", re.MULTILINE)
_HEAD_NAME = re.compile(r"^[A-Z_]*(?:HEAD|AUTOSTASH)$")
_OBJECT_FOLDER = re.compile(r"^[0-9a-f]{2}$")

_UNDER_WAY = {
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
}
_STEP_FILES = ("orig-head", "onto", "autostash", "amend", "stopped-sha", "squash-onto", "head")
_STEP_FOLDERS = ("rebase-merge", "rebase-apply", "sequencer")


class Linked(NamedTuple):
    """A further worktree of the same repository; `root` is the folder that it names, unproved."""

    name: str
    root: str | None
    head: str | None


class GitFolder(NamedTuple):
    """What a git folder names. Every oid is a claim until the hub has seen the object."""

    head: str | None
    branch: str | None
    oids: frozenset[str]
    under_way: str | None
    """A merge, rebase, cherry-pick or revert that was begun and not ended."""
    linked: tuple[Linked, ...]


def read(git_fd: int) -> GitFolder:
    """Read all commits that the git folder names. Raises Tampered for what git never leaves."""
    if plain.exists("reftable", within=git_fd):
        raise Tampered("ref_format", "reftable", "the refs were moved into another format")
    found = _Found()
    refs = _Refs(_loose_refs(git_fd, found), _packed_refs(git_fd, found))
    _read_logs_and_heads(git_fd, found)
    head, branch = _resolved_head(git_fd, refs)
    linked = tuple(_linked(git_fd, refs, found))
    return GitFolder(head, branch, found.oids, _under_way(git_fd), linked)


def check_objects(git_fd: int, *lenders: str | None) -> None:
    """Make sure that the object store is of plain files and borrows from one of `lenders` alone.

    Git follows what `info/alternates` names, and would wait for ever on a pipe in its place.
    """
    with plain.folder("objects", within=git_fd) as objects:
        with plain.folder("info", within=objects) as info:
            borrowed = plain.content("alternates", within=info, bytes_max=REF_BYTES_MAX)
        if (None if borrowed is None else os.fsdecode(borrowed).rstrip("\n")) not in lenders:
            raise Tampered("alternates_changed", "objects/info/alternates", "is not as it was made")
        for name in os.listdir(objects):
            if name == "pack" or _OBJECT_FOLDER.match(name):
                with contextlib.suppress(Missing):
                    _check_files(objects, name)


def _check_files(objects: int, name: str) -> None:
    with plain.folder(name, within=objects) as descriptor, os.scandir(descriptor) as entries:
        for entry in entries:
            if not entry.is_file(follow_symlinks=False):
                raise Tampered("not_a_file", f"objects/{name}/{entry.name}", "is no plain file")


def nested_head(root: str, path: str) -> str | None:
    """Return the commit at which a repository inside the workspace stands, or None if unclear.

    Its git folder may be below its own folder or below the workspace's; a pointer to anywhere else
    is not followed.
    """
    own = os.path.join(root, path)
    try:
        if os.path.isdir(os.path.join(own, ".git")):
            return _head_in(os.path.join(own, ".git"))
        module = nested_module(root, path)
        return _head_in(os.path.join(root, ".git", module)) if module else None
    except Tampered:
        return None


def module_head(root: str, path: str, module: str) -> str | None:
    """Return the commit of a submodule that has its git folder where it was made, or None."""
    try:
        return nested_head(root, path) if nested_module(root, path) == module else None
    except Tampered:
        return None


def nested_module(root: str, path: str) -> str | None:
    """Return which folder below the workspace's git folder a nested repository points to, if any.

    As ``modules/NAME``. Raises Tampered for what git never leaves.
    """
    own = os.path.join(root, path)
    git_dir = os.path.join(os.path.realpath(root), ".git", "")
    with plain.folder(own) as descriptor:
        if os.path.isdir(os.path.join(own, ".git")):
            return None
        text = plain.content(".git", within=descriptor, bytes_max=REF_BYTES_MAX) or b""
    pointed = os.path.realpath(os.path.join(own, os.fsdecode(text[7:].strip())))
    is_module = text.startswith(b"gitdir:") and pointed.startswith(f"{git_dir}modules/")
    return pointed.removeprefix(git_dir) if is_module else None


def _head_in(git_folder: str) -> str | None:
    with plain.folder(git_folder) as descriptor:
        return read(descriptor).head


def modules(git_fd: int) -> Iterator[tuple[str, int]]:
    """Yield the git folders of submodules, those of submodules of theirs too, as path and folder.

    What lies among them and is none is passed over. Raises Tampered where they are nested or many
    beyond reason.
    """
    left = MODULES_MAX
    for found in _modules(git_fd, "modules", DEPTH_MAX):
        left -= 1
        if left < 0:
            raise Tampered("too_many", "modules", f"there are more than {MODULES_MAX} submodules")
        yield found


def _modules(within: int, path: str, depth_left: int) -> Iterator[tuple[str, int]]:
    if depth_left == 0:
        raise Tampered("too_many", path, f"is nested deeper than {DEPTH_MAX} folders")
    if not _is_folder(os.path.basename(path), within):
        return
    with plain.folder(os.path.basename(path), within=within) as descriptor:
        is_one = all(plain.exists(name, within=descriptor) for name in ("HEAD", "objects"))
        if is_one:
            yield path, descriptor
        for name in ["modules"] if is_one else sorted(os.listdir(descriptor)):
            yield from _modules(descriptor, f"{path}/{name}", depth_left - 1)


def _is_folder(name: str, within: int) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(name, dir_fd=within).st_mode)
    except FileNotFoundError:
        return False


def made_here(git_fd: int) -> frozenset[str]:
    """Return the commits that a git folder names, without those that it has from a remote."""
    found = _Found()
    for path, text in _files(git_fd, "refs", bytes_max=REF_BYTES_MAX, found=found):
        if path.startswith(("refs/remotes/", "refs/tags/")):
            found.take(_AT_LINE_START, text)
    packed = plain.content("packed-refs", within=git_fd, bytes_max=PACKED_BYTES_MAX) or b""
    found.take(_PACKED_FROM_ELSEWHERE, packed)
    return read(git_fd).oids - found.oids


class _Found:
    """Every oid of any kind that was read so far, and how much may still be read."""

    def __init__(self) -> None:
        self._oids: set[bytes] = set()
        self._files_left = FILES_MAX

    @property
    def oids(self) -> frozenset[str]:
        """All of them but the one of zeros, which stands for none."""
        return frozenset(oid.decode() for oid in self._oids if oid.strip(b"0"))

    def take(self, pattern: re.Pattern[bytes], text: bytes) -> None:
        """Take the oids that the pattern's one group finds."""
        self._oids.update(pattern.findall(text))

    def count(self, path: str) -> None:
        """Count one more file. Raises Tampered when there are too many."""
        self._files_left -= 1
        if self._files_left < 0:
            raise Tampered("too_many", path, f"there are more than {FILES_MAX} refs and reflogs")


class _Refs(NamedTuple):
    """The refs by name, loose ones first, as git reads them."""

    loose: dict[str, bytes]
    packed: bytes

    def value(self, name: str) -> bytes:
        """Return what a ref says, or nothing where there is no such ref."""
        if name in self.loose:
            return self.loose[name]
        line = re.compile(
            rb"^(" + _OID + rb") " + re.escape(os.fsencode(name)) + rb"$", re.MULTILINE
        )
        match = line.search(self.packed)
        return match.group(1) if match else b""


def _packed_refs(git_fd: int, found: _Found) -> bytes:
    packed = plain.content("packed-refs", within=git_fd, bytes_max=PACKED_BYTES_MAX) or b""
    found.take(_AT_LINE_START, packed)
    return packed


def _loose_refs(git_fd: int, found: _Found) -> dict[str, bytes]:
    refs = dict(_files(git_fd, "refs", bytes_max=REF_BYTES_MAX, found=found))
    for text in refs.values():
        found.take(_AT_LINE_START, text)
    return refs


def _read_logs_and_heads(git_fd: int, found: _Found) -> None:
    for _, text in _files(git_fd, "logs", bytes_max=LOG_BYTES_MAX, found=found):
        found.take(_AT_LINE_START, text)
        found.take(_SECOND_IN_LINE, text)
    # FETCH_HEAD is left out: it names what was taken from elsewhere, and no work of the agent's.
    for name in os.listdir(git_fd):
        if _HEAD_NAME.match(name) and name != "FETCH_HEAD":
            text = plain.content(name, within=git_fd, bytes_max=REF_BYTES_MAX) or b""
            found.take(_AT_LINE_START, text)
    _read_steps(git_fd, found)


def _read_steps(git_fd: int, found: _Found) -> None:
    """Read what a rebase or a series of picks keeps aside, an autostash above all."""
    for step in _STEP_FOLDERS:
        if not plain.exists(step, within=git_fd):
            continue
        with plain.folder(step, within=git_fd) as descriptor:
            for name in _STEP_FILES:
                text = plain.content(name, within=descriptor, bytes_max=REF_BYTES_MAX) or b""
                found.take(_AT_LINE_START, text)


def _resolved_head(git_fd: int, refs: _Refs) -> tuple[str | None, str | None]:
    """Return the commit that HEAD names and the branch it names it by, as far as there are any."""
    text = plain.content("HEAD", within=git_fd, bytes_max=REF_BYTES_MAX)
    if text is None:
        raise Missing("missing", "HEAD", "is not there")
    branch: str | None = None
    for _ in range(HOPS_MAX):
        if match := _AT_LINE_START.match(text):
            return match.group(1).decode(), branch
        if not text.startswith(b"ref:"):
            break
        branch = os.fsdecode(text[4:].strip())
        text = refs.value(branch)
    return None, branch


def _linked(git_fd: int, refs: _Refs, found: _Found) -> Iterator[Linked]:
    if not plain.exists("worktrees", within=git_fd):
        return
    with plain.folder("worktrees", within=git_fd) as folder:
        for name in sorted(os.listdir(folder)):
            found.count(f"worktrees/{name}")
            with plain.folder(name, within=folder) as own:
                own_refs = refs._replace(loose=refs.loose | _loose_refs(own, found))
                _read_logs_and_heads(own, found)
                head, _ = _resolved_head(own, own_refs)
                at = plain.content("gitdir", within=own, bytes_max=REF_BYTES_MAX)
            root = os.path.dirname(os.fsdecode(at).rstrip("\n")) if at else None
            yield Linked(name, root, head)


def _under_way(git_fd: int) -> str | None:
    names = set(os.listdir(git_fd))
    return next((what for name, what in _UNDER_WAY.items() if name in names), None)


def _files(git_fd: int, top: str, *, bytes_max: int, found: _Found) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of every file below a folder; none where there is no such folder."""
    if plain.exists(top, within=git_fd):
        with plain.folder(top, within=git_fd) as descriptor:
            yield from _below(descriptor, top, DEPTH_MAX, bytes_max=bytes_max, found=found)


def _below(
    descriptor: int, prefix: str, depth_left: int, *, bytes_max: int, found: _Found
) -> Iterator[tuple[str, bytes]]:
    if depth_left == 0:
        raise Tampered("too_many", prefix, f"is nested deeper than {DEPTH_MAX} folders")
    with os.scandir(descriptor) as entries:
        names = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
    for name, is_folder in names:
        path = f"{prefix}/{name}"
        found.count(path)
        if is_folder:
            # An agent that is still at work may remove a folder of refs while they are read.
            with contextlib.suppress(Missing), plain.folder(name, within=descriptor) as inner:
                yield from _below(inner, path, depth_left - 1, bytes_max=bytes_max, found=found)
        elif text := plain.content(name, within=descriptor, bytes_max=bytes_max, shown=path):
            yield path, text
