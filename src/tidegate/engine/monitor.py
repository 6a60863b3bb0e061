"""The monitor: it observes everything that is open, and ends what has lapsed. No model is asked.

It observes at once when a controller begins and when a turn does, and then at most `monitor_s`
apart (seed 002, phase 6). What it does to a turn is claimed in the ledger first, under a key that
is taken for good; then it is brought about until it is seen to be so, also by the next controller.
"""

from dataclasses import replace

from tidegate.core import commands as c
from tidegate.core.digest import sha256_hex
from tidegate.core.events import MonitorRan, Observed
from tidegate.core.lane import Attempt, Turn
from tidegate.core.liveness import (
    Action,
    Classification,
    Finding,
    Lapse,
    Signs,
    claim_key,
    classify,
    judge,
)
from tidegate.core.values import Role
from tidegate.engine.engine import Engine
from tidegate.engine.progress import progress_of
from tidegate.ports.runners import Running

_JITTER = 0.1
"""How much sooner than its interval a round may be, so that no two monitors keep in step."""
_JITTER_STEPS = 1 << 16


def signs_of(engine: Engine, folder: str, seen: Running, *, deadline_s: float) -> Signs:
    """What is seen of a process whose runner holds its lock.

    A beat of another boot, or of an older runner, says nothing of time: then it counts from when
    it was first seen.
    """
    now, watch = engine.now, engine.watch
    watch.saw(folder, seen, now.monotonic_s)
    since_s = watch.since_s[folder]
    beat = seen.beat if seen.beat is not None and seen.beat.boot_id == now.boot_id else None
    started_s = beat.started_monotonic_s if beat is not None else None
    asked_s = watch.stop_asked_s.get(folder)
    return Signs(
        silent_s=now.monotonic_s - (beat.monotonic_s if beat is not None else since_s),
        active_s=now.monotonic_s - (since_s if started_s is None else started_s),
        deadline_s=deadline_s,
        stop_asked_s=None if asked_s is None else now.monotonic_s - asked_s,
        is_stopping=seen.stopping,
        is_trusted=now.monotonic_s >= watch.acts_from_s,
    )


def watch_job(engine: Engine, folder: str, seen: Running, *, deadline_s: float) -> None:
    """End a job whose runner gives no sign of life, or is not heeded. It is done again."""
    finding = judge(
        signs_of(engine, folder, seen, deadline_s=deadline_s), engine.setup.policy.deadlines
    )
    if finding.lapse is not None:
        engine.after_commit(folder, lambda: _act(engine, folder, 1, finding.action, finding.lapse))


def watch_turn(
    engine: Engine, attempt: Attempt, turn: Turn, seen: Running
) -> tuple[c.Command, ...]:
    """What is to be claimed of a turn under way; what was claimed is brought about.

    A claim is owed also where its cause is gone: a runner may beat again when the next controller
    finds what an earlier one has claimed and not done.
    """
    folder = engine.setup.places.turn(attempt.id, turn.number)
    finding = finding_of(engine, attempt, turn, seen)
    if finding.lapse is None:
        is_known = finding.classification is not Classification.INCONCLUSIVE
        if not (turn.claimed and is_known) or folder in engine.watch.stop_asked_s:
            return ()
        finding = _with_claims(finding, turn)
    elif finding.action not in turn.claimed:
        return (c.Intervene(attempt=attempt.id, action=finding.action, lapse=finding.lapse),)
    lapse = turn.claimed[finding.action]
    engine.after_commit(folder, lambda: _act(engine, folder, turn.epoch, finding.action, lapse))
    return ()


def finding_of(engine: Engine, attempt: Attempt, turn: Turn, seen: Running) -> Finding:
    """What is to be thought of a turn under way."""
    return judge(_signs_of_turn(engine, attempt, turn, seen), engine.setup.policy.deadlines)


def _with_claims(finding: Finding, turn: Turn) -> Finding:
    """What was claimed and is not over yet is still being done."""
    if finding.lapse is not None or not turn.claimed:
        return finding
    action = Action.KILL if Action.KILL in turn.claimed else Action.STOP
    return replace(
        finding,
        classification=Classification.STALE,
        action=action,
        lapse=turn.claimed[action],
    )


def _signs_of_turn(engine: Engine, attempt: Attempt, turn: Turn, seen: Running) -> Signs:
    folder = engine.setup.places.turn(attempt.id, turn.number)
    signs = signs_of(engine, folder, seen, deadline_s=turn.deadline_s)
    must_checkpoint = attempt.role is Role.BUILD and attempt.checkpoint is None
    return replace(signs, must_checkpoint=must_checkpoint)


