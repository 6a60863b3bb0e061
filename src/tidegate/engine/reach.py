"""Bring effects about: each is looked at first, and started only where it is not under way.

One function an effect. It answers with what is to be noted; nothing where it has to wait.
"""

from collections.abc import Callable
from typing import assert_never

from tidegate.core import commands as c
from tidegate.core import effects as f
from tidegate.core.errors import IntegrityError
from tidegate.core.lane import Attempt, Lane
from tidegate.core.supervising import ARTIFACT_INVALID, ARTIFACT_MISSING
from tidegate.core.values import Role
from tidegate.engine.engine import INTERRUPTED, Engine, preparation
from tidegate.engine.jobs import is_quiet, look_at_job
from tidegate.engine.quarantine import keep_apart
from tidegate.engine.reading import said_in
from tidegate.engine.turns import look_at_turn, stop_turn
from tidegate.ports.git import (
    HarvestResult,
    HarvestWork,
    MergeConflict,
    Merged,
    MergeWork,
    Moved,
    MoveRefused,
    MoveWork,
    Prepared,
    Removed,
    RemoveWork,
    Work,
    WorkFailed,
    WorkResult,
)

Commands = tuple[c.Command, ...]


def reach(  # noqa: C901, PLR0911, PLR0912 - one arm an effect
    engine: Engine, lane: Lane, effect: f.Effect
) -> Commands:
    """What is to be noted of an effect now. Whatever must be started is, after the commit."""
    match effect:
        case f.Prepare(attempt=attempt):
            return _prepare(engine, lane.attempts[attempt])
        case f.Run(attempt=attempt):
            return look_at_turn(engine, lane, lane.attempts[attempt])
        case f.Stop(attempt=attempt):
            return stop_turn(engine, lane, lane.attempts[attempt])
        case f.Checkpoint(attempt=attempt):
            return _checkpoint(engine, lane, lane.attempts[attempt])
        case f.Harvest(attempt=attempt):
            return _harvest(engine, lane, lane.attempts[attempt])
        case f.Promote(attempt=attempt):
            return _promote(engine, lane.attempts[attempt])
        case f.Merge(attempt=attempt, target=target):
            return _merge(engine, lane, lane.attempts[attempt], target)
        case f.MergeAhead():
            return _merge_ahead(engine, lane, lane.attempts[effect.attempt], effect)
        case f.Land():
            return _land(engine, lane)
        case f.Remove(attempt=attempt):
            keep_apart(engine, lane, lane.attempts[attempt])
            return _remove(engine, lane.attempts[attempt])
        case f.Evict(attempt=attempt):
            return _evict(engine, lane.attempts[attempt])
        case f.Unprepared(attempt=attempt, then=then):
            return _unprepared(engine, lane.attempts[attempt], then)
        case f.Halt(reason=reason):
            engine.halt = reason
            return ()
        case _:
            assert_never(effect)


def _look(
    engine: Engine,
    attempt: Attempt,
    name: str,
    work: Work,
    *,
    may_start: Callable[[], bool] = lambda: True,
    is_wanted: Callable[[], bool] = lambda: True,
) -> WorkResult | None:
    """Look at a job of an attempt. One that failed a moment ago is not begun again yet."""
    return look_at_job(
        engine,
        name,
        work,
        may_start=lambda: may_start() and engine.may_try(attempt.id),
        is_wanted=is_wanted,
    )


def _prepare(engine: Engine, attempt: Attempt) -> Commands:
    work = engine.setup.preparation(
        attempt.workspace or "", commit=attempt.start or "", branch=f"tidegate/{attempt.id}"
    )
    result = _look(
        engine, attempt, preparation(attempt), work, may_start=lambda: not engine.is_held
    )
    match result:
        case None:
            return ()
        case Prepared(environment_digest=digest):
            return (c.NoteWorkspace(attempt=attempt.id, environment_digest=digest),)
        case _:
            return _failure(engine, attempt, "prepare", result)


