"""What the engine of one run holds between ticks, and what the parts of a tick may ask of it."""

import math
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import partial

from tidegate.core.drain import say_drain
from tidegate.core.events import EffectIntended
from tidegate.core.issue import Issue
from tidegate.core.lane import Attempt, Lane
from tidegate.core.records import record
from tidegate.core.values import Outcome
from tidegate.core.word import Spoken
from tidegate.engine.book import Book
from tidegate.engine.clearing import clear
from tidegate.engine.setup import Ports, Setup
from tidegate.engine.watch import Watch
from tidegate.engine.wish import Wish
from tidegate.playbooks.queue import Facts, Holder, takeable
from tidegate.ports.agents import Brief
from tidegate.ports.clock import Reading
from tidegate.ports.inbox import Reply, Request

STARTING_LOOK_S = 0.2
"""How soon a runner that was started is looked at again: most have begun within 30 ms."""
CLINGING_LOOK_S = 1.0
"""How soon processes that would not die are looked at again."""
LOOKS_A_SECOND = 10
"""How many looks are for first commits at most, over all builders: a hundred of them cost a third
of a percent of a core so."""
RETRY_FACTOR = 4.0
"""By how much each further failure in a row lengthens the pause before the next try."""
RETRY_MAX_S = 600.0
"""The longest pause."""

INTERRUPTED = "interrupted"
"""The reason that a request to stop gives: a person wished it."""

OWNER = "owner"
"""The reason that a request to stop one lane gives."""

BASE = "base"
"""What the base's check goes by, where a lane's has its attempt."""


@record(kw_only=False)
class Retry:
    """When a failed job may be tried again, on the monotonic clock."""

    at_s: float
    is_new_work: bool
    """A drain begins none of its kind."""


def base_preparation(number: int) -> str:
    """The name of the job that makes the workspace for a try at checking the base."""
    return f"base-prepare-{number}"


def preparation(attempt: Attempt) -> str:
    """The name of the job that makes an attempt's workspace, for the first time or once more."""
    once_more = f"-{attempt.evictions}" if attempt.evictions else ""
    return f"{attempt.id}-prepare-{attempt.jobs_failed}{once_more}"


@record(kw_only=False)
class Renewal:
    """The newest beat that a lease was renewed for, and when."""

    sequence: int
    at_s: float


@record(kw_only=False)
class Skipped:
    """An issue that was not given to us: `is_refused` where somebody else has it."""

    issue: Issue
    is_refused: bool
    reason: str


@record(kw_only=False)
class End:
    """How the lane of an issue ended, as far as its tracker is concerned."""

    issue: str
    outcome: Outcome
    reason: str


@dataclass(slots=True)
class Tracking:
    """What is to be told to a tracker that wants to know, beside what the run's stream holds."""

    ends: dict[str, End] | None = None
    """Lanes that are over and of which it was not told yet; None before the ledger was asked."""
    noted: set[str] = field(default_factory=set)
    """Lanes that are over, whether it was told of them or not."""
    landings: dict[str, tuple[int, str]] = field(default_factory=dict)
    """What each lane landed, and as the how many-th."""
    places: dict[str, int] = field(default_factory=dict)
    """As the how many-th a commit landed."""
    claims: dict[str, None] | None = None
    """The receipts of claims that may have to be given back; None before the run was looked at."""
    tries: dict[str, int] = field(default_factory=dict)
    """How often telling it went wrong, by the receipt."""
    unsure: set[str] = field(default_factory=set)
    """The receipts of which a try may have been heard all the same."""
    asks_again: list[EffectIntended] | None = None
    """What an earlier controller left unknown and is asked once more; None before a look."""
    asked: set[str] = field(default_factory=set)
    """The receipts whose question this controller put, or found under way."""
    gives_up: bool = False
    """The run is being ended: what was claimed and never begun is given back."""

    def note_landing(self, lane: str, commit: str) -> None:
        """Keep what a lane landed; the second time says nothing new."""
        if lane not in self.landings:
            self.landings[lane] = len(self.landings), commit
            self.places.setdefault(commit, self.landings[lane][0])

    def give_up(self) -> None:
        """The run is being ended: all claims are looked at once more."""
        self.gives_up, self.claims = True, None


