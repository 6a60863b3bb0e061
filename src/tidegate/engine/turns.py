"""Turns: see to the runner of an open turn, keep its lease, and hear how it ended."""

import os
from dataclasses import replace
from pathlib import Path
from textwrap import indent
from typing import assert_never

from tidegate.core import commands as c
from tidegate.core.events import Regranted
from tidegate.core.lane import JUDGES, Attempt, Lane, Turn
from tidegate.core.lease import Acquire, Release, Renew
from tidegate.core.liveness import Action, Lapse
from tidegate.core.values import Role
from tidegate.engine.briefing import place_of, start_turn
from tidegate.engine.engine import INTERRUPTED, OWNER, Engine, Renewal
from tidegate.engine.monitor import watch_turn
from tidegate.engine.quarantine import take_after_commit
from tidegate.engine.recovery import note_recovery
from tidegate.engine.sight import Lost, Unsettled, see
from tidegate.ports.agents import Result
from tidegate.ports.runners import Absent, Beat, EndReason, Exit, Running


def look_at_turn(engine: Engine, lane: Lane, attempt: Attempt) -> tuple[c.Command, ...]:
    """What is to be noted of an open turn; its runner is started where there was none yet."""
    turn = attempt.turn
    assert turn is not None
    folder = engine.setup.places.turn(attempt.id, turn.number)
    seen = see(engine, folder, fence=turn.epoch + 1)
    recovery = note_recovery(engine, attempt, seen)
    match seen:
        case Absent():
            if not engine.is_held:
                engine.after_commit(folder, lambda: start_turn(engine, lane, attempt, turn))
            return recovery
        case Running():
            watched = watch_turn(engine, attempt, turn, seen)
            return (*recovery, *_running(engine, lane, attempt, turn, seen.beat), *watched)
        case Exit():
            return (*recovery, _ended(engine, attempt, turn, seen))
        case Lost(beat=beat):
            return (*recovery, _lost(engine, attempt, turn, beat))
        case Unsettled():
            return ()
        case _:
            assert_never(seen)


def stop_turn(engine: Engine, lane: Lane, attempt: Attempt) -> tuple[c.Command, ...]:
    """Ask an open turn to end, and hear how it did. Asking twice is asking once."""
    turn = attempt.turn
    assert turn is not None
    folder = engine.setup.places.turn(attempt.id, turn.number)
    if isinstance(engine.ports.runners.look(folder), Absent):
        fenced = fence_off(engine, attempt, turn)
        return () if fenced is None else (fenced,)
    engine.request_stop(folder, turn.epoch, reason=OWNER)
    return look_at_turn(engine, lane, attempt)


def _running(
    engine: Engine, lane: Lane, attempt: Attempt, turn: Turn, beat: Beat | None
) -> tuple[c.Command, ...]:
    if beat is None:
        return ()
    if _is_renewal_due(engine, engine.setup.places.turn(attempt.id, turn.number), beat):
        _keep_lease(engine, lane, attempt, turn, beat)
    if turn.is_started:
        return ()
    return (c.NoteStart(attempt=attempt.id, agent_pid=beat.agent_pid),)


def open_lease(engine: Engine, attempt: Attempt) -> None:
    """Ask for the lease that an opened turn acts under; it is granted with the same commit."""
    now = engine.now
    engine.book.leases.append(
        Acquire(
            run_id=engine.book.run.id,
            attempt_id=attempt.id,
            owner=engine.setup.holder,
            token=engine.ports.new_token(),
            now_utc=now.utc,
            expiry_utc=now.utc_in(engine.setup.policy.deadlines.lease_s),
            previous_epoch=attempt.epoch,
        )
    )


def close_lease(engine: Engine, attempt: Attempt, turn: Turn, *, fence: bool) -> None:
    """Give the lease back with the commit that records the turn's end."""
    engine.renewed.pop(engine.setup.places.turn(attempt.id, turn.number), None)
    engine.book.leases.append(
        Release(run_id=engine.book.run.id, attempt_id=attempt.id, epoch=attempt.epoch, fence=fence)
    )


def _is_renewal_due(engine: Engine, folder: str, beat: Beat) -> bool:
    """Only a beat that was never counted renews, and only once in a heartbeat.

    The first one that is seen may have been counted before a restart, so it only tells the next
    one apart.
    """
    now_s, heartbeat_s = engine.now.monotonic_s, engine.setup.policy.deadlines.heartbeat_s
    seen = engine.renewed.get(folder)
    if seen is None:
        engine.renewed[folder] = Renewal(beat.sequence, now_s - heartbeat_s)
        return False
    if beat.sequence <= seen.sequence or now_s - seen.at_s < heartbeat_s:
        return False
    engine.renewed[folder] = Renewal(beat.sequence, now_s)
    return True


def _keep_lease(engine: Engine, lane: Lane, attempt: Attempt, turn: Turn, beat: Beat) -> None:
    """Renew in the group commit; grant again where the lease had run out meanwhile."""
    now, deadlines = engine.now, engine.setup.policy.deadlines
    lease = engine.ports.ledger.lease(engine.book.run.id, attempt.id)
    if lease.token is None or lease.expiry_utc <= now.utc:
        open_lease(engine, attempt)
        engine.book.record_event(
            lane.id, Regranted(attempt=attempt.id, turn=turn.number, epoch=attempt.epoch + 1)
        )
        return
    engine.book.leases.append(
        Renew(
            run_id=engine.book.run.id,
            attempt_id=attempt.id,
            owner=lease.owner,
            token=lease.token,
            epoch=lease.epoch,
            now_utc=now.utc,
            expiry_utc=now.utc_in(deadlines.lease_s),
            beat_sequence=beat.sequence,
            beat_monotonic_s=beat.monotonic_s,
            last_completed_unit=f"{beat.stdout_bytes + beat.stderr_bytes} bytes",
            controller_version=engine.setup.version,
        )
    )


