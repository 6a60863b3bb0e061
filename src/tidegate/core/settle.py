"""Settle what the end of a turn means. It is decided here and nowhere else.

An exit code is evidence for a check's verdict and for a builder's failure, and never for "done".
"""

from dataclasses import replace

from tidegate.core import commands as c
from tidegate.core import events as e
from tidegate.core.attempt import State
from tidegate.core.errors import Refused
from tidegate.core.lane import NEVER_RAN, Attempt, Candidate, End, Lane, Turn
from tidegate.core.liveness import Action, Lapse
from tidegate.core.values import DEFER, About, Role, Verdict

_S = State
Events = tuple[e.LaneEvent, ...]

HARVESTED = frozenset({Role.BUILD, Role.VERIFY})
"""Whose workspace is taken in at a turn's end: a builder's for its change, a verifier's to see
that there is none."""

_RAN_OUT = frozenset({"deadline", "lost", "stopped", *Lapse})
"""Ends where somebody else had to say that it is over: stale first, then stopped."""


def started(attempt: str, turn: Turn, agent_pid: int) -> e.TurnStarted:
    """The agent's process is there; pid 0 where it must have been but nobody saw it."""
    return e.TurnStarted(attempt=attempt, turn=turn.number, agent_pid=agent_pid)


def note_end(lane: Lane, command: c.NoteEnd) -> Events:
    """The process is over. What that means for a builder waits for the harvest."""
    attempt, turn = lane.attempts[command.attempt], running_turn_of(lane, command.attempt)
    is_external = command.is_external or command.how in NEVER_RAN
    ended = e.TurnEnded(
        attempt=attempt.id,
        turn=turn.number,
        how=command.how,
        code=command.code,
        signal=command.signal,
        active_s=command.active_s,
        output_bytes=command.output_bytes,
        report_digest=command.report_digest,
        failure_digest=command.failure_digest,
        is_external=is_external,
        is_fenced=command.is_fenced,
        killed_by=command.killed_by,
    )
    if command.how in NEVER_RAN:
        return (ended, *_close(attempt, command.how))
    began: Events = () if turn.is_started else (started(attempt.id, turn, 0),)
    if attempt.role in HARVESTED:
        return (*began, ended)
    is_cut_off = attempt.role is not Role.CHECK and command.how != "exited"
    if is_external or is_cut_off:
        return (*began, ended, *_close(attempt, command.how))
    return (*began, ended, _staged(attempt, turn, command.path, command.report_digest))


def _staged(attempt: Attempt, turn: Turn, path: str, digest: str) -> e.ArtifactStaged:
    return e.ArtifactStaged(
        attempt=attempt.id, turn=turn.number, path=path, digest=digest, is_valid=True
    )


def note_harvest(lane: Lane, command: c.NoteHarvest) -> Events:
    """What a builder's turn left is safe: now it may be judged, or ended without a judgement.

    A breach of the boundary is a critical stop: nothing takes its place without a ruling.
    """
    attempt, turn = lane.attempts[command.attempt], open_turn_of(lane, command.attempt)
    if turn.end is None or turn.is_harvested:
        raise Refused(f"turn {turn.number} of {attempt.id} has nothing that is to be harvested")
    harvested = e.Harvested(
        attempt=attempt.id,
        turn=turn.number,
        tip=command.tip,
        tree=command.tree,
        is_empty=command.is_empty,
        pins=command.pins,
    )
    if command.violations:
        reason = f"boundary: {'; '.join(command.violations)}"
        return (harvested, e.Blocked(attempt=attempt.id, reason=reason))
    if turn.end.how != "exited" or turn.end.is_external:
        return (harvested, *_close(attempt, turn.end.how))
    has_tampered = attempt.role is Role.VERIFY and (
        not command.is_empty or command.tip != attempt.commit
    )
    if has_tampered:
        return (harvested, _unheard(attempt, "tampered", "it changed what it was to judge"))
    return (harvested, _staged(attempt, turn, command.path, turn.end.report_digest))


def _close(attempt: Attempt, how: str) -> Events:
    """End an attempt whose process is over without anything that counts."""
    if attempt.state is _S.REVIEWED:
        return (e.Blocked(attempt=attempt.id, reason="correction_lost"),)
    reason = "killed from outside" if how == "exited" else how
    if how in _RAN_OUT:
        claimed = attempt.turn.claimed.get(Action.STOP) if attempt.turn else None
        return (
            e.Stale(attempt=attempt.id, reason=claimed or reason),
            e.Stopped(attempt=attempt.id, reason=reason),
        )
    return (e.Failed(attempt=attempt.id, reason=reason, detail=""),)


