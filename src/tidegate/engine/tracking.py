"""Tracking: the tracker is asked for each issue, and told what became of it.

Each thing that it is told is an effect with a receipt: the intent is recorded, a runner starts the
tracker's command, and the outcome is recorded. A try of which nobody knows the end is made again
under the same key, by which the tracker knows what it did already. Nothing waits for a tracker but
the opening of the lane that it is asked for, and the end of the run. What is still unknown then
blocks its issue until it is reconciled, by another try or by its owner.
"""

import math
from collections.abc import Sequence
from functools import partial
from typing import assert_never

from tidegate.core.errors import IntegrityError
from tidegate.core.events import EffectIntended, EffectSettled
from tidegate.core.issue import Issue
from tidegate.core.run import Told
from tidegate.core.run_words import reconcile
from tidegate.core.values import Outcome, Role
from tidegate.engine.book import CONTROLLER
from tidegate.engine.engine import End, Engine, Skipped
from tidegate.engine.monitor import watch_job
from tidegate.engine.sight import Lost, Unsettled, see
from tidegate.playbooks.queue import lane_name
from tidegate.ports.ledger import Row
from tidegate.ports.runners import Absent, Exit, RunnerSpec, Running
from tidegate.ports.trackers import (
    CLAIM,
    CLOSE,
    COMMENT,
    DONE,
    FAILED,
    REFUSED,
    RELEASE,
    UNKNOWN,
    Answer,
    Request,
    TrackerJobs,
)

_EPOCH = 1


def is_claimed(engine: Engine, issue: Issue) -> bool:
    """Whether a lane may be opened for an issue now. It is asked for where it was not yet.

    One that is not given to us leaves the queue: somebody else has it, or nobody knows.
    """
    if engine.ports.tracker is None:
        return True
    lane = lane_name(issue.id, engine.lane_names)
    if issue.id in engine.book.run.blocked:
        return False
    told = engine.book.run.told.get(receipt_of(engine, lane, CLAIM))
    if told is None:
        _intend(engine, CLAIM, issue.id, lane=lane)
    elif told.outcome not in (None, DONE):
        _skip(engine, issue, told)
    return told is not None and told.outcome == DONE


def _skip(engine: Engine, issue: Issue, claim: Told) -> None:
    is_refused = claim.outcome == REFUSED
    why = "its tracker did not give it" if is_refused else "its tracker could not be asked for it"
    engine.queue.remove(issue)
    engine.skipped[issue.id] = Skipped(issue, is_refused, f"{why}: {claim.detail}")


def receipt_of(engine: Engine, lane: str, kind: str) -> str:
    """The key of one effect: of this run, this lane and this kind there is one alone.

    A lane is named before it is opened. Its first has the name of the issue.
    """
    return f"{engine.book.run.id}-{lane}-{kind}"


def has_open_claims(engine: Engine) -> bool:
    """An issue that was given to us waits in the queue for its lane."""
    told, names = engine.book.run.told, engine.lane_names
    lanes = (lane_name(issue.id, names) for issue in engine.queue)
    claims = (told.get(receipt_of(engine, lane, CLAIM)) for lane in lanes)
    return any(claim is not None and claim.outcome in (None, DONE) for claim in claims)


def advance_tracking(engine: Engine) -> None:
    """Tell the tracker what it was not told yet, and hear what it has to say."""
    jobs = engine.ports.tracker
    if jobs is None:
        return
    for intent in engine.book.run.untold:
        _look(engine, jobs, intent)
    _ask_again(engine, jobs)
    # What ended in this tick is told in the next: its report is read from the ledger.
    ends = _ends(engine)
    for lane in [lane for lane, end in ends.items() if _tell_end(engine, lane, end)]:
        del ends[lane]
    _note_ends(engine)
    _give_back(engine)