def _act(engine: Engine, folder: str, epoch: int, action: Action, lapse: Lapse | None) -> None:
    """Ask it to end, or end it. Doing it twice is doing it once.

    What force does not end at once waits for a disk: it is given time again, and is not hammered.
    """
    if action is Action.KILL:
        engine.watch.stop_asked_s[folder] = engine.now.monotonic_s
        engine.ports.runners.kill(folder)
    else:
        engine.request_stop(folder, epoch, reason=str(lapse))


# --- observations -----------------------------------------------------------------------------


def observe(engine: Engine) -> None:
    """Record what is seen of everything that is open, where a round is due or a turn is new."""
    watch, now_s = engine.watch, engine.now.monotonic_s
    is_round = watch.round_due_s is None or now_s >= watch.round_due_s
    counts = dict.fromkeys(Classification, 0)
    for lane in tuple(engine.book.lanes.values()):
        for attempt in lane.attempts.values():
            is_open = lane.outcome is None and not attempt.is_over
            if is_open and (is_round or _is_new(attempt)):
                observed = _observed(engine, attempt)
                counts[observed.classification] += 1
                engine.book.record_event(lane.id, observed)
    if is_round:
        _end_round(engine, sum(counts.values()), counts[Classification.INCONCLUSIVE])


def _end_round(engine: Engine, observed: int, inconclusive: int) -> None:
    now, interval_s = engine.now, engine.setup.policy.deadlines.monitor_s
    run = engine.book.run
    next_s = interval_s * (1 - _JITTER * _fraction(f"{run.id} {run.version}"))
    engine.watch.round_due_s = now.monotonic_s + next_s
    engine.book.record_run(
        MonitorRan(
            observed=observed,
            inconclusive=inconclusive,
            next_s=next_s,
            utc=now.utc,
            monotonic_s=now.monotonic_s,
            boottime_s=now.boottime_s,
            boot_id=now.boot_id,
        )
    )


def _fraction(seed: str) -> float:
    """Between 0 and 1, another for each round, and the same when it is computed again."""
    return int(sha256_hex(seed.encode())[:4], 16) / _JITTER_STEPS


def _is_new(attempt: Attempt) -> bool:
    """A turn that has begun and was never looked at."""
    turn = attempt.turn
    if turn is None or not turn.is_started or turn.end is not None:
        return False
    return attempt.seen is None or attempt.seen.turn != turn.number


def _observed(engine: Engine, attempt: Attempt) -> Observed:
    turn = attempt.turn
    folder = engine.setup.places.turn(attempt.id, turn.number) if turn else ""
    seen = engine.watch.running.get(folder)
    if turn is None or seen is None:
        return _at_rest(engine, attempt)
    signs = _signs_of_turn(engine, attempt, turn, seen)
    finding = _with_claims(judge(signs, engine.setup.policy.deadlines), turn)
    found = progress_of(engine, attempt, seen, finding, signs)
    left_s = turn.deadline_s - signs.active_s
    key = None
    if finding.lapse is not None:
        key = claim_key(attempt.id, turn.number, finding.lapse, finding.action)
    return Observed(
        attempt=attempt.id,
        state=str(attempt.state),
        checkpoint=attempt.checkpoint,
        lease_epoch=turn.epoch,
        deadline_utc=engine.now.utc_in(left_s),
        classification=finding.classification,
        beat_sequence=seen.beat.sequence if seen.beat else 0,
        output_bytes=found.output_bytes,
        commit=found.commit,
        silent_s=round(signs.silent_s, 3),
        active_s=round(signs.active_s, 3),
        progress=found.progress,
        action=finding.action,
        key=key,
        working=found.working,
        not_working=found.not_working,
        changed=found.changed,
        next=found.next,
    )


def _at_rest(engine: Engine, attempt: Attempt) -> Observed:
    """No process of it is seen: it waits for the engine, for its turn, or for its owner.

    A turn that had begun and that nobody holds is dead, or was never proved to be.
    """
    turn = attempt.turn
    is_unheld = turn is not None and turn.is_started and turn.end is None
    doubt = engine.disk_note or ("nobody holds its turn" if is_unheld else "")
    found = Classification.INCONCLUSIVE if doubt else classify(attempt.state)
    return Observed(
        attempt=attempt.id,
        state=str(attempt.state),
        checkpoint=attempt.checkpoint,
        lease_epoch=attempt.epoch,
        deadline_utc=None,
        classification=found,
        beat_sequence=0,
        output_bytes=attempt.seen.output_bytes if attempt.seen else 0,
        commit=attempt.tip,
        silent_s=0.0,
        active_s=0.0,
        progress="no process of it is seen",
        action=Action.NONE,
        key=None,
        working="",
        not_working=doubt,
        changed="",
        next="its next step is the engine's",
    )
