"""The made-up world of a story: it turns an answer into the command that the engine would record.

Commits and trees are words. A change is a new tip with a new tree; merged onto a target it is a
candidate whose tree names both. Nothing here decides what an answer means.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from tests.playbooks.answers import EXTERNAL, HOW, MAY_ANSWER, NEVER_RAN, Answer, Choose, kind_of
from tidegate.core import commands as c
from tidegate.core import effects as f
from tidegate.core import events as e
from tidegate.core.lane import Attempt, Lane, Turn
from tidegate.core.policy import Limits
from tidegate.core.values import Refusal, Role, Verdict

_A = Answer
_WELL = frozenset({
    _A.WORKS, _A.EMPTY, _A.UNCHANGED, _A.PASSES, _A.VIOLATES,
    _A.BUILDS, _A.REFUSES, _A.ASKS, _A.SAYS_NOTHING, _A.TAMPERS,
})  # fmt: skip
"""What ends with an exit by itself, and 0."""

_NOTHING = c.Said(fault="no line VERDICT")
SAYS: Mapping[tuple[Role, Answer], c.Said] = {
    (Role.VERIFY, _A.PASSES): c.Said(verdict=Verdict.PASS),
    (Role.VERIFY, _A.TAMPERS): c.Said(verdict=Verdict.PASS),
    (Role.VERIFY, _A.FAILS): c.Said(verdict=Verdict.FAIL),
    (Role.ADJUDICATE, _A.BUILDS): c.Said(footprint=("lib/**",), fixture="a test of it"),
    (Role.ADJUDICATE, _A.REFUSES): c.Said(kind=Refusal.OTHERWISE),
    (Role.ADJUDICATE, _A.ASKS): c.Said(question_digest="question", options=("this", "that")),
}
"""What an answer puts into the fixed blocks of a report; the others say nothing readable."""

_LOOKS = 2
"""How often a turn is seen running before it is over."""


@dataclass(slots=True)
class World:
    """`target` is the commit that the run's ref is at; a story may move it, as other lanes do."""

    choose: Choose
    target: str = "base"
    made: int = 0
    turns: dict[tuple[str, int], Answer] = field(default_factory=dict)
    trees: dict[str, str] = field(default_factory=lambda: {"base": "tree-base"})
    passed: set[str] = field(default_factory=set)
    looks: dict[tuple[str, int], int] = field(default_factory=dict)
    is_at_work: bool = False
    """A turn was looked at and still runs: there is something to wait for."""
    tips: dict[str, str] = field(default_factory=dict)
    """What the next harvest of an attempt finds, where a story says so."""
    is_disjoint: bool = False
    """What the target gains touches no path of the change."""

    def move_target(self) -> None:
        """Another lane landed."""
        self.target = self._commit("other", tree=None)

    def heed(self, entries: Sequence[e.Entry]) -> None:
        """Take in what was recorded."""
        for entry in entries:
            match entry.event:
                case e.Landed(commit=commit):
                    self.target = commit
                case e.Judged(verdict=Verdict.PASS, tree=tree, is_check=True):
                    self.passed.add(tree)
                case _:
                    pass

    def reply(self, lane: Lane, effect: f.Effect, limits: Limits) -> c.Command | None:
        """What is to be noted of an effect; None where it has to wait."""
        match effect:
            case f.Halt():
                return None
            case f.Unprepared(then=then):
                return then
            case f.Run(attempt=attempt):
                return self._turn(lane, lane.attempts[attempt])
            case f.Stop(attempt=attempt):
                return self._stop(lane.attempts[attempt])
            case f.Land():
                return self._land(lane, limits)
            case f.Promote(attempt=attempt):
                return c.NotePromotion(
                    attempt=attempt,
                    fault_digest=f"fault of {attempt}",
                    said=self._said(lane.attempts[attempt]),
                )
            case _:
                return self._job(lane, effect, lane.attempts[effect.attempt], limits)

    # --- turns ------------------------------------------------------------------------------

    def _turn(self, lane: Lane, attempt: Attempt) -> c.Command | None:
        """The first look sees it start, the second sees it at work, the third hears its end."""
        turn = attempt.turn
        assert turn is not None
        key = (attempt.id, turn.number)
        if key not in self.turns:
            is_of_target = lane.candidate is not None and attempt.commit == lane.candidate.target
            kind = "target" if is_of_target else attempt.role.value
            self.turns[key] = self.choose(kind, MAY_ANSWER[kind])
        answer = self.turns[key]
        looks = self.looks[key] = self.looks.get(key, 0) + 1
        if looks > _LOOKS or answer in NEVER_RAN | {_A.VANISHED}:
            return _end(attempt, turn, answer)
        self.is_at_work = True
        return None if turn.is_started else c.NoteStart(attempt=attempt.id, agent_pid=1)

    def _stop(self, attempt: Attempt) -> c.Command:
        """What was never begun never is; what runs is ended, or has just ended by itself."""
        turn = attempt.turn
        assert turn is not None
        key = (attempt.id, turn.number)
        if key not in self.looks:
            self.turns[key] = _A.FENCED
        elif self.choose("stop", MAY_ANSWER["stop"]) is _A.INTERRUPTED:
            self.turns[key] = _A.INTERRUPTED
        return _end(attempt, turn, self.turns[key])

    def _said(self, attempt: Attempt) -> c.Said:
        """What can be read in the report of a turn."""
        assert attempt.turn is not None
        return SAYS.get((attempt.role, self.turns[attempt.id, attempt.turn.number]), _NOTHING)

    # --- jobs -------------------------------------------------------------------------------

    def _job(
        self, lane: Lane, effect: f.Effect, attempt: Attempt, limits: Limits
    ) -> c.Command | None:
        kind = kind_of(effect)
        answer = self.choose(kind, MAY_ANSWER[kind])
        if answer is _A.JOB_FAILS:
            job = "remove" if isinstance(effect, f.Evict) else kind
            return _job_failure(attempt, job, limits)
        match effect:
            case f.Prepare():
                return c.NoteWorkspace(attempt=attempt.id, environment_digest="environment")
            case f.Checkpoint():
                commit = f"first commit of {attempt.id}"
                is_there = answer is _A.DONE
                return c.NoteCheckpoint(attempt=attempt.id, commit=commit) if is_there else None
            case f.Harvest():
                return self._harvest(attempt)
            case f.Merge(target=target):
                return self._merge(attempt, target, answer)
            case f.Remove():
                return c.NoteRemoval(attempt=attempt.id)
            case f.Evict():
                return c.NoteEviction(attempt=attempt.id)
            case _:
                raise AssertionError(f"no answer to {effect} in {lane.id}")

    def _harvest(self, attempt: Attempt) -> c.NoteHarvest:
        turn, start = attempt.turn, attempt.start or ""
        assert turn is not None
        answer = self.turns[attempt.id, turn.number]
        if attempt.id in self.tips:
            tip = self.tips.pop(attempt.id)
        elif answer is _A.EMPTY or (attempt.role is Role.VERIFY and answer is not _A.TAMPERS):
            tip = start
        elif answer is _A.UNCHANGED:
            tip = attempt.tip or start
        else:
            tip = self._commit(attempt.id, tree=None)
        return c.NoteHarvest(
            attempt=attempt.id,
            tip=tip,
            tree=self._tree(tip),
            is_empty=self._tree(tip) == self._tree(attempt.base or ""),
            pins=1,
            violations=("outside/file", "outside/other") if answer is _A.VIOLATES else (),
            path=f"artifacts/{attempt.id}-{turn.number}.md",
        )

    def _merge(self, build: Attempt, target: str, answer: Answer) -> c.Command:
        tip = build.tip or ""
        if answer is _A.CONFLICTS:
            finding = f"conflict with {target}"
            return c.NoteConflict(target=target, tip=tip, paths=("file",), finding_digest=finding)
        is_empty = answer is _A.NOTHING_LEFT
        tree = self._tree(target) if is_empty else f"{self._tree(tip)} on {self._tree(target)}"
        return c.NoteCandidate(
            target=target,
            tip=tip,
            commit=self._commit("merge", tree=tree),
            tree=tree,
            target_tree=self._tree(target),
            has_passed=tree in self.passed,
            empty_digest="nothing is left" if is_empty else None,
            is_disjoint=self.is_disjoint,
        )

    def _land(self, lane: Lane, limits: Limits) -> c.Command:
        """A landing is never given up: the target may have moved all the same."""
        answer = self.choose("land", MAY_ANSWER["land"])
        if answer is _A.ELSEWHERE:
            self.move_target()
            return c.NoteLandingRefused(actual=self.target)
        if answer is _A.JOB_FAILS:
            build = lane.latest(Role.BUILD)
            assert build is not None
            return replace(_job_failure(build, "land", limits), gives_up=False)
        return c.NoteLanding()

    # --- git --------------------------------------------------------------------------------

    def _commit(self, name: str, *, tree: str | None) -> str:
        self.made += 1
        commit = f"{name}#{self.made}"
        self.trees[commit] = tree or f"tree#{self.made}"
        return commit

    def _tree(self, commit: str) -> str:
        return self.trees[commit]


def _end(attempt: Attempt, turn: Turn, answer: Answer) -> c.NoteEnd:
    is_well = answer in _WELL or (attempt.role is Role.VERIFY and answer is _A.FAILS)
    is_unseen = HOW.get(answer) == "lost" and (attempt.role is Role.CHECK or not turn.is_started)
    words = f"{attempt.id}-{turn.number}"
    return c.NoteEnd(
        attempt=attempt.id,
        how=HOW.get(answer, "exited"),
        code=0 if is_well else 1 if answer not in EXTERNAL and answer not in HOW else None,
        signal=9 if answer is _A.KILLED else None,
        active_s=1.0,
        output_bytes=10,
        report_digest=f"report of {words}",
        failure_digest=None if is_well else f"failure of {words}",
        is_external=answer in EXTERNAL or is_unseen,
        is_fenced=HOW.get(answer) == "lost",
        path=f"artifacts/{words}.md",
    )


def _job_failure(attempt: Attempt, job: str, limits: Limits) -> c.NoteJobFailure:
    return c.NoteJobFailure(
        attempt=attempt.id,
        job=job,
        reason="disk",
        detail_digest="detail",
        gives_up=job != "remove" and attempt.jobs_failed + 1 >= limits.infra_max,
    )