def _ends(engine: Engine) -> dict[str, End]:
    """Lanes that are over, as the ledger has them where this controller has just begun."""
    tracking = engine.tracking
    if tracking.ends is None:
        rows = engine.ports.ledger.rows("lane", engine.book.run.id)
        over = (row for row in rows if row["outcome"])
        tracking.ends = {
            str(row["lane"]): End(
                str(row["issue"]), Outcome(str(row["outcome"])), str(row["reason"])
            )
            for row in over
        }
        landed = sorted((row for row in rows if row["landed_commit"]), key=_landed_sequence)
        tracking.noted = set(tracking.ends)
        for row in landed:
            tracking.note_landing(str(row["lane"]), str(row["landed_commit"]))
    return tracking.ends


def _landed_sequence(row: Row) -> int:
    return int(str(row["landed_sequence"]))


def _note_ends(engine: Engine) -> None:
    """Keep what lanes that are about to be forgotten came to."""
    ends, tracking = _ends(engine), engine.tracking
    for lane in engine.book.lanes.values():
        if lane.commit is not None:
            tracking.note_landing(lane.id, lane.commit)
        if lane.outcome is not None and lane.id not in tracking.noted:
            tracking.noted.add(lane.id)
            ends[lane.id] = End(lane.issue, lane.outcome, lane.reason)


_KINDS = {
    Outcome.LANDED: (CLOSE,),
    Outcome.STOPPED: (COMMENT, RELEASE),
    Outcome.REFUSED: (COMMENT, RELEASE),
    Outcome.ABANDONED: (RELEASE,),
}
"""What a tracker is told of a lane that ended so, one after the other.

What did not land is given back: it is tried again by another run, which has to be given it anew.
"""


def _tell_end(engine: Engine, lane: str, end: End) -> bool:
    """See that the tracker is told of an end; False while there is more to tell, or to wait for.

    While nobody knows whether something of the issue was done, it is told nothing more of it.
    """
    if end.issue in engine.book.run.blocked:
        return False
    if end.outcome is Outcome.LANDED and not _is_delivered(engine, lane):
        return False
    *before, last = _KINDS[end.outcome]
    for kind in before:
        told = _told_of_end(engine, kind, lane, end)
        if told is None or told.outcome is None:
            return False
    _told_of_end(engine, last, lane, end)
    return True


def _told_of_end(engine: Engine, kind: str, lane: str, end: End) -> Told | None:
    """What came of telling it so far; None where it is intended just now."""
    told = engine.book.run.told.get(receipt_of(engine, lane, kind))
    if told is None:
        text = _report(engine, lane, end) if kind == COMMENT else None
        _intend(engine, kind, end.issue, lane=lane, text=text)
    return told


def _is_delivered(engine: Engine, lane: str) -> bool:
    """What the user's repository was given holds all that landed before it."""
    tracking, delivered = engine.tracking, engine.book.run.delivered
    last = tracking.places.get(delivered, -1) if delivered is not None else -1
    return lane in tracking.landings and tracking.landings[lane][0] <= last


def _give_back(engine: Engine) -> None:
    """Release what may be ours in the tracker, and will have no lane."""
    claims, told = _claims(engine), engine.book.run.told
    blocked = engine.book.run.blocked
    answered = [name for name in claims if told[name].outcome is not None]
    for receipt in [name for name in answered if told[name].intent.issue not in blocked]:
        del claims[receipt]  # what it means is known, until the run is given up
        claim, lane = told[receipt], _lane_of(engine, receipt)
        if receipt_of(engine, lane, RELEASE) in told:
            continue
        if engine.tracking.gives_up and _is_without_lane(engine, claim, lane):
            _intend(engine, RELEASE, claim.intent.issue, lane=lane)


def _lane_of(engine: Engine, receipt: str) -> str:
    """The lane that a claim is for."""
    return receipt.removeprefix(f"{engine.book.run.id}-").removesuffix(f"-{CLAIM}")


