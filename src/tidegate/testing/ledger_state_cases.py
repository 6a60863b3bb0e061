"""Cases of a ledger: who may write, in which order, and which moves there are."""

from dataclasses import replace

from tidegate.core import events as e
from tidegate.core.attempt import State
from tidegate.core.errors import IllegalTransition, Refused, StaleEpoch, VersionConflict
from tidegate.core.values import Outcome, Role
from tidegate.ports.ledger import Batch, Fence
from tidegate.testing.ledger_backend import BUILD, Backend, Case, refusal_of, sit_down, state_of
from tidegate.testing.ledger_history import RUN, RUN_STARTED, UTC, digest


def a_run_id_is_taken_once(backend: Backend) -> None:
    """A run id is taken once."""
    desk = sit_down(backend)
    before = desk.snapshot()
    error = refusal_of(
        Refused, lambda: desk.ledger.create_run(RUN, RUN_STARTED, actor="owner", utc=UTC)
    )
    assert RUN in str(error)
    assert not isinstance(error, IllegalTransition)
    assert desk.snapshot() == before
    assert [row["run_id"] for row in desk.ledger.runs()] == [RUN]


def a_run_that_is_not_there_is_refused(backend: Backend) -> None:
    """Nobody takes over, writes to or asks the head of a run that is not there."""
    ledger = backend.open()
    fence = Fence(run="none", controller_epoch=1)
    refusal_of(Refused, lambda: ledger.take_over("none", holder="h", utc=UTC))
    refusal_of(Refused, lambda: ledger.commit(fence, Batch()))
    refusal_of(Refused, lambda: ledger.head("none"))
    assert list(ledger.read("none")) == []


def a_controller_that_was_taken_over_is_refused(backend: Backend) -> None:
    """A controller that was taken over writes nothing any more, and the new one does."""
    desk = sit_down(backend)
    newer = desk.ledger.take_over(RUN, holder="host-2:7", utc=UTC)
    before = desk.snapshot()
    opened = desk.history.opened("001")
    refusal_of(StaleEpoch, lambda: desk.write(opened))
    assert desk.snapshot() == before
    desk.ledger.commit(newer, Batch(entries=(opened,)))


def a_controller_says_its_own_epoch(backend: Backend) -> None:
    """A controller cannot record that it took over under another epoch than its own."""
    desk = sit_down(backend)
    event = e.ControllerTookOver(
        controller_epoch=2,
        holder="host-1:1",
        version="0",
        utc=UTC,
        monotonic_s=1.0,
        boottime_s=1.0,
        boot_id="b",
    )
    entry = desk.history.entry("", event)
    refusal_of(StaleEpoch, lambda: desk.write(entry))
    desk.write(replace(entry, event=replace(event, controller_epoch=1)))
    assert desk.ledger.runs()[0]["controller_epoch"] == 1


def a_lane_version_is_used_once(backend: Backend) -> None:
    """Of two writers that read the same version of a lane the second is refused."""
    desk = sit_down(backend)
    opened = desk.history.opened("001")
    desk.write(opened)
    before = desk.snapshot()
    refusal_of(VersionConflict, lambda: desk.write(opened))
    assert desk.snapshot() == before


def a_lane_version_is_not_skipped(backend: Backend) -> None:
    """A lane has no gap: an entry for a later version than the next is refused."""
    desk = sit_down(backend)
    opened = desk.history.opened("001")
    refusal_of(VersionConflict, lambda: desk.write(replace(opened, version=2)))
    refusal_of(VersionConflict, lambda: desk.write(opened, replace(opened, version=3)))
    assert list(desk.ledger.read(RUN, lane="001")) == []


def a_move_that_the_table_lacks_is_refused(backend: Backend) -> None:
    """A move that is not in the state table is refused, whoever asks."""
    desk = sit_down(backend)
    desk.write(*desk.history.begun("001", BUILD))
    accepted = desk.history.entry("001", e.Accepted(attempt=BUILD), to=State.ACCEPTED)
    refusal_of(IllegalTransition, lambda: desk.write(accepted))
    assert state_of(desk) == State.DISPATCHED


def a_move_from_another_state_is_refused(backend: Backend) -> None:
    """A lawful move is refused where the attempt is in another state than the writer read."""
    desk = sit_down(backend)
    desk.write(*desk.history.begun("001", BUILD))
    late = desk.history.entry("001", e.Blocked(attempt=BUILD, reason="x"), to=State.BLOCKED)
    before = desk.snapshot()
    refusal_of(IllegalTransition, lambda: desk.write(replace(late, previous=State.STARTED)))
    assert desk.snapshot() == before


