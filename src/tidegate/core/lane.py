"""What is known of one lane: the fold of its events, and nothing else.

A lane is one issue with one owner. Its attempts are few, so everything here is small and copied
freely. Questions about a lane are answered by the properties below; what to do next is decided in
a playbook, never here.
"""

from collections.abc import Mapping
from dataclasses import field

from tidegate.core.attempt import TERMINAL, State
from tidegate.core.liveness import Action, Classification, Lapse
from tidegate.core.records import record
from tidegate.core.values import About, Authorization, Outcome, Refusal, Role, Verdict

JUDGES = (Role.ADJUDICATE, Role.CHECK, Role.VERIFY)
"""The roles that judge: what they change in their workspaces is thrown away."""

NEVER_RAN = frozenset({"not_started", "fenced"})
"""Ends of a turn in which no agent ever ran."""


@record
class End:
    """How a turn's process ended: a runner's reason, or `lost`."""

    how: str
    code: int | None
    signal: int | None
    report_digest: str
    failure_digest: str | None
    is_external: bool

    @property
    def has_not_run(self) -> bool:
        """No agent ever ran: nobody's doing, and nothing to harvest."""
        return self.how in NEVER_RAN


@record
class Staged:
    """An artifact whose publication is intended."""

    path: str
    digest: str
    is_valid: bool


@record
class Seen:
    """What the monitor last saw of an attempt: the next observation is compared with it."""

    turn: int
    classification: Classification
    output_bytes: int
    commit: str | None
    utc: str


@record
class Turn:
    """One process run of an attempt's agent."""

    number: int
    epoch: int
    deadline_s: float
    finding_digest: str | None = None
    base: str | None = None
    is_started: bool = False
    end: End | None = None
    is_harvested: bool = False
    is_settled: bool = False
    """What the end means is decided; nothing of this turn is open."""
    staged: Staged | None = None
    claimed: Mapping[Action, Lapse] = field(default_factory=dict)
    """What the monitor did, or is about to do: each kind of act once in a turn."""


@record
class Attempt:
    """One leased execution of one role by one agent."""

    id: str
    role: Role
    agent: str
    state: State
    supersedes: str | None = None
    commit: str | None = None
    attacks: tuple[str, ...] = ()
    epoch: int = 0
    workspace: str | None = None
    base: str | None = None
    """The commit that its work is measured against, and must descend from."""
    start: str | None = None
    """The commit that its checkout began at: the base, or what was reached before."""
    environment: str | None = None
    is_removed: bool = False
    evictions: int = 0
    is_being_evicted: bool = False
    """Its workspace is on its way out: nothing begins in it before it is gone."""
    turn: Turn | None = None
    checkpoint: str | None = None
    tip: str | None = None
    tree: str | None = None
    is_empty: bool = False
    digest: str | None = None
    judged_tree: str | None = None
    judged_tip: str | None = None
    authorization: Authorization = Authorization.NONE
    jobs_failed: int = 0
    removals_failed: int = 0
    reason: str = ""
    detail: str = ""
    """What was wrong in particular, where it came to nothing for that reason."""
    recovered: int = 0
    """The newest controller epoch that found it open when it took over."""
    seen: Seen | None = None

    @property
    def is_over(self) -> bool:
        """Nothing of it changes any more."""
        return self.state in TERMINAL

    @property
    def has_open_turn(self) -> bool:
        """A turn was granted and what its end means is not decided yet."""
        return self.turn is not None and not self.turn.is_settled


@record
class Red:
    """A check's FAIL that does not count yet: the target may fail the same way."""

    by: str
    finding_digest: str | None
    reason: str


@record
class Candidate:
    """The change merged onto one target: the exact commit and tree that would land."""

    target: str
    tip: str
    commit: str
    tree: str
    target_tree: str = ""
    verdict: Verdict | None = None
    checks: int = 0
    """Checks that ended with a verdict on it."""
    red: Red | None = None
    is_verified: bool = False
    """A verifier's PASS stands for it: given for this very tree, or carried over a clean merge."""
    surface: tuple[str, ...] = ()
    """What it changes of the tests and of what configures them, as its footprint allows."""


