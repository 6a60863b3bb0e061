"""Remove what runs have left and nobody needs; or say what that would be.

No controller may be at work meanwhile, and none can begin. Events are never removed, nor what the
hub holds. One failure does not stop the rest, and what a kill cut short is finished the next time.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from enum import StrEnum
from pathlib import Path

from tidegate.core.errors import Refused, TidegateError
from tidegate.core.records import record
from tidegate.ports.repository import Repository
from tidegate.verbs.house import House
from tidegate.verbs.leftovers import TRASH, Leftover, Scope, leftovers
from tidegate.verbs.proved_dead import doubt, fence_off
from tidegate.verbs.reading import reading

FAILURES_SHOWN_MAX = 3


class Fate(StrEnum):
    """What becomes of a leftover."""

    REMOVABLE = "removable"
    REMOVED = "removed"
    FAILED = "failed"
    KEPT = "kept"


@record
class Told:
    """One leftover, and what became or would become of it. `reason` says why."""

    kind: str
    name: str
    run: str
    path: str
    size_bytes: int
    fate: Fate
    reason: str


@record
class Tidied:
    """Everything that was looked at; `bytes_freed` is what is free now, or would be."""

    leftovers: tuple[Told, ...]
    bytes_freed: int
    is_done: bool
    """False where it was only looked at."""


def gc(
    house: House,
    folder: str,
    scope: Scope,
    *,
    removes: bool,
    tell: Callable[[Told], None] = lambda _: None,
) -> Tidied:
    """Look, and with `removes` remove. Raises Refused where a controller is at work then."""
    with reading(house, folder) as (repository, ledger):
        if ledger is None:
            return Tidied(leftovers=(), bytes_freed=0, is_done=removes)
        if not removes:
            seen = [_told(each) for each in leftovers(house, repository, ledger, scope)]
            for told in seen:
                tell(told)
            return _tidied(seen, is_done=False)
        with house.lock_controller(repository.home):
            done: list[Told] = []
            for each in list(leftovers(house, repository, ledger, scope)):
                done.append(_removed(house, repository, each, done))
                tell(done[-1])
            return _tidied(done, is_done=True)


def _tidied(found: list[Told], *, is_done: bool) -> Tidied:
    gone = (each.size_bytes for each in found if each.fate in {Fate.REMOVABLE, Fate.REMOVED})
    return Tidied(leftovers=tuple(found), bytes_freed=sum(gone), is_done=is_done)


def _told(each: Leftover, fate: Fate | None = None, reason: str = "") -> Told:
    return Told(
        kind=each.kind,
        name=each.name,
        run=each.run,
        path=each.path,
        size_bytes=each.size_bytes,
        fate=fate or (Fate.KEPT if each.keep else Fate.REMOVABLE),
        reason=reason or each.keep or each.reason,
    )


def _removed(house: House, repository: Repository, each: Leftover, before: list[Told]) -> Told:
    """Remove one; what is wrong with it is told, and no matter of the others."""
    if each.keep:
        return _told(each)
    left = next((one for one in before if one.run == each.run and one.fate is Fate.FAILED), None)
    if each.kind == "run" and left is not None:
        return _told(each, Fate.KEPT, f"{left.kind} {left.name} could not be removed")
    try:
        # Whether it is dead is asked once more: between the look and now anything may have begun.
        keep = fence_off(house.runners, each.folders) or doubt(house.runners, each.folders)
        if keep:
            return _told(replace(each, keep=keep))
        failures = _remove(house, repository, each)
    except Refused as error:
        return _told(replace(each, keep=error.message))
    except (TidegateError, OSError) as error:
        failures = [str(error)]
    if failures:
        return _told(each, Fate.FAILED, "; ".join(failures[:FAILURES_SHOWN_MAX]))
    return _told(each, Fate.REMOVED)


def _remove(house: House, repository: Repository, each: Leftover) -> list[str]:
    cleaning, trash = house.cleaning, f"{repository.home}/{TRASH}"
    match each.kind:
        case "workspace":
            failures = [*cleaning.remove_workspace(repository, each.path)]
            _tidy_above(each.path)
            return failures
        case "branch":
            cleaning.remove_branch(repository, each.path, each.commit)
            return []
        case "trash":
            return [*cleaning.empty(trash)]
        case _:
            return [*cleaning.remove_folder(each.path, trash)]


def _tidy_above(path: str) -> None:
    """Take away the folders that held nothing but the workspace: its yard's and its run's."""
    for folder in list(Path(path).parents)[:2]:
        with suppress(OSError):
            folder.rmdir()
