"""Every guard of a lease is held by a check: without the guard, that check fails."""

import pytest

from tests.core import test_lease
from tests.mutants.planting import Mutant, missed, mutant, plant
from tidegate.core import lease
from tidegate.core.attempt import State
from tidegate.testing.lease_model import rules_in_use
from tidegate.testing.lease_search import Search

_REFUSES = '\n        raise Refused(f"attempt {lease.attempt_id} is {state}: it'

MUTANTS = [
    mutant(
        "a held lease is taken",
        lease,
        "    if lease.token is not None and lease.expiry_utc > wish.now_utc:",
        "    if False:",
        test_lease.test_a_held_lease_is_not_taken,
    ),
    mutant(
        "an expired lease is never free",
        lease,
        "lease.token is not None and lease.expiry_utc > wish.now_utc",
        "lease.token is not None",
        lambda: test_lease.test_an_expired_lease_is_taken_under_the_next_epoch(test_lease.NOW),
    ),
    mutant(
        "a slow reader takes a lease",
        lease,
        "    if wish.previous_epoch != lease.epoch:",
        "    if False:",
        lambda: test_lease.test_who_read_another_epoch_was_too_slow(2),
    ),
    mutant(
        "an ended attempt takes a lease",
        lease,
        f"    if state in TERMINAL:{_REFUSES} takes",
        f"    if False:{_REFUSES} takes",
        lambda: test_lease.test_an_ended_attempt_takes_no_lease(State.BLOCKED),
    ),
    mutant(
        "an acquired lease keeps its number",
        lease,
        "        epoch=lease.epoch + 1,",
        "        epoch=lease.epoch,",
        test_lease.test_a_lease_that_was_never_granted_is_taken,
    ),
    mutant(
        "a guessed token renews",
        lease,
        "(wish.epoch, wish.token, wish.owner) != (lease.epoch, lease.token, lease.owner)",
        "(wish.epoch, wish.owner) != (lease.epoch, lease.owner)",
        lambda: test_lease.test_a_renewal_needs_owner_token_and_epoch({"token": "guessed"}),
    ),
    mutant(
        "an old epoch renews",
        lease,
        "(wish.epoch, wish.token, wish.owner) != (lease.epoch, lease.token, lease.owner)",
        "(wish.token, wish.owner) != (lease.token, lease.owner)",
        lambda: test_lease.test_a_renewal_needs_owner_token_and_epoch({"epoch": 2}),
    ),
    mutant(
        "an ended attempt renews",
        lease,
        f"    if state in TERMINAL:{_REFUSES}s lease",
        f"    if False:{_REFUSES}s lease",
        lambda: test_lease.test_an_ended_attempt_renews_nothing(State.STOPPED),
    ),
    mutant(
        "an expired lease is revived",
        lease,
        "    if lease.expiry_utc <= wish.now_utc:",
        "    if False:",
        lambda: test_lease.test_an_expired_lease_is_never_revived(test_lease.NOW),
    ),
    mutant(
        "anybody releases",
        lease,
        "    if wish.epoch != lease.epoch:\n        raise _stale(",
        "    if False:\n        raise _stale(",
        lambda: test_lease.test_only_the_granted_epoch_is_released(2, is_fence=False),
    ),
    mutant(
        "a later epoch than the granted one writes",
        lease,
        "    return epoch == lease.epoch",
        "    return epoch >= lease.epoch",
        lambda: test_lease.test_only_the_granted_epoch_writes(4),
    ),
    mutant(
        "an earlier epoch than the granted one writes",
        lease,
        "    return epoch == lease.epoch",
        "    return epoch <= lease.epoch",
        lambda: test_lease.test_only_the_granted_epoch_writes(2),
    ),
    mutant(
        "a fence adds nothing",
        lease,
        "        epoch=lease.epoch + int(wish.fence),",
        "        epoch=lease.epoch,",
        test_lease.test_a_fence_adds_one,
    ),
]


@pytest.mark.parametrize("planted", MUTANTS)
def test_a_guard_that_is_taken_out_is_missed(
    planted: Mutant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The named check passes with the guard, and fails without it."""
    missed(planted, monkeypatch)


UNSEEN = {
    "an-ended-attempt-takes-a-lease",  # no attempt of the search ends
    "an-ended-attempt-renews",
    "a-guessed-token-renews",  # nor does anybody guess
    "an-old-epoch-renews",  # which is what the token is for
    "a-later-epoch-than-the-granted-one-writes",  # nobody carries a number that was not granted
}


@pytest.mark.parametrize("planted", [each for each in MUTANTS if each.id not in UNSEEN])
def test_the_search_of_all_states_finds_it_too(
    planted: Mutant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search runs the ledger's own functions: without a guard in them it ends at a fault."""
    plant(planted, monkeypatch)
    assert Search(rules_in_use(), epochs=3).run().fault
