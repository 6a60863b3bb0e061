"""What became of a run, in the words of DESIGN §18: one object that programs can read."""

from dataclasses import dataclass

from tidegate.ports.ledger import Ledger, Row


@dataclass(frozen=True, slots=True, kw_only=True)
class LandedIssue:
    """A change that landed."""

    issue: str
    lane: str
    commit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedIssue:
    """An issue that was ruled not to be built."""

    issue: str
    kind: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoppedIssue:
    """A lane that stopped: at the third FAIL, at a boundary, or blocked."""

    issue: str
    lane: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingIssue:
    """An issue that waits: for its owner, for a limit, or for another lane."""

    issue: str
    waits_for: str
    is_wished: bool = False
    """It waits because whoever began the run wanted only so much of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where the landed work is."""

    ref: str
    commit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """`note` says what a person should know or do; `wakes` counts the parent's, 0 without one."""

    run: str | None
    landed: tuple[LandedIssue, ...] = ()
    refused: tuple[RefusedIssue, ...] = ()
    stopped: tuple[StoppedIssue, ...] = ()
    waiting: tuple[WaitingIssue, ...] = ()
    target: Target | None = None
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
    return Summary(
        run=run,
        landed=tuple(_landed(row) for row in lanes if row["outcome"] == "landed"),
        refused=tuple(_refused(row) for row in lanes if row["outcome"] == "refused"),
        stopped=tuple(_stopped(row) for row in lanes if row["outcome"] == "stopped"),
        waiting=(*_open(lanes), *waiting),
        target=target,
        note=note,
    )


def _landed(row: Row) -> LandedIssue:
    return LandedIssue(
        issue=str(row["issue"]), lane=str(row["lane"]), commit=str(row["landed_commit"])
    )


def _refused(row: Row) -> RefusedIssue:
    return RefusedIssue(issue=str(row["issue"]), kind="refused", reason=str(row["reason"]))


def _stopped(row: Row) -> StoppedIssue:
    return StoppedIssue(issue=str(row["issue"]), lane=str(row["lane"]), reason=str(row["reason"]))


def _open(lanes: object) -> tuple[WaitingIssue, ...]:
    assert isinstance(lanes, list | tuple)
    return tuple(
        WaitingIssue(issue=str(row["issue"]), waits_for="the run to go on")
        for row in lanes
        if row["outcome"] is None
    )
