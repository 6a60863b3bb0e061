"""From a seed to a world: which issues, which builders, which faults, and for how long.

Each world has a few kinds of faults and not all (a swarm finds more than a storm). The same seed is
the same world, to the last event.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from random import Random

from tests.sim.builders import (
    BAD,
    BREACHES,
    CANNOT_START,
    FLOODS,
    GIVES_UP,
    GOOD,
    HANGS,
    IDLE,
    Deed,
)
from tests.sim.faults import Odds
from tests.sim.judges import (
    ASKS,
    BUILDS,
    FAILS,
    PASSES,
    REFUSES,
    SILENT,
    TAMPERS,
    TAMPERS_AND_COMMITS,
    UNCLEAR,
)
from tests.sim.judges import BREACHES as JUDGE_BREACHES
from tests.sim.judges import BREAKS_OFF as JUDGE_BREAKS_OFF
from tests.sim.plan import CONFIGURATION, Plan
from tests.sim.world import World
from tidegate.core.values import Role
from tidegate.ports.git import (
    DeliverWork,
    HarvestWork,
    MergeWork,
    MoveWork,
    PrepareWork,
    RemoveWork,
)

STORM = Odds(
    crash=0.004,
    reboot=0.4,
    pause=0.002,
    refusal=0.02,
    usurped=0.02,
    no_process=0.02,
    slow_start=0.1,
    wake_missed=0.3,
    runner_dies=0.06,
    orphan=0.06,
    killed=0.06,
    frozen=0.1,
    clings=0.1,
    job_fails=0.06,
    flaky=0.15,
    wall_step=0.001,
    suspend=0.001,
    clock_lies=0.003,
    drain=0.01,
    stop=0.2,
    detach=0.003,
)
"""Each kind of fault at its full strength."""

_CLASH = Deed(writes="clash:x")
_STORIES: Sequence[Sequence[Deed]] = (
    [GOOD],
    [GOOD],
    [BAD, GOOD],
    [BAD, BAD, GOOD],
    [BAD],
    [IDLE, GOOD],
    [BAD, IDLE, GOOD],
    [IDLE],
    [HANGS, GOOD],
    [HANGS],
    [GIVES_UP, GOOD],
    [FLOODS, GOOD],
    [CANNOT_START, GOOD],
    [CANNOT_START, CANNOT_START, GOOD],
    [_CLASH, GOOD],
    [_CLASH, _CLASH, GOOD],
    [Deed(writes="unfit"), GOOD],
    [BREACHES],
)


def world_of(seed: int, folder: Path, configuration: str = CONFIGURATION) -> World:
    """The world of a seed."""
    random = Random(seed)  # noqa: S311 - it is to be the same each time, and no secret
    names = "abcd"[: random.randint(1, 4)]
    pace_s = random.uniform(5, 200) if random.random() < 0.3 else None
    deeds = {name: _deeds(random, pace_s) for name in names}
    needs = {names[-1]: (names[0],)} if len(names) > 1 and random.random() < 0.3 else {}
    plan = Plan(
        deeds=deeds,
        needs=needs,
        added_s={names[-1]: random.uniform(0, 600)} if random.random() < 0.2 else {},
        width=random.randint(1, 4),
        odds=_odds(random),
        calm_at_s=random.uniform(60, 900),
        configuration=configuration,
    )
    others = Random(f"judges of {seed}")  # noqa: S311 - as above
    world = World(_judged(plan, others), seed=seed, folder=folder)
    if world.plan.asks_owner or world.plan.adjudicates or others.random() < 0.2:
        world.owner = world.new_owner(others, is_calm=lambda: world.faults.is_calm)
    upkeep = Random(f"maintenance of {seed}")  # noqa: S311 - as above
    if upkeep.random() < 0.25:
        world.maintenance = world.new_maintenance(upkeep)
    for trouble in _TROUBLES:
        if random.random() < 0.2:
            trouble(world, random).plan()
    return world


_VERIFIERS = (
    *[PASSES] * 4, FAILS, UNCLEAR, TAMPERS, TAMPERS_AND_COMMITS, JUDGE_BREAKS_OFF, JUDGE_BREACHES
)  # fmt: skip
_ADJUDICATORS = (*[BUILDS] * 4, REFUSES, ASKS, SILENT, JUDGE_BREAKS_OFF)
_FOOTPRINTS: Sequence[tuple[str, ...]] = (
    (), ("own/**",), ("own/a", "own/b"), ("own/b", "shared"), ("own/c", "shared"), ("lib/**",)
)  # fmt: skip


def _judged(plan: Plan, random: Random) -> Plan:
    """In some worlds somebody adjudicates, verifies or rules, and paths are held."""
    if random.random() < 0.5:
        return plan
    words = {
        Role.VERIFY: {name: random.choices(_VERIFIERS, k=6) for name in plan.deeds},
        Role.ADJUDICATE: {name: random.choices(_ADJUDICATORS, k=3) for name in plan.deeds},
    }
    return replace(
        plan,
        words=words,
        adjudicates=random.random() < 0.4,
        verifies=random.random() < 0.6,
        asks_owner=random.random() < 0.4,
        footprints={name: random.choice(_FOOTPRINTS) for name in plan.deeds},
    )


def _deeds(random: Random, pace_s: float | None) -> Sequence[Deed]:
    """One issue's turns. Where all have one pace, they come to the queue at the same time."""
    shares = random.random() < 0.5
    commits = random.choice(["early", "end", "never"])
    work_s = pace_s or random.uniform(5, 200)
    return [
        each if each.work_s > 1e6 else replace(each, shares=shares, commits=commits, work_s=work_s)
        for each in random.choice(_STORIES)
    ]


