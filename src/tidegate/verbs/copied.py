"""A repository that was copied with an open run in it, as `cp -a` does.

Its ledger names the workspaces and the agents of the repository that it was copied from. Nobody
holds the locks in the copy, so that every live agent looks dead from there, and its workspace would
be harvested and removed under it. What was moved is another matter: there is one owner then.
"""

from pathlib import Path

from tidegate.core.errors import Refused
from tidegate.engine.engine import Engine
from tidegate.verbs.proved_dead import turn_folders


def refuse_copy(engine: Engine) -> None:
    """Raise Refused where what is open was begun in another repository, which is still there."""
    places = engine.setup.places
    for attempt in sorted(engine.watch.unrecovered):
        for folder in turn_folders(places.folder, attempt):
            begun = engine.ports.runners.begun_in(folder)
            if begun and begun != folder and _is_another(begun, folder):
                raise Refused(
                    f"{places.home} is a copy: {attempt} was begun in {begun}, which is still"
                    " there, and its agent and workspace belong to that repository",
                    hint="go on there; here move the copied folder aside and begin anew. If the"
                    " other one is to be given up, end its agents (`tidegate stop --now` in it),"
                    " move its folder away, and do the same again",
                )


def _is_another(begun: str, folder: str) -> bool:
    """The same folder by another name, a link or a mount, is none."""
    try:
        return not Path(begun).samefile(folder)
    except OSError:
        return False