@record
class Correction:
    """Something that the builder has to answer.

    With `base` the change does not merge: that is the target which it must be carried onto.
    """

    finding_digest: str
    base: str | None = None


@record
class Landing:
    """A move of the target that is intended and not yet known to have happened."""

    ref: str
    old: str
    new: str
    tree: str


@record
class Adjudication:
    """What an adjudicator said of the issue. `kind` is None where it is to be built."""

    kind: Refusal | None
    fixture: str
    report_digest: str
    reason: str = ""


@record
class Question:
    """Something that only the owner can answer. The recommended option is first, `defer` last."""

    id: str
    about: About
    options: tuple[str, ...]
    detail_digest: str | None
    asked_utc: str
    is_deferred: bool = False


@record
class Lane:
    """One issue on its way. `version` is the number of its events so far."""

    id: str
    issue: str
    title: str
    issue_digest: str
    text_digest: str
    footprint: tuple[str, ...]
    """The paths that it is expected to change: as its owner has it, or else its adjudicator."""
    priority: int
    version: int
    leave: tuple[str, ...] = ()
    """The footprint that its owner wrote into the issue. It alone gives leave to change what judges
    the change, and what is protected: an agent gives no such leave."""
    attempts: Mapping[str, Attempt] = field(default_factory=dict)
    fails: int = 0
    conflicts: int = 0
    replacements: int = 0
    externals: int = 0
    """Replacements that no agent caused."""
    landings_refused: int = 0
    candidate: Candidate | None = None
    correction: Correction | None = None
    queued_utc: str | None = None
    """Since when its change is offered, with nothing to answer: its place in the landing queue."""
    ruled_utc: str | None = None
    landing: Landing | None = None
    adjudication: Adjudication | None = None
    is_admitted: bool = False
    """It may be built: an adjudicator, or the owner over one, said so."""
    reserved: tuple[str, ...] | None = None
    """The paths that it holds until it is over or waits for its owner."""
    question: Question | None = None
    """What it waits for its owner to answer."""
    questions: int = 0
    owner_words: tuple[str, ...] = ()
    """The stored texts of what its owner answered, for whoever works on it next."""
    rounds_granted: int = 0
    """Further rounds that the owner allowed after the last FAIL."""
    unheard: int = 0
    """Adjudicators or verifiers in a row of whom no verdict could be read."""
    targets_red: int = 0
    """How often its check failed and the target failed the same way."""
    stop_asked: str | None = None
    """The owner wishes it to end, and why."""
    commit: str | None = None
    outcome: Outcome | None = None
    reason: str = ""

    def latest(self, role: Role) -> Attempt | None:
        """The newest attempt of a role, over or not."""
        found = None
        for attempt in self.attempts.values():
            if attempt.role is role:
                found = attempt
        return found

    def count(self, role: Role) -> int:
        """How many attempts of a role there were."""
        return sum(attempt.role is role for attempt in self.attempts.values())

    @property
    def current(self) -> Attempt | None:
        """The newest attempt that is not over, else the newest: a build again after its check."""
        found = None
        for attempt in self.attempts.values():
            if found is None or found.is_over or not attempt.is_over:
                found = attempt
        return found

    @property
    def open_judge(self) -> Attempt | None:
        """Whoever judges it now: at most one, since a lane judges one thing at a time."""
        for role in JUDGES:
            judge = self.latest(role)
            if judge is not None and not judge.is_over:
                return judge
        return None

    @property
    def is_waiting_for_owner(self) -> bool:
        """Nothing of it goes on before its owner has answered: it holds no slot and no paths."""
        return self.question is not None and self.outcome is None

    @property
    def answers_conflict(self) -> bool:
        """Its builder is to carry the change onto a newer target, or is about it."""
        if self.correction is not None:
            return self.correction.base is not None
        build = self.latest(Role.BUILD)
        turn = build.turn if build is not None else None
        return turn is not None and not turn.is_settled and turn.base is not None

    @property
    def is_queued(self) -> bool:
        """Its change is offered: it is merged, checked and landed when it is its turn."""
        return self.queued_utc is not None and self.outcome is None
