"""What the events of an attempt make of its own row, and of `finding` and `ruling`.

Part of the projection: pure, and read through `projection.project` alone. Each event of an attempt
changes the attempt's row under its lease's epoch, if only by its time: that condition is what keeps
a stale writer out.
"""

import msgspec

from tidegate.core import events as e
from tidegate.core.attempt import State
from tidegate.core.supervising import ARTIFACT_INVALID, ARTIFACT_MISSING
from tidegate.core.values import (
    ArtifactStatus,
    Authorization,
    Independence,
    Role,
    Ruling,
    Verdict,
    Worth,
)
from tidegate.ledger.run_rows import LANE_LANDED
from tidegate.ledger.writes import Write, Writes, insert, update

_to_json = msgspec.json.Encoder(order="deterministic").encode

_ATTEMPT = insert(
    "attempt_fold",
    (
        "run_id", "attempt_id", "lane", "parent_id", "actor_id", "role", "state",
        "artifact_status", "independence_status", "content_verdict", "evidence_verdict",
        "readiness_verdict", "authorization_status", "reason", "supersedes_attempt_id",
        "requested_at", "last_event_at",
    ),
)  # fmt: skip


class Change:
    """The update of an attempt's row for one kind of event, with and without a move of the state.

    Where an event says something of the attempt without moving it, the attempt must be live.
    """

    __slots__ = ("moving", "still")

    def __init__(self, *columns: str) -> None:
        keys, changes = ("run_id", "attempt_id", "lane"), (*columns, "last_event_at")
        self.still = update("attempt_fold", changes, keys, is_fenced=True, is_live=bool(columns))
        self.moving = update(
            "attempt_fold", (*changes, "state", "reason"), (*keys, "state"), is_fenced=True
        )

    def of(self, run: str, entry: e.Entry, *values: object) -> Write:
        """The write for an entry; `values` are those of the columns."""
        if entry.next is None or entry.previous is None:
            return Write(self.still, (*values, entry.utc, run, entry.attempt, entry.lane))
        return Write(
            self.moving,
            (
                *values, entry.utc, str(entry.next), entry.reason,
                run, entry.attempt, entry.lane, str(entry.previous),
            ),
        )  # fmt: skip


_FINDING = insert(
    "finding",
    (
        "run_id", "lane", "version", "attempt_id", "source", "found_by", "tree", "counts",
        "digest", "reason", "found_at",
    ),
)  # fmt: skip
_RULING = insert(
    "ruling",
    ("run_id", "lane", "version", "attempt_id", "ruling", "ruled_by", "tree", "ruled_at"),
)

TOUCHED = Change()
STARTED = Change("started_at")
DEADLINES = Change("checkpoint_deadline", "attempt_deadline")
_CHECKPOINT = Change("last_checkpoint_at")
_STATUS = Change("artifact_status")
_STAGED = Change("artifact_status", "artifact_path")
_PROMOTED = Change("artifact_status", "artifact_path", "artifact_digest", "source_digest")
_PASSED = Change("content_verdict")
_FAILED = Change("content_verdict", "readiness_verdict", "authorization_status")
_CONFLICTED = Change("authorization_status")
_RULED_IN = Change("readiness_verdict", "authorization_status")


def touched(run: str, _: int, entry: e.Entry, _event: e.LaneEvent) -> Writes:
    """Nothing but the time: the event says nothing of the attempt itself."""
    return (TOUCHED.of(run, entry),)


def requested(run: str, _: int, entry: e.Entry, event: e.Requested) -> Writes:
    """A new attempt, in the state in which it is born."""
    unknown = Worth.UNKNOWN.value
    values = (
        run, event.attempt, entry.lane, entry.actor, event.agent, event.role.value,
        event.born.value, ArtifactStatus.NONE.value, _independence(event), unknown, unknown,
        unknown, Authorization.NONE.value, entry.reason, event.supersedes, entry.utc, entry.utc,
    )  # fmt: skip
    return (Write(_ATTEMPT, values),)


def _independence(event: e.Requested) -> str:
    """A build speaks for itself; who judges is another attempt, in a fresh checkout."""
    if event.born is State.FALLBACK:
        return Independence.FALLBACK.value
    if event.role is Role.BUILD:
        return Independence.DEPENDENT.value
    return Independence.INDEPENDENT.value


def checkpointed(run: str, _: int, entry: e.Entry, _event: e.Checkpointed) -> Writes:
    """Its first promised piece is safe."""
    return (_CHECKPOINT.of(run, entry, entry.utc),)


def artifact_staged(run: str, _: int, entry: e.Entry, event: e.ArtifactStaged) -> Writes:
    """What it is about to publish, and whether that was found valid."""
    status = ArtifactStatus.STAGED if event.is_valid else ArtifactStatus.INVALID
    return (_STAGED.of(run, entry, status.value, event.path),)


def promoted(run: str, _: int, entry: e.Entry, event: e.Materialized | e.Corrected) -> Writes:
    """What it has published, and the tree that it offers with it."""
    promoted = ArtifactStatus.PROMOTED.value
    return (_PROMOTED.of(run, entry, promoted, event.path, event.digest, event.tree),)


