"""A kill at any durable call loses nothing, doubles nothing, and stops nobody.

Each is done again by who comes next, and what there is then is held against a run that nobody
disturbed. Where not every point is taken, the test says how many were, and by which seed.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.crash.injection import missing
from tests.crash.registry import NAMES, WITH_GIT, load
from tests.crash.share import share
from tests.crash.sweep import Wrong, sweep

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())

OURS = {
    "publish": 6,
    "ledger": 8,
    "turn": 6,
    "harvest": 4,
    "remove": 4,
    "land": 5,
    "move": 3,
    "deliver": 4,
    "run": 3,
}
"""At how many calls our own process is killed in CI."""
GITS = {"harvest": 4, "remove": 3, "land": 4, "deliver": 6}


@pytest.mark.parametrize("name", NAMES)
def test_a_kill_of_ours_loses_and_doubles_nothing(
    name: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """G4-15, B09: our own process is killed at a durable call; its gits end with it."""
    tally = sweep(load(name), tmp_path / "sweep", cap=share(OURS[name]))
    record_property("crash", tally.said())
    assert tally.is_proved, tally


@pytest.mark.parametrize("name", WITH_GIT)
def test_a_kill_of_a_git_loses_and_doubles_nothing(
    name: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """G4-15: one git of ours is killed at a durable call, and whoever started it goes on."""
    tally = sweep(load(name), tmp_path / "sweep", of_git=True, cap=share(GITS[name]))
    record_property("crash", tally.said())
    assert tally.is_proved, tally


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("publish", Wrong(mutant="write_in_place")),
        ("ledger", Wrong(mutant="commit_each_row", calls=("fdatasync",))),
        ("turn", Wrong(mutant="begin_again")),
        ("land", Wrong(mutant="acknowledge_first", calls=("write",))),
        ("remove", Wrong(mutant="remove_first")),
        ("deliver", Wrong(mutant="forget_what_was_begun")),
    ],
    ids=lambda each: each.mutant if isinstance(each, Wrong) else each,
)
def test_a_product_that_is_wrong_is_caught(name: str, wrong: Wrong, tmp_path: Path) -> None:
    """The same sweep finds what a wrong order loses: it is able to fail."""
    tally = sweep(load(name), tmp_path / "sweep", cap=None, wrong=wrong)
    assert tally.fired > 0
    assert tally.wrong