def note_promotion(lane: Lane, command: c.NotePromotion) -> Events:
    """The artifact is published: a builder offers its tree, a check has its verdict."""
    attempt, turn = lane.attempts[command.attempt], open_turn_of(lane, command.attempt)
    if turn.staged is None or turn.end is None:
        raise Refused(f"{attempt.id} has nothing that is about to be published")
    match attempt.role:
        case Role.CHECK:
            return _check_done(lane, attempt, turn)
        case Role.VERIFY:
            return _verify_done(lane, attempt, turn, command.said)
        case Role.ADJUDICATE:
            return _adjudicate_done(lane, attempt, turn, command.said)
        case Role.BUILD:
            return _build_done(attempt, turn, command.fault_digest)


def _build_done(attempt: Attempt, turn: Turn, fault_digest: str) -> Events:
    assert turn.staged is not None
    assert turn.end is not None
    path, digest, tree = turn.staged.path, turn.staged.digest, attempt.tree or ""
    is_correction = attempt.state is _S.REVIEWED
    is_unchanged = _is_unchanged(attempt, turn)
    made: Events
    if not is_correction:
        begun = attempt.state is not _S.CHECKPOINTED
        first: Events = (e.Checkpointed(attempt=attempt.id, digest=digest),) if begun else ()
        made = (*first, e.Materialized(attempt=attempt.id, path=path, digest=digest, tree=tree))
    elif is_unchanged:
        made = ()  # a correction that changed nothing is refused, and counts as the round's FAIL
    else:
        made = (e.Corrected(attempt=attempt.id, path=path, digest=digest, tree=tree),)
    reason = _fault(attempt, turn, is_unchanged=is_unchanged)
    if reason is None:
        return made
    finding = turn.end.failure_digest if reason == "agent_failed" else fault_digest
    return (*made, fail(attempt.id, "controller", tree, finding, reason))


def _is_unchanged(attempt: Attempt, turn: Turn) -> bool:
    """The tree is the judged one, by whomever it was made: its own, or that of the builder before.

    A merge onto a newer target may rightly keep the tree: then the tip is a new one.
    """
    is_same_tree = attempt.judged_tree == attempt.tree
    return is_same_tree and (turn.base is None or attempt.judged_tip == attempt.tip)


def _fault(attempt: Attempt, turn: Turn, *, is_unchanged: bool) -> str | None:
    if turn.end is not None and turn.end.failure_digest is not None:
        return "agent_failed"
    if attempt.is_empty:
        return "empty"
    return "unchanged" if is_unchanged else None


def fail(attempt: str, by: str, tree: str, finding: str | None, reason: str) -> e.Judged:
    """A FAIL that counts."""
    return e.Judged(
        attempt=attempt,
        by=by,
        verdict=Verdict.FAIL,
        tree=tree,
        counts=True,
        finding_digest=finding,
        reason=reason,
    )


def _check_done(lane: Lane, check: Attempt, turn: Turn) -> Events:
    assert turn.end is not None
    candidate = candidate_of(lane)
    passed = turn.end.how == "exited" and turn.end.code == 0
    if check.commit == candidate.target:
        return _target_done(lane, check, turn, passed=passed)
    if candidate.commit != check.commit:
        raise Refused(f"{check.id} judged {check.commit}, which is no longer what would land")
    is_flaky = passed and candidate.checks > 0
    reason = "it failed before on this tree" if is_flaky else _reason(turn.end)
    judged = e.Judged(
        attempt=build_of(lane).id,
        by=check.id,
        verdict=Verdict.FLAKY if is_flaky else Verdict.PASS if passed else Verdict.FAIL,
        tree=candidate.tree,
        counts=passed,
        finding_digest=turn.end.failure_digest,
        reason=reason,
        is_check=True,
    )
    return (*_own_record(check, turn, judged), judged)


def _reason(end: End) -> str:
    return f"exit {end.code}" if end.how == "exited" else end.how


def _target_done(lane: Lane, check: Attempt, turn: Turn, *, passed: bool) -> Events:
    """The change fails its check. So it counts, unless the target fails too: that is nobody's."""
    assert turn.end is not None
    candidate = candidate_of(lane)
    red = candidate.red
    if red is None:
        raise Refused(f"{check.id} judged the target of lane {lane.id}, which nobody asked for")
    judged = e.Judged(
        attempt=build_of(lane).id,
        by=red.by if passed else check.id,
        verdict=Verdict.FAIL,
        tree=candidate.tree,
        counts=passed,
        finding_digest=red.finding_digest if passed else turn.end.failure_digest,
        reason=red.reason if passed else TARGET_RED,
        is_check=True,
    )
    own = replace(
        judged,
        verdict=Verdict.PASS if passed else Verdict.FAIL,
        tree=candidate.target_tree,
        finding_digest=turn.end.failure_digest,
        reason=_reason(turn.end),
    )
    return (*_own_record(check, turn, own), judged)


