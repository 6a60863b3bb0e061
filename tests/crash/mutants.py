"""Products that are wrong on purpose. Each is caught by the test that the real one passes.

A mutant is a function that changes the modules of the process it is called in.
"""

import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tests.crash import git_work
from tidegate.evidence import store
from tidegate.git import durable, journal
from tidegate.ledger import opening, writer
from tidegate.ledger.sqlite import SqliteLedger
from tidegate.ports.ledger import Batch, Fence
from tidegate.runner import files, program


def _put(owner: object, name: str, value: object) -> None:
    """Put something wrong in the place of what is right."""
    assert hasattr(owner, name)
    setattr(owner, name, value)


def _write_in_place() -> None:
    """The store writes to the artifact's place, and not aside."""

    def promote(_self: object, path: str, text: str, *, digest: str) -> None:
        place = Path(path)
        if place.exists():
            store._compare(place, digest)
            return
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")

    _put(store.FileStore, "promote", promote)


def _commit_each_row() -> None:
    """The ledger makes each row durable by itself, and not a batch."""
    _put(writer.SqliteTables, "begin", lambda _: None)
    _put(writer.SqliteTables, "commit", lambda _: None)


def _acknowledge_first() -> None:
    """The ledger is told of a landing before the ref has moved."""
    move, commit = git_work.move, SqliteLedger.commit
    waiting: list[tuple[Path, str]] = []

    def later(place: Path, new: str) -> None:
        waiting.append((place, new))

    def first(ledger: SqliteLedger, fence: Fence, batch: Batch) -> object:
        recorded = commit(ledger, fence, batch)
        while waiting:
            move(*waiting.pop())
        return recorded

    _put(git_work, "move", later)
    _put(SqliteLedger, "commit", first)


def _remove_first() -> None:
    """A workspace is taken away before it is harvested."""

    def harvest_nothing(_place: Path) -> None:
        return

    _put(git_work, "harvest", harvest_nothing)


def _forget_what_was_begun() -> None:
    """A delivery does not read what a killed one was at."""
    _put(journal, "interrupted", lambda _: None)


def _begin_again() -> None:
    """A runner starts its agent whatever happened in its folder before."""
    real = files.exists

    def exists(folder: str, name: str) -> bool:
        return name == files.SPEC and real(folder, name)

    _put(files, "exists", exists)
    _put(program, "is_fenced", lambda _folder, *, own_epoch: own_epoch < 0)


def _pass_over_failed_syncs() -> None:
    """The store takes a failed sync for a sync."""

    def sync(descriptor: int, _path: Path) -> None:
        try:
            os.fsync(descriptor)
        except OSError:
            return

    _put(store, "_sync", sync)


def _write_on_after_failed_sync() -> None:
    """The ledger tries a commit again whose sync has failed, on the same file."""
    commit = SqliteLedger.commit

    def again(ledger: SqliteLedger, fence: Fence, batch: Batch) -> object:
        for left in (1, 0):
            try:
                return commit(ledger, fence, batch)
            except Exception:
                ledger._writing()._end = None
                if not left:
                    raise
        raise AssertionError

    _put(SqliteLedger, "commit", again)


def _sync_no_folder() -> None:
    """The store does not have the disk hold the artifact's name."""
    _put(store, "_sync_folder", lambda _: None)


def _sync_no_commit() -> None:
    """The ledger's commits are not synced."""
    make_durable = opening.make_durable

    def make(connection: sqlite3.Connection) -> None:
        make_durable(connection)
        connection.execute("pragma synchronous = off")

    _put(opening, "make_durable", make)


def _sync_no_file_system() -> None:
    """Git's work is acknowledged before the file system was written out."""
    _put(durable, "sync_file_system", lambda _: None)


_ALL: Sequence[Callable[[], None]] = (
    _write_in_place,
    _commit_each_row,
    _acknowledge_first,
    _remove_first,
    _forget_what_was_begun,
    _begin_again,
    _pass_over_failed_syncs,
    _write_on_after_failed_sync,
    _sync_no_folder,
    _sync_no_commit,
    _sync_no_file_system,
)
MUTANTS: Mapping[str, Callable[[], None]] = {each.__name__[1:]: each for each in _ALL}
