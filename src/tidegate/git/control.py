"""What we keep about each workspace out of its agent's reach, in a folder beside the hub's objects.

It holds the index as it was after the checkout, whose file times tell later what changed; what
set-up left behind, so that it is not taken for the agent's work; and the record that the workspace
was finished. A workspace without that record was never given to anybody.
"""

import contextlib
import fcntl
import json
import os
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from tidegate.git import durable, trash
from tidegate.git.errors import Busy


class Baseline(NamedTuple):
    """How a workspace differed from its commit before its agent saw it."""

    changed: dict[bytes, str | None]
    """Tracked paths with the blob id of their bytes; None for what is no plain file."""
    hidden: frozenset[bytes]
    """Untracked paths: copied files, caches, what set-up made."""

    def with_hidden(self, paths: Iterable[bytes]) -> "Baseline":
        """Return the same with further untracked paths."""
        return Baseline(self.changed, self.hidden | {*paths})

    def with_inside(self, folder: str, inside: "Baseline") -> "Baseline":
        """Return the same with what a submodule in `folder` has."""
        at = os.fsencode(folder) + b"/"
        changed = {at + path: oid for path, oid in inside.changed.items()}
        return Baseline(self.changed | changed, self.hidden | {at + path for path in inside.hidden})

    def below(self, folder: str) -> "Baseline":
        """Return the same as seen from a folder."""
        at = os.fsencode(folder) + b"/"
        changed = {
            path.removeprefix(at): oid for path, oid in self.changed.items() if path.startswith(at)
        }
        hidden = {path.removeprefix(at) for path in self.hidden if path.startswith(at)}
        return Baseline(changed, frozenset(hidden))


NOTHING_BEFORE = Baseline({}, frozenset())


class Control(NamedTuple):
    """The folder of one workspace, found by the workspace's path."""

    folder: str

    @classmethod
    def of(cls, hub_path: str, workspace: str) -> "Control":
        """Name the folder, which mirrors the path: a digest would cost an import."""
        at = os.path.abspath(workspace).lstrip("/")
        return cls(os.path.join(hub_path, "tidegate", "workspaces", at, "=control"))

    @property
    def kept_index(self) -> str:
        """The index as it was after the checkout, or after the last harvest."""
        return os.path.join(self.folder, "index")

    def kept_index_of(self, submodule: str) -> str:
        """The index of a filled submodule as it was after the checkout."""
        return os.path.join(self.folder, "submodules", submodule, "=index")

    @property
    def is_begun(self) -> bool:
        """Tell whether we began to make the workspace, finished or not."""
        return os.path.exists(self._note)

    def begin(self, workspace: str) -> None:
        """Note whose folder this is, and nothing else, before anything is made."""
        for stale in (self._record, self._baseline, self.kept_index):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(stale)
        durable.write_file(self._note, os.fsencode(workspace))

    def finish(self, record: dict[str, Any]) -> None:
        """Note that the workspace is whole."""
        durable.write_file(self._record, json.dumps(record, sort_keys=True).encode())

    def keep_index(self, index: str) -> None:
        """Take another index in place of the one that is kept, whole or not at all."""
        durable.sync_file(index)
        os.replace(index, self.kept_index)

    def drop_index(self) -> None:
        """Keep no index: a sparse checkout's hides what lies outside its cone."""
        os.unlink(self.kept_index)

    def keep(self, baseline: Baseline) -> None:
        """Note how the workspace looks before its agent sees it."""
        content = {
            "changed": {os.fsdecode(path): oid for path, oid in baseline.changed.items()},
            "hidden": sorted(map(os.fsdecode, baseline.hidden)),
        }
        durable.write_file(self._baseline, json.dumps(content).encode())

    def baseline(self) -> Baseline:
        """Return what was noted; nothing for a workspace that was not made here."""
        try:
            with open(self._baseline, "rb") as file:
                content = json.load(file)
        except FileNotFoundError:
            return NOTHING_BEFORE
        return Baseline(
            {os.fsencode(path): oid for path, oid in content["changed"].items()},
            frozenset(map(os.fsencode, content["hidden"])),
        )

    def record(self) -> dict[str, Any] | None:
        """Return what was noted when the workspace was finished, or None."""
        try:
            with open(self._record, "rb") as file:
                found: dict[str, Any] = json.load(file)
        except FileNotFoundError:
            return None
        return found

    def forget(self) -> None:
        """Remove all of it."""
        trash.clear(self.folder)

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Keep other processes of ours off this workspace. Raises Busy, and never waits."""
        os.makedirs(self.folder, exist_ok=True)
        descriptor = os.open(
            os.path.join(self.folder, "lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
        )
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(descriptor)
            raise Busy("another process of ours works on this workspace") from error
        try:
            yield
        finally:
            os.close(descriptor)

    @property
    def _baseline(self) -> str:
        return os.path.join(self.folder, "baseline.json")

    @property
    def _note(self) -> str:
        return os.path.join(self.folder, "path")

    @property
    def _record(self) -> str:
        return os.path.join(self.folder, "ready.json")


def copy_index(source: str, target: str, *, is_kept: bool = False) -> None:
    """Copy an index with its time, from which git tells what may have changed since.

    One that is kept is on the disk before this returns: git would read half an index without
    noticing.
    """
    with open(source, "rb") as file:
        content = file.read()
        status = os.fstat(file.fileno())
    with open(target, "wb") as file:
        file.write(content)
        if is_kept:
            file.flush()
            os.fsync(file.fileno())
    os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))
