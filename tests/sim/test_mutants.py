"""The simulation is worth what it notices: it must miss no guard that is taken away."""

import tempfile
from pathlib import Path

import pytest

from tests.sim.directed import offered_at_once, vetoed_when_ruled
from tests.sim.mutants import MUTANTS, MakeWorld
from tests.sim.safety import Violation
from tidegate.core.errors import Refused

SEEDS_MAX = 250


@pytest.mark.slow
@pytest.mark.parametrize("name", MUTANTS)
def test_a_guard_that_is_taken_away_is_missed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it some seed breaks the very rule that it guards."""
    mutant = MUTANTS[name]
    mutant.apply(monkeypatch.setattr)
    said: list[str] = []
    for seed in range(SEEDS_MAX):
        with tempfile.TemporaryDirectory() as folder:
            try:
                mutant.world(seed, Path(folder)).run_to_end()
            except (Violation, Refused) as error:
                said.append(str(error))
        if said and any(rule in said[-1] for rule in mutant.rules):
            return
    pytest.fail(f"nobody missed it in {SEEDS_MAX} seeds; what was said: {said[:5]}")


@pytest.mark.parametrize("world", [offered_at_once, vetoed_when_ruled])
def test_a_world_made_for_a_guard_keeps_the_rules(world: MakeWorld, tmp_path: Path) -> None:
    """With the guard in its place nothing is broken, and everything lands."""
    for seed in range(10):
        folder = tmp_path / str(seed)
        folder.mkdir()
        result = world(seed, folder).run_to_end()
        assert len(result.summary.landed) == 4
