"""What a look at everything that is kept works on: one home, and one moment of its ledger."""

from collections.abc import Mapping
from pathlib import Path

from tidegate.core.records import record
from tidegate.engine.places import Places
from tidegate.ports.examination import HubExaminer, LedgerExaminer
from tidegate.ports.ledger import Ledger
from tidegate.ports.repository import Repository
from tidegate.verbs.facts import Facts
from tidegate.verbs.house import House

NUMBERS_MAX = 10_000
"""How many names are tried for a thing in quarantine."""


@record
class Site:
    """`moment` is the folder of the ledger's copy, `ledger` that copy. A backup has no repository.

    `is_busy`: a controller was at work when the look began.
    """

    house: House
    home: str
    moment: str
    ledger: Ledger
    runs: Mapping[str, Facts]
    repository: Repository | None
    is_busy: bool

    @property
    def examines_ledger(self) -> LedgerExaminer:
        """Who looks at ledgers."""
        return self.house.examiner.ledger

    @property
    def hub(self) -> HubExaminer:
        """Who looks at hubs."""
        return self.house.examiner.hub

    def places(self, run: str) -> Places:
        """Where the files of a run are."""
        return Places(home=self.home, run=run)


def quarantined(path: Path, quarantine: Path) -> str:
    """Move a thing aside, over nothing else; say where it is now. Raises OSError."""
    quarantine.mkdir(parents=True, exist_ok=True, mode=0o700)
    names = (path.name, *(f"{path.name}.{n}" for n in range(1, NUMBERS_MAX)))
    free = next(name for name in names if not (quarantine / name).exists())
    path.rename(quarantine / free)
    return f"moved to {quarantine / free}"


def removed(path: Path) -> str:
    """Remove a file that nobody needs. Raises OSError."""
    path.unlink(missing_ok=True)
    return "removed"
