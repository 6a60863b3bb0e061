"""What became of a run, in the words of DESIGN §18: one object that programs can read."""

import json
from collections.abc import Mapping, Sequence

from tidegate.core.drain import Drain
from tidegate.core.records import record
from tidegate.core.values import DEFER, Refusal
from tidegate.ports.ledger import Ledger, Row


@record
class LandedIssue:
    """A change that landed."""

    issue: str
    lane: str
    commit: str


@record
class RefusedIssue:
    """An issue that was ruled not to be built, or that its tracker did not give us (`claimed`)."""

    issue: str
    kind: str
    reason: str


@record
class StoppedIssue:
    """A lane that stopped: at the third FAIL, at a boundary, or blocked."""

    issue: str
    lane: str
    reason: str


@record
class WaitingIssue:
    """An issue that waits: for its owner, for a limit, or for another lane."""

    issue: str
    waits_for: str
    is_wished: bool = False
    """It waits because whoever began the run wanted only so much of it."""


@record
class Outside:
    """Something that the tracker or a remote should have done, and did not as far as anyone knows.

    `kind` is comment, close, release or publication; `outcome` refused, failed or unknown.
    """

    kind: str
    about: str
    outcome: str
    detail: str


@record
class Target:
    """Where the landed work is."""

    ref: str
    commit: str


@record
class Summary:
    """`note` says what a person should know or do; `wakes` counts the parent's, 0 without one."""

    run: str | None
    landed: tuple[LandedIssue, ...] = ()
    refused: tuple[RefusedIssue, ...] = ()
    stopped: tuple[StoppedIssue, ...] = ()
    waiting: tuple[WaitingIssue, ...] = ()
    target: Target | None = None
    effects: tuple[Outside, ...] = ()
    wakes: int = 0
    note: str = ""
    is_delivered: bool = True
    """The user's repository has what landed."""

    def as_json(self) -> dict[str, object]:
        """The documented form; `for` is a word that Python keeps to itself."""
        from dataclasses import asdict  # noqa: PLC0415 - needed where JSON is asked for

        made = asdict(self)
        del made["is_delivered"]  # a program sees it by the note, and by where the ref is
        made["waiting"] = [{"issue": w.issue, "for": w.waits_for} for w in self.waiting]
        return made


def summarize(
    ledger: Ledger, run: str, *, target: Target, waiting: tuple[WaitingIssue, ...], note: str
) -> Summary:
    """Count what was done, from the lanes' rows.

    Of an issue that was opened again while the run went on, its last lane counts.
    """
    lanes = list({row["issue"]: row for row in ledger.rows("lane", run)}.values())
    receipts = ledger.rows("receipt", run)
    return Summary(
        run=run,
        landed=tuple(_landed(row) for row in lanes if row["outcome"] == "landed"),
        refused=(
            *(_refused(row) for row in lanes if row["outcome"] == "refused"),
            *(_claimed(row) for row in receipts if _is_refused_claim(row)),
        ),
        stopped=tuple(_stopped(row) for row in lanes if row["outcome"] == "stopped"),
        waiting=(*_open(lanes, open_questions(ledger, run)), *waiting),
        target=target,
        effects=outside(receipts),
        note=note,
    )


def drain_in(run: Row) -> Drain | None:
    """The drain that a run's row tells of."""
    since = run.get("drained_since")
    if not since:
        return None
    return Drain(since=str(since), by=str(run["drained_by"]), reason=str(run["drain_reason"]))


def outside(receipts: Sequence[Row]) -> tuple[Outside, ...]:
    """What did not happen outside. Of pushes the newest alone counts: it brings all before it.

    A claim that was not given is told with its issue; one of which nobody knows is told here.
    """
    told = [row for row in receipts if row["kind"] in _TOLD or (is_unknown(row) and row["issue"])]
    pushed = [row for row in receipts if row["kind"] == "publication"][-1:]
    return tuple(_outside(row) for row in (*told, *pushed) if outcome_of(row) not in _HAPPENED)


_TOLD = frozenset({"comment", "close", "release"})
_HAPPENED = frozenset({"done", "published"})


def outcome_of(receipt: Row) -> str:
    """How it turned out, as far as anybody knows."""
    return str(receipt.get("reconciled") or receipt["outcome"])


def is_unknown(receipt: Row) -> bool:
    """It ended, and nobody knows how: what comes after it waits."""
    return bool(receipt["settled_at"]) and outcome_of(receipt) == "unknown"


def say_reconcile(receipt: Row) -> str:
    """What a person does about a receipt that is unknown."""
    return f"look, and say it: `tidegate reconcile {receipt['receipt']} done` or `failed`"


def _outside(row: Row) -> Outside:
    branch = str(row["ref"]).removeprefix("refs/heads/")
    return Outside(
        kind=str(row["kind"]),
        about=str(row["issue"] or f"{row['remote']} {branch}"),
        outcome=outcome_of(row),
        detail=_detail(row),
    )


def _detail(row: Row) -> str:
    if not row["settled_at"]:
        return "its end is not known yet"
    if is_unknown(row):
        return f"{row['detail']}; {say_reconcile(row)}"
    return str(row.get("reconciled_reason") or row["detail"])


def _is_refused_claim(row: Row) -> bool:
    return row["kind"] == "claim" and outcome_of(row) == "refused"


def _claimed(row: Row) -> RefusedIssue:
    return RefusedIssue(issue=str(row["issue"]), kind="claimed", reason=str(row["detail"]))


def _landed(row: Row) -> LandedIssue:
    return LandedIssue(
        issue=str(row["issue"]), lane=str(row["lane"]), commit=str(row["landed_commit"])
    )


def _refused(row: Row) -> RefusedIssue:
    kind = str(row["refusal_kind"] or Refusal.OTHER)
    return RefusedIssue(issue=str(row["issue"]), kind=kind, reason=str(row["reason"]))


def _stopped(row: Row) -> StoppedIssue:
    return StoppedIssue(issue=str(row["issue"]), lane=str(row["lane"]), reason=str(row["reason"]))


def _open(lanes: Sequence[Row], asked: Mapping[str, Row]) -> tuple[WaitingIssue, ...]:
    """The lanes that are not over; one that has asked its owner waits for the answer."""
    return tuple(
        WaitingIssue(issue=str(row["issue"]), waits_for=_waits_for(asked.get(str(row["lane"]))))
        for row in lanes
        if row["outcome"] is None
    )


def _waits_for(question: Row | None) -> str:
    if question is None:
        return "the run to go on"
    options = " | ".join(json.loads(str(question["options"])))
    deferred = ", deferred" if question["answer"] == DEFER else ""
    return f"you{deferred}: tidegate answer {question['question']} {options}"


def open_questions(ledger: Ledger, run: str) -> Mapping[str, Row]:
    """The question that each lane of a run has open; a deferred one is open."""
    rows = ledger.rows("question", run)
    return {str(row["lane"]): row for row in rows if row["answer"] in (None, DEFER)}
