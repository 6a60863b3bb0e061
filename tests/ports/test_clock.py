"""Deadlines are instants in UTC, whatever the zone of the machine does to its clock."""

import time
from collections.abc import Iterator
from datetime import datetime

import pytest

from tidegate.ports.clock import Reading
from tidegate.runner.clock import HostClock

FALL_BACK = "2026-10-25T00:15:00.000Z"
"""02:15 in Berlin, for the first of two times."""
SPRING = "2026-03-29T00:59:30.000Z"
"""Thirty seconds before an hour that Berlin has not got."""


def reading(utc: str) -> Reading:
    """A look at the clocks at this instant."""
    return Reading(utc=utc, monotonic_s=0.0, boottime_s=0.0, boot_id="b")


@pytest.fixture(autouse=True, params=["Europe/Berlin", "America/New_York", "UTC", "Asia/Kathmandu"])
def zone(request: pytest.FixtureRequest) -> Iterator[None]:
    """A machine in this zone, and afterwards in its own again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", request.param)
        time.tzset()
        yield
    time.tzset()


@pytest.mark.parametrize("utc", [FALL_BACK, SPRING])
@pytest.mark.parametrize("seconds", [0.001, 900.0, 3600.0, 5400.0])
def test_a_deadline_is_strictly_after_now_by_just_so_much(utc: str, seconds: float) -> None:
    """Also in an hour that comes twice, or not at all (G2-21)."""
    now = reading(utc)
    then = now.utc_in(seconds)
    assert then > now.utc
    gone = datetime.fromisoformat(then) - datetime.fromisoformat(utc)
    assert gone.total_seconds() == pytest.approx(seconds)


def test_a_deadline_of_a_deadline_moves_on() -> None:
    """Nothing is due again at the instant at which it was due: a repeated hour repeats nothing."""
    utc, seen = FALL_BACK, set()
    for _ in range(12):
        assert utc not in seen
        seen.add(utc)
        utc = reading(utc).utc_in(900.0)
    assert max(seen) == "2026-10-25T03:00:00.000Z"


def test_the_hosts_clock_reads_utc() -> None:
    """Whatever zone the machine is in, an instant is written as one (G2-21)."""
    said = datetime.fromisoformat(HostClock().now().utc)
    assert said.utcoffset() is not None
    assert abs(said.timestamp() - time.clock_gettime(time.CLOCK_REALTIME)) < 5
