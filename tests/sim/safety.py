"""What must hold after every step, whatever goes wrong: watched at the ledger, host and refs.

The watcher keeps a fold of its own from what became durable, and believes nothing else. A breach
raises `Violation`, which names the rule.
"""

from collections.abc import Iterable, Mapping, Sequence

from tidegate.core import events as e
from tidegate.core.attempt import State, may_move, may_succeed
from tidegate.core.evolve import evolve
from tidegate.core.footprint import overlap, parse
from tidegate.core.lane import Lane
from tidegate.core.policy import Limits
from tidegate.core.run import Run, evolve_run, with_lane_event
from tidegate.core.values import Cause, Role, Ruling, Verdict
from tidegate.playbooks.landing_queue import head_of
from tidegate.ports.inbox import Reply, Request

BEGINNINGS = (
    e.LaneOpened,
    e.Requested,
    e.Reserved,
    e.Dispatched,
    e.TurnOpened,
    e.LandingIntended,
)
"""What a drain holds back."""


class Violation(AssertionError):
    """A rule of the product was broken."""


def require(holds: object, rule: str, *about: object) -> None:
    """Raise Violation where a rule does not hold. `about` is shown, and costs nothing else."""
    if not holds:
        raise Violation(": ".join([rule, *map(str, about)]))


