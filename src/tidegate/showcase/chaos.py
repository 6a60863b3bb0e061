"""The demo's run as a process of its own, killed in the middle while its agents work."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tidegate.core.errors import Unavailable
from tidegate.core.records import record
from tidegate.engine.wish import Wish
from tidegate.showcase.proving import child, sight
from tidegate.showcase.proving.child import Controller, Recovery
from tidegate.showcase.proving.sight import Turn
from tidegate.showcase.proving.sweeping import end_all
from tidegate.showcase.proving.world import World
from tidegate.verbs.eyes import Eyes
from tidegate.verbs.house import House
from tidegate.verbs.run import RunResult
from tidegate.verbs.summary import (
    LandedIssue,
    Outside,
    RefusedIssue,
    StoppedIssue,
    Summary,
    Target,
    WaitingIssue,
)

INTERRUPTED = 130
LIMIT_S = 120.0
ALONE_S = 0.5
"""How long the agents are left to themselves: they must not notice."""
_SAFE = "select count(*) from event where kind = 'checkpointed' and attempt = '001-build-1'"


class _Interrupted(Exception):
    """Somebody wants it to end."""


@record
class _Seen:
    """Who worked when the controller died, and what the next one found."""

    at_s: float
    alive: Sequence[Turn]
    adopted: Sequence[Turn]
    recovery: Recovery


@dataclass(kw_only=True)
class _Stage:
    """One run of the demo: its controllers, and whoever looks on."""

    house: House
    world: World
    eyes: Eyes
    controller: Controller
    heard: int = 0

    def now_s(self) -> float:
        return self.house.clock.now().monotonic_s

    def start(self) -> None:
        self.controller, self.heard = child.start(self.world, self.now_s), 0

    def wait_for(self, what: Callable[[], object]) -> None:
        """Wait until something is so, and pass on what the controller says meanwhile."""
        limit_s = self.now_s() + LIMIT_S
        is_so = False
        while not is_so:
            is_so = bool(what())
            for line in self.controller.said[self.heard :]:
                self.eyes.tell(line)
                self.heard += 1
            if self.eyes.wish() is not Wish.GO_ON:
                raise _Interrupted
            if self.now_s() > limit_s:
                raise Unavailable("the demo's run did not come so far within two minutes")
            child.pause(0.0 if is_so else child.LOOK_S)


def run_with_chaos(house: House, folder: Path, eyes: Eyes) -> tuple[RunResult, Sequence[str]]:
    """Run over the demo's repository with a SIGKILL in the middle; the result, and what to tell."""
    world = World(folder=folder, environment=house.environment, pace_s=0.0)
    started = child.start(world, lambda: house.clock.now().monotonic_s)
    stage = _Stage(house=house, world=world, eyes=eyes, controller=started)
    try:
        seen = _killed_and_back(stage)
        stage.wait_for(lambda: not stage.controller.is_alive)
        code = stage.controller.wait(LIMIT_S)
        summary = summary_of("\n".join(stage.controller.answered))
        return RunResult(summary=summary, exit_code=code or 0), _told(seen)
    except _Interrupted:
        return RunResult(summary=Summary(run=None), exit_code=INTERRUPTED), ()
    finally:
        end_all(world)
        stage.controller.wait(LIMIT_S)


def _killed_and_back(stage: _Stage) -> _Seen:
    """Wait until a builder's first commit is safe, kill the controller, and start it again."""
    stage.wait_for(
        lambda: (
            not stage.controller.is_alive
            or (sight.number_asked(stage.world.home, _SAFE) and sight.live_turns(stage.world.home))
        )
    )
    alive = sight.live_turns(stage.world.home)
    at_s = stage.now_s() - stage.controller.began_s
    if not (stage.controller.kill() and alive):
        raise Unavailable("the demo's run was over before it could be killed", hint="try it again")
    stage.eyes.tell(f"kill -9 of the controller. Nobody sees to {_names(alive)}; they go on")
    until_s = stage.now_s() + ALONE_S
    stage.wait_for(lambda: stage.now_s() >= until_s)
    stage.start()
    recovery = child.settle(stage.controller, stage.world, stage.now_s)
    if recovery is None:
        said = " / ".join((*stage.controller.said, *stage.controller.answered))
        raise Unavailable(f"the run could not be taken up again: {said[-300:]}")
    watched = sight.watched_by(stage.controller.pid)
    adopted = [turn for turn in alive if turn.runner in watched]
    stage.eyes.tell(
        f"the next controller is at work {recovery.adopted_s:.2f} s after it was started; "
        f"adopted: {_names(adopted) or 'nobody'}"
    )
    return _Seen(at_s=at_s, alive=alive, adopted=adopted, recovery=recovery)


def _told(seen: _Seen) -> Sequence[str]:
    ended = [turn for turn in seen.alive if turn not in seen.adopted]
    meanwhile = f"; {_names(ended)} had ended meanwhile, and was heard all the same"
    what = (
        f"kill -9 after {seen.at_s:.1f} s, with {_names(seen.alive)} at work. "
        f"{seen.recovery.adopted_s:.2f} s after its start the next controller had adopted "
        f"{_names(seen.adopted) or 'nobody'}{meanwhile if ended else ''}."
    )
    return (
        what,
        "All nine ended as if nothing had happened. That is the whole trick: nothing had.",
    )


def _names(turns: Sequence[Turn]) -> str:
    names = sorted(turn.attempt for turn in turns)
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def summary_of(text: str) -> Summary:
    """The summary that `tidegate run --json` printed. Raises Unavailable where it printed none."""
    try:
        said = json.loads(text)
        waiting = [WaitingIssue(issue=w["issue"], waits_for=w["for"]) for w in said["waiting"]]
        return Summary(
            run=said["run"],
            landed=tuple(LandedIssue(**each) for each in said["landed"]),
            refused=tuple(RefusedIssue(**each) for each in said["refused"]),
            stopped=tuple(StoppedIssue(**each) for each in said["stopped"]),
            waiting=tuple(waiting),
            target=Target(**said["target"]) if said["target"] else None,
            effects=tuple(Outside(**each) for each in said["effects"]),
            note=said["note"],
        )
    except (ValueError, KeyError, TypeError) as error:
        raise Unavailable(f"the demo's run gave no summary: {text[-300:]}") from error
