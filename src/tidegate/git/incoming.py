"""The hub's one door: bring commits out of a workspace's object store, checked one by one.

The hub's git packs what it finds through the workspace's store and unpacks it into its own, where
every object is hashed and every link followed. A store that lies, through a forged index or graph,
yields objects of other names, and those are missed here and not later.
"""

import contextlib
import os
import time
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tidegate.git.command import LONG_S, Git
from tidegate.git.errors import GitFailed, GitTimedOut, HubDamaged
from tidegate.git.hub import Hub

UNPACK_MAX = 100
"""Up to this many objects are stored one by one; more are kept as one pack."""
BROKEN_MAX = 1000
"""How many names are tried one by one when the history of some of them is not whole."""
_LOOKS_MAX = 3
_LOOK_PAUSE_S = 0.3
"""How often, and how far apart, the hub is asked before it is called damaged."""
_UNTRIED = "not tried: too many others are broken"
_PACK_HEADER_BYTES = 12
ROOM_FACTOR = 2
ROOM_MIN_BYTES = 1 << 20
"""How much room the objects of a pack may take, for a refusal not to be blamed on the disk."""


class Brought(NamedTuple):
    """`leaves` are the new commits on which no other new commit builds: pinned, they keep all.

    `broken` are names whose history could not be had whole, each with git's words.
    """

    leaves: tuple[str, ...]
    broken: tuple[tuple[str, str], ...]


def bring(
    hub: Hub, objects: str, oids: Iterable[str], *, known: Sequence[str], spool: str
) -> Brought:
    """Bring what the oids name, without what the known commits already hold.

    An oid that names nothing, or nothing of commits, is passed over: reflogs outlive their objects.
    `spool` is a path for a file that may be large. Raises HubDamaged for a known commit that is
    not known, OSError where the disk is full.
    """
    looking = hub.git._replace(
        alternates=(objects,),
        timeout_s=LONG_S,
        # Both are short cuts past the objects themselves, and could have been written by anybody.
        settings=(("core.commitGraph", "false"), ("core.multiPackIndex", "false")),
    )
    names = sorted(set(oids))
    graph, broken = _new_commits(looking, names, known)
    if broken:
        _check_hub(hub, known)  # before anybody is blamed
    leaves = _leaves(graph)
    if _failure(hub, looking, leaves, known, spool) is None:
        return Brought(tuple(leaves), tuple(broken))
    kept: list[str] = []
    for name in dict.fromkeys((*leaves, *filter(graph.__contains__, names))):
        why = _failure(hub, looking, [name], known, spool) if len(broken) < BROKEN_MAX else _UNTRIED
        if why is None:
            kept.append(name)
        else:
            broken.append((name, why))
    return Brought(tuple(kept), tuple(broken))


Graph = dict[str, list[str]]


def _new_commits(
    git: Git, names: Sequence[str], known: Sequence[str]
) -> tuple[Graph, list[tuple[str, str]]]:
    """Return the commits that the names reach beyond the known ones, with their parents."""
    found = _asked(git, names, known)
    if isinstance(found, str) and len(names) == 1:
        # Once more before a workspace is blamed: a machine may be short of memory for a moment.
        found = _asked(git, names, known)
    if not isinstance(found, str):
        return found, []
    if len(names) == 1:
        return {}, [(names[0], found)]
    graph: Graph = {}
    broken: list[tuple[str, str]] = []
    for name in names[:BROKEN_MAX]:
        reached, failed = _new_commits(git, [name], known)
        graph |= reached
        broken += failed
    return graph, broken + [(name, _UNTRIED) for name in names[BROKEN_MAX:]]


def _asked(git: Git, names: Sequence[str], known: Sequence[str]) -> Graph | str:
    """Return what git finds, or its words where it fails. Raises where it did not answer."""
    try:
        return _walked(git, names, known)
    except GitTimedOut:
        raise
    except GitFailed as error:
        _require_an_answer(error)
        return error.stderr


