"""Take in what was committed in the submodules of a workspace, each into the hub that is its own.

A gitlink is only a name: what it names lies in the submodule's git folder, and would be gone with
the workspace. Those git folders are read as the workspace's own is, as plain files; one that is not
as git leaves it is a violation where it was made by us, and is passed over where it was not.
"""

import os
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from tidegate.git import foreign, incoming, plain, submodules
from tidegate.git.filling import Filled
from tidegate.git.hub import PINS, Hub
from tidegate.git.plain import Tampered

Tell = Callable[[str, str, str], None]
"""Told of a violation: its code, the path and what is wrong."""


class Told(NamedTuple):
    """Where the modules of one harvest are, and where their pins and violations go."""

    hub: Hub
    workspace: str
    namespace: str
    spool: str
    tell: Tell


def filled(record: dict[str, Any] | None) -> tuple[Filled, ...]:
    """Return the submodules that were filled when the workspace was made."""
    kept = record.get("modules", ()) if record else ()
    return tuple(Filled(**(one | {"settings": tuple(map(tuple, one["settings"]))})) for one in kept)


def bring(told: Told, git_fd: int, ours: tuple[Filled, ...], base: str) -> None:
    """Bring in every commit that was made in a submodule, and pin it in the submodule's hub."""
    made = {one.module for one in ours}
    for module, folder in _modules(told, git_fd):
        place = os.path.join(told.workspace, ".git", module)
        hub = submodules.hub_of(told.hub, module)
        try:
            foreign.check_objects(folder, None, *hub.lenders)
            oids = foreign.made_here(folder)
        except Tampered as tampered:
            if module in made:
                told.tell(tampered.code, f"{module}/{tampered.path}", tampered.detail)
            continue
        known = _known(hub)
        if oids - known:
            hub = submodules.make_for(told.hub, module, format_of=base)
            broken = _bring(told, hub, f"{place}/objects", oids - known, tuple(known))
            for oid, why in broken if module in made else ():
                told.tell("history_incomplete", f"{module}/{oid}", why)


def _modules(told: Told, git_fd: int) -> Iterator[tuple[str, int]]:
    if not plain.exists("modules", within=git_fd):
        return
    try:
        yield from foreign.modules(git_fd)
    except Tampered as tampered:
        told.tell(tampered.code, tampered.path, tampered.detail)


def _known(hub: Hub) -> frozenset[str]:
    """Return the commits that the submodule's hub has from the user."""
    pinned = hub.pins(f"{PINS}base/") if os.path.isdir(hub.path) else {}
    return frozenset(pinned.values())


def _bring(
    told: Told, hub: Hub, objects: str, oids: frozenset[str], known: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    brought = incoming.bring(hub, objects, oids, known=known, spool=told.spool)
    hub.pin({f"{told.namespace}/kept/{leaf}": leaf for leaf in brought.leaves})
    return brought.broken
