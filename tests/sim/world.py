"""A whole world in memory: the production run verb, tick, book, playbook and ledger, on fakes.

A controller's life ends in a crash, a refusal of the ledger, or with its run. The next life is put
together from the ledger alone, by the same code that serves people.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from tests.sim import ending
from tests.sim.builders import AGENT, Builders, is_green
from tests.sim.faults import Faults, SimulatedCrash, gated
from tests.sim.git import JOB, FakeGit
from tests.sim.host import Host
from tests.sim.inbox import FakeInbox
from tests.sim.judges import Judges
from tests.sim.maintenance import Maintenance
from tests.sim.owner import Owner
from tests.sim.plan import HEARTBEAT_S, LEASE_S, Plan
from tests.sim.process import Ending, Process, Script
from tests.sim.repositories import HUB_TARGET, FakeRepositories, FakeStore, FakeTracker
from tests.sim.safety import BEGINNINGS, Durable, Violation, require
from tests.sim.timeline import Timeline
from tests.sim.trackers import TRACKER, FakeTrackerJobs
from tests.sim.watched import WatchedLedger, no_lock
from tests.sim.witness import Eyewitness
from tidegate.config.load import load
from tidegate.core import events as e
from tidegate.core.clock import Trust
from tidegate.core.errors import NotReady, StaleEpoch, Unavailable
from tidegate.core.issue import Issue
from tidegate.engine.engine import Engine
from tidegate.engine.wish import Wish
from tidegate.git.cleaning import HostCleaning
from tidegate.ledger.masking import mask
from tidegate.ledger.memory import MemoryLedger
from tidegate.ports.consult import Answer
from tidegate.ports.runners import RunnerSpec
from tidegate.verbs.eyes import Eyes
from tidegate.verbs.house import House
from tidegate.verbs.run import RunResult, run

LIVES_MAX = 60
RUNS_MAX = 5
TICKS_WITHOUT_WAIT_MAX = 40
"""More in a row mean that the loop runs hot."""
TICKS_MAX = 2_000
"""In all of a world's lives."""
CALM_MAX_S = 3 * 3600.0
"""From when nothing goes wrong any more to the end. The longest of 2,000 seeds took an hour."""
CALLS_IN_A_TICK_MAX = 300
"""Each is a gate before or after a call of a port."""