def _harvest_work(engine: Engine, attempt: Attempt, lane: Lane, *, snapshot: bool) -> HarvestWork:
    assert attempt.turn is not None
    return HarvestWork(
        workspace=attempt.workspace or "",
        base=attempt.base or "",
        attempt=attempt.id,
        turn=attempt.turn.number,
        snapshot=snapshot,
        subject=lane.title,
        utc=engine.now.utc,
    )


def _checkpoint(engine: Engine, lane: Lane, attempt: Attempt) -> Commands:
    """A builder's first commit: looked for in plain files, then taken into the hub.

    A failure costs nothing: whatever is wrong is heard again, and counted, at the turn's harvest.
    """
    if attempt.id in engine.watch.unrecovered:
        return ()  # whether it lives at all is said first
    engine.looking += 1
    failed = engine.checkpoints_failed.get(attempt.id, 0)
    commit = engine.ports.git.peek(attempt.workspace or "")
    if commit is None or commit == attempt.start or failed >= _infra_max(engine):
        return ()
    work = _harvest_work(engine, attempt, lane, snapshot=False)
    result = look_at_job(engine, _checkpoint_job(attempt, failed), work)
    if isinstance(result, HarvestResult) and result.tip != attempt.start:
        return (c.NoteCheckpoint(attempt=attempt.id, commit=result.tip),)
    if result is not None:
        engine.checkpoints_failed[attempt.id] = failed + 1
    return ()


def _checkpoint_job(attempt: Attempt, failed: int) -> str:
    return f"{attempt.id}-checkpoint-{failed}"


def _has_no_checkpoint_under_way(engine: Engine, attempt: Attempt) -> bool:
    names = (_checkpoint_job(attempt, failed) for failed in range(_infra_max(engine)))
    quiet = [is_quiet(engine, name) for name in names]
    return all(quiet)


def _infra_max(engine: Engine) -> int:
    return engine.setup.policy.limits.infra_max


def _harvest(engine: Engine, lane: Lane, attempt: Attempt) -> Commands:
    assert attempt.turn is not None
    name = f"{attempt.id}-harvest-{attempt.turn.number}-{attempt.jobs_failed}"
    result = _look(
        engine,
        attempt,
        name,
        _harvest_work(engine, attempt, lane, snapshot=True),
        may_start=lambda: _has_no_checkpoint_under_way(engine, attempt),
    )
    match result:
        case None:
            return ()
        case HarvestResult():
            engine.harvests += 1
            return (
                c.NoteHarvest(
                    attempt=attempt.id,
                    tip=result.tip,
                    tree=result.tree,
                    is_empty=result.is_empty,
                    pins=result.pins,
                    violations=result.violations,
                    path=engine.setup.places.artifact(attempt.id, attempt.turn.number),
                ),
            )
        case _:
            return _failure(engine, attempt, "harvest", result)


_NOTHING_CHANGED = "Nothing was changed: the tree is the same as the one that was started from.\n"
_NOTHING_LEFT = "Nothing is left of the change: its target has all of it already.\n"
_UNCHANGED = "The finding was not answered: the tree is the same as the one that was judged.\n"


def _promote(engine: Engine, attempt: Attempt) -> Commands:
    """Publish the staged artifact. Its intent must be durable first, so a new one waits a tick."""
    turn = attempt.turn
    assert turn is not None
    assert turn.staged is not None
    if any(entry.attempt == attempt.id for entry in engine.book.entries):
        return ()
    ledger, staged = engine.ports.ledger, turn.staged
    try:
        text = ledger.text(staged.digest)
    except IntegrityError:
        return (c.NoteInvalidArtifact(attempt=attempt.id, reason=ARTIFACT_MISSING),)
    try:
        engine.ports.store.promote(staged.path, text, digest=staged.digest)
    except IntegrityError:
        return (c.NoteInvalidArtifact(attempt=attempt.id, reason=ARTIFACT_INVALID),)
    fault = ledger.put_text(_NOTHING_CHANGED if attempt.is_empty else _UNCHANGED)
    said = said_in(ledger, attempt.role, staged.digest)
    return (c.NotePromotion(attempt=attempt.id, fault_digest=fault, said=said),)


