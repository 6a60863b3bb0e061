"""Guards of the engine, each taken away: the simulation must notice every one of them.

A mutant changes one decision and breaks no import: with it the engine still runs, and most of its
runs even end well.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.sim.directed import offered_at_once, vetoed_when_ruled
from tests.sim.seeds import world_of
from tests.sim.world import World
from tidegate.core import commands as c
from tidegate.core import effects as f
from tidegate.core import evolve_lane
from tidegate.core.events import Regranted
from tidegate.core.lane import Attempt, Lane
from tidegate.core.policy import Limits
from tidegate.core.values import Verdict
from tidegate.engine import base_check as base
from tidegate.engine import (
    book,
    clocks,
    jobs,
    loop,
    monitor,
    reach,
    recovery,
    sight,
    tick,
    turns,
)
from tidegate.engine.engine import Engine
from tidegate.playbooks import build
from tidegate.ports.git import MoveWork
from tidegate.ports.runners import Running

Patch = Callable[[object, str, object], None]
"""As `monkeypatch.setattr`."""
MakeWorld = Callable[[int, Path], World]
"""From a seed, and the folder to live in."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """`apply` takes the guard away; one of `rules` must be what the simulation then says."""

    apply: Callable[[Patch], None]
    rules: tuple[str, ...]
    world: MakeWorld = world_of
    """Where the guard is needed."""


def _start_before_commit(patch: Patch) -> None:
    def commit(engine: Engine) -> bool:
        for start in engine.starts.values():
            start()
        engine.starts.clear()
        return original(engine)

    original = tick._commit
    patch(tick, "_commit", commit)


def _lost_without_a_fence(patch: Patch) -> None:
    def is_lost(engine: Engine, folder: str, *, epoch: int, has_begun: bool) -> bool:
        del epoch, has_begun
        since_s = engine.unheld_since.setdefault(folder, engine.now.monotonic_s)
        engine.running.add(folder)
        return engine.now.monotonic_s - since_s >= engine.setup.policy.deadlines.start_s

    patch(Engine, "is_lost", is_lost)


def _lost_without_a_sweep(patch: Patch) -> None:
    def is_empty(engine: Engine, folder: str) -> bool:
        engine.watch.unproved.discard(folder)
        return True

    patch(Engine, "is_empty", is_empty)


def _lost_under_the_old_epoch(patch: Patch) -> None:
    def close(engine: Engine, attempt: Attempt, turn: Any, *, fence: bool) -> None:
        del fence
        original(engine, attempt, turn, fence=False)

    original = turns.close_lease
    patch(turns, "close_lease", close)


def _granted_again_under_the_old_epoch(patch: Patch) -> None:
    def record(self: book.Book, lane_id: str, event: Any) -> None:
        if isinstance(event, Regranted):
            self.leases.pop()
            event = replace(event, epoch=event.epoch - 1)
        original(self, lane_id, event)

    original = book.Book.record_event
    patch(book.Book, "record_event", record)


def _a_beat_counted_twice(patch: Patch) -> None:
    def is_due(engine: Engine, folder: str, beat: Any) -> bool:
        is_new = folder not in engine.renewed
        return original(engine, folder, beat) or is_new

    original = turns._is_renewal_due
    patch(turns, "_is_renewal_due", is_due)


def _land_without_compare(patch: Patch) -> None:
    """The target is taken from wherever it is: nothing is merged anew, and nothing compared."""

    def plan(lane: Lane, view: build.View, now: build.Now) -> build.Steps:
        target = lane.candidate.target if lane.candidate else view.target
        return original(lane, replace(view, target=target), now)

    original = build.plan
    patch(tick, "plan", plan)
    patch(reach, "MoveWork", lambda ref, old, new: MoveWork(ref=ref, old=_Anything(old), new=new))


def _a_drain_that_nobody_keeps(patch: Patch) -> None:
    """A signal drains, and what is broken holds; what the owner said of the run does not."""

    def is_held(engine: Engine) -> bool:
        return engine.is_draining or engine.held_by is not None

    patch(Engine, "is_held", property(is_held))


class _Anything(str):
    """Equal to whatever a ref is at."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False

    def __hash__(self) -> int:
        return super().__hash__()