class World:
    """One repository, one host, one user, and a run that goes through all that befalls it."""

    tracker_jobs: FakeTrackerJobs | None = None
    """Set where the plan's configuration names a tracker that is told."""
    maintenance: Maintenance | None = None
    """Who drains the run now and then; nobody, where no seed asks for it."""
    engine: Engine | None = None
    kept_bases: frozenset[str] = frozenset()
    """The runs of which some controller gave up to remove the base's workspace."""
    died_of: BaseException | None = None
    """What ended the controller that died last."""
    owner: Owner | None = None
    """Who says something of the run; nobody, where no test and no seed asks for it."""

    def __init__(self, plan: Plan, *, seed: int, folder: Path) -> None:
        self.plan = plan
        self.folder = folder
        self.timeline = Timeline()
        self.faults = Faults(
            self.timeline,
            Random(seed),  # noqa: S311 - it is to be the same each time, and no secret
            plan.odds,
            calm_at_s=plan.calm_at_s,
            pause_s=plan.pause_s,
        )
        root = _root(folder, plan)
        self.durable = _durable(root, plan)
        self.eyes = Eyewitness(self.durable, width=plan.width)
        self.git = self.eyes.git = FakeGit(self.faults, self.eyes)
        self.host = Host(self.timeline, self._program, self.faults, self.eyes)
        hooks = self._befall, self._usurp, self._forget
        self.faults.befall, self.faults.usurp, self.faults.refuse = hooks
        judges = Judges(self.git, plan.words, passed=self.durable.verified.add)
        self.builders = Builders(self.git, plan.deeds, judges)
        self.ledger = MemoryLedger()
        self.store = FakeStore(self.eyes)
        self.repositories = FakeRepositories(self.git, str(root))
        self.inbox = FakeInbox(self.durable.check_reply)
        self.free_bytes = 10**12
        self.wish: Callable[[], Wish] = self._wish
        self.is_check_broken = self.anew = False
        """The check fails on everything; the next lives end the open run and begin another."""
        self.told: list[str] = []
        self.deaths = self.ticks = self.waits = 0
        self.at_tick: list[Callable[[Engine], None]] = []
        """Called after each tick, when everything is durable."""
        self._hot = self._seen = self._tokens = self._calls = 0
        self._doubt_until_s = -1.0
        self._wished, self._is_usurped = Wish.GO_ON, False
        self._shown: set[str] = set()
        self._new: list[e.Event] = []

    # --- lives ------------------------------------------------------------------------------

    def run_to_end(self) -> RunResult:
        """Life after life until a run has ended that began something. Raises Violation."""
        for _ in range(LIVES_MAX):
            result = self.live()
            if result is not None and self.is_ended:
                self._check_end(result)
                if self.durable.lanes or len(self.ledger.runs()) >= RUNS_MAX:
                    return result
            if self.owner is not None:
                self.owner.look(self.durable.lanes)
            if self.maintenance is not None:
                self.maintenance.look(self.durable.run)
            is_quick = self.faults.random.random() < 0.5
            away_s = 2.0 if is_quick else self.plan.pause_s
            self.timeline.pass_by(self.faults.random.uniform(0, away_s))
        raise Violation(f"after {LIVES_MAX} lives the run has not ended: {self.story()[-5:]}")

    def live(self) -> RunResult | None:
        """One life of a controller; None where it died."""
        self._wished, self._hot = Wish.GO_ON, 0
        self._forget()
        self._is_usurped = False
        if self.deaths >= self.plan.deaths_max:
            self.faults.stop()
        try:
            return run(
                self.house(),
                self.repositories.repository.root,
                replace(self.plan.wish, width=self.plan.width, anew=self.anew),
                self._looking_on(),
            )
        except (SimulatedCrash, Unavailable, NotReady) as error:
            self._died(error)
        except StaleEpoch as error:
            if not self._is_usurped:
                raise
            self._died(error)
        return None

    def _looking_on(self) -> Eyes:
        return Eyes(
            recorded=lambda _: None,
            state=self._after_tick,
            wish=self._asked_wish,
            tell=self.told.append,
        )

    def _forget(self) -> None:
        """What a controller knew is worth nothing from here on: it begins with the ledger."""
        self._new.clear()
        self._calls = self.faults.calls
        self._doubt_until_s = -1.0

    def _usurp(self) -> None:
        """A second controller takes over and dies at once: only its number stays."""
        self._is_usurped = True
        run = str(self.ledger.runs()[-1]["run_id"])
        self.ledger.take_over(run, holder="another", utc=self.timeline.now().utc)

    def _died(self, of: BaseException) -> None:
        self.deaths += 1
        self.died_of = of
        if self.faults.strikes("reboot"):
            self.host.reboot()

    def new_owner(self, random: Random, *, is_calm: Callable[[], bool]) -> Owner:
        """Somebody who speaks to the newest run and whoever carries it."""
        return Owner(self.inbox, random, is_calm=is_calm, under_way=self._under_way)

    def new_maintenance(self, random: Random) -> Maintenance:
        """Somebody who drains the newest run now and then."""
        is_calm = lambda: self.faults.is_calm  # noqa: E731 - one word
        return Maintenance(self.inbox, random, is_calm=is_calm, under_way=self._under_way)

    def _under_way(self) -> tuple[str, int]:
        row = self.ledger.runs()[-1]
        return str(row["run_id"]), int(str(row["controller_epoch"]))

    @property
    def is_ended(self) -> bool:
        """The run is over for good."""
        runs = self.ledger.runs()
        return bool(runs) and runs[-1]["ended_at"] is not None

    def house(self) -> House:
        """The ports as the composition root would build them, each behind a gate."""
        gate = self.faults.gate
        return House(
            repositories=self.repositories,
            open_ledger=lambda _: self._ledger(),
            open_ledger_read_only=lambda _: self.ledger,
            open_git=lambda *_, **__: gated(self.git, "git", gate),
            load_agent=lambda _: gated(self.builders, "agent", gate),
            open_tracker=lambda _: FakeTracker(self._issues),
            open_tracker_jobs=lambda _: self.tracker_jobs,
            lock_controller=no_lock,
            controller_holder=lambda _: None,
            open_inbox=lambda _: gated(self.inbox, "inbox", gate),
            consult=lambda *_, **__: Answer(fault="nobody is asked here"),
            open_runners=lambda: gated(self.host, "runners", self._runners_gate),
            wake=lambda: None,
            store=gated(self.store, "store", gate),
            cleaning=HostCleaning(),  # nothing here asks for it
            clock=self.timeline,
            free_bytes=lambda _: self.free_bytes,
            mask=mask,
            new_token=self._new_token,
            version="1",
            holder=f"controller {self.deaths}",
            environment={"HOME": f"{self.folder}/home", "PATH": "/bin"},
        )

    def _new_token(self) -> str:
        self._tokens += 1
        return f"token {self._tokens}"

    def _ledger(self) -> MemoryLedger:
        """The ledger with its gates; what it acknowledges is witnessed before anybody can die."""
        watched = WatchedLedger(self.ledger, self._take)
        return gated(watched, "ledger", self.faults.gate)  # type: ignore[return-value]  # what it is given is the test's affair

    def _take(self, run: str, recorded: Sequence[e.Recorded]) -> None:
        self.durable.take(run, recorded)
        self._check_doubt([each.entry for each in recorded])
        self._new += [each.entry.event for each in recorded]
        for each in recorded:
            if isinstance(each.entry.event, e.TurnEnded):
                self.eyes.turn_ended(run, each.entry.event, self.host.processes)

    def _check_doubt(self, entries: Sequence[e.Entry]) -> None:
        """G6: clocks that contradict each other advance no lane for a heartbeat."""
        for each in entries:
            if isinstance(each.event, e.ClockReconciled) and each.event.trust is Trust.UNTRUSTED:
                # From when the clocks were read: a controller may stand still before it says so.
                self._doubt_until_s = each.event.monotonic_s + HEARTBEAT_S
        moved = [each for each in entries if each.lane]
        is_in_doubt = self.timeline.now_s < self._doubt_until_s - 1.0
        require(not (moved and is_in_doubt), "a lane advances by clocks in doubt", moved)

    def _issues(self) -> Sequence[Issue]:
        """The issues that were added so far."""
        now_s, plan = self.timeline.now_s, self.plan
        self._shown = {name for name in plan.deeds if plan.added_s.get(name, 0.0) <= now_s}
        return [
            Issue(
                id=n,
                title=f"Do {n}",
                text=f"the text of {n}",
                needs=plan.needs.get(n, ()),
                footprint=plan.footprints.get(n, ()),
            )
            for n in plan.deeds
            if n in self._shown
        ]

    # --- what is looked at between ticks ----------------------------------------------------

    def _after_tick(self, engine: Engine) -> None:
        self.engine = engine
        self.ticks += 1
        self._hot += 1
        require(self.ticks <= TICKS_MAX, "too many ticks, and no end")
        calls, self._calls = self.faults.calls - self._calls, self.faults.calls
        require(calls <= CALLS_IN_A_TICK_MAX, "too many calls in one tick", calls)
        require(self._hot <= TICKS_WITHOUT_WAIT_MAX, "it runs hot: too many ticks without a wait")
        require(not engine.book.entries, "a tick ends with entries that are not durable")
        self.durable.check_book(engine.book.lanes)
        begun = [each for each in self._new if isinstance(each, BEGINNINGS)]
        require(not (begun and engine.is_draining), "something new begins in a drain", begun)
        self._new.clear()
        if self._seen != self.durable.count:
            self._seen = self.durable.count
            self.durable.check_rows(self.ledger.rows("attempt", engine.book.run.id))
        if self.owner is not None:
            self.owner.look(self.durable.lanes)
        if self.maintenance is not None:
            self.maintenance.look(self.durable.run)
        if ending.gives_up_base(engine):
            self.kept_bases |= {engine.book.run.id}
        for watch in self.at_tick:
            watch(engine)

    def _runners_gate(self, call: str) -> None:
        if call == "runners.wait:before":
            self.waits += 1
            self._hot = 0
        self.faults.gate(call)

    def _asked_wish(self) -> Wish:
        return self.wish()

    def _wish(self) -> Wish:
        if self._wished is Wish.GO_ON:
            if self.faults.strikes("detach"):
                self._wished = Wish.DETACH
            elif self.faults.strikes("drain"):
                self._wished = Wish.DRAIN
        if self._wished is Wish.DRAIN and self.faults.strikes("stop"):
            self._wished = Wish.STOP
        return self._wished

    def _check_end(self, result: RunResult) -> None:
        """The run is over: everything is told, delivered and cleaned away."""
        run = self.durable.run
        assert run is not None
        calm_s = self.timeline.now_s - self.plan.calm_at_s
        require(calm_s <= CALM_MAX_S, "it takes too long after all is well", calm_s)
        ending.check_rows(self.ledger, run.id)
        if result.summary.run is not None:  # it died after it had ended the run
            ended = self.ledger.outcomes().items()
            before = {issue for issue, (of_run, _) in ended if of_run != run.id}
            ending.check_lanes(self.durable, result.summary, self._shown - before)
        if self.engine is not None:
            ending.check_leftovers(
                self.durable,
                self.git,
                self.host,
                self.engine,
                is_base_kept=self.engine.book.run.id in self.kept_bases,
            )
        ending.check_landings(self.git, run.target)
        target = self.git.hub[HUB_TARGET(run.id)]
        require(target == run.target or self.git.is_moved, "the hub's target is elsewhere")
        if run.target != run.started.base and not run.waiting and not self._is_said_delivered():
            delivered = self.git.checkout.refs.get(run.started.ref)
            require(delivered == run.target, "what landed was not delivered, and nobody says why")

    def _is_said_delivered(self) -> bool:
        """The owner's word on a delivery that nobody knew of counts, whatever is so."""
        said = [each for each in self.events() if isinstance(each, e.ReceiptReconciled)]
        return any("-delivery-" in each.receipt and each.outcome == "done" for each in said)

    # --- what happens -----------------------------------------------------------------------

    def _program(self, spec: RunnerSpec) -> Script | Ending:
        if spec.argv[0] == JOB:
            return self.git.script(spec.folder)
        if self.tracker_jobs is not None and spec.argv[0] == TRACKER:
            return self.tracker_jobs.script(spec.folder)
        return self.builders.program(spec) if spec.argv[0] == AGENT else self._check(spec)

    def _check(self, spec: RunnerSpec) -> Script:
        workspace = self.git.workspaces[spec.cwd]
        yield self.faults.random.uniform(5, 40)
        if self.is_check_broken or not is_green(workspace.files) or self.faults.strikes("flaky"):
            return Ending(code=1)
        self.durable.green.add(self.git.objects.put_tree(workspace.files))
        return Ending(code=0)

    def _befall(self, name: str, process: Process) -> None:
        now_s = self.timeline.now_s
        match name:
            case "runner_dies":
                self.host.kill_runner(process, with_agent=True)
            case "orphan":
                self.host.kill_runner(process, with_agent=False)
            case "killed":
                self.host.kill_agent(process)
            case "frozen" if process.is_held:
                is_for_good = self.faults.random.random() < 0.2
                thaw_s = 1e9 if is_for_good else self.faults.random.uniform(0, 4 * LEASE_S)
                process.frozen_s = (now_s, now_s + thaw_s)
            case "clings" if process.is_at_work:
                process.clings_until_s = now_s + self.faults.random.uniform(0, LEASE_S)
            case _:
                pass

    # --- asking -----------------------------------------------------------------------------

    def events(self, kind: type[e.Event] | None = None) -> list[e.Event]:
        """What became durable, in order; of one kind or all."""
        runs = self.ledger.runs()
        if not runs:
            return []
        recorded = self.ledger.read(str(runs[-1]["run_id"]))
        events = [each.entry.event for each in recorded]
        return [each for each in events if kind is None or isinstance(each, kind)]

    def story(self) -> list[str]:
        """What became durable, for people."""
        return [str(each) for each in self.events()]


def _root(folder: Path, plan: Plan) -> Path:
    """The user's checkout, with nothing in it but the configuration."""
    root = folder / "repository"
    root.mkdir()
    (root / "tidegate.toml").write_text(plan.written, encoding="utf-8")
    return root


def _durable(root: Path, plan: Plan) -> Durable:
    return Durable(
        load(root).configuration.policy.limits,
        adjudicates=plan.adjudicates,
        verifies=plan.verifies,
        asks_owner=plan.asks_owner,
    )
