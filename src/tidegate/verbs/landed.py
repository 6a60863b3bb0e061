"""What the ledger knows to have landed, held against what git still has of it. It changes nothing.

Where the two differ, neither may be believed: work that counts as landed would be left out of all
that comes after it, and nobody would be told.
"""

from tidegate.core.errors import IntegrityError
from tidegate.ports.ledger import Ledger
from tidegate.ports.repository import HUB, Repository
from tidegate.verbs.house import House


def landed_commit(ledger: Ledger, run: str) -> str | None:
    """The newest commit that landed in a run, as it is recorded; None where nothing did."""
    landed = [row for row in ledger.rows("lane", run) if row["landed_commit"]]
    newest = max(landed, key=lambda row: int(str(row["landed_sequence"])), default=None)
    return None if newest is None else str(newest["landed_commit"])


def lost_landing(
    house: House, repository: Repository, run: str, commit: str, *, otherwise: str = ""
) -> IntegrityError:
    """The error of a landing that the hub has no trace of. `otherwise` is one more way out."""
    ways = [
        "`tidegate fsck --repair`, where only the ref is lost",
        f"restore {repository.home}/{HUB} from a backup",
    ]
    if house.repositories.branch_commit(repository, commit) is not None:
        ways.append(f"take it yourself, since your repository has it: git merge {commit}")
    if otherwise:
        ways.append(otherwise)
    return IntegrityError(
        f"run {run} has landed {commit}, and the hub has nothing of it",
        hint="; or ".join(ways),
    )