def _claims(engine: Engine) -> dict[str, None]:
    """The claims whose end means something yet; all of them where nobody has looked before."""
    tracking = engine.tracking
    if tracking.claims is None:
        told = engine.book.run.told
        tracking.claims = {name: None for name, each in told.items() if each.intent.kind == CLAIM}
    return tracking.claims


def _is_without_lane(engine: Engine, claim: Told, lane: str) -> bool:
    line = engine.ports.ledger.lane_line(engine.book.run.id, lane)
    return claim.outcome == DONE and line is None


def _intend(engine: Engine, kind: str, issue: str, *, lane: str, text: str | None = None) -> None:
    """Record what the tracker is to be told of an issue, for the sake of a lane of it."""
    run, is_close = engine.book.run, kind == CLOSE
    if kind == CLAIM:
        _claims(engine)[receipt_of(engine, lane, kind)] = None
    engine.book.record_run(
        EffectIntended(
            receipt=receipt_of(engine, lane, kind),
            kind=kind,
            issue=issue,
            text_digest=None if text is None else engine.ports.ledger.put_text(text),
            commit=engine.tracking.landings[lane][1] if is_close else None,
            target=run.started.ref if is_close else None,
        )
    )


def _look(engine: Engine, jobs: TrackerJobs, intent: EffectIntended) -> None:
    folder = _folder(engine, intent)
    seen = see(engine, folder, fence=_EPOCH + 1)
    match seen:
        case Absent():
            if engine.may_try(intent.receipt):
                engine.after_commit(folder, lambda: _start(engine, jobs, intent, folder))
        case Running():
            watch_job(engine, folder, seen, deadline_s=math.inf)  # its runner keeps its own
        case Unsettled():
            pass
        case Lost():
            _heard(engine, intent, Answer(outcome=UNKNOWN, detail="the runner of its command died"))
        case Exit():
            _heard(engine, intent, jobs.answer(folder, seen))
        case _:
            assert_never(seen)


def _ask_again(engine: Engine, jobs: TrackerJobs) -> None:
    """Ask once more, under the same key, what an earlier controller has left unknown.

    A tracker that was down may be there again. What it does not say then its owner has to say.
    """
    tracking = engine.tracking
    if tracking.asks_again is None:
        intents = (each.intent for each in engine.book.run.unknown.values())
        tracking.asks_again = [each for each in intents if isinstance(each, EffectIntended)]
    for intent in tuple(tracking.asks_again):
        _ask_of(engine, jobs, intent, tracking.asks_again)


def _ask_of(
    engine: Engine, jobs: TrackerJobs, intent: EffectIntended, waiting: list[EffectIntended]
) -> None:
    """Ask, or hear what came of it: then it waits no more.

    An earlier controller may have asked as well. Its question is heard out before ours is put in
    its place: two at once would be asked by two processes.
    """
    tracking, receipt = engine.tracking, intent.receipt
    folder = engine.setup.places.job(f"{receipt}-again")
    seen = see(engine, folder, fence=_EPOCH + 1)
    match seen:
        case Absent():
            if not engine.is_held:
                tracking.asked.add(receipt)
                engine.after_commit(folder, partial(_start, engine, jobs, intent, folder))
        case Running():
            tracking.asked.add(receipt)
            watch_job(engine, folder, seen, deadline_s=math.inf)  # its runner keeps its own
        case Unsettled():
            pass
        case Lost() | Exit():
            if isinstance(seen, Exit):
                _reconcile(engine, intent, jobs.answer(folder, seen))
            if receipt in tracking.asked or receipt not in engine.book.run.unknown:
                waiting.remove(intent)
            else:
                engine.tidy_after_commit(folder)
        case _:
            assert_never(seen)


