"""Processes, runners and workspaces, held against the turns that are open and those that are over.

Nothing here is ended: which processes to end is for a person to say, who sees their numbers.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from tidegate.core.errors import IntegrityError
from tidegate.engine.engine import BASE
from tidegate.playbooks.build import WORKSPACE
from tidegate.ports.runners import Absent, Over, Running, Sighting, Unheld
from tidegate.verbs.damage import Found
from tidegate.verbs.facts import Facts, Place
from tidegate.verbs.frozen import frozen
from tidegate.verbs.proved_dead import PIDS_SHOWN_MAX, turn_folders
from tidegate.verbs.site import Site
from tidegate.verbs.workspaces import workspaces_root

TRASH = "trash"


def of_turns(site: Site) -> Iterator[Found]:
    """Each turn by its folder: its runner's lock, its record, and who carries its mark."""
    folders = [each for run in site.runs for each in turn_folders(site.places(run).folder)]
    living = site.house.runners.survivors(folders) if folders else {}
    for facts in site.runs.values():
        jobs = set(turn_folders(site.places(facts.run).folder))
        for (attempt, turn), is_heard in facts.turns.items():
            folder = site.places(facts.run).turn(attempt, turn)
            jobs.discard(folder)
            seen = site.house.runners.look(folder)
            pids = living.get(folder, ())
            if is_heard:
                yield from _left_over(folder, seen, pids)
            else:
                yield from _still_open(site, folder, seen, pids)
        for folder in sorted(jobs):
            if not isinstance(site.house.runners.look(folder), Running):
                yield from _left_over(folder, Absent(), living.get(folder, ()))


def _left_over(folder: str, seen: Sighting, pids: Sequence[int]) -> Iterator[Found]:
    if isinstance(seen, Running):
        message = f"a runner holds the lock of {folder}, whose turn is over"
        yield Found(code="lock-held", where=folder, message=message)
    if pids:
        message = f"processes {_shown(pids)} carry the mark of {folder}, which is over"
        yield Found(code="process-left", where=folder, message=message)


def _still_open(site: Site, folder: str, seen: Sighting, pids: Sequence[int]) -> Iterator[Found]:
    match seen:
        case Running() if not site.is_busy:
            message = f"{folder} is at work, and no controller is at its controls"
            yield Found(code="turn-alone", where=folder, message=message)
        case Unheld():
            alive = f"; processes {_shown(pids)} of it live" if pids else ""
            message = f"the runner of {folder} is dead, and left no record{alive}"
            yield Found(code="turn-dead", where=folder, message=message)
        case Over() | Absent() if not site.is_busy:
            what = "is over" if isinstance(seen, Over) else "was granted and never begun"
            message = f"{folder} {what}, and no controller has heard it"
            yield Found(code="turn-unheard", where=folder, message=message)
        case _:
            pass


def _shown(pids: Sequence[int]) -> str:
    return ", ".join(map(str, pids[:PIDS_SHOWN_MAX]))


def of_workspaces(site: Site, facts: Facts) -> Iterator[Found]:
    """What should stand stands; what stands and should not is told, and left to `gc`."""
    for attempt, place in facts.places.items():
        yield from _workspace(facts, attempt, place)
        yield from _trash(site, Path(f"{place.path}.{TRASH}"))
    yield from _strangers(site, facts)


def _workspace(facts: Facts, attempt: str, place: Place) -> Iterator[Found]:
    is_there = Path(place.path).is_dir()
    is_needed = not facts.is_over(attempt) and place.lane not in facts.ended_lanes
    if place.stands and is_needed and not is_there:
        message = f"the workspace {place.path} of {attempt} is gone, and it is at work in it"
        yield Found(code="workspace-missing", where=place.path, message=message)
    if is_there and (place.is_removed or facts.is_ended or place.lane in facts.ended_lanes):
        why = "was removed" if place.is_removed else "belongs to a lane that is over"
        message = f"{place.path} stands, and {why}"
        yield Found(code="workspace-left", where=place.path, message=message)


def _strangers(site: Site, facts: Facts) -> Iterator[Found]:
    """Folders among a run's workspaces that no event has made."""
    if site.repository is None:
        return
    try:
        settings = frozen(site.ledger, facts.run).settings
    except (IntegrityError, FileNotFoundError):
        return  # the text of its configuration is missed elsewhere
    root = workspaces_root(site.house, site.repository, settings.workspace.root)
    for folder in sorted(Path(root, facts.run).glob("*")):
        is_known = folder.name in facts.places or folder.name == BASE
        if not is_known and (folder / WORKSPACE).is_dir():
            message = f"{folder} is among the workspaces of run {facts.run}, and no event made it"
            yield Found(code="workspace-unknown", where=str(folder), message=message)


def of_trash(site: Site) -> Iterator[Found]:
    """What a removal that was cut short has left beside the ledger."""
    yield from _trash(site, Path(site.home, TRASH))


def _trash(site: Site, path: Path) -> Iterator[Found]:
    if path.is_dir():
        message = f"{path}: a removal was cut short"
        mend = partial(_emptied, site, path)
        yield Found(code="trash-left", where=str(path), message=message, mend=mend)


def _emptied(site: Site, path: Path) -> str:
    failures = site.house.cleaning.empty(str(path))
    if failures:
        raise OSError("; ".join(failures[:PIDS_SHOWN_MAX]))
    return "emptied"