def _merge(engine: Engine, lane: Lane, build: Attempt, target: str) -> Commands:
    result = _look_at_merge(engine, lane, build, target)
    match result:
        case None:
            return ()
        case Merged():
            tree = engine.book.run.target_tree
            return (_candidate(engine, build, target, result, target_tree=tree),)
        case MergeConflict():
            return (_conflict(engine, build, target, result),)
        case _:
            return _failure(engine, build, "merge", result)


def _merge_ahead(engine: Engine, lane: Lane, build: Attempt, effect: f.MergeAhead) -> Commands:
    """What does not merge well ahead of its turn is left alone until it is its turn."""
    wanted = (build.tip or "", effect.target)
    if engine.unmerged_ahead.get(lane.id) == wanted:
        return ()
    result = _look_at_merge(
        engine, lane, build, effect.target, is_wanted=lambda: _is_offered(engine, effect.target)
    )
    if result is None:
        return ()
    is_well = isinstance(result, Merged) and not result.findings
    if is_well and isinstance(result, Merged) and result.tree != effect.target_tree:
        tree = effect.target_tree
        return (_candidate(engine, build, effect.target, result, target_tree=tree),)
    engine.unmerged_ahead[lane.id] = wanted
    return ()


def _is_offered(engine: Engine, commit: str) -> bool:
    """A lane still has this commit as what is to land."""
    offered = (lane.candidate for lane in engine.book.tally.queueing.values())
    return any(each is not None and each.commit == commit for each in offered)


def _look_at_merge(
    engine: Engine,
    lane: Lane,
    build: Attempt,
    target: str,
    *,
    is_wanted: Callable[[], bool] = lambda: True,
) -> WorkResult | None:
    head = engine.ports.ledger.head(engine.book.run.id)
    work = MergeWork(
        target=target,
        tip=build.tip or "",
        subject=lane.title,
        trailers=(
            ("Tidegate-Run", engine.book.run.id),
            ("Tidegate-Lane", lane.id),
            ("Tidegate-Ledger", f"{head.sequence}:{head.hash}"),
        ),
        utc=engine.now.utc,
        footprint=lane.footprint,
        leave=lane.leave,
        gate_files=engine.setup.gate_files,
        report=engine.ports.ledger.text(build.digest) if build.digest else "",
        since=lane.candidate.target if lane.candidate is not None else None,
    )
    name = f"{build.id}-merge-{(build.tip or '')[:12]}-{target[:12]}-{build.jobs_failed}"
    return _look(
        engine, build, name, work, may_start=lambda: not engine.is_held, is_wanted=is_wanted
    )


def _candidate(
    engine: Engine, build: Attempt, target: str, merged: Merged, *, target_tree: str
) -> c.NoteCandidate:
    is_empty = merged.tree == target_tree
    unfit = "".join(f"{finding}\n" for finding in merged.findings)
    return c.NoteCandidate(
        target=target,
        tip=build.tip or "",
        commit=merged.commit,
        tree=merged.tree,
        target_tree=target_tree,
        has_passed=merged.tree in engine.book.run.passed,
        empty_digest=engine.ports.ledger.put_text(_NOTHING_LEFT) if is_empty else None,
        unfit_digest=engine.ports.ledger.put_text(unfit) if unfit else None,
        unfit_reason=", ".join(code.lower() for code in merged.codes) or "unfit",
        surface=merged.surface,
        is_disjoint=merged.is_disjoint,
    )


def _conflict(engine: Engine, build: Attempt, target: str, found: MergeConflict) -> c.NoteConflict:
    paths = found.paths
    listed = "\n".join((*(f"  {path}" for path in paths), *found.hints))
    finding = (
        f"The change no longer merges onto its target, which has moved to {target}.\n"
        f"Conflicting paths:\n{listed}\n"
        f"Commit what you have, merge the new target (git merge {target}), resolve, commit.\n"
    )
    return c.NoteConflict(
        target=target,
        tip=build.tip or "",
        paths=paths,
        finding_digest=engine.ports.ledger.put_text(finding),
    )