def an_attempt_is_born_lawfully(backend: Backend) -> None:
    """A birth names a predecessor in a state that the table lets it succeed, or none."""
    desk = sit_down(backend)
    desk.write(*desk.history.begun("001", BUILD))
    born = desk.history.requested("001", "001-build-2", born=State.REPLACED, supersedes=BUILD)
    refusal_of(IllegalTransition, lambda: desk.write(born))  # it is dispatched
    event = born.event
    assert isinstance(event, e.Requested)
    stray = replace(born, event=replace(event, supersedes="nobody"))
    refusal_of(IllegalTransition, lambda: desk.write(stray))
    alone = replace(born, event=replace(event, supersedes=None))
    refusal_of(IllegalTransition, lambda: desk.write(alone))
    started = replace(born, event=replace(event, born=State.STARTED), next=State.STARTED)
    refusal_of(IllegalTransition, lambda: desk.write(started))
    failed = desk.history.ended("001", e.Failed(attempt=BUILD, reason="x", detail=""))
    desk.write(replace(failed, version=4))
    lawful = replace(born, version=5)
    for bent in (
        replace(lawful, previous=State.FAILED),
        replace(lawful, next=State.STARTED),
        replace(lawful, next=None),
        replace(lawful, epoch=1),
    ):
        refusal_of(IllegalTransition, lambda bent=bent: desk.write(bent))  # type: ignore[misc]  # the loop's own value, bound at once
    assert len(desk.ledger.rows("attempt", RUN)) == 1
    desk.write(lawful)


def a_replacement_follows_a_failure(backend: Backend) -> None:
    """After a failure a new attempt stands in place of the old one, which stays as it was."""
    desk = sit_down(backend)
    desk.write(*desk.history.begun("001", BUILD))
    desk.write(desk.history.ended("001", e.Failed(attempt=BUILD, reason="died", detail="")))
    desk.write(desk.history.requested("001", "001-build-2", born=State.REPLACED, supersedes=BUILD))
    rows = {row["attempt_id"]: row for row in desk.ledger.rows("attempt", RUN)}
    assert rows[BUILD]["state"] == State.FAILED
    assert rows["001-build-2"]["state"] == State.REPLACED
    assert rows["001-build-2"]["supersedes_attempt_id"] == BUILD


def an_attempt_is_born_once(backend: Backend) -> None:
    """The id of an attempt is never used again."""
    desk = sit_down(backend)
    desk.write(*desk.history.begun("001", BUILD))
    refusal_of(IllegalTransition, lambda: desk.write(desk.history.requested("001", BUILD)))


def an_attempt_belongs_to_one_lane(backend: Backend) -> None:
    """An entry of one lane changes no attempt of another, nor speaks for another attempt."""
    desk = sit_down(backend)
    desk.write(*desk.history.begun("001", BUILD), desk.history.opened("002"))
    blocked = e.Blocked(attempt=BUILD, reason="x")
    elsewhere = desk.history.entry("002", blocked, to=State.BLOCKED)
    refusal_of(IllegalTransition, lambda: desk.write(elsewhere))
    desk.write(desk.history.requested("001", "001-check-1", role=Role.CHECK))
    job = e.JobFailed(attempt="001-check-1", job="merge", reason="disk", detail="")
    other = replace(desk.history.entry("001", job), attempt=BUILD)
    refusal_of(IllegalTransition, lambda: desk.write(other))
    nowhere = replace(desk.history.requested("", "none-build-1"), version=2)
    refusal_of(IllegalTransition, lambda: desk.write(nowhere))
    assert state_of(desk) == State.DISPATCHED


def an_ended_attempt_does_not_change(backend: Backend) -> None:
    """Nothing is staged, judged or ruled in for an attempt that is over."""
    desk = sit_down(backend)
    desk.write(*desk.history.begun("001", BUILD))
    desk.write(desk.history.ended("001", e.Failed(attempt=BUILD, reason="died", detail="")))
    before = desk.snapshot()
    staged = e.ArtifactStaged(attempt=BUILD, turn=1, path="late", digest=digest(9), is_valid=True)
    refusal_of(IllegalTransition, lambda: desk.write(desk.history.entry("001", staged)))
    assert desk.snapshot() == before


def what_contradicts_itself_is_refused(backend: Backend) -> None:
    """An entry whose lane, attempt or move does not fit its event is refused."""
    desk = sit_down(backend)
    desk.write(*desk.history.begun("001", BUILD))
    ended = desk.history.entry("001", e.LaneEnded(outcome=Outcome.STOPPED, reason="x"))
    refusal_of(IllegalTransition, lambda: desk.write(replace(ended, lane="", version=2)))
    refusal_of(IllegalTransition, lambda: desk.write(replace(ended, attempt=BUILD)))
    refusal_of(IllegalTransition, lambda: desk.write(replace(ended, event=RUN_STARTED)))
    over = e.RunEnded(landed=0, stopped=0, waiting=0, reason="")
    refusal_of(IllegalTransition, lambda: desk.write(replace(ended, event=over)))
    opened = replace(desk.history.opened("002"), lane="", version=2)
    refusal_of(IllegalTransition, lambda: desk.write(opened))
    failed = desk.history.entry("001", e.Failed(attempt=BUILD, reason="x", detail=""))
    half = replace(failed, version=4, next=State.FAILED, previous=None)
    refusal_of(IllegalTransition, lambda: desk.write(half))


CASES: tuple[Case, ...] = (
    a_run_id_is_taken_once,
    a_run_that_is_not_there_is_refused,
    a_controller_that_was_taken_over_is_refused,
    a_controller_says_its_own_epoch,
    a_lane_version_is_used_once,
    a_lane_version_is_not_skipped,
    a_move_that_the_table_lacks_is_refused,
    a_move_from_another_state_is_refused,
    an_attempt_is_born_lawfully,
    a_replacement_follows_a_failure,
    an_attempt_is_born_once,
    an_attempt_belongs_to_one_lane,
    an_ended_attempt_does_not_change,
    what_contradicts_itself_is_refused,
)
