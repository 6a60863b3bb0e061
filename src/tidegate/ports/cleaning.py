"""What may be asked about things that are to go: how large they are, and that they go.

Whoever asks has proved that nobody needs them. What cannot be removed is told and stops nothing;
what was cut short by a kill is finished by asking again.
"""

from collections.abc import Sequence
from typing import Protocol

from tidegate.ports.repository import Repository


class Cleaning(Protocol):
    """Removes what is left of runs. No link is ever followed."""

    def size(self, path: str) -> int:
        """What a folder takes on the disk, in bytes; 0 where there is none."""
        ...

    def remove_workspace(self, repository: Repository, path: str) -> Sequence[str]:
        """Take a harvested workspace away, with what was kept about it; what would not go."""
        ...

    def remove_folder(self, path: str, trash: str) -> Sequence[str]:
        """Move a folder into the trash at once, and empty that; what would not go.

        Both are on one file system.
        """
        ...

    def empty(self, trash: str) -> Sequence[str]:
        """Delete what a removal that was killed has left in its trash; what would not go."""
        ...

    def remove_branch(self, repository: Repository, ref: str, commit: str) -> None:
        """Delete a branch of the user's that is at `commit`. Raises Refused where it is in use."""
        ...
