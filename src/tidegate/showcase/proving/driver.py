"""The proof from its beginning to its end: make a world, strike at it, let it end, examine it."""

import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random

from tidegate.core.records import record
from tidegate.showcase.proving import child, faults, sight
from tidegate.showcase.proving.child import Recovery, pause
from tidegate.showcase.proving.examiner import examine
from tidegate.showcase.proving.faults import Fault, Stage, Struck
from tidegate.showcase.proving.records import rows_of
from tidegate.showcase.proving.report import Proof, drawn_up
from tidegate.showcase.proving.sweeping import end_all, undisturbed
from tidegate.showcase.proving.world import WIDTH, World
from tidegate.verbs.house import House

_AHEAD = WIDTH + 1
"""So many issues at least wait while faults go on."""
_TRIES_MAX = 6
"""How often a fault may find nothing to strike, in a row, until it counts as never fired."""
_FEW_KILLS = 20
"""Up to so many the agents have less to do, so that a short proof is one."""
_LAST_LIFE_MAX_S = 900.0
_LIVES_AFTER_MAX = 10
_START_S = 0.8
_WITH_AGENTS = 0.7
"""So many kills of a controller wait until it has an agent to lose; the others strike at any time,
a merge, a landing or a push that is under way included."""
_FINISHED = frozenset({0, 1})


@record
class ProveWish:
    """What a person asks of the proof. With `kills` it is so many SIGKILLs and nothing else."""

    minutes: float = 2.0
    seed: int = 0
    kills: int = 0
    only: tuple[Fault, ...] = ()
    """Each of these once, and no other fault, whatever the minutes."""
    keep: bool = False

    @property
    def wanted(self) -> Sequence[Fault]:
        """The faults that have to take effect."""
        if self.kills:
            return (Fault.KILL_CONTROLLER,)
        return self.only or faults.ALL

    @property
    def pace_s(self) -> float:
        """How long an agent works at one issue, where nobody disturbs it."""
        if self.only:
            return 4.0
        if self.kills:
            return 25.0 if self.kills > _FEW_KILLS else 5.0
        return min(45.0, max(6.0, self.minutes * 10))


def run_prove(house: House, wish: ProveWish, tell: Callable[[str], None]) -> Proof:
    """Prove it. The folder goes unless it is to be kept, or the proof does not hold."""
    folder = Path(tempfile.mkdtemp(prefix="tidegate-prove-"))
    world = World(folder=folder, environment=house.environment, pace_s=wish.pace_s)
    is_kept = False
    try:
        tell(f"a repository to be tried, seed {wish.seed}: {world.repository}")
        proof = _prove(house, wish, world, tell)
        is_kept = wish.keep or not proof.holds
        return replace(proof, kept=str(folder)) if is_kept else proof
    finally:
        with undisturbed():
            end_all(world)
            if not is_kept:
                shutil.rmtree(folder, ignore_errors=True)


def _prove(house: House, wish: ProveWish, world: World, tell: Callable[[str], None]) -> Proof:
    began_s = house.clock.now().monotonic_s
    world.make()
    world.write_issues(_AHEAD)
    stage = Stage(
        house=house,
        world=world,
        random=Random(wish.seed),  # noqa: S311 - it is to be the same each time, and no secret
        controller=child.start(world, lambda: house.clock.now().monotonic_s),
        tell=tell,
        is_hasty=bool(wish.kills),
    )
    try:
        problems: list[str] = []
        if child.settle(stage.controller, world, stage.now_s) is None:
            problems.append(f"no controller started: {' / '.join(stage.controller.said[-3:])}")
            struck: Sequence[Struck] = ()
        else:
            struck = _strike_all(stage, wish)
            problems.extend(_finish(stage))
        tell("examining what is left")
        found = examine(
            world,
            struck={each.turn for each in struck if each.turn is not None},
            path=house.environment.get("PATH", os.defpath),
        )
    finally:
        with suppress(ProcessLookupError):
            stage.controller.kill()
    return drawn_up(
        struck,
        found.damages,
        stage.starts,
        seed=wish.seed,
        seconds=stage.now_s() - began_s,
        looked_at=found.looked_at,
        wanted=wish.wanted,
        problems=problems,
    )