TARGET_RED = "the target fails too"
"""The reason of a FAIL that is nobody's."""


def _own_record(judge: Attempt, turn: Turn, judged: e.Judged) -> Events:
    """A judge's own artifact is its log or report; its verdict makes it reviewed, and it counts."""
    assert turn.staged is not None
    path, digest = turn.staged.path, turn.staged.digest
    return (
        e.Checkpointed(attempt=judge.id, digest=digest),
        e.Materialized(attempt=judge.id, path=path, digest=digest, tree=judged.tree),
        replace(judged, attempt=judge.id, by="controller"),
        e.Accepted(attempt=judge.id),
    )


def _verify_done(lane: Lane, verify: Attempt, turn: Turn, said: c.Said) -> Events:
    """A verifier's verdict on the very candidate. Without one it is neither PASS nor FAIL."""
    assert turn.end is not None
    candidate = candidate_of(lane)
    if candidate.commit != verify.commit:
        raise Refused(f"{verify.id} judged {verify.commit}, which is no longer what would land")
    if turn.end.failure_digest is not None:
        return (_unheard(verify, "agent_failed", "it ended with an error"),)
    if said.verdict is None:
        return (_unheard(verify, "no_verdict", said.fault),)
    judged = e.Judged(
        attempt=build_of(lane).id,
        by=verify.id,
        verdict=said.verdict,
        tree=candidate.tree,
        counts=True,
        finding_digest=turn.end.report_digest if said.verdict is Verdict.FAIL else None,
        reason="verified",
    )
    return (*_own_record(verify, turn, judged), judged)


def _adjudicate_done(lane: Lane, judge: Attempt, turn: Turn, said: c.Said) -> Events:
    assert turn.end is not None
    assert turn.staged is not None
    if turn.end.failure_digest is not None:
        return (_unheard(judge, "agent_failed", "it ended with an error"),)
    if said.fault:
        return (_unheard(judge, "no_verdict", said.fault),)
    path, digest = turn.staged.path, turn.staged.digest
    made: Events = (
        e.Checkpointed(attempt=judge.id, digest=digest),
        e.Materialized(attempt=judge.id, path=path, digest=digest, tree=""),
        e.Adjudicated(
            attempt=judge.id,
            kind=said.kind,
            footprint=said.footprint,
            fixture=said.fixture,
            report_digest=turn.end.report_digest,
            reason=said.reason,
            asks=said.question_digest is not None,
        ),
        e.Accepted(attempt=judge.id),
    )
    if said.question_digest is None:
        return made
    question = asked(lane, judge.id, About.ISSUE, options=said.options, detail=said.question_digest)
    return (*made, question)


def asked(
    lane: Lane, attempt: str, about: About, *, options: tuple[str, ...], detail: str | None
) -> e.Asked:
    """A question to the owner, with the next free id of its lane; `defer` is the last option."""
    return e.Asked(
        attempt=attempt,
        question=f"{lane.id}-q{lane.questions + 1}",
        about=about,
        options=(*options, DEFER),
        detail_digest=detail,
    )


def _unheard(attempt: Attempt, reason: str, detail: str) -> e.Failed:
    """A judge that comes to no verdict: it costs no round, and another takes its place."""
    return e.Failed(attempt=attempt.id, reason=reason, detail=detail)


def build_of(lane: Lane) -> Attempt:
    """The lane's newest build. Refused where there was none."""
    build = lane.latest(Role.BUILD)
    if build is None:
        raise Refused(f"lane {lane.id} has no build")
    return build


def candidate_of(lane: Lane) -> Candidate:
    """What would land. Refused where nothing has been merged."""
    if lane.candidate is None:
        raise Refused(f"lane {lane.id} has no candidate")
    return lane.candidate


def open_turn_of(lane: Lane, attempt: str) -> Turn:
    """The turn whose meaning is not decided yet. Refused where there is none."""
    turn = lane.attempts[attempt].turn
    if turn is None or turn.is_settled:
        raise Refused(f"{attempt} has no open turn")
    return turn


def running_turn_of(lane: Lane, attempt: str) -> Turn:
    """The turn whose end was not heard yet. Refused where there is none."""
    turn = open_turn_of(lane, attempt)
    if turn.end is not None:
        raise Refused(f"turn {turn.number} of {attempt} is over: it {turn.end.how}")
    return turn
