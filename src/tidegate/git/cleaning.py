"""Removes what is left of runs, as ports.cleaning asks for it."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from tidegate.core.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tidegate.ports.repository import Repository

_BLOCK_BYTES = 512


class HostCleaning:
    """See ports.cleaning.Cleaning."""

    def size(self, path: str) -> int:
        """What a folder takes on the disk; what cannot be looked into counts nothing."""
        waiting, total = [path], 0
        while waiting:
            with contextlib.suppress(OSError):
                total += _own_bytes(folder := waiting.pop())
                with os.scandir(folder) as entries:
                    for entry in entries:
                        if entry.is_dir(follow_symlinks=False):
                            waiting.append(entry.path)
                        else:
                            total += _own_bytes(entry.path)
        return total

    def remove_workspace(self, repository: Repository, path: str) -> Sequence[str]:
        """Take a workspace away. Its own trash lies beside it, as that of the run's removals."""
        from tidegate.git import workspace  # noqa: PLC0415 - a controller needs none of it
        from tidegate.git.host import hub_path  # noqa: PLC0415 - as above
        from tidegate.git.hub import Hub  # noqa: PLC0415 - as above

        return workspace.remove(Hub(hub_path(repository)), path, f"{path}.trash").failures

    def remove_folder(self, path: str, trash: str) -> Sequence[str]:
        """Move a folder into the trash at once, and empty that."""
        from tidegate.git.trash import set_aside  # noqa: PLC0415 - as above

        set_aside(path, trash)
        return self.empty(trash)

    def empty(self, trash: str) -> Sequence[str]:
        """Delete what is in the trash, and the trash."""
        from tidegate.git.trash import empty  # noqa: PLC0415 - as above

        emptied = empty(trash)
        if not emptied.failures:
            with contextlib.suppress(OSError):
                os.rmdir(trash)
        return emptied.failures

    def remove_branch(self, repository: Repository, ref: str, commit: str) -> None:
        """Delete a branch by compare-and-swap."""
        from tidegate.git import repository as repositories  # noqa: PLC0415 - as above

        git = repositories.find(repository.root).git
        place = git.run("for-each-ref", "--format=%(worktreepath)", ref).text
        if place:
            raise Refused(f"it is checked out in {place}")
        git.run("update-ref", "-d", ref, commit)


def _own_bytes(path: str) -> int:
    return os.lstat(path).st_blocks * _BLOCK_BYTES