def _strike_all(stage: Stage, wish: ProveWish) -> Sequence[Struck]:
    """Fault after fault, each kind once before any comes again, until there are enough."""
    struck: list[Struck] = []
    until_s = stage.now_s() + (0.0 if wish.only else wish.minutes * 60)
    deck: list[Fault] = []
    vain: dict[Fault, int] = {}
    stage.a_live_turn()  # there is something to lose from the first fault on
    while not _is_enough(stage, wish, struck, vain, until_s):
        _go_on(stage)
        if not deck:
            deck = stage.random.sample(wish.wanted, len(wish.wanted))
        fault = deck.pop()
        if wish.kills and stage.random.random() < _WITH_AGENTS:
            stage.a_live_turn()
        pause(_gap_s(stage, wish))
        done = faults.strike(stage, fault)
        if done is None:
            vain[fault] = vain.get(fault, 0) + 1
            deck.insert(0, fault)
            continue
        vain[fault] = 0
        struck.append(done)
        _tell(stage, done, len(struck))
    if stage.is_starting:
        stage.settle()
    return struck


def _tell(stage: Stage, done: Struck, count: int) -> None:
    stage.tell(f"{count:4}  {done.fault}: {done.seen or 'NO EFFECT'}{_after(done.recovery)}")


def _after(recovery: Recovery | None) -> str:
    """How the next controller found its way."""
    if recovery is None:
        return ""
    agents = {0: "none", 1: "1 agent"}.get(recovery.agents, f"{recovery.agents} agents")
    return f"; at work again after {recovery.adopted_s:.2f} s, adopted: {agents}"


def _gap_s(stage: Stage, wish: ProveWish) -> float:
    """Until the next fault. Kills come at any moment, also while a controller still starts."""
    if not wish.kills:
        return stage.random.uniform(0.2, 2.0)
    return stage.random.uniform(0.0, _START_S if stage.is_starting else 1.5)


def _is_enough(
    stage: Stage,
    wish: ProveWish,
    struck: Sequence[Struck],
    vain: dict[Fault, int],
    until_s: float,
) -> bool:
    if any(count > _TRIES_MAX for count in vain.values()):
        return True
    if wish.kills:
        return len(struck) >= wish.kills
    done = {each.fault for each in struck}
    return stage.now_s() >= until_s and done >= set(wish.wanted)


def _go_on(stage: Stage) -> None:
    """There is always work ahead, and somebody who sees to it."""
    taken = len({row["issue"] for row in rows_of(stage.world.home, "lane")})
    stage.world.write_issues(max(0, taken + _AHEAD - stage.world.issues))
    if not stage.controller.is_alive:
        stage.restart()


def _finish(stage: Stage) -> Sequence[str]:
    """No more faults and no more issues: it must come to its end by itself."""
    stage.tell("enough; now it may finish in peace")
    limit_s = stage.now_s() + _LAST_LIFE_MAX_S
    for _ in range(_LIVES_AFTER_MAX):
        code = stage.controller.wait(limit_s - stage.now_s())
        if code is None:
            break
        is_all = not _open_lanes(stage) and _told_issues(stage) >= stage.world.issues
        if code in _FINISHED and is_all:
            return ()
        stage.restart()
    said = " / ".join(stage.controller.said[-3:])
    return [f"it has not come to its end: {_open_lanes(stage)} lanes are open; it said: {said}"]


def _open_lanes(stage: Stage) -> int:
    question = "select count(*) from lane where outcome is null"
    return sight.number_asked(stage.world.home, question)


def _told_issues(stage: Stage) -> int:
    question = "select count(distinct issue) from lane where outcome is not null"
    return sight.number_asked(stage.world.home, question)
