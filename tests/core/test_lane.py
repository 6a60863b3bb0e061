"""Questions that a lane answers from its fold."""

import pytest

from tests.core.samples import attempt_in, lane_with
from tidegate.core.attempt import TERMINAL, State
from tidegate.core.lane import Turn
from tidegate.core.values import Outcome, Role


def test_the_latest_attempt_of_a_role_is_the_newest() -> None:
    """Over or not, and whatever other roles did meanwhile."""
    first, second = (attempt_in(State.STOPPED, id=f"fix-build-{n}") for n in (1, 2))
    check = attempt_in(State.STARTED, id="fix-check-1", role=Role.CHECK)
    lane = lane_with(first, second, check)
    assert lane.latest(Role.BUILD) is second
    assert (lane.count(Role.BUILD), lane.count(Role.CHECK)) == (2, 1)
    assert lane_with().latest(Role.BUILD) is None


@pytest.mark.parametrize("state", State)
def test_a_check_is_open_until_it_is_over(state: State) -> None:
    """In every state that is no end."""
    lane = lane_with(attempt_in(state, id="fix-check-1", role=Role.CHECK))
    assert (lane.open_judge is None) is (state in TERMINAL)


def test_a_turn_is_open_until_its_meaning_is_decided() -> None:
    """Neither before it was granted nor after it was settled."""
    turn = Turn(number=1, epoch=1, deadline_s=1.0)
    assert not attempt_in(State.STARTED).has_open_turn
    assert attempt_in(State.STARTED, turn=turn).has_open_turn
    settled = Turn(number=1, epoch=1, deadline_s=1.0, is_settled=True)
    assert not attempt_in(State.STARTED, turn=settled).has_open_turn


def test_a_lane_is_queued_from_its_offer_to_its_end() -> None:
    """What has ended waits for nothing."""
    assert not lane_with().is_queued
    assert lane_with(queued_utc="now").is_queued
    assert not lane_with(queued_utc="now", outcome=Outcome.LANDED).is_queued


def test_the_current_attempt_is_the_newest_that_is_not_over() -> None:
    """After its check is over the build is current again, and where all is over the newest."""
    build, check = attempt_in(State.REVIEWED), attempt_in(State.STARTED, id="check")
    over = attempt_in(State.ACCEPTED, id="check")
    assert lane_with().current is None
    assert lane_with(build, check).current is check
    assert lane_with(build, over).current is build
    assert lane_with(attempt_in(State.ACCEPTED), over).current is over
