"""What may be found by a look at everything that is kept, each kind by its name.

A name is stable and meant for programs. A kind says how bad it is, what a person can do, and
whether it is one that moves while a controller works: then it is no more than "in use".
"""

from collections.abc import Callable, Mapping
from enum import StrEnum

from tidegate.core.records import record


class Level(StrEnum):
    """How bad it is."""

    WRONG = "wrong"
    """What is kept contradicts itself, or some of it is gone."""
    NOTE = "note"
    """It is as it may be, and somebody should know."""
    IN_USE = "in use"
    """A controller is at work there: the next look tells."""
    MENDED = "mended"


@record
class Kind:
    """A kind of damage. `moves` where a controller at work makes and ends it all the time."""

    remedy: str
    level: Level = Level.WRONG
    moves: bool = False


@record
class Found:
    """One thing. `mend` does what is safe and says what it did; None where nothing is."""

    code: str
    where: str
    message: str
    mend: Callable[[], str] | None = None


@record
class Damage:
    """One thing as it is told. `done` says what was done to it."""

    level: Level
    code: str
    where: str
    message: str
    remedy: str
    done: str = ""


_RESTORE = "restore it from a backup (docs/how-to/back-up-and-restore.md)"
_REPAIR = "`tidegate fsck --repair` does that"
_GO_ON = "`tidegate run` settles it"
_LOOK = "look at it, and move it away"
_NOTE = Level.NOTE

KINDS: Mapping[str, Kind] = {
    # the ledger
    "ledger-unreadable": Kind(remedy=f"copy the folder away as it is, then {_RESTORE}"),
    "ledger-pages": Kind(remedy=f"copy the folder away as it is, then {_RESTORE}"),
    "schema-differs": Kind(remedy="somebody changed the schema by hand: take that back"),
    "guard-missing": Kind(remedy=f"put it back: {_REPAIR}"),
    "chain-broken": Kind(remedy=f"an event was changed or removed: keep the file, and {_RESTORE}"),
    "words-broken": Kind(remedy=f"a word was changed or removed: keep the file, and {_RESTORE}"),
    "fold-stuck": Kind(remedy=f"no row can be made from it: keep the file, and {_RESTORE}"),
    "row-missing": Kind(remedy=f"make the rows anew from the events: {_REPAIR}"),
    "row-extra": Kind(remedy=f"make the rows anew from the events: {_REPAIR}"),
    "row-differs": Kind(remedy=f"make the rows anew from the events: {_REPAIR}"),
    "lease-differs": Kind(remedy="no event gives a lease back: `tidegate run --anew`"),
    # texts
    "blob-missing": Kind(remedy=_RESTORE),
    "blob-differs": Kind(remedy=_RESTORE),
    "blob-stranger": Kind(remedy=f"quarantine it: {_REPAIR}"),
    "blob-orphans": Kind(level=_NOTE, remedy="that is no harm: a text is stored before its event"),
    # the hub
    "hub-missing": Kind(remedy=_RESTORE),
    "hub-broken": Kind(remedy=_RESTORE),
    "hub-lock": Kind(remedy=f"remove it: {_REPAIR}", moves=True),
    "hub-ref-lost": Kind(remedy=f"point it where the ledger says: {_REPAIR}"),
    "hub-ref-behind": Kind(remedy=f"point it where the ledger says: {_REPAIR}"),
    "hub-ref-ahead": Kind(remedy="see what is on top; `git update-ref` in the hub", moves=True),
    "hub-ref-elsewhere": Kind(remedy=f"see who moved it; {_RESTORE}"),
    "landing-open": Kind(level=_NOTE, remedy=_GO_ON, moves=True),
    "commit-missing": Kind(remedy=_RESTORE),
    "pin-lost": Kind(remedy=f"pin it again: {_REPAIR}"),
    "pins-fewer": Kind(remedy="nothing is pruned: find them by `git fsck --lost-found` in the hub"),
    "branch-differs": Kind(level=_NOTE, remedy="it is yours; `tidegate land` gives it again"),
    # artifacts
    "artifact-missing": Kind(remedy=f"make it anew from its stored text: {_REPAIR}"),
    "artifact-differs": Kind(remedy="keep it if you need it; with the file gone `--repair` helps"),
    "artifact-staged": Kind(level=_NOTE, remedy=_GO_ON, moves=True),
    "artifact-unknown": Kind(remedy=f"quarantine it: {_REPAIR}", moves=True),
    "quarantined": Kind(level=_NOTE, remedy=_LOOK),
    # turns, processes
    "turn-unknown": Kind(remedy=f"quarantine it: {_REPAIR}", moves=True),
    "turn-unheard": Kind(level=_NOTE, remedy=_GO_ON, moves=True),
    "turn-dead": Kind(level=_NOTE, remedy=_GO_ON, moves=True),
    "turn-alone": Kind(level=_NOTE, remedy="`tidegate run` goes on with it", moves=True),
    "lock-held": Kind(remedy="end that runner by its number", moves=True),
    "process-left": Kind(remedy="end them by their numbers", moves=True),
    "run-unknown": Kind(level=_NOTE, remedy=_LOOK, moves=True),
    # workspaces
    "workspace-missing": Kind(
        remedy="what was not harvested in it is lost; `tidegate run` goes on without", moves=True
    ),
    "workspace-left": Kind(level=_NOTE, remedy="`tidegate gc` says what may go", moves=True),
    "workspace-unknown": Kind(level=_NOTE, remedy=_LOOK, moves=True),
    "trash-left": Kind(level=_NOTE, remedy=f"empty it: {_REPAIR}", moves=True),
    # small files
    "draft-left": Kind(level=_NOTE, remedy=f"remove it: {_REPAIR}", moves=True),
    "inbox-unheard": Kind(level=_NOTE, remedy="`tidegate run` hears it", moves=True),
    "inbox-left": Kind(level=_NOTE, remedy=f"remove it: {_REPAIR}", moves=True),
    "bell-blocked": Kind(remedy=f"quarantine it: {_REPAIR}", moves=True),
    # a backup
    "backup-differs": Kind(remedy="it is not the backup that was made: make another"),
}
"""Every kind. The how-to page has a line for each, and a test a damage that was made by hand."""
