"""The facts of a run, past tense, one frozen class each. An event is never changed or removed.

Bodies are small: texts (reports, findings, output) are blobs beside the ledger and stand here by
their digest. Git objects stand here by their id. `KINDS` is the closed list; the kind is the
class's name in snake case. Some have files of their own.
"""

import re
from collections.abc import Mapping
from typing import get_args

from tidegate.core.attempt import State
from tidegate.core.monitor_events import (
    ClockReconciled,
    Decided,
    InterventionClaimed,
    MonitorRan,
    Observed,
    Quarantined,
    Recovered,
    StaleWriteRefused,
)
from tidegate.core.records import record
from tidegate.core.ruling_events import (
    Adjudicated,
    Answered,
    Asked,
    Released,
    Reserved,
    Ruled,
    StopAsked,
    Vetoed,
)
from tidegate.core.run_events import (
    BaseChecked,
    ControllerTookOver,
    DeliveryIntended,
    DeliverySettled,
    DrainAsked,
    DrainLifted,
    EffectIntended,
    EffectSettled,
    PublishIntended,
    PublishSettled,
    ReceiptReconciled,
    RunEnded,
    RunStarted,
)
from tidegate.core.values import Cause, Outcome, Role, Verdict
from tidegate.core.workspace_events import (
    JobFailed,
    WorkspaceCleared,
    WorkspaceEvicted,
    WorkspaceReady,
    WorkspaceRemoved,
)

__all__ = [
    "Adjudicated",
    "Answered",
    "Asked",
    "BaseChecked",
    "ClockReconciled",
    "ControllerTookOver",
    "Decided",
    "DeliveryIntended",
    "DeliverySettled",
    "DrainAsked",
    "DrainLifted",
    "EffectIntended",
    "EffectSettled",
    "InterventionClaimed",
    "JobFailed",
    "MonitorRan",
    "Observed",
    "PublishIntended",
    "PublishSettled",
    "Quarantined",
    "ReceiptReconciled",
    "Recovered",
    "Released",
    "Reserved",
    "Ruled",
    "RunEnded",
    "RunStarted",
    "StaleWriteRefused",
    "StopAsked",
    "Vetoed",
    "WorkspaceCleared",
    "WorkspaceEvicted",
    "WorkspaceReady",
    "WorkspaceRemoved",
]
"""What has a file of its own; what is defined here needs no word."""

# --- a lane's stream --------------------------------------------------------------------------


@record
class LaneOpened:
    """An issue was taken, and is frozen as it was: later edits do not reach this lane."""

    issue: str
    title: str
    issue_digest: str
    text_digest: str
    footprint: tuple[str, ...]
    priority: int


@record
class Requested:
    """An attempt was opened, born in `born`. Who judges a change names the commit that they judge.

    `cause` says why it takes another's place: its own end, or one that was not its doing.
    `attacks` are what a verifier is to try, picked for this round (seed 000, line 27).
    """

    attempt: str
    role: Role
    agent: str
    born: State
    supersedes: str | None
    cause: Cause | None
    commit: str | None
    attacks: tuple[str, ...] = ()


@record
class Dispatched:
    """The attempt got a slot, a workspace path, and the commit that its work is measured against.

    `start` is where its checkout begins, where an earlier attempt had come further than the base.
    """

    attempt: str
    workspace: str
    base: str
    start: str | None = None


@record
class TurnOpened:
    """One process run of the attempt's agent was granted a lease, before anything starts.

    `finding_digest` is the finding that it answers, None for the first work. `base` is set where
    the turn must carry its change onto a newer target. `deadline_s` counts active time; the two
    instants label what it means on the wall, and decide nothing.
    """

    attempt: str
    turn: int
    epoch: int
    deadline_s: float
    deadline_utc: str
    checkpoint_deadline_utc: str
    finding_digest: str | None
    base: str | None


@record
class TurnStarted:
    """The runner holds its lock and the agent's process exists."""

    attempt: str
    turn: int
    agent_pid: int


@record
class Regranted:
    """The lease had run out, and its holder was proved alive: a new epoch, the same work."""

    attempt: str
    turn: int
    epoch: int


@record
class TurnEnded:
    """The process is over, as its runner wrote it; `lost` where the runner died without a word.

    The report and the failure are stored texts. `is_external` marks an end that was not the
    agent's doing: it costs no round.
    """

    attempt: str
    turn: int
    how: str
    code: int | None
    signal: int | None
    active_s: float
    output_bytes: int
    report_digest: str
    failure_digest: str | None
    is_external: bool
    is_fenced: bool = False
    """Its holder is proved dead, and the epoch was raised: nothing it still sends is accepted."""
    killed_by: str = ""
    """Of an end by somebody else's signal: `oom` where the machine was short of memory, else
    `unknown`."""


@record
class Checkpointed:
    """The first promised piece is safe: a builder's first commit, a command's own end."""

    attempt: str
    digest: str


@record
class Harvested:
    """All that the workspace held is in the hub, pinned. `tip` is what the attempt offers."""

    attempt: str
    turn: int
    tip: str
    tree: str
    is_empty: bool
    pins: int


