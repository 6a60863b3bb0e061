"""What a number of seeds came to: the rules that were broken, the moves made, the faults struck."""

import gc
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tests.sim.seeds import world_of
from tidegate.core.attempt import State

GARBAGE_AT = 200_000
"""How many new objects make a collection due: what a world leaves is gone a few worlds later, and
looking for it more often took a tenth of the time."""
IN_MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
"""Where folders cost least; any place will do."""


@dataclass
class Survey:
    """What a number of worlds came to. Surveys of parts add up to that of the whole."""

    seeds: int = 0
    failures: list[str] = field(default_factory=list)
    failed: list[int] = field(default_factory=list)
    """The seeds of the failures."""
    moves: set[tuple[State | None, State]] = field(default_factory=set)
    faults: Counter[str] = field(default_factory=Counter)
    deaths: int = 0
    """How often a controller died."""
    ticks: int = 0

    def add(self, other: "Survey") -> None:
        """Count another part in."""
        self.seeds += other.seeds
        self.failures += other.failures
        self.failed += other.failed
        self.moves |= other.moves
        self.faults.update(other.faults)
        self.deaths += other.deaths
        self.ticks += other.ticks


def survive(seed: int, survey: Survey) -> None:
    """Live through one world."""
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
        world = world_of(seed, Path(folder))
        try:
            world.run_to_end()
        except Exception as error:  # noqa: BLE001 - a bug of the product fails the seed as well
            survey.failed.append(seed)
            survey.failures.append(
                f"seed {seed}: {type(error).__name__}: {error}\n"
                f"    replay: PYTHONPATH=src python -m tests.sim.replay {seed}"
            )
    survey.seeds += 1
    survey.moves |= world.durable.moves
    survey.faults.update(world.faults.counts)
    survey.deaths += world.deaths
    survey.ticks += world.ticks


def surveyed(seeds: Iterable[int]) -> Survey:
    """What these seeds come to."""
    survey = Survey()
    before = gc.get_threshold()
    gc.set_threshold(GARBAGE_AT)
    try:
        for seed in seeds:
            survive(seed, survey)
    finally:
        gc.set_threshold(*before)
    return survey