def judged(run: str, _: int, entry: e.Entry, event: e.Judged) -> Writes:
    """Only a FAIL that counts withholds, and says what the content is worth."""
    if event.verdict is not Verdict.FAIL:
        worth = Worth.MEETS if event.verdict is Verdict.PASS else Worth.MEETS_WITH_GAPS
        return (_PASSED.of(run, entry, worth.value),)
    fixes, withheld = Worth.NEEDS_FIXES.value, Authorization.WITHHELD.value
    finding = (
        run, entry.lane, entry.version, event.attempt, "judged", event.by, event.tree,
        int(event.counts), event.finding_digest, event.reason, entry.utc,
    )  # fmt: skip
    if event.counts:
        attempt = _FAILED.of(run, entry, fixes, fixes, withheld)
    else:
        attempt = TOUCHED.of(run, entry)
    return (attempt, Write(_FINDING, finding))


def ruled(run: str, _: int, entry: e.Entry, event: e.Ruled) -> Writes:
    """Only a ruling that lets it land grants anything."""
    values = (
        run, entry.lane, entry.version, event.attempt, event.ruling, event.by, event.tree,
        entry.utc,
    )  # fmt: skip
    if event.ruling is Ruling.LAND:
        granted = Authorization.GRANTED.value
        attempt = _RULED_IN.of(run, entry, Worth.MEETS.value, granted)
    else:
        attempt = TOUCHED.of(run, entry)
    return (attempt, Write(_RULING, values))


_ADJUDICATION = update(
    "lane",
    ("expected_footprint", "refusal_kind", "fixture", "adjudication_digest"),
    ("run_id", "lane"),
)
_QUESTION = insert(
    "question",
    (
        "run_id", "lane", "question", "attempt_id", "about", "options", "detail_digest",
        "asked_at", "answer",
    ),
)  # fmt: skip
_ANSWER = update(
    "question",
    ("answer", "answered_by", "words_digest", "answered_at"),
    ("run_id", "lane", "question"),
)


def adjudicated(run: str, _: int, entry: e.Entry, event: e.Adjudicated) -> Writes:
    """Whether it is to be built, and what it is expected to change."""
    kind = event.kind.value if event.kind is not None else None
    values = (
        _to_json(event.footprint).decode(), kind, event.fixture, event.report_digest,
        run, entry.lane,
    )  # fmt: skip
    return (TOUCHED.of(run, entry), Write(_ADJUDICATION, values))


def asked(run: str, _: int, entry: e.Entry, event: e.Asked) -> Writes:
    """Until it is answered the lane waits for its owner."""
    options = _to_json(event.options).decode()
    values = (
        run, entry.lane, event.question, event.attempt, event.about.value, options,
        event.detail_digest, entry.utc, None,
    )  # fmt: skip
    return (TOUCHED.of(run, entry), Write(_QUESTION, values))


def answered(run: str, _: int, entry: e.Entry, event: e.Answered) -> Writes:
    """What the owner said; one that is deferred is open all the same."""
    values = (
        event.answer, event.by, event.words_digest, entry.utc, run, entry.lane, event.question,
    )  # fmt: skip
    return (TOUCHED.of(run, entry), Write(_ANSWER, values))


def vetoed(run: str, _: int, entry: e.Entry, event: e.Vetoed) -> Writes:
    """A ruling against a PASS is a finding that counts, like a FAIL."""
    fixes, withheld = Worth.NEEDS_FIXES.value, Authorization.WITHHELD.value
    items = f"{event.items} item{'s' if event.items != 1 else ''}"
    finding = (
        run, entry.lane, entry.version, event.attempt, "vetoed", event.by, None, 1,
        event.finding_digest, items, entry.utc,
    )  # fmt: skip
    return (_FAILED.of(run, entry, fixes, fixes, withheld), Write(_FINDING, finding))


def landing_refused(run: str, _: int, entry: e.Entry, _event: e.LandingRefused) -> Writes:
    """What was ruled in was of a target that is gone."""
    unknown, none = Worth.UNKNOWN.value, Authorization.NONE.value
    return (_RULED_IN.of(run, entry, unknown, none),)


def ended(run: str, _: int, entry: e.Entry, event: e.Failed | e.Stopped | e.Blocked) -> Writes:
    """An attempt that was at work and brings nothing any more owes its artifact for good."""
    if isinstance(event, e.Blocked) and event.reason in _UNPUBLISHED:
        return (_STATUS.of(run, entry, _UNPUBLISHED[event.reason].value),)
    if entry.previous in _AT_WORK:
        return (_STATUS.of(run, entry, ArtifactStatus.MISSING.value),)
    return (TOUCHED.of(run, entry),)


_UNPUBLISHED = {
    ARTIFACT_MISSING: ArtifactStatus.MISSING,
    ARTIFACT_INVALID: ArtifactStatus.INVALID,
}
_AT_WORK = frozenset({State.STARTED, State.CHECKPOINTED, State.STALE})


def landed(run: str, sequence: int, entry: e.Entry, event: e.Landed) -> Writes:
    """The lane has its commit."""
    values = (event.ref, event.commit, event.tree, sequence, run, entry.lane)
    return (TOUCHED.of(run, entry), Write(LANE_LANDED, values))


def conflicted(run: str, _: int, entry: e.Entry, event: e.Conflicted) -> Writes:
    """A finding like any other to its builder; it never counts as a FAIL."""
    values = (
        run, entry.lane, entry.version, event.attempt, "conflicted", entry.actor, None, 0,
        event.finding_digest, f"does not merge onto {event.target}", entry.utc,
    )  # fmt: skip
    withheld = Authorization.WITHHELD.value
    return (_CONFLICTED.of(run, entry, withheld), Write(_FINDING, values))
