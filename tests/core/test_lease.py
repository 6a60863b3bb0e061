"""A lease is taken, renewed and given back by rules that only its number can outlive.

The functions are called through their module, so that the mutants' tests can break one of them.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tidegate.core import lease as leases
from tidegate.core.attempt import TERMINAL, State
from tidegate.core.errors import Refused, StaleEpoch
from tidegate.core.lease import Acquire, Lease, Release, Renew

BEFORE, NOW, LATER, LATEST = (f"2030-01-01T00:0{minute}:00.000Z" for minute in range(4))

FREE = Lease(run_id="run", attempt_id="a")
HELD = replace(FREE, epoch=3, owner="me", token="secret", expiry_utc=LATER)
EXPIRED = replace(HELD, expiry_utc=BEFORE)

ACQUIRE = Acquire(
    run_id="run", attempt_id="a", owner="you", token="fresh",
    now_utc=NOW, expiry_utc=LATEST, previous_epoch=3,
)  # fmt: skip
RENEW = Renew(
    run_id="run", attempt_id="a", owner="me", token="secret", epoch=3,
    now_utc=NOW, expiry_utc=LATEST, beat_sequence=9, beat_monotonic_s=1.0,
    last_completed_unit="", controller_version="1",
)  # fmt: skip
RELEASE = Release(run_id="run", attempt_id="a", epoch=3, fence=False)
LIVE = sorted(set(State) - TERMINAL)


def test_a_lease_that_was_never_granted_is_taken() -> None:
    """C092: epoch + 1, the fresh token, the owner and the expiry of who takes it."""
    taken = leases.acquire(FREE, replace(ACQUIRE, previous_epoch=0), State.DISPATCHED)
    assert taken == replace(FREE, epoch=1, owner="you", token="fresh", expiry_utc=LATEST)


def test_a_held_lease_is_not_taken() -> None:
    """It is the holder's until it runs out, whoever asks."""
    with pytest.raises(Refused, match="held by me"):
        leases.acquire(HELD, ACQUIRE, State.STARTED)


def test_not_even_the_holder_takes_a_held_lease_again() -> None:
    """A second grant to the same owner would be a second right to act."""
    with pytest.raises(Refused):
        leases.acquire(HELD, replace(ACQUIRE, owner="me", token="secret"), State.STARTED)


@pytest.mark.parametrize("expiry_utc", [BEFORE, NOW])
def test_an_expired_lease_is_taken_under_the_next_epoch(expiry_utc: str) -> None:
    """It has run out at its very instant; the number goes up by exactly one."""
    taken = leases.acquire(replace(HELD, expiry_utc=expiry_utc), ACQUIRE, State.STARTED)
    assert (taken.epoch, taken.token, taken.owner) == (4, "fresh", "you")


@pytest.mark.parametrize("epoch", [0, 2, 4])
def test_who_read_another_epoch_was_too_slow(epoch: int) -> None:
    """Somebody was faster: what was read is no longer so, even where the lease is free."""
    with pytest.raises(StaleEpoch):
        leases.acquire(EXPIRED, replace(ACQUIRE, previous_epoch=epoch), State.STARTED)


@pytest.mark.parametrize("state", sorted(TERMINAL))
def test_an_ended_attempt_takes_no_lease(state: State) -> None:
    """What is over acts no more, however free its lease is."""
    with pytest.raises(Refused, match="takes no lease"):
        leases.acquire(EXPIRED, ACQUIRE, state)


@pytest.mark.parametrize("state", LIVE)
def test_a_live_attempt_renews_its_lease(state: State) -> None:
    """A renewal extends the expiry and changes nothing else."""
    assert leases.renew(HELD, RENEW, state) == replace(HELD, expiry_utc=LATEST)


@pytest.mark.parametrize("state", sorted(TERMINAL))
def test_an_ended_attempt_renews_nothing(state: State) -> None:
    """C093: renewal requires a state that is not an end."""
    with pytest.raises(Refused, match="cannot be renewed"):
        leases.renew(HELD, RENEW, state)


