"""All that can happen to a lease was looked at, and what is wrong with weaker rules is found."""

from dataclasses import replace

import pytest

from tests.lengths import IS_LONG
from tests.testing.stepwise import reached
from tidegate.testing import lease_proof
from tidegate.testing.lease_model import Key, Message, arrive, fault, rules_in_use, tick
from tidegate.testing.lease_proof import HIGHEST_SEEN, controlled, controls, ordered
from tidegate.testing.lease_search import Search

SIZES = {
    4: (5_222, 168_220, 117_462),
    5: (33_186, 1_284_480, 959_314),
    6: (200_624, 9_067_364, 7_091_674),
}
"""States, messages that arrived, and those that were refused, by how many epochs are begun."""

GRANTED = "worker A asks for lease 1, of which it had read epoch 0"
FENCED = "the controller fences lease 1 at epoch 1"
STALE_WRITE = "worker A's write to lease 1 under epoch 1 arrives"
BELOW = "a write below the granted epoch was recorded"

FAULTS = {
    "every write is recorded": (BELOW, 3),
    HIGHEST_SEEN: (BELOW, 3),
    "a write of an earlier epoch is recorded": (BELOW, 3),
    "only a write of an earlier epoch is recorded": (
        "a write under the granted epoch was refused",
        2,
    ),
    "a renewal is held against the worker's own clock": (
        "a lease that had run out was revived",
        4,
    ),
    "a renewal is known by its owner's name": (
        "a lease was renewed by one that does not hold it",
        4,
    ),
    "a renewal begins an epoch": ("a renewal changed the epoch or the holder", 2),
    "a lease is granted while another holds it": ("a lease was granted that another holds", 2),
    "a lease is granted on an old reading": ("a lease was granted on an old reading", 3),
    "a grant keeps the number": ("a grant did not raise the epoch", 1),
    "nothing is ever granted": ("a lease that is free or has run out was not granted", 1),
    "a fence keeps the number": ("a fence did not raise the epoch, or a release did", 2),
    "anybody gives a lease back": (
        "a lease was taken from a holder by a message of an older epoch",
        3,
    ),
}


@pytest.mark.parametrize("epochs", list(SIZES) if IS_LONG else [4])
def test_nothing_is_wrong_in_any_state(epochs: int) -> None:
    """C092, C093: whatever arrives when, no epoch is held twice and no stale write recorded.

    Nor is a lease granted that another holds, or renewed once it ran out; and what is due is given.
    """
    found = Search(rules_in_use(), epochs=epochs).run()
    print(f"{found.states:,} states, {found.arrivals:,} arrivals")  # noqa: T201 - the size of the proof is a part of it
    assert (found.fault, found.way) == ("", ())
    assert (found.states, found.arrivals, found.refusals) == SIZES[epochs]


@pytest.mark.parametrize("name", FAULTS)
def test_a_guard_that_is_left_out_is_found(name: str) -> None:
    """The search ends with what is wrong, and with the shortest way to it."""
    found = controlled(controls()[name])
    assert (found.fault, len(found.way)) == FAULTS[name]


def test_every_control_is_known() -> None:
    """What must be found is written down for each."""
    assert set(FAULTS) == set(controls())


def test_the_highest_epoch_seen_is_no_fence() -> None:
    """It admits what a fenced holder sends before the next holder's first write."""
    found = controlled(controls()[HIGHEST_SEEN])
    assert found.way == (GRANTED, FENCED, STALE_WRITE)


def test_an_order_of_writes_is_not_enough_to_ask_for() -> None:
    """Who asks only for the order of epochs finds no check at all, and misses the weaker one."""
    assert ordered(controls()[HIGHEST_SEEN]).fault == ""
    found = ordered(controls()["every write is recorded"])
    assert found.fault == "a write was recorded after one of a later epoch"
    assert found.way == (
        GRANTED,
        FENCED,
        "the controller's write to lease 1 under epoch 2 arrives",
        STALE_WRITE,
    )


def test_names_are_all_that_is_folded_away() -> None:
    """Renamed in every way, the folded states are those of a search that keeps names apart."""
    plain = Search(rules_in_use(), epochs=2, is_folded=False)
    assert plain.run().fault == ""
    small = Search(rules_in_use(), epochs=2)
    small.run()
    assert small.spread() == plain.states()
    assert len(plain.states()) > 3 * len(small.states())


@pytest.mark.parametrize(
    ("workers", "epochs"), [(2, 1), (1, 3), (2, 2)] if IS_LONG else [(2, 1), (1, 2)]
)
def test_workers_that_crash_and_pause_reach_the_same(workers: int, epochs: int) -> None:
    """Reading, asking, pausing, losing, doubling and crashing as steps lead to no other state."""
    search = Search(rules_in_use(), epochs=epochs, keys=1, workers=workers, is_folded=False)
    search.run()
    stepwise, worlds = reached(rules_in_use(), workers=workers, epochs=epochs)
    assert {key for (key,) in search.states()} == stepwise
    assert worlds > 50 * len(stepwise)


def test_the_time_of_a_lease_runs_out_at_its_tick() -> None:
    """Two ticks after its grant it is renewed no more, and granted to another."""
    key = arrive(rules_in_use(), Key(), Message("acquire", 0, 0))
    assert key == Key(epoch=1, holder=0, left=2, grants=((1, 0),))
    last = tick(key)
    assert arrive(rules_in_use(), last, Message("renew", 0, 1)) == key
    assert arrive(rules_in_use(), tick(last), Message("renew", 0, 1)) is None
    other = arrive(rules_in_use(), tick(last), Message("acquire", 1, 1))
    assert other == Key(epoch=2, holder=1, left=2, grants=((1, 0), (2, 1)))


def test_an_epoch_that_goes_back_is_seen() -> None:
    """Whatever a message does, the number does not fall."""
    old = Key(epoch=2, holder=0, left=1, accepted=2, grants=((1, 0), (2, 0)))
    write = Message("write", 0, 2)
    assert fault(old, write, old) is None
    assert fault(old, write, old._replace(epoch=1)) == "an epoch went back"


def test_the_proof_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program says how much was looked at, and the shortest way to each fault."""
    told: list[str] = []
    lease_proof.main(told.append, 2)
    text = "".join(told)
    assert text.startswith("leases: 108 states of 3 workers and 2 leases in up to 2 epochs")
    assert text.count("caught: ") == len(FAULTS)
    assert f"    3. {STALE_WRITE}\n" in text
    blind = {"nothing is left out": rules_in_use()}
    monkeypatch.setattr(lease_proof, "controls", lambda: blind)
    with pytest.raises(AssertionError, match="does not see that nothing is left out"):
        lease_proof.main(told.append, 2)
    weak = replace(rules_in_use(), admits=lambda *_: True)
    monkeypatch.setattr(lease_proof, "rules_in_use", lambda: weak)
    with pytest.raises(AssertionError, match=BELOW):
        lease_proof.main(told.append, 2)
