"""Cases of a ledger: leases, their epochs, and what a stale holder can do."""
# ruff: noqa: PLR2004 - a number in an assertion is the fact under test

from dataclasses import replace

from tidegate.core import events as e
from tidegate.core.attempt import State
from tidegate.core.errors import Refused, StaleEpoch
from tidegate.core.lease import Release
from tidegate.ports.ledger import Batch
from tidegate.testing.ledger_backend import BUILD, Backend, Case, Desk, at_work, refusal_of
from tidegate.testing.ledger_history import LATER, RUN


def a_lease_is_granted_with_the_turn(backend: Backend) -> None:
    """A grant adds one to the epoch; entries carry it, and the attempt shows who holds it."""
    desk = at_work(backend)
    lease = desk.ledger.lease(RUN, BUILD)
    assert (lease.epoch, lease.owner, lease.expiry_utc) == (1, "host-1", LATER)
    row = desk.ledger.rows("attempt", RUN)[0]
    assert (row["owner"], row["lease_epoch"], row["lease_expiry_utc"]) == ("host-1", 1, LATER)


def no_reader_sees_a_token(backend: Backend) -> None:
    """That a lease is held is shown, and its token is not."""
    desk = at_work(backend)
    token = desk.ledger.lease(RUN, BUILD).token
    assert token
    shown = [*desk.ledger.rows("attempt", RUN), desk.ledger.lane_line(RUN, "001")]
    assert shown[0] is not None
    assert shown[0]["lease_token"] == "[held]"  # noqa: S105 - what stands in its place
    assert token not in repr(shown)


def a_held_lease_is_not_granted_again(backend: Backend) -> None:
    """A lease that is held and has not run out is granted to nobody else."""
    desk = at_work(backend)
    wish = desk.history.grant(BUILD, owner="host-2")
    before = desk.snapshot()
    refusal_of(Refused, lambda: desk.write(leases=(wish,)))
    assert desk.snapshot() == before
    assert desk.ledger.lease(RUN, BUILD).owner == "host-1"


def a_grant_on_an_old_reading_is_refused(backend: Backend) -> None:
    """Of two that saw the same free lease one gets it (G4-12)."""
    desk = at_work(backend)
    desk.write(leases=(desk.history.give_back(BUILD),))
    wish = desk.history.grant(BUILD)
    desk.write(leases=(wish,))
    later = replace(wish, owner="host-2", now_utc="2026-01-01T09:00:00.000Z")
    refusal_of(StaleEpoch, lambda: desk.write(leases=(later,)))
    assert desk.ledger.lease(RUN, BUILD).epoch == 2


def a_stale_holder_changes_nothing(backend: Backend) -> None:
    """An entry under an earlier epoch is refused, also while no later one was seen (G4-11)."""
    desk = at_work(backend)
    stale = desk.history.checkpointed("001", BUILD)
    desk.write(leases=(desk.history.give_back(BUILD, fence=True),))
    before = desk.snapshot()
    refusal_of(StaleEpoch, lambda: desk.write(stale))
    refusal_of(StaleEpoch, lambda: desk.write(replace(stale, epoch=9)))
    assert desk.snapshot() == before


def a_worker_of_the_same_name_is_another(backend: Backend) -> None:
    """The name of a holder is no fence: its first lease's renewal is refused (G4-11)."""
    desk = at_work(backend)
    zombie = desk.history.renewal(BUILD, 1)
    desk.write(leases=(desk.history.give_back(BUILD, fence=True), desk.history.grant(BUILD)))
    refusal_of(StaleEpoch, lambda: desk.write(leases=(zombie,)))
    refusal_of(StaleEpoch, lambda: desk.write(leases=(replace(zombie, epoch=3),)))
    assert desk.ledger.rows("heartbeat", RUN) == []


def a_renewal_appends_a_heartbeat(backend: Backend) -> None:
    """A renewal extends the lease and leaves a heartbeat with the attempt's state."""
    desk = at_work(backend)
    desk.write(leases=(desk.history.renewal(BUILD, 1),))
    desk.write(leases=(desk.history.renewal(BUILD, 2),))
    beats = desk.ledger.rows("heartbeat", RUN)
    assert [(beat["beat_sequence"], beat["state"]) for beat in beats] == [
        (1, State.STARTED),
        (2, State.STARTED),
    ]
    assert desk.ledger.lease(RUN, BUILD).expiry_utc > LATER


def a_beat_renews_once(backend: Backend) -> None:
    """A beat that was counted before renews nothing."""
    desk = at_work(backend)
    desk.write(leases=(desk.history.renewal(BUILD, 1),))
    refusal_of(Refused, lambda: desk.write(leases=(desk.history.renewal(BUILD, 1),)))


def a_lease_that_ran_out_is_not_revived(backend: Backend) -> None:
    """A lease that ran out cannot be renewed; a new one can be granted."""
    desk = at_work(backend)
    late = desk.history.renewal(BUILD, 1, now_utc=LATER)
    refusal_of(StaleEpoch, lambda: desk.write(leases=(late,)))
    desk.write(leases=(desk.history.grant(BUILD, now_utc=LATER),))
    assert desk.ledger.lease(RUN, BUILD).epoch == 2


