"""Watches what the engine brings about: nothing without its fact, nothing beside what still lives.

Its rules are about the world: runners, workspaces, refs and artifacts. What became durable is
asked of `safety.Durable`.
"""

from collections.abc import Sequence

from tests.sim.git import FakeGit, Workspace
from tests.sim.process import Process
from tests.sim.safety import Durable, require
from tidegate.core.events import TurnEnded
from tidegate.core.lane import Attempt
from tidegate.core.liveness import Action, Lapse
from tidegate.core.values import Role
from tidegate.ports.git import (
    DeliverWork,
    HarvestWork,
    MergeWork,
    MoveWork,
    PackWork,
    PrepareWork,
    PublishWork,
    RemoveWork,
    Work,
)
from tidegate.ports.runners import RunnerSpec

_NEW_WORK = (PrepareWork, MergeWork, PackWork)
_WORKSPACE_WORK = (PrepareWork, HarvestWork, RemoveWork)


class Eyewitness:
    """The witness of host, git and store."""

    def __init__(self, durable: Durable, *, width: int) -> None:
        self._durable = durable
        self._width = width
        self.git: FakeGit

    # --- runners ----------------------------------------------------------------------------

    def asked(self, spec: RunnerSpec) -> None:
        """Nothing is started before the fact that asks for it is durable."""
        work, run = self.git.works.get(spec.folder), self._durable.run
        if run is not None and run.drain is not None:
            is_new = isinstance(work, _NEW_WORK) or "TIDEGATE_ATTEMPT" in spec.env
            require(not is_new, "something is started in a drained run", spec)
        if work is not None:
            require(self._is_due(work), "a job is started, and nothing durable asks for it", work)
        elif "TIDEGATE_ATTEMPT" in spec.env:
            self._check_turn(spec)
        else:
            require(self._durable.run, "the base is checked before the run began")

    def _check_turn(self, spec: RunnerSpec) -> None:
        attempt = self._attempt(spec.env["TIDEGATE_ATTEMPT"])
        turn = attempt.turn if attempt else None
        require(
            turn is not None
            and (str(turn.number), turn.epoch) == (spec.env["TIDEGATE_TURN"], spec.epoch)
            and turn.end is None,
            "a turn is started, and its grant is not durable",
            spec,
        )

    def _is_due(self, work: Work) -> bool:  # noqa: C901, PLR0911 - one arm a kind of work
        match work:
            case PrepareWork():
                found = self._owner(work.workspace)
                return found is None or (found.start == work.commit and found.environment is None)
            case HarvestWork():
                found = self._owner(work.workspace)
                turn = found.turn if found else None
                if turn is None or turn.number != work.turn or turn.is_harvested:
                    return False
                return turn.end is not None if work.snapshot else turn.is_started
            case MergeWork():
                run = self._durable.run
                is_offered = any(each.tip == work.tip for each in self._attempts())
                return is_offered and run is not None and work.target in self._may_land(run.target)
            case MoveWork():
                return (work.ref, work.old, work.new) in self._durable.intended
            case DeliverWork():
                intent = self._durable.run.delivery if self._durable.run else None
                return intent is not None and intent.new == work.new
            case PublishWork():
                run = self._durable.run
                push = None if run is None else run.publication
                if run is not None and work.only_asks:
                    push = run.unknown_push
                return push is not None and (push.old, push.new) == (work.old, work.new)
            case RemoveWork():
                return self._is_of_no_use(work.workspace)
            case PackWork():
                return self._durable.run is not None

    def _is_of_no_use(self, workspace: str) -> bool:
        for lane in self._durable.lanes.values():
            for attempt in lane.attempts.values():
                if attempt.workspace == workspace:
                    return attempt.is_over or lane.outcome is not None or attempt.is_being_evicted
        return True  # the base's holds nothing that anybody made

    def begun(self, process: Process, living: Sequence[Process]) -> None:
        """One live runner for each lane and role, and one thing at a time in a workspace."""
        duty, place = _duty(process), self._place(process)
        for other in living:
            require(
                duty is None or _duty(other) != duty,
                "two live runners for one lane and role",
                process.spec.folder,
                other.spec.folder,
            )
            require(
                place is None
                or self._place(other) != place
                or self._is_look_at_work(process, other)
                or self._is_look_at_work(other, process),
                "a runner begins where another one is alive",
                process.spec.folder,
                other.spec.folder,
            )
        roles = (each.spec.env.get("TIDEGATE_ROLE") for each in (process, *living))
        builders = [role for role in roles if role == Role.BUILD]
        require(len(builders) <= self._width, "too many builders at once", len(builders))
        if duty is not None:
            require(
                place in self.git.workspaces,
                "a turn begins without a workspace",
                process.spec.folder,
            )

    def _place(self, process: Process) -> str | None:
        work = self.git.works.get(process.spec.folder)
        if work is None:
            return process.spec.cwd
        return work.workspace if isinstance(work, _WORKSPACE_WORK) else None

    def _is_look_at_work(self, process: Process, other: Process) -> bool:
        """A checkpoint looks at a workspace whose builder is at work; nothing else may."""
        work = self.git.works.get(process.spec.folder)
        is_look = isinstance(work, HarvestWork) and not work.snapshot
        return is_look and other.spec.folder not in self.git.works

    def stopping(self, process: Process, reason: str) -> None:
        """What lapsed is claimed before anybody is told to end for it."""
        if reason in set(Lapse):
            self._require_claim(process, Action.STOP)

    def killing(self, process: Process) -> None:
        """G2: force is claimed before it is used, and only where a request was not heeded."""
        self._require_claim(process, Action.KILL)
        require(process.is_stop_asked, "ended by force, and was never asked", process)

    def _require_claim(self, process: Process, action: Action) -> None:
        """A job and the base's check have no lane: what is done to them is done again."""
        attempt = self._attempt(process.spec.env.get("TIDEGATE_ATTEMPT", ""))
        turn = attempt.turn if attempt else None
        is_claimed = turn is not None and action in turn.claimed
        require(attempt is None or is_claimed, "an intervention that nobody claimed", action)

    def turn_ended(self, run: str, event: TurnEnded, processes: Sequence[Process]) -> None:
        """A turn's end is what its runner wrote; it is lost only where nothing of it lives."""
        told = [run, event.attempt, str(event.turn)]
        found = [each for each in processes if _turn(each) == told]
        if not found and event.how == "fenced":
            return  # opened by a controller that died before it could start it
        require(len(found) == 1, "the end of a turn that never was", event)
        ending = found[0].exit
        if event.is_fenced:
            require(not found[0].is_alive, "a turn is given up that is alive", event)
            return
        told_by = {str(ending.reason), ending.asked} if ending else set()
        is_late = event.how == "deadline" and Lapse.ATTEMPT_DEADLINE in told_by
        require(event.how in told_by or is_late, "another end than its runner's", event)

    # --- refs, workspaces, artifacts --------------------------------------------------------

    def moving(self, work: MoveWork, actual: str) -> None:
        """The target only moves to what was intended, from where it was intended."""
        require(
            (work.ref, work.old, work.new) in self._durable.intended,
            "a move that was not intended",
            work,
        )
        made = self.git.objects.commit(work.new)
        require(actual in made.parents, "a move that is no fast-forward", work)
        require(made.tree in self._durable.green, "a move to a tree that no check passed", work)

    def delivering(self, work: DeliverWork) -> None:
        """The user gets what landed and nothing else."""
        require(work.new in self._durable.landed, "a delivery of what has not landed", work)

    def removing(self, path: str, workspace: Workspace) -> None:
        """What a builder left is in the hub before its workspace goes."""
        found = self._owner(path)
        if found is None or found.commit is not None:
            return  # nobody works in the base's or in a check's workspace
        objects = self.git.objects
        is_kept = objects.line(workspace.head) <= self.git.kept | objects.line(found.base or "")
        is_clean = workspace.files == objects.tree(workspace.head)
        require(is_kept and is_clean, "a workspace is removed with work that is nowhere else", path)

    def promoted(self, path: str, digest: str) -> None:
        """An artifact is published under the path and digest that were intended before."""
        require(
            self._durable.staged.get(path) == digest,
            "an artifact is published without intent",
            path,
        )

    # --- asking -----------------------------------------------------------------------------

    def _may_land(self, target: str) -> set[str]:
        """The target, and what is merged onto it and about to land."""
        lanes = self._durable.lanes.values()
        made = [lane.candidate for lane in lanes if lane.candidate is not None]
        return {target, *(each.commit for each in made if each.target == target)}

    def _attempts(self) -> Sequence[Attempt]:
        return [x for lane in self._durable.lanes.values() for x in lane.attempts.values()]

    def _attempt(self, name: str) -> Attempt | None:
        return next((each for each in self._attempts() if each.id == name), None)

    def _owner(self, workspace: str) -> Attempt | None:
        return next((each for each in self._attempts() if each.workspace == workspace), None)


def _turn(process: Process) -> list[str | None]:
    env = process.spec.env
    return [env.get(f"TIDEGATE_{name}") for name in ("RUN", "ATTEMPT", "TURN")]


def _duty(process: Process) -> tuple[str, str] | None:
    env = process.spec.env
    return (env["TIDEGATE_LANE"], env["TIDEGATE_ROLE"]) if "TIDEGATE_LANE" in env else None
