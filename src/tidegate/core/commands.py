"""What may be asked of a lane: requests of the plan, and what was seen in the world.

Requests are imperative. A name that begins with `Note` is an observation, already turned into
values; texts were stored before and are given by digest.
"""

from dataclasses import field

from tidegate.core.liveness import Action, Lapse
from tidegate.core.monitor_events import Recovery
from tidegate.core.records import record
from tidegate.core.values import About, Cause, Outcome, Refusal, Ruling, Verdict


@record
class OpenLane:
    """Take an issue, frozen as it is now."""

    issue: str
    title: str
    issue_digest: str
    text_digest: str
    footprint: tuple[str, ...]
    priority: int


@record
class RequestBuild:
    """Open a build attempt: the first, or one in place of an attempt that is over."""

    agent: str
    cause: Cause | None


@record
class RequestAdjudication:
    """Ask whether the issue is to be built."""

    agent: str
    cause: Cause | None


@record
class RequestCheck:
    """Open a check of the candidate, or of the target that it is merged onto.

    The target is checked where the candidate failed: it may fail the same way.
    """

    cause: Cause | None
    of_target: bool = False


@record
class DropCheck:
    """End a check that never began: what it was to judge will not land."""

    attempt: str


@record
class RequestVerify:
    """Open a verification of the candidate, by these attacks."""

    agent: str
    attacks: tuple[str, ...]
    cause: Cause | None


@record
class Reserve:
    """Hold the paths of the footprint, which no other open lane holds."""


@record
class Dispatch:
    """Give the attempt a slot, a workspace path and the commit that its work is measured against.

    `start` is where its checkout begins, where that is further on than the base.
    """

    attempt: str
    workspace: str
    base: str
    start: str | None = None


@record
class OpenTurn:
    """Grant a lease for one process run. The epoch is one above the last one granted."""

    attempt: str
    deadline_s: float
    deadline_utc: str
    checkpoint_deadline_utc: str


@record
class NoteWorkspace:
    """The checkout stands."""

    attempt: str
    environment_digest: str


@record
class NoteStart:
    """The agent's process was seen."""

    attempt: str
    agent_pid: int


@record
class NoteEnd:
    """The process is over. `path` is where the artifact will have its immutable place."""

    attempt: str
    how: str
    code: int | None
    signal: int | None
    active_s: float
    output_bytes: int
    report_digest: str
    failure_digest: str | None
    is_external: bool
    path: str
    is_fenced: bool = False
    """Its holder is proved dead: the epoch is raised by one with it."""
    killed_by: str = ""


@record
class NoteCheckpoint:
    """The builder's first commit is safe in the hub."""

    attempt: str
    commit: str


@record
class NoteHarvest:
    """All that the workspace held is in the hub."""

    attempt: str
    tip: str
    tree: str
    is_empty: bool
    pins: int
    violations: tuple[str, ...]
    path: str


@record
class Said:
    """What the fixed blocks of a report say. `fault` says why they say nothing, where they do not.

    `kind` is set where an adjudicator refuses; `question` where it asks, with its options.
    """

    verdict: Verdict | None = None
    kind: Refusal | None = None
    reason: str = ""
    footprint: tuple[str, ...] = ()
    fixture: str = ""
    question_digest: str | None = None
    options: tuple[str, ...] = ()
    fault: str = ""


@record
class NotePromotion:
    """The artifact has its immutable place.

    `fault_digest` is a stored text that says what the controller itself found wrong with the
    change, to be used where it finds something. `said` is what an agent's report says.
    """

    attempt: str
    fault_digest: str
    said: Said = field(default_factory=Said)


@record
class NoteCandidate:
    """The change merges onto the target."""

    target: str
    tip: str
    commit: str
    tree: str
    has_passed: bool
    """This very tree passed the same gate before: it need not be run again."""
    empty_digest: str | None
    """The stored finding that says so, where nothing is left of the change on this target."""
    unfit_digest: str | None = None
    """The stored finding that says what is wrong with the merged tree itself."""
    unfit_reason: str = "unfit"
    target_tree: str = ""
    surface: tuple[str, ...] = ()
    is_disjoint: bool = False
    """What the target has gained since the candidate before touches no path of this change."""


@record
class NoteConflict:
    """The change does not merge onto the target."""

    target: str
    tip: str
    paths: tuple[str, ...]
    finding_digest: str


@record
class Rule:
    """Decide what a verdict leads to: `land` queues it, `stop` and `refuse` end the lane.

    `build` admits what an adjudicator refused, `again` grants one more round after the last.
    """

    ruling: Ruling
    by: str
    reason: str = ""


@record
class Ask:
    """Put to the owner what is theirs to rule."""

    about: About


@record
class Answer:
    """The owner's answer. `words_digest` is the stored text of what they said with it."""

    question: str
    answer: str
    by: str
    words_digest: str | None = None


@record
class Veto:
    """The owner rules against a PASS, by a finite list. `finding_digest` is its stored text."""

    items: int
    finding_digest: str
    by: str


@record
class AskStop:
    """The owner wishes the lane to end: what runs is stopped, what it did is kept."""

    reason: str
    by: str


@record
class IntendLanding:
    """The target is about to move to the candidate."""

    ref: str


@record
class NoteLanding:
    """The target moved as intended."""


@record
class NoteLandingRefused:
    """The target was somewhere else."""

    actual: str


@record
class NoteJobFailure:
    """The engine's own work failed. `gives_up` where the limit is reached."""

    attempt: str
    job: str
    reason: str
    detail_digest: str
    gives_up: bool


@record
class NoteRemoval:
    """The workspace is gone."""

    attempt: str


@record
class EvictWorkspace:
    """Let the idle workspace make room; what it holds is in the hub."""

    attempt: str


@record
class NoteEviction:
    """The evicted workspace is gone."""

    attempt: str


@record
class NoteRecovery:
    """What a controller that took over found of an open attempt."""

    attempt: str
    outcome: Recovery
    controller_epoch: int


@record
class Intervene:
    """Act on a turn under way, since something of it ran out."""

    attempt: str
    action: Action
    lapse: Lapse


@record
class NoteInvalidArtifact:
    """What was to be published is gone, or its place holds something else."""

    attempt: str
    reason: str


@record
class EndLane:
    """Close the lane."""

    outcome: Outcome
    reason: str


Command = (
    OpenLane
    | RequestBuild
    | RequestAdjudication
    | RequestCheck
    | DropCheck
    | RequestVerify
    | Reserve
    | Dispatch
    | OpenTurn
    | NoteWorkspace
    | NoteStart
    | NoteEnd
    | NoteCheckpoint
    | NoteHarvest
    | NotePromotion
    | NoteCandidate
    | NoteConflict
    | Rule
    | Ask
    | Answer
    | Veto
    | AskStop
    | IntendLanding
    | NoteLanding
    | NoteLandingRefused
    | NoteJobFailure
    | NoteRemoval
    | EvictWorkspace
    | NoteEviction
    | NoteRecovery
    | Intervene
    | NoteInvalidArtifact
    | EndLane
)