def _ignore_the_head_of_the_queue(patch: Patch) -> None:
    """Each lane is told that it is the first of the queue, with nothing ahead."""

    def view(engine: Engine, lane: Lane) -> build.View:
        return replace(original(engine, lane), head=lane.id, ahead=None)

    original = tick._view
    patch(tick, "_view", view)


def _remove_before_the_harvest(patch: Patch) -> None:
    def removals(lane: Lane, limits: Limits) -> tuple[f.Remove, ...]:
        early = (
            f.Remove(each.id)
            for each in lane.attempts.values()
            if each.turn and each.turn.end and not each.turn.is_harvested and not each.is_removed
        )
        return (*original(lane, limits), *early)

    original = build._removals
    patch(build, "_removals", removals)


def _promote_before_the_intent(patch: Patch) -> None:
    def promote(engine: Engine, attempt: Attempt) -> reach.Commands:
        hidden, engine.book.entries = engine.book.entries, []
        made = original(engine, attempt)
        engine.book.entries = hidden
        return made

    original = reach._promote
    patch(reach, "_promote", promote)


def _check_the_tip(patch: Patch) -> None:
    """Not the commit that would land."""

    def dispatch(lane: Lane, attempt: Attempt, view: build.View) -> c.Dispatch:
        command = original(lane, attempt, view)
        if attempt.commit is None or lane.candidate is None:
            return command
        return replace(command, base=lane.candidate.tip)

    original = build._dispatch
    patch(build, "_dispatch", dispatch)


def _harvest_beside_a_checkpoint(patch: Patch) -> None:
    patch(reach, "_has_no_checkpoint_under_way", lambda *_: True)


def _trust_the_plan_in_a_drain(patch: Patch) -> None:
    def view(engine: Engine, lane: Lane) -> build.View:
        return replace(original(engine, lane), is_draining=False)

    original = tick._view
    patch(tick, "_view", view)


def _rework_for_ever(patch: Patch) -> None:
    def rework(lane: Lane, attempt: Attempt, view: build.View, now: build.Now) -> build.Steps:
        return original(replace(lane, fails=0), attempt, view, now)

    original = build._rework
    patch(build, "_rework", rework)


def _say_landed_at_the_intent(patch: Patch) -> None:
    patch(reach, "_land", lambda *_: (c.NoteLanding(),))


def _forget_untidy_lanes(patch: Patch) -> None:
    def lanes(ledger: Any, run: str) -> list[str]:
        return [str(row["lane"]) for row in ledger.rows("lane", run) if not row["outcome"]]

    patch(book, "_lanes_to_open", lanes)


def _leave_the_base(patch: Patch) -> None:
    def remove(engine: Engine) -> None:
        engine.is_base_removed = True

    patch(base, "_remove_base", remove)


def _leave_the_jobs(patch: Patch) -> None:
    patch(loop, "_clear_jobs", lambda _: None)


def _retry_a_job_in_its_folder(patch: Patch) -> None:
    """A failure is not counted into the name: what was lost is found lost for ever."""

    def look(engine: Engine, name: str, work: Any, **options: Any) -> Any:
        return original(engine, name.rpartition("-")[0], work, **options)

    original = jobs.look_at_job
    patch(reach, "look_at_job", look)


def _seen_otherwise(**changes: Any) -> Callable[[Patch], None]:
    """The plan is told something else of the run than what is so."""

    def apply(patch: Patch) -> None:
        def view(engine: Engine, lane: Lane) -> build.View:
            return replace(original(engine, lane), **changes)

        original = tick._view
        patch(tick, "_view", view)

    return apply


def _wait_for_no_paths(patch: Patch) -> None:
    patch(tick, "held_by", lambda *_: None)


def _reply_before_the_commit(patch: Patch) -> None:
    def commit(engine: Engine) -> bool:
        for request, reply in engine.replies:
            engine.ports.inbox.reply(request, reply)
        engine.replies = []
        return original(engine)

    original = tick._commit
    patch(tick, "_commit", commit)


