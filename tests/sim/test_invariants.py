"""The rules by which a real ledger is audited hold of every history of the simulated world."""

from collections import Counter
from pathlib import Path

import pytest

from tests.sim.seeds import world_of
from tidegate.core.invariants import Watch

SEEDS = 26
"""As many as it takes for each rule to be asked: a runner must stop for good in one of them."""
SEEDS_MORE = 150


def audited(seeds: range, folder: Path) -> Counter[str]:
    """How many events each rule was asked of; every history must be lawful."""
    checked: Counter[str] = Counter()
    for seed in seeds:
        place = folder / str(seed)
        place.mkdir()
        world = world_of(seed, place)
        world.run_to_end()
        for row in world.ledger.runs():
            watch = Watch(str(row["run_id"]))
            assert list(watch.all(world.ledger.read(watch.past.run_id))) == [], f"seed {seed}"
            checked.update(watch.checked)
    return checked


def test_whatever_goes_wrong_the_history_is_lawful(tmp_path: Path) -> None:
    """G1, G2, G7, G9: crashes, lost answers and dead runners break no rule, and all are asked."""
    checked = audited(range(SEEDS), tmp_path)
    for seed in range(SEEDS, SEEDS_MORE):
        if min(checked.values()) == 0:  # what is rare may be in none of the first
            checked.update(audited(range(seed, seed + 1), tmp_path))
    assert min(checked.values()) > 0, checked


@pytest.mark.slow
def test_more_histories_are_lawful(tmp_path: Path) -> None:
    """The same for seeds that not everybody runs each time."""
    audited(range(SEEDS, SEEDS_MORE), tmp_path)