@dataclass(slots=True)
class Engine:
    """The run as it is held in memory: all of it can be made anew from the ledger.

    `queue` holds the issues that no lane was opened for, in order; `width` is how many lanes may
    work at once; `landed` names the issues that others may stand on.
    """

    ports: Ports
    setup: Setup
    book: Book
    queue: list[Issue]
    width: int
    render_prompt: Callable[[str, Brief], str]
    now: Reading
    landed: set[str] = field(default_factory=set)
    unknown_elsewhere: Callable[[], Mapping[str, str]] = dict
    """The issues of which a receipt of any run is unknown, each with that receipt."""
    words: Callable[[], Mapping[str, Spoken]] = dict
    """The owner's standing words as they are now: what is said while a run works binds it too."""
    only: AbstractSet[str] | None = None
    """The issues that this controller may take; None for all."""
    opened_max: int | None = None
    """How many lanes this controller may open; None for as many as there are issues."""
    opened: int = 0
    lane_names: set[str] = field(default_factory=set)
    """The lanes that the run ever had: an issue that was opened again gets a further one."""
    agent_problem: Callable[[], str | None] = lambda: None
    refill: Callable[[], bool] = lambda: False
    """Looks for issues that were added meanwhile, once nothing is left; True where there are."""
    unread: str = ""
    """Why the queue may lack issues: the tracker could not be read when it was last looked at."""
    is_draining: bool = False
    first_epoch: int | None = None
    """The first epoch of the process that this is in, where that is not its own: what was said to
    it under an earlier one was said to whoever this is."""
    wished: Wish = Wish.GO_ON
    """What somebody asked of the whole run, beside the signals."""
    replies: list[tuple[Request, Reply]] = field(default_factory=list)
    """What is said to requests once it is durable."""
    halt: str | None = None
    """What will not mend itself: a red base, an agent that cannot be started."""
    is_damaged: bool = False
    """Why it halts is that something which was said to be safe may be lost."""
    disk_note: str | None = None
    """What is wrong with the free space, while it is below the floor."""
    base_try: int = 1
    """Which try at checking the base is looked at; one that was ended from outside is spent."""
    base_losses: int = 0
    """How many tries came to no verdict."""
    is_base_dirty: bool = False
    """A try that was spent may have left a workspace."""
    base_clearings_failed: int = 0
    base_removals_failed: int = 0
    is_base_removed: bool = False
    refused_delivery: str | None = None
    """The target that the user's repository could not take: it is not offered twice in a row."""
    deliveries_failed: int = 0
    """How often in a row a delivery went wrong by itself."""
    refused_publication: str | None = None
    """The commit that the user's remote could not take: it is not offered twice in a row."""
    publications_failed: int = 0
    """How often in a row a push went wrong by itself."""
    publication_looks: int = 0
    """How often the remote was asked in vain what became of a push."""
    tracking: Tracking = field(default_factory=Tracking)
    skipped: dict[str, Skipped] = field(default_factory=dict)
    """Issues that no lane is opened for in this run, since their tracker did not give them."""
    unmerged_ahead: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Of a lane, the tip and the commit that it was not merged onto well ahead of its turn."""
    checkpoints_failed: dict[str, int] = field(default_factory=dict)
    harvests: int = 0
    packs: int = 0
    """What was harvested, and how often the hub was packed, under this controller."""
    retries: dict[str, Retry] = field(default_factory=dict)
    """When a job of an attempt may be tried again, by the attempt."""
    renewed: dict[str, Renewal] = field(default_factory=dict)
    """The newest renewal of each turn, by its folder."""
    unheld_since: dict[str, float] = field(default_factory=dict)
    lost: set[str] = field(default_factory=set)
    """The folders whose lock was taken and whose fence was written."""
    clinging_since: dict[str, float] = field(default_factory=dict)
    """Since when processes of a folder, whose runner is no more, would not die."""
    swept: set[str] = field(default_factory=set)
    """The folders whose processes this tick ended, as far as they would."""
    running: set[str] = field(default_factory=set)
    """The folders in which something goes on, as this tick saw them."""
    watch: Watch = field(default_factory=Watch)
    looking: int = 0
    """How many builders are looked at for their first commit."""
    starts: dict[str, Callable[[], None]] = field(default_factory=dict)
    settling: dict[str, Callable[[], None]] = field(default_factory=dict)
    """What is done once that it is settled is durable, whatever is planned by then."""

    def begin(self, now: Reading) -> None:
        """A tick begins: what goes on is seen afresh."""
        self.now, self.book.utc = now, now.utc
        self.running.clear()
        self.swept.clear()
        self.watch.begin()
        self.looking = 0

    def end(self) -> None:
        """A tick ends: a folder that nobody asked for any more is no longer waited for."""
        now_s = self.now.monotonic_s
        self.retries = {name: each for name, each in self.retries.items() if each.at_s > now_s}
        self.unheld_since = {f: at for f, at in self.unheld_since.items() if f in self.running}
        self.clinging_since = {f: at for f, at in self.clinging_since.items() if f in self.swept}
        self.watch.end()

    def after_commit(self, folder: str, action: Callable[[], None]) -> None:
        """Start this in the folder, once, when everything recorded so far is durable."""
        self.starts[folder] = action

    def tidy_after_commit(self, folder: str) -> None:
        """Clear this folder away once what was learnt from it is durable."""
        self.settle_after_commit(folder, partial(clear, folder))

    def settle_after_commit(self, place: str, action: Callable[[], None]) -> None:
        """Do this at a place, once, when what was recorded of it is durable."""
        self.settling[place] = action

    def hold_back(self, owner: str, *, failures: int, is_new_work: bool = False) -> None:
        """A job failed, so many times in a row: the owner's next has to wait.

        With `is_new_work` it is of a kind that a drain does not begin.
        """
        pause_s = self.setup.policy.deadlines.retry_s * RETRY_FACTOR ** min(failures - 1, 10)
        at_s = self.now.monotonic_s + min(pause_s, RETRY_MAX_S)
        self.retries[owner] = Retry(at_s, is_new_work=is_new_work)

    def may_try(self, owner: str) -> bool:
        """No job of this attempt, or whatever owns jobs, has failed a moment ago."""
        retry = self.retries.get(owner)
        return retry is None or self.now.monotonic_s >= retry.at_s

    def saw_running(self, folder: str) -> None:
        """A runner of this folder is at work."""
        self.running.add(folder)
        self.unheld_since.pop(folder, None)

    def is_lost(self, folder: str, *, epoch: int, has_begun: bool) -> bool:
        """Whether a folder that nobody holds is given up.

        It had time to start, or had begun before; its lock was taken, and nothing lives of what its
        runner had started.
        """
        if folder in self.lost:
            return self.is_empty(folder)
        since_s = self.unheld_since.setdefault(folder, self.now.monotonic_s)
        self.running.add(folder)
        is_early = self.now.monotonic_s - since_s < self.setup.policy.deadlines.start_s
        if is_early and not has_begun:
            return False
        del self.unheld_since[folder]
        if not self.ports.runners.declare_lost(folder, epoch=epoch):
            return False
        self.lost.add(folder)
        self.watch.unproved.add(folder)
        return False  # the next tick proves it empty, together with all others of this one

    def is_empty(self, folder: str) -> bool:
        """Nothing that was started in this folder lives any more.

        What does not die in time is left to a person: nothing may follow it in its workspace.
        """
        if folder in self.watch.due:
            self._prove_empty()
        if folder in self.watch.empty:
            return True
        self.watch.unproved.add(folder)  # the next tick proves it, together with all others
        since_s, limit_s = self.clinging_since.get(folder), self.setup.policy.deadlines.stop_ack_s
        if since_s is not None:
            self.swept.add(folder)
        if since_s is None or self.now.monotonic_s - since_s < limit_s:
            self.running.add(folder)
        else:
            pids = ", ".join(map(str, self.watch.clinging[folder]))
            self.halt = f"these processes would not die, end them and run again: {pids}"
        return False

    def _prove_empty(self) -> None:
        """Look once in a tick for what lives of all the folders that were given up before it.

        It is ended, all of it in one go. Nothing begins in them any more, so empty once is empty
        for good.
        """
        watch = self.watch
        due, watch.due = watch.due, set()
        watch.unproved -= due
        living = self.ports.runners.survivors(sorted(due))
        left = self.ports.runners.sweep_all([folder for folder in living if living[folder]])
        clinging = {folder: pids for folder, pids in left.items() if pids}
        watch.clinging.update(clinging)
        watch.empty |= due - clinging.keys()
        for folder in clinging:
            self.clinging_since.setdefault(folder, self.now.monotonic_s)

    def issue_text(self, lane: Lane) -> str:
        """The issue's text as it was when the lane was opened."""
        return self.ports.ledger.text(lane.text_digest)

    @property
    def is_held(self) -> bool:
        """Nothing new may start: a signal asks for it, its owner's drain, or something is wrong."""
        return self.is_draining or self.book.run.drain is not None or self.held_by is not None

    def is_blocked(self, lane: Lane) -> bool:
        """Something of its issue ended outside as nobody knows how: it waits for that."""
        return lane.issue in self.book.run.blocked

    @property
    def held_by(self) -> str | None:
        """What a person must mend before anything new can start."""
        return self.halt or self.disk_note

    @property
    def is_done(self) -> bool:
        """Nothing is under way and nothing would start."""
        if self.running or self.now.monotonic_s < self.watch.trusted_from_s:
            return False
        if self.is_damaged:
            return True  # no try is worth its risk before a person has looked
        run = self.book.run
        if self.is_held and not self.waits_for_room:
            return not run.untold and all(retry.is_new_work for retry in self.retries.values())
        is_settled = run.delivery is None and run.publication is None and not run.untold
        is_idle = self._is_at_rest and is_settled
        return is_idle and not self.has_takeable_issue and not self.retries

    @property
    def waits_for_room(self) -> bool:
        """Nothing but the free space holds it up. A run that began nothing yet needs not wait."""
        is_wished = not self.is_draining and self.book.run.drain is None
        return bool(self.lane_names) and is_wished and self.halt is None

    @property
    def _is_at_rest(self) -> bool:
        """No lane can go on by itself."""
        blocked = self.book.run.blocked
        if not blocked:
            return self.book.is_at_rest
        return all(
            lane.issue in blocked or (lane.is_waiting_for_owner and lane.stop_asked is None)
            for lane in self.book.lanes.values()
        )

    @property
    def has_takeable_issue(self) -> bool:
        """An issue in the queue waits for nothing but a slot."""
        return bool(self.takeable(1))

    @property
    def is_at_limit(self) -> bool:
        """This controller has opened as many lanes as it may."""
        return self.opened_max is not None and self.opened >= self.opened_max

    def takeable(self, slots: int) -> Sequence[Issue]:
        """The issues that may be taken now, of at most so many, by the rules of the queue."""
        if self.opened_max is not None:
            slots = min(slots, self.opened_max - self.opened)
        if slots <= 0 or not self.queue:
            return ()
        return tuple(takeable(self.queue, self.facts(slots)))

    def facts(self, slots: int) -> Facts:
        """What the queue is arranged by at this moment."""
        return Facts(
            landed=self.landed,
            words=self.words(),
            unknown={**self.unknown_elsewhere(), **self.book.run.blocked},
            drained=say_drain(self.book.run.id, self.book.run.drain),
            holders=[
                Holder(
                    lane=lane.id,
                    issue=lane.issue,
                    footprint=() if lane.is_waiting_for_owner else lane.footprint,
                )
                for lane in self.book.lanes.values()
                if lane.outcome is None
            ],
            only=self.only,
            slots=slots,
        )

    def stop_all(self) -> None:
        """Ask every turn and every preparation under way to end. Asking twice is asking once.

        Other jobs take no time of a person's, and end by themselves.
        """
        places = self.setup.places

        def stop(folder: str, epoch: int) -> None:
            self.request_stop(folder, epoch, reason=INTERRUPTED)

        if self.book.run.base_verdict is None:
            stop(places.job(base_preparation(self.base_try)), 1)
            stop(places.turn(BASE, self.base_try), 1)
            self.is_base_dirty = True
        for lane in self.book.lanes.values():
            for attempt in lane.attempts.values():
                turn = attempt.turn
                if attempt.environment is None:
                    stop(places.job(preparation(attempt)), 1)
                elif turn is not None and turn.end is None:
                    stop(places.turn(attempt.id, turn.number), turn.epoch)

    def request_stop(self, folder: str, epoch: int, *, reason: str) -> None:
        """Ask a runner to end its process, and begin to wait for its word. Twice is once."""
        self.watch.stop_asked_s.setdefault(folder, self.now.monotonic_s)
        self.ports.runners.request_stop(folder, epoch=epoch, reason=reason)

    def wait_s(self) -> float:
        """How long nothing can become due by itself: the next beat, look, try or start limit."""
        if self.now.monotonic_s < self.watch.trusted_from_s:
            return self.watch.trusted_from_s - self.now.monotonic_s
        if self.watch.unproved & self.running - self.clinging_since.keys():
            return 0.0
        soonest_s = min((retry.at_s for retry in self.retries.values()), default=math.inf)
        round_s = math.inf if self.watch.round_due_s is None else self.watch.round_due_s
        due_s = max(0.0, min(soonest_s, round_s) - self.now.monotonic_s)
        return min(due_s, self._look_s())

    def _look_s(self) -> float:
        deadlines = self.setup.policy.deadlines
        if self.unheld_since:
            return min(deadlines.start_s, STARTING_LOOK_S)
        if self.clinging_since or self.watch.stop_asked_s:
            return min(deadlines.start_s, CLINGING_LOOK_S)
        if not self.looking:
            return deadlines.beat_s
        look_s = max(deadlines.checkpoint_look_s, self.looking / LOOKS_A_SECOND)
        return min(deadlines.beat_s, look_s)
