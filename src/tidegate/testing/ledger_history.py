"""Lawful histories for suites, benches and tests: entries whose versions, states and epochs fit.

It writes down what a controller would, one entry at a time, and breaks a rule only where it is
told to. It knows no ledger.
"""

from collections.abc import Iterator
from dataclasses import replace

from tidegate.core import events as e
from tidegate.core.attempt import State
from tidegate.core.lease import Acquire, Release, Renew
from tidegate.core.policy import Policy
from tidegate.core.values import Role, Verdict

RUN = "20260101-0000"
UTC = "2026-01-01T00:00:00.000Z"
LATER = "2026-01-01T00:03:00.000Z"
OWNER = "host-1"

RUN_STARTED = e.RunStarted(
    playbook="build",
    target="main",
    ref="refs/heads/tidegate/20260101-0000",
    base="c" * 40,
    base_tree="f" * 40,
    delivered_from=None,
    config_digest="1" * 64,
    gate_digest="2" * 64,
    policy=Policy(),
)


def tree(number: int) -> str:
    """A tree's id."""
    return f"{number:040x}"


def digest(number: int) -> str:
    """A sha256."""
    return f"{number:064x}"


class History:
    """The lanes of one run as they have been written down so far."""

    def __init__(self, run: str = RUN) -> None:
        self.run = run
        self._versions: dict[str, int] = {"": 1}
        self._states: dict[str, State] = {}
        self._epochs: dict[str, int] = {}
        self._turns: dict[str, int] = {}

    def entry(
        self, lane: str, event: e.Event, *, to: State | None = None, reason: str = ""
    ) -> e.Entry:
        """The next entry of a lane; with `to` it moves the event's attempt there."""
        attempt: str | None = getattr(event, "attempt", None)
        previous = None
        if attempt is not None and to is not None:
            previous = self._states.get(attempt)
            self._states[attempt] = to
        self._versions[lane] = self._versions.get(lane, 0) + 1
        return e.Entry(
            lane=lane,
            version=self._versions[lane],
            attempt=attempt,
            epoch=self._epochs.get(attempt, 0) if attempt else 0,
            event=event,
            actor="controller",
            previous=previous,
            next=to,
            reason=reason,
            utc=UTC,
        )

    # --- leases -----------------------------------------------------------------------------

    def grant(self, attempt: str, *, owner: str = OWNER, now_utc: str = UTC) -> Acquire:
        """A lease for the attempt: what follows carries the epoch that it leads to."""
        epoch = self._epochs.get(attempt, 0)
        self._epochs[attempt] = epoch + 1
        return Acquire(
            run_id=self.run,
            attempt_id=attempt,
            owner=owner,
            token=f"token-{attempt}-{epoch + 1}",
            now_utc=now_utc,
            expiry_utc=LATER,
            previous_epoch=epoch,
        )

    def renewal(self, attempt: str, beat: int, *, now_utc: str = UTC) -> Renew:
        """A renewal of the lease that was granted last."""
        epoch = self._epochs[attempt]
        return Renew(
            run_id=self.run,
            attempt_id=attempt,
            owner=OWNER,
            token=f"token-{attempt}-{epoch}",
            epoch=epoch,
            now_utc=now_utc,
            expiry_utc="2026-01-01T00:06:00.000Z",
            beat_sequence=beat,
            beat_monotonic_s=float(beat),
            last_completed_unit=f"{beat} bytes",
            controller_version="0",
        )

    def give_back(self, attempt: str, *, fence: bool = False) -> Release:
        """The end of the lease."""
        epoch = self._epochs[attempt]
        self._epochs[attempt] = epoch + int(fence)
        return Release(run_id=self.run, attempt_id=attempt, epoch=epoch, fence=fence)

    # --- common stretches -------------------------------------------------------------------

    def opened(self, lane: str, *, issue: str = "") -> e.Entry:
        """A lane for an issue of the same name, or for the one named."""
        event = e.LaneOpened(
            issue=issue or f"issue-{lane}",
            title=f"Mend part {lane}",
            issue_digest=digest(1),
            text_digest=digest(2),
            footprint=("src/**", "tests/**"),
            priority=0,
        )
        return self.entry(lane, event)

    def requested(
        self,
        lane: str,
        attempt: str,
        *,
        role: Role = Role.BUILD,
        born: State = State.REQUESTED,
        supersedes: str | None = None,
    ) -> e.Entry:
        """The birth of an attempt."""
        event = e.Requested(
            attempt=attempt,
            role=role,
            agent="shell",
            born=born,
            supersedes=supersedes,
            cause=None,
            commit=tree(7) if role is Role.CHECK else None,
        )
        return replace(self.entry(lane, event, to=born), previous=None)

    def dispatched(self, lane: str, attempt: str) -> e.Entry:
        """A slot and a workspace."""
        event = e.Dispatched(attempt=attempt, workspace=f"/w/{attempt}", base=tree(0))
        is_moved = self._states[attempt] is not State.REPLACED
        return self.entry(lane, event, to=State.DISPATCHED if is_moved else None)

    def turn_opened(self, lane: str, attempt: str) -> e.Entry:
        """The attempt's next turn, under the lease that was granted last."""
        turn = self._turns[attempt] = self._turns.get(attempt, 0) + 1
        event = e.TurnOpened(
            attempt=attempt,
            turn=turn,
            epoch=self._epochs.get(attempt, 0),
            deadline_s=5400.0,
            deadline_utc="2026-01-01T01:30:00.000Z",
            checkpoint_deadline_utc="2026-01-01T00:05:00.000Z",
            finding_digest=None if turn == 1 else digest(3),
            base=None,
        )
        return self.entry(lane, event)

    def turn_started(self, lane: str, attempt: str) -> e.Entry:
        """The turn's process exists; the first one starts the attempt."""
        event = e.TurnStarted(attempt=attempt, turn=self._turns[attempt], agent_pid=4711)
        is_first = self._states[attempt] in (State.DISPATCHED, State.REPLACED)
        return self.entry(lane, event, to=State.STARTED if is_first else None)

    def turn_ended(self, lane: str, attempt: str, *, how: str = "exited") -> e.Entry:
        """The turn's process is over."""
        event = e.TurnEnded(
            attempt=attempt,
            turn=self._turns[attempt],
            how=how,
            code=0 if how == "exited" else None,
            signal=None,
            active_s=12.5,
            output_bytes=1234,
            report_digest=digest(4),
            failure_digest=None,
            is_external=False,
            is_fenced=how == "lost",
        )
        return self.entry(lane, event)

    def checkpointed(self, lane: str, attempt: str) -> e.Entry:
        """The first promised piece."""
        event = e.Checkpointed(attempt=attempt, digest=tree(1))
        return self.entry(lane, event, to=State.CHECKPOINTED)

    def materialized(self, lane: str, attempt: str) -> e.Entry:
        """The artifact."""
        event = e.Materialized(attempt=attempt, path="a/1.md", digest=digest(5), tree=tree(2))
        return self.entry(lane, event, to=State.MATERIALIZED)

    def judged(self, lane: str, attempt: str, verdict: Verdict, *, counts: bool = True) -> e.Entry:
        """A verdict on what the attempt offers."""
        event = e.Judged(
            attempt=attempt,
            by=attempt.replace("build", "check"),
            verdict=verdict,
            tree=tree(2),
            counts=counts,
            finding_digest=None if verdict is Verdict.PASS else digest(6),
            reason="exit 0" if verdict is Verdict.PASS else "exit 1",
        )
        is_moved = self._states[attempt] is not State.REVIEWED
        return self.entry(lane, event, to=State.REVIEWED if is_moved else None)

    def corrected(self, lane: str, attempt: str, number: int) -> e.Entry:
        """A correction that is incorporated."""
        event = e.Corrected(
            attempt=attempt, path=f"a/{number}.md", digest=digest(number), tree=tree(number)
        )
        return self.entry(lane, event, to=State.CORRECTED)

    def ended(self, lane: str, event: e.Failed | e.Stale | e.Stopped | e.Blocked) -> e.Entry:
        """The attempt brings nothing any more."""
        states = {
            e.Failed: State.FAILED,
            e.Stale: State.STALE,
            e.Stopped: State.STOPPED,
            e.Blocked: State.BLOCKED,
        }
        return self.entry(lane, event, to=states[type(event)], reason=event.reason)

    def begun(self, lane: str, attempt: str) -> Iterator[e.Entry]:
        """A lane from its opening to a build that has its slot."""
        yield self.opened(lane)
        yield self.requested(lane, attempt)
        yield self.dispatched(lane, attempt)

    def reviewed(self, lane: str, attempt: str) -> Iterator[e.Entry]:
        """A lane from its opening to a build that passed once; no lease was granted."""
        yield from self.begun(lane, attempt)
        yield self.turn_opened(lane, attempt)
        yield self.turn_started(lane, attempt)
        yield self.checkpointed(lane, attempt)
        yield self.materialized(lane, attempt)
        yield self.judged(lane, attempt, Verdict.PASS)
