"""Follow the plan of one lane in a made-up world, and keep the rules of `invariants` at each step.

    story = Story(check=[FAILS, FAILS, PASSES]).run()
    assert story.outcome is LANDED

It does what the engine's tick does with a lane, without engine, ledger, git or processes: ask the
plan, record commands, answer effects. Time is a counter.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from tests.playbooks import invariants
from tests.playbooks.answers import Answer, Choose, scripted
from tests.playbooks.invariants import NO_DUTIES, Duties
from tests.playbooks.replies import World
from tidegate.core import commands as c
from tidegate.core import decide as deciding
from tidegate.core import effects as f
from tidegate.core import events as e
from tidegate.core import evolve as evolving
from tidegate.core.attempt import State
from tidegate.core.lane import Attempt, Lane
from tidegate.core.policy import Policy
from tidegate.core.values import Outcome, Role
from tidegate.playbooks import build as playbook
from tidegate.playbooks.landing_queue import head_of

LANE = "fix"
OWNER = "owner"
STEPS_MAX = 300
"""Looks at the plan in one story; more would mean that it never ends."""

Kind = TypeVar("Kind")
Move = tuple[State | None, State]
SEEN: set[Move] = set()
"""Every move of every story of this process; the test of transition coverage empties it first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What the rest of the run is like, apart from the lane."""

    is_head: bool = True
    is_draining: bool = False
    has_slot: bool = True
    is_short_of_room: bool = False
    agent_problem: str | None = None
    held_by: str | None = None
    duties: Duties = NO_DUTIES
    policy: Policy = field(default_factory=Policy)


class Story:
    """One lane on its way. Answers are given by kind of effect, in order; the rest goes well."""

    def __init__(
        self,
        *,
        policy: Policy | None = None,
        choose: Choose | None = None,
        duties: Duties = NO_DUTIES,
        footprint: tuple[str, ...] = ("src/**",),
        **answers: Sequence[Answer],
    ) -> None:
        self.situation = Situation(policy=policy or Policy(), duties=duties)
        self.world = World(choose or scripted(answers))
        self.entries: list[e.Entry] = []
        self.steps: list[playbook.Step] = []
        self.commands: list[c.Command] = []
        self.clock = 0
        self._lane: Lane | None = None
        self.record(
            c.OpenLane(
                issue=LANE,
                title="Fix it",
                issue_digest="issue",
                text_digest="text",
                footprint=footprint,
                priority=0,
            )
        )

    # --- driving ----------------------------------------------------------------------------

    def run(self, until: Callable[[Lane], object] | None = None) -> "Story":
        """Go on until the lane waits for something, or `until` holds."""
        for _ in range(STEPS_MAX):
            if (until and until(self.lane)) or not self.step():
                assert until is None or until(self.lane), "the story never came to that"
                return self
        raise AssertionError(f"after {STEPS_MAX} steps it still goes on: {self.steps[-3:]}")

    def step(self) -> bool:
        """Take what the plan asks for now; True where anything was recorded or is under way."""
        lane = self.lane
        self.world.is_at_work = False
        for step in self.plan():
            self.steps.append(step)
            for command in self._commands(step):
                self.record(command)
            if self.lane is not lane:
                return True
        return self.world.is_at_work

    def plan(self) -> playbook.Steps:
        """What the playbook asks for now."""
        return playbook.plan(self.lane, self.view, _NOW)

    def record(self, command: c.Command) -> None:
        """Decide and apply one command, and check every rule on the way."""
        self.clock += 1
        made, lane = self.decided(command)
        self.commands.append(command)
        self.entries.extend(made)
        self._lane = lane
        self.world.heed(made)
        invariants.check_lane(lane, self.entries, self.situation.policy, self.situation.duties)

    def decided(self, command: c.Command) -> tuple[Sequence[e.Entry], Lane]:
        """What a command would record and lead to. Raises Refused."""
        lane, made = self._lane, []
        for event in deciding.decide(lane, command, self.situation.policy.limits):
            before, reason = lane, getattr(event, "reason", "")
            entry, lane = evolving.enter(
                lane, event, lane_id=LANE, actor="test", reason=reason, utc=f"{self.clock:06d}"
            )
            invariants.check_entry(before, entry)
            SEEN.update(moves_of(before, entry))
            made.append(entry)
        assert lane is not None
        return made, lane

    def now(self, **changes: Any) -> "Story":
        """Change the situation: `is_head`, `is_draining`, `has_slot`, `held_by`, and so on."""
        self.situation = replace(self.situation, **changes)
        return self

    def answer(self, said: str, *, words: str | None = None) -> "Story":
        """The owner answers what the lane waits for."""
        assert self.lane.question is not None, "nothing was asked"
        asked = self.lane.question.id
        self.record(c.Answer(question=asked, answer=said, by=OWNER, words_digest=words))
        return self

    def veto(self, finding: str = "the list") -> "Story":
        """The owner rules against a PASS."""
        self.record(c.Veto(items=1, finding_digest=finding, by=OWNER))
        return self

    def stop(self) -> "Story":
        """The owner wishes the lane to end."""
        self.record(c.AskStop(reason="no longer wanted", by=OWNER))
        return self

    def _commands(self, step: playbook.Step) -> Sequence[c.Command]:
        if not isinstance(step, f.Effect):
            return (step,)
        if self.situation.is_draining and isinstance(step, f.Prepare | f.Merge):
            return ()  # the engine begins no new job in a drain
        command = self.world.reply(self.lane, step, self.situation.policy.limits)
        return () if command is None else (command,)

    # --- asking -----------------------------------------------------------------------------

    @property
    def lane(self) -> Lane:
        """The lane as it stands."""
        assert self._lane is not None
        return self._lane

    @property
    def view(self) -> playbook.View:
        """What the plan sees of the rest of the run."""
        situation = self.situation
        duties, limits = situation.duties, situation.policy.limits
        is_ruled_first = duties.verifies or duties.asks_owner
        head = head_of([self.lane], limits, is_ruled_first=is_ruled_first)
        return playbook.View(
            run="run",
            ref="refs/heads/tidegate/run",
            target=self.world.target,
            head=head if situation.is_head else None,
            agent="agent",
            workspaces="/w",
            policy=situation.policy,
            adjudicator="adjudicator" if duties.adjudicates else None,
            verifier="verifier" if duties.verifies else None,
            asks_owner=duties.asks_owner,
            held_by=situation.held_by,
            agent_problem=situation.agent_problem,
            has_slot=situation.has_slot,
            is_draining=situation.is_draining,
            is_short_of_room=situation.is_short_of_room,
        )

    @property
    def outcome(self) -> Outcome | None:
        """How the lane ended."""
        return self.lane.outcome

    def attempts(self, role: Role = Role.BUILD) -> Sequence[Attempt]:
        """The lane's attempts of one role, oldest first."""
        return [each for each in self.lane.attempts.values() if each.role is role]

    def told(self) -> Sequence[str | None]:
        """The finding that each turn of a builder was opened with."""
        builders = {each.id for each in self.attempts()}
        turns = self.events(e.TurnOpened)
        return [turn.finding_digest for turn in turns if turn.attempt in builders]

    def states(self, attempt: str) -> Sequence[State]:
        """The states that an attempt went through."""
        return [x.next for x in self.entries if x.attempt == attempt and x.next is not None]

    def events(self, kind: type[Kind]) -> Sequence[Kind]:
        """The events of one kind, in order."""
        return [entry.event for entry in self.entries if isinstance(entry.event, kind)]


_NOW = playbook.Now(label="in {:g} s".format)


def moves_of(before: Lane | None, entry: e.Entry) -> Mapping[Move, None]:
    """The row of the table that an entry used; a birth counts from its predecessor's state."""
    if entry.next is None:
        return {}
    event = entry.event
    if not isinstance(event, e.Requested):
        return {(entry.previous, entry.next): None}
    old = before.attempts[event.supersedes].state if before and event.supersedes else None
    return {(old, entry.next): None}