class Durable:
    """The fold of what is durable, and the rules for each entry that becomes so."""

    round_due_s = 0.0
    """When the controller that is there may observe again."""

    def __init__(
        self,
        limits: Limits,
        *,
        adjudicates: bool = False,
        verifies: bool = False,
        asks_owner: bool = False,
    ) -> None:
        self.run: Run | None = None
        self.lanes: dict[str, Lane] = {}
        self.epochs: dict[str, int] = {}
        self.intended: set[tuple[str, str, str]] = set()
        """Every move of the hub's ref that was ever intended: ref, old, new."""
        self.landed: set[str] = set()
        """Every commit that has landed."""
        self.staged: dict[str, str] = {}
        """Every artifact whose publication was intended: path to digest."""
        self.green: set[str] = set()
        """Trees on which a check process really came to a PASS. Filled by the world."""
        self.moves: set[tuple[State | None, State]] = set()
        self.count = 0
        """How many entries there are."""
        self._passed: set[str] = set()
        self._causes: dict[tuple[str, Cause], int] = {}
        self.limits = limits
        self.adjudicates, self.verifies = adjudicates, verifies
        self.asks_owner = asks_owner
        self.verified: set[str] = set()
        """Commits that a verifier really passed. Filled by the world."""
        self._ruled_by: dict[str, str] = {}
        """Who ruled a lane to land, since anything was last said against it."""
        self._heard: set[tuple[str, ...]] = set()
        self._unrecovered: set[str] = set()
        """Attempts that were open when the newest controller took over, and not spoken of since."""
        self.drains = 0
        """How often a run was drained."""
        self._unknown_before: dict[str, str] = {}
        """The issues that earlier runs left with an unknown receipt."""

    @property
    def is_ruled_first(self) -> bool:
        """A change is judged and ruled before it queues."""
        return self.verifies or self.asks_owner

    def take(self, run_id: str, entries: Iterable[e.Recorded]) -> None:
        """Entries became durable."""
        for recorded in entries:
            self.count += 1
            entry = recorded.entry
            if isinstance(entry.event, e.RunStarted):
                self.lanes.clear()
                self.epochs.clear()
                self._ruled_by.clear()
                self._unknown_before |= {} if self.run is None else self.run.blocked
            if isinstance(entry.event, e.ControllerTookOver):
                self._unrecovered = set(self._open_attempts())
                self.round_due_s = 0.0
            if isinstance(entry.event, e.MonitorRan):
                self._check_round(entry.event)
            if entry.lane == "":
                self._check_run(entry)
                self.run = evolve_run(self.run, run_id, entry)
            else:
                self._take_lane(entry)

    def _check_round(self, event: e.MonitorRan) -> None:
        """G8: one round an interval and controller, and nothing in between."""
        is_due = event.monotonic_s >= self.round_due_s
        require(is_due, "it observes more often than it says", event)
        self.round_due_s = event.monotonic_s + event.next_s

    def _open_attempts(self) -> Iterable[str]:
        for lane in self.lanes.values():
            if lane.outcome is None:
                yield from (each.id for each in lane.attempts.values() if not each.is_over)

    def _check_recovery(self, entry: e.Entry) -> None:
        """G3: of what is open at a take-over it is said once what became of it, and first."""
        if isinstance(entry.event, e.Recovered):
            is_due = entry.event.attempt in self._unrecovered
            require(is_due, "a recovery of what was not open", entry)
            self._unrecovered.discard(entry.event.attempt)
        is_ahead = entry.attempt in self._unrecovered and not isinstance(entry.event, e.Observed)
        require(not is_ahead, "an attempt moves before it is said what became of it", entry)

    def _check_run(self, entry: e.Entry) -> None:
        """What the owner said of the run as a whole, and what an unknown receipt keeps back."""
        event, run = entry.event, self.run
        match event:
            case e.DrainAsked():
                require(run and run.drain is None, "a run is drained twice", event)
                self.drains += 1
                self._heard.add(("drain_run", ""))
            case e.DrainLifted():
                self._heard.add(("undrain_run", ""))
            case e.ReceiptReconciled(receipt=receipt, outcome=outcome):
                require(run and receipt in run.unknown, "what is known is reconciled", event)
                self._heard.add(("reconcile", receipt, outcome))
            case e.EffectIntended(issue=issue, kind=kind):
                require(run and issue not in run.blocked, "told while it is unknown", event)
                is_claim = kind == "claim"
                require(not (run and run.drain and is_claim), "a claim in a drained run", event)
            case e.PublishIntended():
                require(run and run.unknown_push is None, "a push after an unknown one", event)
            case _:
                pass

    def _check_beginning(self, before: Lane | None, entry: e.Entry) -> None:
        """Nothing begins while a run is drained, or of an issue that is unknown."""
        run, event = self.run, entry.event
        if run is None or not isinstance(event, BEGINNINGS):
            return
        require(run.drain is None, "something begins in a drained run", entry)
        issue = event.issue if isinstance(event, e.LaneOpened) else before and before.issue
        require(issue not in run.blocked, "something begins while it is unknown", entry)
        is_new = isinstance(event, e.LaneOpened)
        require(not is_new or issue not in self._unknown_before, "a lane while unknown", entry)

    def _take_lane(self, entry: e.Entry) -> None:
        before = self.lanes.get(entry.lane)
        self._check_recovery(entry)
        self._check_beginning(before, entry)
        self._check_move(before, entry)
        self._check_epoch(entry)
        after = evolve(before, entry)
        self.lanes[entry.lane] = after
        self._check_event(before, after, entry)
        self._check_words(after, entry)
        self._check_limits(after)
        assert self.run is not None
        self.run = with_lane_event(self.run, entry.event, entry.lane)

    def _check_move(self, before: Lane | None, entry: e.Entry) -> None:
        event = entry.event
        if isinstance(event, e.Requested):
            old = before.attempts[event.supersedes].state if before and event.supersedes else None
            require(old is None or may_succeed(old, event.born), "no such birth", event, old)
            self.moves.add((old, event.born))
        elif entry.next is not None:
            state = before.attempts[entry.attempt or ""].state if before else None
            require(state is entry.previous, "the previous state is another", entry, state)
            require(state is not None and may_move(state, entry.next), "no such move", entry)
            self.moves.add((state, entry.next))

    def _check_epoch(self, entry: e.Entry) -> None:
        if entry.attempt is None:
            return
        last = self.epochs.get(entry.attempt, 0)
        grows = isinstance(entry.event, e.TurnOpened | e.Regranted)
        require(entry.epoch >= last + int(grows), "the epoch does not grow", entry)
        self.epochs[entry.attempt] = entry.epoch

    def _check_event(self, before: Lane | None, after: Lane, entry: e.Entry) -> None:
        match entry.event:
            case e.LaneOpened():
                require(before is None, "a lane is opened twice", entry.lane)
            case e.Requested(role=role):
                live = [x.id for x in after.attempts.values() if x.role is role and not x.is_over]
                require(len(live) == 1, "live attempts of one lane and role", live)
            case e.ArtifactStaged(path=path, digest=digest):
                require(
                    self.staged.setdefault(path, digest) == digest,
                    "an artifact is staged anew",
                    path,
                )
            case e.Judged(verdict=Verdict.PASS | Verdict.FLAKY, tree=tree):
                require(tree in self.green, "a PASS on a tree that no check passed", entry)
                self._passed.add(tree)
            case e.LandingIntended():
                self._check_landing(after, entry.event)
            case e.Landed(ref=ref, commit=commit):
                landing = before.landing if before else None
                require(before and before.commit is None, "a lane lands twice", entry.lane)
                require(
                    landing and landing.new == commit, "what lands is not what was intended", ref
                )
                self.landed.add(commit)
            case _:
                pass

    def _check_landing(self, lane: Lane, event: e.LandingIntended) -> None:
        candidate = lane.candidate
        require(event.tree in self._passed, "a landing on a tree without a verdict", event)
        require(
            candidate and (candidate.commit, candidate.tree) == (event.new, event.tree),
            "a landing of something else than the candidate",
            event,
        )
        others = [x.id for x in self.lanes.values() if x.landing and x.id != lane.id]
        require(not others, "two landings at once", lane.id, others)
        blocked = {} if self.run is None else self.run.blocked
        free = [x for x in self.lanes.values() if x.issue not in blocked]
        head = head_of(free, self.limits, is_ruled_first=self.is_ruled_first)
        require(head == lane.id, "a landing out of turn", lane.id)
        self.intended.add((event.ref, event.old, event.new))

    def _check_words(self, lane: Lane, entry: e.Entry) -> None:  # noqa: C901 - one arm a word
        """What adjudicators, verifiers and the owner said, and that it is kept to."""
        match entry.event:
            case e.Requested(role=Role.BUILD):
                is_admitted = lane.is_admitted or not self.adjudicates
                require(is_admitted, "a build that nobody admitted", lane.id)
            case e.Reserved(footprint=footprint):
                self._check_paths(lane, footprint)
            case e.TurnOpened(attempt=attempt) if lane.attempts[attempt].role is Role.BUILD:
                is_held = lane.reserved is not None or not lane.footprint
                require(is_held, "work on paths that are not held", lane.id)
            case e.Ruled(ruling=Ruling.LAND, by=by):
                self._ruled_by[lane.id] = by
            case e.Judged(verdict=Verdict.FAIL, counts=True) if lane.correction is not None:
                self._ruled_by.pop(lane.id, None)
            case e.Conflicted() | e.LandingRefused():
                self._ruled_by.pop(lane.id, None)
            case e.Vetoed():
                self._ruled_by.pop(lane.id, None)
                self._heard.add(("veto", lane.id))
            case e.StopAsked():
                self._heard.add(("stop", lane.id))
            case e.Answered(question=question, answer=answer):
                self._heard.add(("answer", question, answer))
            case e.LandingIntended():
                self._check_ruling(lane)
            case _:
                pass

    def _check_paths(self, lane: Lane, footprint: tuple[str, ...]) -> None:
        mine = [parse(each) for each in footprint]
        for other in self.lanes.values():
            if other.id != lane.id and other.outcome is None and other.reserved is not None:
                theirs = [parse(each) for each in other.reserved]
                require(not overlap(mine, theirs), "paths are held twice", lane.id, other.id)

    def _check_ruling(self, lane: Lane) -> None:
        by, candidate = self._ruled_by.get(lane.id), lane.candidate
        require(by == ("owner" if self.asks_owner else "auto"), "a landing without a ruling", by)
        require(lane.stop_asked is None, "a landing after a stop", lane.id)
        is_verified = candidate is not None and candidate.commit in self.verified
        require(is_verified or not self.verifies, "a landing that nobody verified", lane.id)

    def check_reply(self, request: Request, reply: Reply) -> None:
        """What is said to be done is durable."""
        key: tuple[str, ...] = (request.verb, request.lane)
        if request.verb == "answer":
            key = ("answer", request.says.get("question", ""), request.says.get("answer", ""))
        if request.verb == "reconcile":
            key = ("reconcile", request.says["receipt"], request.says["outcome"])
        is_heard = key in self._heard or request.verb == "drain"  # that is no fact of a lane
        require(not reply.is_done or is_heard, "a reply before its commit", request)

    def _check_limits(self, lane: Lane) -> None:
        limits = self.limits
        fails_max = limits.fails_max + lane.rounds_granted
        require(lane.fails <= fails_max, "too many FAILs", lane.id)
        require(lane.unheard <= limits.replacements_max + 1, "too many unheard", lane.id)
        require(lane.conflicts <= limits.conflicts_max + 1, "too many conflicts", lane.id)
        require(lane.replacements <= limits.replacements_max, "too many replacements", lane.id)
        require(lane.externals <= limits.infra_max, "too many retries", lane.id)

    def check_book(self, lanes: Mapping[str, Lane]) -> None:
        """What the controller believes after a tick is what is durable."""
        for name, lane in lanes.items():
            durable = self.lanes.get(name)
            require(lane is durable or lane == durable, "the book believes something else", name)

    def check_rows(self, rows: Sequence[Mapping[str, object]]) -> None:
        """The projection's rows of attempts say what the fold says."""
        for row in rows:
            lane = self.lanes[str(row["lane"])]
            attempt = lane.attempts[str(row["attempt_id"])]
            told = (row["state"], row["role"], row["artifact_digest"])
            folded = (attempt.state.value, attempt.role.value, attempt.digest)
            require(told == folded, "a row says something else", attempt.id, told, folded)
            require(
                row["lease_epoch"] == attempt.epoch, "the lease is at another epoch", attempt.id
            )
