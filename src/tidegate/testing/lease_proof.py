"""The search of the lease, told in lines: what was looked at, and that the search can fail.

    python -m tidegate.testing.lease_proof [EPOCHS]

A search that finds nothing proves as much as it would find. So it is also run on rules with one
guard less each, the ledger's own functions otherwise, and must come back with the shortest way.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from tidegate.core.attempt import State
from tidegate.core.errors import Refused
from tidegate.core.lease import Acquire, Lease
from tidegate.testing.lease_model import WORKERS, Rules, disorder, rules_in_use
from tidegate.testing.lease_search import Found, Search

EPOCHS = 6
"""How many are begun in the whole search; it takes a minute or so."""
EPOCHS_OF_CONTROL = 3
"""All that the shortest way to any fault needs, and one more."""
HIGHEST_SEEN = "a write is held against the highest epoch seen"


def _never(_lease: Lease, _wish: Acquire, _state: State) -> Lease:
    raise Refused("nothing is ever granted")


def controls() -> Mapping[str, Rules]:
    """The rules in use, without one of their guards, by what is left out."""
    rules = rules_in_use()
    take, extend, end = rules.acquire, rules.renew, rules.release
    return {
        "every write is recorded": replace(rules, admits=lambda *_: True),
        HIGHEST_SEEN: replace(rules, admits=lambda _, epoch, seen: epoch >= seen),
        "a write of an earlier epoch is recorded": replace(
            rules, admits=lambda lease, epoch, _: epoch <= lease.epoch
        ),
        "only a write of an earlier epoch is recorded": replace(
            rules, admits=lambda lease, epoch, _: epoch < lease.epoch
        ),
        "a renewal is held against the worker's own clock": replace(
            rules, renew=lambda old, wish, at: extend(old, replace(wish, now_utc=""), at)
        ),
        "a renewal is known by its owner's name": replace(
            rules,
            renew=lambda old, wish, at: extend(
                old, replace(wish, epoch=old.epoch, token=old.token or ""), at
            ),
        ),
        "a renewal begins an epoch": replace(
            rules,
            renew=lambda old, wish, at: replace(extend(old, wish, at), epoch=old.epoch + 1),
        ),
        "a lease is granted while another holds it": replace(
            rules, acquire=lambda old, wish, at: take(replace(old, token=None), wish, at)
        ),
        "a lease is granted on an old reading": replace(
            rules,
            acquire=lambda old, wish, at: take(old, replace(wish, previous_epoch=old.epoch), at),
        ),
        "a grant keeps the number": replace(
            rules, acquire=lambda old, wish, at: replace(take(old, wish, at), epoch=old.epoch)
        ),
        "nothing is ever granted": replace(rules, acquire=_never),
        "a fence keeps the number": replace(
            rules, release=lambda old, wish: end(old, replace(wish, fence=False))
        ),
        "anybody gives a lease back": replace(
            rules, release=lambda old, wish: end(old, replace(wish, epoch=old.epoch))
        ),
    }


def controlled(rules: Rules) -> Found:
    """What the search finds wrong with rules, by its shortest way and without renaming."""
    return Search(rules, epochs=EPOCHS_OF_CONTROL, is_folded=False).run()


def ordered(rules: Rules) -> Found:
    """The same where nothing is asked but that recorded writes are in the order of their epochs."""
    return Search(rules, epochs=EPOCHS_OF_CONTROL, is_folded=False, judge=disorder).run()


def lines(epochs: int) -> Iterator[str]:
    """The whole proof. Raises AssertionError where something is wrong, or a control is not."""
    found = Search(rules_in_use(), epochs=epochs).run()
    assert not found.fault, "\n".join((found.fault, *found.way))
    yield (
        f"leases: {found.states:,} states of {WORKERS} workers and 2 leases in up to {epochs}"
        f" epochs; {found.arrivals:,} messages arrived, {found.refusals:,} were refused;"
        " nothing is wrong in any"
    )
    for name, rules in controls().items():
        wrong = controlled(rules)
        assert wrong.fault, f"the search does not see that {name}"
        yield f"caught: {name}; {wrong.fault}:"
        yield from (f"    {number}. {step}" for number, step in enumerate(wrong.way, start=1))
    unseen = ordered(controls()[HIGHEST_SEEN])
    assert not unseen.fault
    yield (
        f"not enough: in none of {unseen.states:,} states does that against the highest epoch seen"
        " record writes out of order, and yet a stale one is recorded: see above"
    )


def main(write: Callable[[str], object], epochs: int = EPOCHS) -> None:
    """Tell the proof as it goes on."""
    for line in lines(epochs):
        write(f"{line}\n")


if __name__ == "__main__":
    main(sys.stdout.write, *map(int, sys.argv[1:]))