def _reply_twice(patch: Patch) -> None:
    def commit(engine: Engine) -> bool:
        engine.replies *= 2
        return original(engine)

    original = tick._commit
    patch(tick, "_commit", commit)


def _keep_the_ruling_after_a_veto(patch: Patch) -> None:
    def sent_back(lane: Lane, asked: Any) -> Lane:
        return replace(original(lane, asked), ruled_utc=lane.ruled_utc)

    original = evolve_lane._sent_back
    patch(evolve_lane, "_sent_back", sent_back)


def _do_not_hear_a_stop(patch: Patch) -> None:
    def plan(lane: Lane, view: build.View, now: build.Now) -> build.Steps:
        return original(replace(lane, stop_asked=None), view, now)

    original = build.plan
    patch(tick, "plan", plan)


def _overlook_tampering(patch: Patch) -> None:
    def harvest(engine: Engine, lane: Lane, attempt: Attempt) -> reach.Commands:
        made = original(engine, lane, attempt)
        note = made[0] if made else None
        if not isinstance(note, c.NoteHarvest) or attempt.commit is None:
            return made
        return (replace(note, tip=attempt.commit, is_empty=True),)

    original = reach._harvest
    patch(reach, "_harvest", harvest)


def _read_every_report_as_a_pass(patch: Patch) -> None:
    patch(reach, "said_in", lambda *_: c.Said(verdict=Verdict.PASS))


def _act_without_a_claim(patch: Patch) -> None:
    def watch(engine: Engine, attempt: Attempt, turn: Any, seen: Any) -> tuple[Any, ...]:
        finding = monitor.finding_of(engine, attempt, turn, seen)
        folder = engine.setup.places.turn(attempt.id, turn.number)
        if finding.lapse is not None:
            epoch, action, lapse = turn.epoch, finding.action, finding.lapse
            engine.after_commit(folder, lambda: monitor._act(engine, folder, epoch, action, lapse))
        return ()

    patch(turns, "watch_turn", watch)


def _never_intervene(patch: Patch) -> None:
    """Silence is health: a runner that is stopped for good keeps its lane for good."""
    patch(turns, "watch_turn", lambda *_: ())


def _conclude_from_clocks_in_doubt(patch: Patch) -> None:
    def may_conclude(engine: Engine) -> bool:
        original(engine)
        engine.watch.trusted_from_s = -1.0
        return True

    original = clocks.may_conclude
    patch(tick, "may_conclude", may_conclude)


def _say_nothing_of_a_recovery(patch: Patch) -> None:
    patch(turns, "note_recovery", lambda *_: ())


def _say_a_recovery_twice(patch: Patch) -> None:
    def note(engine: Engine, attempt: Attempt, seen: Any) -> tuple[c.Command, ...]:
        made = original(engine, attempt, seen)
        if made:
            engine.watch.unrecovered.add(attempt.id)
        return made

    original = recovery.note_recovery
    patch(turns, "note_recovery", note)


def _adopt_nobody(patch: Patch) -> None:
    """Whoever was at work when a controller died is taken for dead."""

    def see(engine: Engine, folder: str, *, fence: int) -> Any:
        seen = sight.see(engine, folder, fence=fence)
        is_open = "/turns/" in folder and engine.watch.unrecovered
        return sight.Lost(None) if is_open and isinstance(seen, Running) else seen

    patch(turns, "see", see)
    patch(recovery, "see", see)


def _observe_all_the_time(patch: Patch) -> None:
    def end_round(engine: Engine, observed: int, inconclusive: int) -> None:
        original(engine, observed, inconclusive)
        engine.watch.round_due_s = 0.0

    original = monitor._end_round
    patch(monitor, "_end_round", end_round)