def _ended(engine: Engine, attempt: Attempt, turn: Turn, ending: Exit) -> c.NoteEnd:
    close_lease(engine, attempt, turn, fence=False)
    result = _result(engine, attempt, turn, ending)
    take_after_commit(engine, engine.setup.places.turn(attempt.id, turn.number))
    failure = result.failure
    return c.NoteEnd(
        attempt=attempt.id,
        how=_how(ending),
        code=ending.code,
        signal=ending.signal,
        active_s=ending.active_s,
        output_bytes=ending.stdout_bytes + ending.stderr_bytes,
        report_digest=engine.ports.ledger.put_text(result.report),
        failure_digest=engine.ports.ledger.put_text(failure) if failure is not None else None,
        is_external=result.is_external,
        path=engine.setup.places.artifact(attempt.id, turn.number),
        killed_by=ending.killed_by,
    )


def _how(ending: Exit) -> str:
    """A stop that nobody here asked for is an end from outside, and counts as one."""
    if ending.reason is not EndReason.STOPPED or ending.asked in (INTERRUPTED, OWNER):
        return str(ending.reason)
    if ending.asked == Lapse.ATTEMPT_DEADLINE:
        return str(EndReason.DEADLINE)
    return ending.asked if ending.asked in set(Lapse) else str(EndReason.EXITED)


def _lost(engine: Engine, attempt: Attempt, turn: Turn, beat: Beat | None) -> c.NoteEnd:
    """A turn that nobody saw alive, or that the machine took down with it, is no agent's doing.

    Where it was ended from here, since it did not heed, that is how it ended.
    """
    has_rebooted = beat is not None and beat.boot_id != engine.now.boot_id
    close_lease(engine, attempt, turn, fence=True)
    text = engine.ports.ledger.put_text("The runner died without a word; its processes were ended.")
    is_external = attempt.role is Role.CHECK or not turn.is_started or has_rebooted
    how = _how_given_up(turn)
    noted = _without_a_record(attempt, how, report=text, failure=text, is_external=is_external)
    return replace(noted, is_fenced=True)


def _how_given_up(turn: Turn) -> str:
    """A person's stop stays a person's stop, though nobody heard it."""
    if Action.KILL not in turn.claimed:
        return "lost"
    return str(Lapse.STOP_ACK_TIMEOUT) if Action.STOP in turn.claimed else str(EndReason.STOPPED)


def fence_off(engine: Engine, attempt: Attempt, turn: Turn) -> c.NoteEnd | None:
    """End a turn that was opened and never begun, and see that it never is; None where it was."""
    folder = engine.setup.places.turn(attempt.id, turn.number)
    is_absent = isinstance(engine.ports.runners.look(folder), Absent)
    if not is_absent or not engine.ports.runners.declare_lost(folder, epoch=turn.epoch + 1):
        return None
    close_lease(engine, attempt, turn, fence=False)
    text = engine.ports.ledger.put_text("It was never begun.")
    return _without_a_record(attempt, "fenced", report=text, failure=None, is_external=True)


def _without_a_record(
    attempt: Attempt, how: str, *, report: str, failure: str | None, is_external: bool
) -> c.NoteEnd:
    """The end of a turn of which no runner wrote how it ended; the texts by their digests."""
    return c.NoteEnd(
        attempt=attempt.id,
        how=how,
        code=None,
        signal=None,
        active_s=0.0,
        output_bytes=0,
        report_digest=report,
        failure_digest=failure,
        is_external=is_external,
        path="",
    )


def _result(engine: Engine, attempt: Attempt, turn: Turn, ending: Exit) -> Result:
    place = place_of(engine, attempt, turn)
    limit = engine.setup.policy.limits.finding_max_bytes
    tail = read_tail(f"{place.folder}/stdout", limit)
    if attempt.role is Role.CHECK:
        return check_result(engine.setup.check_command, ending, tail=tail)
    both = "\n".join(part for part in (tail, read_tail(f"{place.folder}/stderr", limit)) if part)
    if attempt.role in JUDGES and max(ending.stdout_bytes, ending.stderr_bytes) > limit:
        both = indent(both, "    ")  # as code: what was said before it, and of whom, is cut off
    return engine.ports.agents[attempt.role].result(place, ending, tail=both)


def check_result(command: str, ending: Exit, *, tail: str) -> Result:
    """The check's log, made from its exit and the end of its output.

    Only the command's own exit, its deadline or a flood of output is a FAIL; an end from outside
    is infrastructure.
    """
    how = (
        f"exit code {ending.code}"
        if ending.code is not None
        else f"ended by {ending.reason}"
        if ending.signal is None or ending.reason is not EndReason.EXITED
        else f"killed by signal {ending.signal} from outside"
    )
    report = f"$ {command}\n{tail}\n[{how}]\n"
    never = (EndReason.NOT_STARTED, EndReason.FENCED, EndReason.STOPPED)
    is_signalled = ending.reason is EndReason.EXITED and ending.signal is not None
    external = ending.reason in never or is_signalled
    passed = ending.reason is EndReason.EXITED and ending.code == 0
    return Result(report=report, failure=None if passed else report, is_external=external)


def read_tail(path: str, limit_bytes: int) -> str:
    """The end of a file as text, at most so many bytes, starting at a line where it was cut."""
    try:
        with Path(path).open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - limit_bytes))
            content = file.read(limit_bytes)
    except FileNotFoundError:
        return ""
    if size > limit_bytes:
        content = content.partition(b"\n")[2] or content
    return content.decode(errors="replace")
