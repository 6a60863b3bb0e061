"""What makes room: only what rests and is in the hub, and only what was asked to."""

import pytest

from tests.core.samples import attempt_in, lane_with
from tidegate.core import commands as c
from tidegate.core import decide as deciding
from tidegate.core.attempt import State
from tidegate.core.errors import Refused
from tidegate.core.lane import Attempt, Turn
from tidegate.core.policy import Limits

AT_REST = {"workspace": "/w", "environment": "environment", "tip": "tip"}
AT_WORK = Turn(number=1, epoch=1, deadline_s=1.0)


def build(**given: object) -> Attempt:
    """A builder whose change was judged."""
    return attempt_in(State.REVIEWED, **{**AT_REST, **given})


@pytest.mark.parametrize(
    "attempt",
    [build(turn=AT_WORK), build(environment=None), build(tip=None)],
    ids=["at work", "not ready", "not in the hub"],
)
def test_what_is_needed_or_is_the_only_copy_stays(attempt: Attempt) -> None:
    """A disk without room is no reason to lose work."""
    with pytest.raises(Refused, match="in use, or is not in the hub"):
        deciding.decide(lane_with(attempt), c.EvictWorkspace(attempt=attempt.id), Limits())


def test_only_what_was_to_make_room_is_noted_as_gone() -> None:
    """A late word of a removal that nobody asked for is refused."""
    attempt = build()
    with pytest.raises(Refused, match="was not to make room"):
        deciding.decide(lane_with(attempt), c.NoteEviction(attempt=attempt.id), Limits())


def test_what_is_gone_makes_no_room() -> None:
    """Nor is it removed twice."""
    attempt = build(is_removed=True)
    with pytest.raises(Refused, match="gone already"):
        deciding.decide(lane_with(attempt), c.EvictWorkspace(attempt=attempt.id), Limits())
