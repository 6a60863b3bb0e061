"""Wait for a fact about the real world, with a bound, instead of sleeping for a guess."""

import select
import time
from collections.abc import Callable

_STEP_S = 0.005


def until(predicate: Callable[[], object], *, within_s: float = 10.0) -> None:
    """Return as soon as `predicate` holds; fail the test when it does not within the bound."""
    limit = time.monotonic() + within_s
    while not predicate():
        if time.monotonic() > limit:
            raise AssertionError(f"not so within {within_s} s: {predicate}")
        select.select([], [], [], _STEP_S)


def let_pass(seconds: float) -> None:
    """Let time go by, where how long somebody waited is the very fact: a person at a keyboard."""
    limit = time.monotonic() + seconds
    while (left_s := limit - time.monotonic()) > 0:
        select.select([], [], [], left_s)