MUTANTS: Mapping[str, Mutant] = {
    "a drain that nobody keeps": Mutant(
        _a_drain_that_nobody_keeps,
        ("something begins in a drained run", "something is started in a drained run"),
    ),
    "start before commit": Mutant(
        _start_before_commit, ("a turn is started, and its grant", "a job is started, and nothing")
    ),
    "lost without a fence": Mutant(
        _lost_without_a_fence, ("a runner begins where another", "a turn is given up that is alive")
    ),
    "lost without a sweep": Mutant(
        _lost_without_a_sweep, ("a runner begins where another", "a turn is given up that is alive")
    ),
    "lost under the old epoch": Mutant(_lost_under_the_old_epoch, ("was granted at epoch",)),
    "granted again under the old epoch": Mutant(
        _granted_again_under_the_old_epoch, ("the epoch does not grow",)
    ),
    "a beat counted twice": Mutant(_a_beat_counted_twice, ("was counted before",)),
    "land without compare": Mutant(_land_without_compare, ("a move that is no fast-forward",)),
    "ignore the head of the queue": Mutant(
        _ignore_the_head_of_the_queue,
        ("two landings at once", "a landing out of turn"),
        offered_at_once,
    ),
    "remove before the harvest": Mutant(
        _remove_before_the_harvest, ("a workspace is removed with work", "a job is started, and")
    ),
    "promote before the intent": Mutant(
        _promote_before_the_intent, ("an artifact is published without intent",)
    ),
    "check the tip": Mutant(
        _check_the_tip, ("a PASS on a tree that no check passed",), offered_at_once
    ),
    "harvest beside a checkpoint": Mutant(
        _harvest_beside_a_checkpoint, ("a runner begins where another one is alive",)
    ),
    "trust the plan in a drain": Mutant(
        _trust_the_plan_in_a_drain, ("something new begins in a drain",)
    ),
    "rework for ever": Mutant(_rework_for_ever, ("too many FAILs",)),
    "say landed at the intent": Mutant(_say_landed_at_the_intent, ("the hub's target is",)),
    "forget untidy lanes": Mutant(_forget_untidy_lanes, ("a workspace is left",)),
    "leave the base": Mutant(_leave_the_base, ("a workspace is left",)),
    "leave the jobs": Mutant(_leave_the_jobs, ("folders of jobs are left",)),
    "verify nothing": Mutant(_seen_otherwise(verifier=None), ("a landing that nobody verified",)),
    "admit everything": Mutant(
        _seen_otherwise(adjudicator=None), ("a build that nobody admitted",)
    ),
    "ask no owner": Mutant(_seen_otherwise(asks_owner=False), ("a landing without a ruling",)),
    "wait for no paths": Mutant(_wait_for_no_paths, ("paths are held twice",)),
    "reply before the commit": Mutant(_reply_before_the_commit, ("a reply before its commit",)),
    "reply twice": Mutant(_reply_twice, ("a second reply",)),
    "keep the ruling after a veto": Mutant(
        _keep_the_ruling_after_a_veto, ("a landing without a ruling",), vetoed_when_ruled
    ),
    "do not hear a stop": Mutant(_do_not_hear_a_stop, ("is stopped, or waits for its owner",)),
    "overlook tampering": Mutant(_overlook_tampering, ("a landing that nobody verified",)),
    "read every report as a pass": Mutant(
        _read_every_report_as_a_pass, ("a landing that nobody verified",)
    ),
    "act without a claim": Mutant(_act_without_a_claim, ("an intervention that nobody claimed",)),
    "never intervene": Mutant(
        _never_intervene, ("it takes too long", "too many ticks", "after 60")
    ),
    "conclude from clocks in doubt": Mutant(
        _conclude_from_clocks_in_doubt, ("a lane advances by clocks in doubt",)
    ),
    "say nothing of a recovery": Mutant(
        _say_nothing_of_a_recovery, ("an attempt moves before it is said",)
    ),
    "say a recovery twice": Mutant(_say_a_recovery_twice, ("was recovered under epoch",)),
    "adopt nobody": Mutant(_adopt_nobody, ("a turn is given up that is alive",)),
    "observe all the time": Mutant(
        _observe_all_the_time, ("it observes more often than it says", "it runs hot")
    ),
    "retry a job in its folder": Mutant(_retry_a_job_in_its_folder, ("",)),
}
"""By name. The rules are beginnings of what is said; an exception of the product counts as well."""
