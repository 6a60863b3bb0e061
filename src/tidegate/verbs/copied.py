"""A repository that was copied with an open run in it, as `cp -a` does.

Its ledger names the workspaces and the agents of the repository that it was copied from. Nobody
holds the locks in the copy, so that every live agent looks dead from there, and its workspace would
be harvested and removed under it. What was moved is another matter: there is one owner then.
"""

from collections.abc import Iterator
from pathlib import Path

from tidegate.core.errors import Refused
from tidegate.engine.engine import Engine, preparation


def refuse_copy(engine: Engine) -> None:
    """Raise Refused where what is open was begun in another repository, which is still there."""
    places = engine.setup.places
    for attempt, folder in _newest_folders(engine):
        begun = engine.ports.runners.begun_in(folder)
        if begun and begun != folder and _is_another(begun, folder):
            raise Refused(
                f"{places.home} is a copy: {attempt} was begun in {begun}, which is still"
                " there, and its agent and workspace belong to that repository",
                hint="go on there; here move the copied folder aside and begin anew. If the"
                " other one is to be given up, end its agents (`tidegate stop --now` in it),"
                " move its folder away, and do the same again",
            )


def _newest_folders(engine: Engine) -> Iterator[tuple[str, str]]:
    """Where the newest process of each open attempt was begun. Agents wait: nothing is listed."""
    places = engine.setup.places
    for lane in engine.book.lanes.values():
        for attempt in lane.attempts.values():
            if attempt.id not in engine.watch.unrecovered:
                continue
            if attempt.turn is None:
                yield attempt.id, places.job(preparation(attempt))
            else:
                yield attempt.id, places.turn(attempt.id, attempt.turn.number)


def _is_another(begun: str, folder: str) -> bool:
    """The same folder by another name, a link or a mount, is none."""
    try:
        return not Path(begun).samefile(folder)
    except OSError:
        return False