def _odds(random: Random) -> Odds:
    chosen = {f.name: getattr(STORM, f.name) for f in fields(Odds) if random.random() < 0.35}
    if random.random() < 0.1:
        chosen["job_fails"] = 0.5  # now and then nothing that the engine does itself succeeds
    return Odds(**chosen)


# --- troubles with a beginning and an end -------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Trouble:
    """Something is wrong from one instant to another, which comes no later than the calm."""

    world: World
    random: Random

    def plan(self) -> None:
        """Plan beginning and end."""
        calm_s = self.world.plan.calm_at_s
        begin_s = self.random.uniform(0, calm_s)
        self.world.timeline.after(begin_s, self.begin)
        self.world.timeline.after(self.random.uniform(begin_s, calm_s), self.end)

    def begin(self) -> None:
        """It goes wrong."""

    def end(self) -> None:
        """It is mended."""


class _LowDisk(_Trouble):
    """There is too little room to start anything."""

    def begin(self) -> None:
        """See _Trouble."""
        self.world.free_bytes = 1000

    def end(self) -> None:
        """See _Trouble."""
        self.world.free_bytes = 10**12


class _DirtyCheckout(_Trouble):
    """The user works where the run would deliver."""

    def begin(self) -> None:
        """See _Trouble."""
        self.world.git.checkout.dirt = "the checkout has changes that a delivery would overwrite"

    def end(self) -> None:
        """See _Trouble."""
        self.world.git.checkout.dirt = None


class _NoAgent(_Trouble):
    """The agent's program is missing."""

    def begin(self) -> None:
        """See _Trouble."""
        self.world.builders.problem = "'agent' is not on PATH"

    def end(self) -> None:
        """See _Trouble."""
        self.world.builders.problem = None


class _StrangeHand(_Trouble):
    """Somebody moves the hub's ref, and later moves it back."""

    def begin(self) -> None:
        """See _Trouble."""
        git, run = self.world.git, self.world.durable.run
        if run is None or run.target not in git.hub.values():
            return  # a landing has happened that nobody knows of yet
        git.is_moved = True
        for ref, commit in git.hub.items():
            made = git.commit({**git.objects.tree(commit), "strange": "1"}, (commit,), "strange")
            git.hub[ref] = made

    def end(self) -> None:
        """See _Trouble."""
        git = self.world.git
        git.is_moved = False
        for ref, commit in git.hub.items():
            if git.objects.commit(commit).subject == "strange":
                git.hub[ref] = git.objects.commit(commit).parents[0]


_JOBS = (PrepareWork, HarvestWork, MergeWork, MoveWork, DeliverWork, RemoveWork)


class _SickGit(_Trouble):
    """Every job of one kind fails."""

    def begin(self) -> None:
        """See _Trouble."""
        self.world.faults.sick = self.random.choice(_JOBS)

    def end(self) -> None:
        """See _Trouble."""
        self.world.faults.sick = None


_TROUBLES = (_LowDisk, _DirtyCheckout, _NoAgent, _StrangeHand, _SickGit)