def _reconcile(engine: Engine, intent: EffectIntended, answer: Answer) -> None:
    """Record what is known now. The owner may have said it meanwhile, and that stands."""
    run, is_known = engine.book.run, answer.outcome in (DONE, REFUSED)
    if intent.receipt not in run.unknown or not is_known:
        return
    outcome = "done" if answer.outcome == DONE else "failed"
    why = f"asked again, its tracker says {answer.outcome}: {answer.detail}".rstrip(": ")
    said = reconcile(run, intent.receipt, outcome, by=CONTROLLER, reason=why)
    engine.book.record_run(said)


def _folder(engine: Engine, intent: EffectIntended) -> str:
    number = engine.tracking.tries.get(intent.receipt, 0)
    return engine.setup.places.job(f"{intent.receipt}-{number}")


def _start(engine: Engine, jobs: TrackerJobs, intent: EffectIntended, folder: str) -> None:
    deadlines = engine.setup.policy.deadlines
    call = jobs.call(_request(engine, intent), folder)
    engine.ports.runners.start(
        RunnerSpec(
            folder=folder,
            epoch=_EPOCH,
            argv=call.argv,
            env=call.env,
            cwd=call.cwd,
            mark=folder,
            deadline_s=call.deadline_s,
            output_max_bytes=call.output_max_bytes,
            grace_s=deadlines.term_grace_s,
            beat_s=deadlines.beat_s,
            stdin_path=call.stdin_path,
        )
    )


def _request(engine: Engine, intent: EffectIntended) -> Request:
    digest = intent.text_digest
    return Request(
        do=intent.kind,
        issue=intent.issue,
        run=engine.book.run.id,
        key=intent.receipt,
        text=None if digest is None else _text(engine, digest),
        commit=intent.commit,
        target=None if intent.target is None else intent.target.removeprefix("refs/heads/"),
    )


def _heard(engine: Engine, intent: EffectIntended, answer: Answer) -> None:
    """Record an answer that is one; else the same is asked again after a pause, in bounds."""
    tracking, receipt = engine.tracking, intent.receipt
    outcome, failures = answer.outcome, tracking.tries.get(receipt, 0) + 1
    if outcome in (DONE, REFUSED):
        engine.tidy_after_commit(_folder(engine, intent))
    else:
        if outcome == UNKNOWN:
            tracking.unsure.add(receipt)
        if failures < engine.setup.policy.limits.infra_max:
            tracking.tries[receipt] = failures
            engine.hold_back(receipt, failures=failures)
            return
        outcome = UNKNOWN if receipt in tracking.unsure else FAILED
    engine.book.record_run(EffectSettled(receipt=receipt, outcome=outcome, detail=answer.detail))


def _report(engine: Engine, lane: str, end: End) -> str:
    """What became of a lane: why it ended, what its builder said, and what was found last."""
    run, ledger = engine.book.run.id, engine.ports.ledger
    attempts = ledger.rows("attempt", run, lane=lane)
    builds = {row["attempt_id"] for row in attempts if row["role"] == Role.BUILD}
    turns = [row for row in ledger.rows("turn", run, lane=lane) if row["attempt_id"] in builds]
    parts = [
        f"Run {run} of Tidegate did not land this issue ({end.outcome}): {end.reason}",
        *_part(engine, "The builder's last report", turns, "report_digest"),
        *_part(engine, "What was found last", ledger.rows("finding", run, lane=lane), "digest"),
    ]
    return "\n\n".join(parts) + "\n"


def _part(engine: Engine, title: str, rows: Sequence[Row], column: str) -> Sequence[str]:
    digests = [str(row[column]) for row in rows if row[column]]
    if not digests:
        return ()
    text = _text(engine, digests[-1])[-engine.setup.policy.limits.finding_max_bytes :]
    return (f"{title}:", text.strip())


def _text(engine: Engine, digest: str) -> str:
    """A stored text; where it is gone nothing else waits for it."""
    try:
        return engine.ports.ledger.text(digest)
    except IntegrityError as error:
        return f"[{error}]"
