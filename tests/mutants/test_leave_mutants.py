"""What gives leave to change what judges a change is the owner's word, wherever it is looked at."""

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.engine import test_judging as judging
from tests.git import test_surface as surface
from tests.git.world import World, commit, seed
from tests.mutants.planting import Mutant, missed, mutant
from tidegate.core import evolve
from tidegate.engine import reach
from tidegate.git import candidate, scope


def in_git(path: str) -> Callable[[], None]:
    """The check that this path needs the owner's leave, with real git in a folder of its own."""

    def told() -> None:
        with tempfile.TemporaryDirectory() as folder:
            seed(Path(folder))
            world = World(Path(folder))
            base = surface.into_hub(world, commit(world.root, surface.CALC))
            surface.test_only_the_owner_gives_leave_to_change_what_judges_a_change(
                world, base, path
            )

    return told


def emptied() -> None:
    """The check that only an owner's footprint names what is to go."""
    with tempfile.TemporaryDirectory() as folder:
        seed(Path(folder))
        surface.test_a_change_that_empties_the_tree_is_told(World(Path(folder)))


def story() -> None:
    """The story of an adjudicator that expects too much."""
    with tempfile.TemporaryDirectory() as folder:
        judging.test_what_an_adjudicator_expects_is_no_leave(Path(folder), ())


def written() -> None:
    """The same story of an issue with a footprint of its own."""
    with tempfile.TemporaryDirectory() as folder:
        judging.test_what_an_adjudicator_expects_is_no_leave(Path(folder), ("own/**",))


MUTANTS = [
    mutant(
        "what is expected is leave",
        reach,
        "        leave=lane.leave,",
        "        leave=lane.footprint,",
        story,
    ),
    mutant(
        "the owner gave no leave",
        evolve,
        "            leave=event.footprint,",
        "            leave=(),",
        written,
    ),
    mutant(
        "tests are weakened with an agent's leave",
        candidate,
        "scope.permitted(found, part.leave or ())",
        "scope.permitted(found, part.footprint or ())",
        in_git("tests/test_calc.py"),
    ),
    mutant(
        "the check is edited with an agent's leave",
        candidate,
        "scope.permitted(found, part.leave or ())",
        "scope.permitted(found, part.footprint or ())",
        in_git("Makefile"),
    ),
    mutant(
        "what is protected is changed with an agent's leave",
        scope,
        "not footprint.matches(leave, path):",
        "not footprint.matches(patterns, path):",
        in_git("tidegate.toml"),
    ),
    mutant(
        "a tree is emptied with an agent's leave",
        candidate,
        "scope.mass_deletion(git, old, changes, leave)",
        "scope.mass_deletion(git, old, changes, patterns)",
        emptied,
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize("planted", MUTANTS)
def test_a_guard_that_is_taken_out_is_missed(
    planted: Mutant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The named check passes with the guard, and fails without it."""
    missed(planted, monkeypatch)