@record
class ArtifactStaged:
    """The intent to publish: this digest, under this immutable path. It precedes the move."""

    attempt: str
    turn: int
    path: str
    digest: str
    is_valid: bool


@record
class Materialized:
    """The artifact is promoted; with it the attempt offers a tree."""

    attempt: str
    path: str
    digest: str
    tree: str


@record
class Corrected:
    """A correction is incorporated: another digest or tree than the one that was judged."""

    attempt: str
    path: str
    digest: str
    tree: str


@record
class CandidateMade:
    """The change merged onto a target, without a checkout: the exact tree that would land.

    `surface` lists what it changes of the tests and of what configures them. With `is_carried` a
    verifier's PASS on the candidate before stands for this one: what the target has gained since
    touches none of its paths.
    """

    attempt: str
    target: str
    tip: str
    commit: str
    tree: str
    target_tree: str = ""
    surface: tuple[str, ...] = ()
    is_carried: bool = False


@record
class Conflicted:
    """The change no longer merges. It goes back to its builder; that is no FAIL."""

    attempt: str
    target: str
    tip: str
    paths: tuple[str, ...]
    finding_digest: str


@record
class Judged:
    """A verdict on one exact tree. `by` is the check's attempt, or the controller for a plain fact.

    `counts` is False for a FAIL that is to be run again, or that the base has too.
    """

    attempt: str
    by: str
    verdict: Verdict
    tree: str
    counts: bool
    finding_digest: str | None
    reason: str
    is_check: bool = False
    """It is a check's word: a tree that it passes need not be checked again in this run."""


@record
class LandingIntended:
    """What the target is about to become. It precedes the move, so that a crash can be told."""

    attempt: str
    ref: str
    old: str
    new: str
    tree: str


@record
class LandingRefused:
    """The target was not where the intent had it: nothing moved, the change is merged again."""

    attempt: str
    actual: str


@record
class Landed:
    """The target moved, by compare-and-swap, to a tree that passed."""

    attempt: str
    ref: str
    commit: str
    tree: str


@record
class Accepted:
    """The attempt counts for good."""

    attempt: str


@record
class Failed:
    """The attempt ended without an artifact."""

    attempt: str
    reason: str
    detail: str


@record
class Stale:
    """The lease ran out with its holder proved dead, or a deadline passed."""

    attempt: str
    reason: str


@record
class Stopped:
    """The attempt is ended and fenced."""

    attempt: str
    reason: str


@record
class Blocked:
    """The attempt cannot go on without a ruling."""

    attempt: str
    reason: str


@record
class LaneEnded:
    """The lane is over."""

    outcome: Outcome
    reason: str


RunEvent = (
    RunStarted
    | ControllerTookOver
    | BaseChecked
    | DeliveryIntended
    | DeliverySettled
    | PublishIntended
    | PublishSettled
    | EffectIntended
    | EffectSettled
    | ClockReconciled
    | MonitorRan
    | Decided
    | ReceiptReconciled
    | DrainAsked
    | DrainLifted
    | RunEnded
)
LaneEvent = (
    LaneOpened
    | Requested
    | Adjudicated
    | Reserved
    | Released
    | Dispatched
    | WorkspaceReady
    | TurnOpened
    | TurnStarted
    | Regranted
    | TurnEnded
    | Checkpointed
    | Harvested
    | ArtifactStaged
    | Materialized
    | Corrected
    | CandidateMade
    | Conflicted
    | Judged
    | Ruled
    | Asked
    | Answered
    | Vetoed
    | StopAsked
    | LandingIntended
    | LandingRefused
    | Landed
    | Accepted
    | Failed
    | Stale
    | Stopped
    | Blocked
    | JobFailed
    | WorkspaceRemoved
    | WorkspaceEvicted
    | WorkspaceCleared
    | Recovered
    | Observed
    | InterventionClaimed
    | StaleWriteRefused
    | Quarantined
    | LaneEnded
)
Event = RunEvent | LaneEvent


def kind_of(event_class: type) -> str:
    """The kind under which an event is stored: its class's name in snake case."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", event_class.__name__).lower()


KINDS: Mapping[str, type] = {
    kind_of(cls): cls for union in (RunEvent, LaneEvent) for cls in get_args(union)
}
NAMES: Mapping[type, str] = {cls: kind for kind, cls in KINDS.items()}


@record
class Entry:
    """An event about to be recorded, with what the ledger must check before it does.

    `version` counts the events of the lane ("" is the run's own stream) from 1. `epoch` is the
    lease's as last granted to the attempt. `previous` and `next` are set where it moves a state.
    """

    lane: str
    version: int
    attempt: str | None
    epoch: int
    event: Event
    actor: str
    previous: State | None
    next: State | None
    reason: str
    utc: str


@record
class Recorded:
    """An entry as it stands in the ledger, with its place in the run's chain."""

    run: str
    sequence: int
    entry: Entry
    previous_hash: str
    hash: str