def _require_an_answer(error: GitFailed) -> None:
    """Raise where git was killed: then it has said nothing of the workspace."""
    if error.returncode < 0:
        raise error


def _walked(git: Git, names: Sequence[str], known: Sequence[str]) -> Graph:
    if not names:
        return {}
    stdin = "".join(f"{line}\n" for line in (*names, *(f"^{oid}" for oid in known)))
    rows = git.run(
        "rev-list", "--parents", "--ignore-missing", "--stdin", stdin=stdin.encode()
    ).text.splitlines()
    return {commit: parents for commit, *parents in map(str.split, rows)}


def _leaves(graph: Graph) -> list[str]:
    built_on = {parent for parents in graph.values() for parent in parents}
    return [commit for commit in graph if commit not in built_on]


def _failure(
    hub: Hub, looking: Git, names: Sequence[str], known: Sequence[str], spool: str
) -> str | None:
    """Transfer what the names reach; return git's words where it cannot be had whole.

    Raises whatever is not the workspace's fault: a wrong order, a full disk.
    """
    if not names:
        return None
    try:
        return _packing_failure(hub, looking, names, known, spool) or _storing_failure(hub, spool)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(spool)


def _packing_failure(
    hub: Hub, looking: Git, names: Sequence[str], known: Sequence[str], spool: str
) -> str | None:
    """Pack what is new. If only the writing of it fails, the fault is here."""
    revisions = "".join(f"{line}\n" for line in (*names, "--not", *known)).encode()
    command = ("pack-objects", "--revs", "--stdout", "--delta-base-offset", "-q")
    try:
        looking.run(*command, stdin=revisions, stdout_path=spool)
    except GitTimedOut:
        raise
    except GitFailed as error:
        _check_hub(hub, known)
        again = looking.run(*command, stdin=revisions, stdout_path=os.devnull, ok_codes=range(256))
        if again.code == 0:
            raise
        return error.stderr
    return None


def _check_hub(hub: Hub, known: Sequence[str]) -> None:
    """Raise HubDamaged where the hub has not what was put there for good.

    A git that fails may be in want of memory only, so it is asked again before that is said.
    """
    lacking: Sequence[str] = known
    for left in reversed(range(_LOOKS_MAX)):
        try:
            found = hub.look_up(*(f"{oid}^{{commit}}" for oid in known))
        except GitFailed:
            time.sleep(_LOOK_PAUSE_S if left else 0.0)
        else:
            lacking = [oid for oid, is_there in zip(known, found, strict=True) if is_there is None]
            break
    if lacking:
        raise HubDamaged(
            f"the hub {hub.path} cannot be read, or lacks {lacking[0]}, which was in it",
            hint="`tidegate fsck` says what else; restore it from a backup. Your own repository is"
            " not touched by it",
        )


def _storing_failure(hub: Hub, spool: str) -> str | None:
    """Store the packed objects, each of them checked. If there is no room for them, raise that."""
    storing = hub.git.within(LONG_S)
    try:
        if _object_count(spool) <= UNPACK_MAX:
            storing.run("unpack-objects", "--strict", "-q", stdin_path=spool)
        else:
            storing.run("index-pack", "--stdin", "--strict", stdin_path=spool)
    except GitTimedOut:
        raise
    except GitFailed as error:
        _require_an_answer(error)
        _check_room(spool)
        return error.stderr
    return None


def _object_count(pack: str) -> int:
    """Read from a pack's header how many objects it holds."""
    with open(pack, "rb") as file:
        return int.from_bytes(file.read(_PACK_HEADER_BYTES)[8:12], "big")


def _check_room(spool: str) -> None:
    """Raise OSError when what was to be stored would not fit on the disk, or in the quota."""
    descriptor = os.open(spool, os.O_WRONLY | os.O_CLOEXEC)
    try:
        size_bytes = os.fstat(descriptor).st_size
        os.posix_fallocate(descriptor, size_bytes, ROOM_FACTOR * size_bytes + ROOM_MIN_BYTES)
    finally:
        os.close(descriptor)
