"""What an explanation says of a lane that is under way."""

from itertools import product

from tidegate.core.attempt import State
from tidegate.core.values import Authorization, Role
from tidegate.verbs.explain import STAGE_WAITS
from tidegate.verbs.stage import stage_of_row


def test_every_stage_waits_for_something_that_can_be_named() -> None:
    """Whatever an open lane is at, it is said what has to happen before it moves on."""
    rows = (
        {
            "outcome": None,
            "is_waiting_for_owner": w,
            "attempt_id": "x",
            "role": r,
            "state": s,
            "authorization_status": a,
        }
        for r, s, a, w in product(Role, State, Authorization, (0, 1))
    )
    assert {stage_of_row(row) for row in rows} <= set(STAGE_WAITS)
