"""Whether anything still lives in the folders of turns and jobs. What is in doubt is kept.

The runner's lock says whether one is at work, its record how it ended, and the mark in their
environment which processes a dead one has left. A folder that was begun and has no record may be
that of a runner which is about to start: only whoever fences it off may say that it is dead.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from tidegate.ports.runners import Runners, Running, Unheld

PIDS_SHOWN_MAX = 5
_FENCE = 2**40
"""Above every epoch that a lease ever gets: no runner of that folder can begin after it."""


def turn_folders(run_folder: str, attempt: str | None = None) -> tuple[str, ...]:
    """The folders of a run in which something was started; of one attempt, or of all."""
    attempts = f"attempts/{attempt or '*'}/turns/*"
    jobs = f"jobs/{attempt}-*" if attempt else "jobs/*"
    found = (each for part in (attempts, jobs) for each in Path(run_folder).glob(part))
    return tuple(sorted(str(each) for each in found if each.is_dir()))


def doubt(runners: Runners, folders: Sequence[str]) -> str:
    """Why not all of this is proved dead; empty where it is, or needs no more than a fence."""
    for folder in folders:
        if isinstance(runners.look(folder), Running):
            return f"a runner is at work in {folder}"
    living = runners.survivors(folders) if folders else {}
    pids = sorted({pid for found in living.values() for pid in found})
    if pids:
        shown = ", ".join(map(str, pids[:PIDS_SHOWN_MAX]))
        return f"processes of it live ({shown})"
    return ""


def fence_off(runners: Runners, folders: Iterable[str]) -> str:
    """See to it that nothing can begin there any more; why that could not be had, or nothing."""
    for folder in folders:
        if isinstance(runners.look(folder), Unheld) and not runners.declare_lost(
            folder, epoch=_FENCE
        ):
            return f"a runner began in {folder}"
    return ""