def _land(engine: Engine, lane: Lane) -> Commands:
    landing, build = lane.landing, lane.latest(Role.BUILD)
    assert landing is not None
    assert build is not None
    work = MoveWork(ref=landing.ref, old=landing.old, new=landing.new)
    name = f"{build.id}-land-{landing.new[:12]}-{lane.landings_refused}-{build.jobs_failed}"
    result = _look(engine, build, name, work, may_start=lambda: not _is_stuck(engine, build))
    match result:
        case None:
            return ()
        case Moved():
            return (c.NoteLanding(),)
        case MoveRefused(actual=actual):
            return (c.NoteLandingRefused(actual=actual),)
        case _:
            return _landing_failure(engine, lane, build, result)


def _is_stuck(engine: Engine, build: Attempt) -> bool:
    return engine.halt is not None and build.jobs_failed >= _infra_max(engine)


def _landing_failure(engine: Engine, lane: Lane, build: Attempt, result: WorkResult) -> Commands:
    """The target may have moved all the same, so a landing is never given up: the run halts."""
    noted = _job_failure(engine, build, "land", result, gives_up=False)
    if build.jobs_failed + 1 >= _infra_max(engine):
        engine.halt = f"the landing of {lane.id} fails ({_failed(result, 'land').headline})"
    return (noted,)


def _remove(engine: Engine, attempt: Attempt) -> Commands:
    name = f"{attempt.id}-remove-{attempt.removals_failed}"
    result = _look(engine, attempt, name, RemoveWork(workspace=attempt.workspace or ""))
    match result:
        case None:
            return ()
        case Removed():
            return (c.NoteRemoval(attempt=attempt.id),)
        case _:
            return _failure(engine, attempt, "remove", result)


def _unprepared(engine: Engine, attempt: Attempt, then: c.Command) -> Commands:
    """A preparation that nobody needs any more is ended; what it made is removed later."""
    name = preparation(attempt)
    if is_quiet(engine, name):
        return (then,)
    folder = engine.setup.places.job(name)
    engine.request_stop(folder, 1, reason=INTERRUPTED)
    return ()


def _evict(engine: Engine, attempt: Attempt) -> Commands:
    """As a removal; but its workspace is made again at need. It is tried until it is done."""
    name = f"{attempt.id}-evict-{attempt.evictions}-{attempt.removals_failed}"
    result = _look(engine, attempt, name, RemoveWork(workspace=attempt.workspace or ""))
    match result:
        case None:
            return ()
        case Removed():
            return (c.NoteEviction(attempt=attempt.id),)
        case _:
            return (_job_failure(engine, attempt, "remove", result, gives_up=False),)


def _failure(engine: Engine, attempt: Attempt, job: str, result: WorkResult) -> Commands:
    is_last = attempt.jobs_failed + 1 >= _infra_max(engine)
    return (_job_failure(engine, attempt, job, result, gives_up=is_last),)


def _job_failure(
    engine: Engine, attempt: Attempt, job: str, result: WorkResult, *, gives_up: bool
) -> c.NoteJobFailure:
    failed = _failed(result, job)
    before = attempt.removals_failed if job == "remove" else attempt.jobs_failed
    if before + 1 < _infra_max(engine):
        engine.hold_back(attempt.id, failures=before + 1, is_new_work=job in _NEW_WORK)
    if failed.is_integrity:
        engine.halt = f"{job} of {attempt.id} may have lost something: {failed.headline}"
        engine.is_damaged = True
    return c.NoteJobFailure(
        attempt=attempt.id,
        job=job,
        reason=failed.reason,
        detail_digest=engine.ports.ledger.put_text(failed.message),
        gives_up=gives_up and not failed.is_integrity,
    )


_NEW_WORK = frozenset({"prepare", "merge"})


def _failed(result: WorkResult, job: str) -> WorkFailed:
    if isinstance(result, WorkFailed):
        return result
    return WorkFailed(reason="unexpected", message=f"{job} answered {result}")