@pytest.mark.parametrize(
    "wrong",
    [{"owner": "you"}, {"token": "guessed"}, {"epoch": 2}, {"epoch": 4}],
    ids=["owner", "token", "old-epoch", "new-epoch"],
)
def test_a_renewal_needs_owner_token_and_epoch(wrong: dict[str, Any]) -> None:
    """C093: each of the three must be the one that was granted."""
    with pytest.raises(StaleEpoch):
        leases.renew(HELD, replace(RENEW, **wrong), State.STARTED)


@pytest.mark.parametrize("expiry_utc", [BEFORE, NOW])
def test_an_expired_lease_is_never_revived(expiry_utc: str) -> None:
    """Not even by its last holder: it has to be granted anew, under the next epoch."""
    with pytest.raises(StaleEpoch, match="expired"):
        leases.renew(replace(HELD, expiry_utc=expiry_utc), RENEW, State.STARTED)


def test_a_released_lease_cannot_be_renewed() -> None:
    """The token is gone, so that nothing matches it, nothing at all included."""
    released = leases.release(HELD, RELEASE)
    with pytest.raises(StaleEpoch):
        leases.renew(released, RENEW, State.STARTED)


def test_a_released_lease_keeps_its_number_and_no_token() -> None:
    """C096: at a turn's end the right is given back; the next turn acquires it anew."""
    released = leases.release(HELD, RELEASE)
    assert (released.epoch, released.token) == (3, None)
    taken = leases.acquire(released, ACQUIRE, State.STARTED)
    assert (taken.epoch, taken.token) == (4, "fresh")


def test_a_fence_adds_one() -> None:
    """What a dead holder still sends carries a number that is no longer the lease's."""
    fenced = leases.release(HELD, replace(RELEASE, fence=True))
    assert (fenced.epoch, fenced.token) == (4, None)
    with pytest.raises(StaleEpoch):
        leases.renew(fenced, RENEW, State.STARTED)


@pytest.mark.parametrize("epoch", [2, 4])
@pytest.mark.parametrize("is_fence", [False, True])
def test_only_the_granted_epoch_is_released(epoch: int, *, is_fence: bool) -> None:
    """A late release takes nothing from the next holder, nor from one not granted yet."""
    with pytest.raises(StaleEpoch):
        leases.release(HELD, replace(RELEASE, epoch=epoch, fence=is_fence))


@pytest.mark.parametrize(
    "change",
    [
        lambda lease: leases.acquire(lease, ACQUIRE, State.STARTED),
        lambda lease: leases.renew(lease, RENEW, State.STARTED),
        lambda lease: leases.release(lease, RELEASE),
        lambda lease: leases.release(lease, replace(RELEASE, fence=True)),
    ],
)
@pytest.mark.parametrize("lease", [HELD, EXPIRED])
def test_an_epoch_never_falls(lease: Lease, change: Callable[[Lease], Lease]) -> None:
    """Whatever is done to a lease, refused or not, its number does not go back."""
    try:
        after = change(lease)
    except Refused:
        return
    assert after.epoch >= lease.epoch
    assert (after.run_id, after.attempt_id) == (lease.run_id, lease.attempt_id)


@pytest.mark.parametrize("epoch", range(6))
def test_only_the_granted_epoch_writes(epoch: int) -> None:
    """A write is held against the number as granted: no lower one passes, and no higher one."""
    assert leases.admits(HELD, epoch) is (epoch == 3)
    if epoch == 3:
        leases.require_granted(HELD, epoch)
        return
    with pytest.raises(StaleEpoch, match="granted at epoch 3") as refused:
        leases.require_granted(HELD, epoch)
    assert (refused.value.attempt, refused.value.epoch, refused.value.granted) == ("a", epoch, 3)


def test_a_write_is_asked_for_no_time_and_no_token() -> None:
    """Until another is granted nobody else acts: what ended late is recorded all the same."""
    assert leases.admits(EXPIRED, 3)
    assert leases.admits(leases.release(HELD, RELEASE), 3)
    assert not leases.admits(leases.release(HELD, replace(RELEASE, fence=True)), 3)


def test_a_token_is_not_shown() -> None:
    """Leases and wishes are printed in errors and logs; the secret is not."""
    for each in (HELD, ACQUIRE, RENEW):
        assert each.token
        assert each.token not in repr(each)