def an_ended_attempt_takes_no_lease(backend: Backend) -> None:
    """In a terminal state a lease is neither granted nor renewed."""
    desk = at_work(backend)
    desk.write(desk.history.ended("001", e.Failed(attempt=BUILD, reason="x", detail="")))
    refusal_of(Refused, lambda: desk.write(leases=(desk.history.renewal(BUILD, 1),)))
    desk.write(leases=(desk.history.give_back(BUILD),))
    refusal_of(Refused, lambda: desk.write(leases=(desk.history.grant(BUILD),)))


def a_release_keeps_the_number(backend: Backend) -> None:
    """After a release nobody holds the lease, and its epoch stays; a fence adds one."""
    desk = at_work(backend)
    release = desk.history.give_back(BUILD)
    desk.write(leases=(release,))
    assert desk.ledger.lease(RUN, BUILD).token is None
    assert desk.ledger.lease(RUN, BUILD).epoch == 1
    desk.write(leases=(replace(release, fence=True),))
    refusal_of(StaleEpoch, lambda: desk.write(leases=(release,)))
    assert desk.ledger.lease(RUN, BUILD).epoch == 2


def one_batch_ends_a_turn_and_opens_the_next(backend: Backend) -> None:
    """What a tick records before a grant carries the epoch before it, in the same batch."""
    desk = at_work(backend)
    ended = desk.history.turn_ended("001", BUILD)
    leases = (desk.history.give_back(BUILD), desk.history.grant(BUILD))
    opened = desk.history.turn_opened("001", BUILD)
    desk.write(ended, opened, leases=leases)
    assert [row["epoch"] for row in desk.ledger.rows("turn", RUN)] == [1, 2]


def an_old_epoch_does_not_come_back_in_a_batch(backend: Backend) -> None:
    """Behind an entry of the new epoch no entry of the old one is accepted."""
    desk = at_work(backend)
    ended = desk.history.turn_ended("001", BUILD)
    leases = (desk.history.give_back(BUILD), desk.history.grant(BUILD))
    opened = desk.history.turn_opened("001", BUILD)
    swapped = (
        replace(opened, version=ended.version),
        replace(ended, version=opened.version),
    )
    refusal_of(StaleEpoch, lambda: desk.write(*swapped, leases=leases))


def a_lease_of_nobody_is_refused(backend: Backend) -> None:
    """No lease is granted to an attempt that is not there, nor through another run."""
    desk = at_work(backend)
    wish = desk.history.grant("001-build-9")
    refusal_of(Refused, lambda: desk.write(leases=(wish,)))
    assert desk.ledger.lease(RUN, "001-build-9").epoch == 0
    end = replace(desk.history.give_back(BUILD), run_id="other")
    refusal_of(Refused, lambda: desk.write(leases=(end,)))
    assert desk.ledger.lease(RUN, BUILD).token is not None


def a_stale_write_says_what_it_was(backend: Backend) -> None:
    """What is refused names attempt, epoch and grant, so that it can be recorded as stale (C090).

    Heartbeat, artifact, grant and release of an old epoch; the controller's own names no attempt.
    The batch is refused whole, and the next one has its place.
    """
    desk = at_work(backend)
    beat, wish = desk.history.renewal(BUILD, 1), desk.history.grant(BUILD, now_utc=LATER)
    wish = replace(wish, expiry_utc="2026-01-01T00:06:00.000Z")
    desk.write(leases=(wish,))
    artifact = replace(desk.history.checkpointed("001", BUILD), epoch=1)
    release = Release(run_id=RUN, attempt_id=BUILD, epoch=1, fence=True)
    before, lease = desk.snapshot(), desk.ledger.lease(RUN, BUILD)
    good = desk.history.opened("002")
    for batch in (
        Batch(leases=(beat,)),
        Batch(leases=(wish,)),
        Batch(entries=(good, artifact)),
        Batch(entries=(good,), leases=(release,)),
    ):
        assert _stale(desk, batch) == (BUILD, 1, 2)
    late = replace(beat, epoch=2, token=wish.token, now_utc=wish.expiry_utc)
    assert _stale(desk, Batch(leases=(late,))) == (BUILD, 2, 2)  # it ran out
    assert desk.snapshot() == before
    assert desk.ledger.lease(RUN, BUILD) == lease
    desk.write(good, replace(artifact, epoch=2))
    desk.ledger.take_over(RUN, holder="host-2:1", utc=LATER)
    assert _stale(desk, Batch(entries=(desk.history.opened("003"),))) == (None, 1, 2)


def _stale(desk: Desk, batch: Batch) -> tuple[str | None, int, int]:
    refused = refusal_of(StaleEpoch, lambda: desk.ledger.commit(desk.fence, batch))
    assert isinstance(refused, StaleEpoch)
    return refused.attempt, refused.epoch, refused.granted


CASES: tuple[Case, ...] = (
    a_lease_is_granted_with_the_turn,
    no_reader_sees_a_token,
    a_held_lease_is_not_granted_again,
    a_grant_on_an_old_reading_is_refused,
    a_stale_holder_changes_nothing,
    a_worker_of_the_same_name_is_another,
    a_renewal_appends_a_heartbeat,
    a_beat_renews_once,
    a_lease_that_ran_out_is_not_revived,
    an_ended_attempt_takes_no_lease,
    a_release_keeps_the_number,
    one_batch_ends_a_turn_and_opens_the_next,
    an_old_epoch_does_not_come_back_in_a_batch,
    a_lease_of_nobody_is_refused,
    a_stale_write_says_what_it_was,
)
