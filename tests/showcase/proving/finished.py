"""A small world of the proof whose run has ended, as every test of the examiner finds it."""

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from tests.waiting import until
from tidegate.bootstrap import build_house
from tidegate.showcase.proving import child
from tidegate.showcase.proving.sweeping import end_all
from tidegate.showcase.proving.world import World

PATH = os.environ["PATH"]


def finished(folder: Path) -> World:
    """A world with two issues that have landed, by the product's own run."""
    house = build_house()
    world = World(folder=folder, environment=house.environment, pace_s=0.1)
    world.make()
    world.write_issues(2)
    try:
        controller = child.start(world, lambda: house.clock.now().monotonic_s)
        until(lambda: not controller.is_alive, within_s=120.0)
        assert controller.wait(1.0) == 0, controller.said
    finally:
        end_all(world)
    return world


@contextmanager
def tampered(world: World, folder: Path, *statements: str) -> Iterator[Path]:
    """A home whose ledger is a copy that somebody has changed, past all of its guards."""
    home = folder / "home"
    home.mkdir()
    with (
        closing(sqlite3.connect(world.home / "ledger.db")) as source,
        closing(sqlite3.connect(home / "ledger.db")) as copy,
    ):
        source.backup(copy)
        triggers = copy.execute("select name from sqlite_schema where type = 'trigger'").fetchall()
        for (name,) in triggers:
            copy.execute(f"drop trigger {name}")
        for statement in statements:
            assert copy.execute(statement).rowcount > 0, statement
        copy.commit()
    yield home


@contextmanager
def away(path: Path) -> Iterator[None]:
    """A file is gone for a while."""
    aside = path.with_name(f"{path.name}.away")
    path.rename(aside)
    try:
        yield
    finally:
        aside.rename(path)


def without(values: Mapping[str, object], **others: object) -> dict[str, object]:
    """A row with other values."""
    return {**values, **others}
