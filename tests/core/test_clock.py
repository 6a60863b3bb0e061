"""Two readings of the clocks, and what lies between them."""

import pytest

from tidegate.core.clock import Reading, Reconciliation, Trust, reconcile

ANCHOR = Reading(
    utc="2026-10-25T00:30:00.000Z", monotonic_s=1000.0, boottime_s=1500.0, boot_id="one"
)


def later(
    wall_s: float, awake_s: float, passed_s: float | None = None, boot: str = "one"
) -> Reading:
    """A reading so long after the anchor, by each clock."""
    return Reading(
        utc=ANCHOR.utc_in(wall_s),
        monotonic_s=ANCHOR.monotonic_s + awake_s,
        boottime_s=ANCHOR.boottime_s + (awake_s if passed_s is None else passed_s),
        boot_id=boot,
    )


@pytest.mark.parametrize(
    ("reading", "trust", "suspended_s", "stepped_s"),
    [
        (later(60, 60), Trust.TRUSTED, 0, 0),
        (later(0, 0), Trust.TRUSTED, 0, 0),
        (later(61.5, 60), Trust.TRUSTED, 0, 0),
        (later(605, 86, 605), Trust.SUSPENDED, 519, 0),
        (later(600, 80), Trust.STEPPED, 0, 520),
        (later(-3600, 60), Trust.STEPPED, 0, -3660),
        (later(10_000, 60, 3660), Trust.SUSPENDED, 3600, 6340),
        (later(86_450, 86_400), Trust.TRUSTED, 0, 0),
        (later(86_600, 86_400), Trust.STEPPED, 0, 200),
        (later(500, -900, -1400, boot="two"), Trust.REBOOTED, 0, 0),
        (later(-500, -900, -1400, boot="two"), Trust.REBOOTED, 0, -500),
        (later(60, -1), Trust.UNTRUSTED, 0, 0),
        (later(60, 60, -1), Trust.UNTRUSTED, 0, 0),
        (later(60, 60, 50), Trust.UNTRUSTED, 0, 0),
    ],
)
def test_what_lies_between(
    reading: Reading, trust: Trust, suspended_s: float, stepped_s: float
) -> None:
    """G2-12, C065, C069: sleep, steps both ways, another boot, and clocks that contradict."""
    found = reconcile(ANCHOR, reading)
    assert found.trust is trust
    assert found.suspended_s == pytest.approx(suspended_s)
    assert found.stepped_s == pytest.approx(stepped_s)


def test_a_machine_without_a_clock_is_not_believed() -> None:
    """It starts in 1970, until somebody sets it."""
    reading = Reading(utc="1970-01-01T00:00:09.000Z", monotonic_s=9, boottime_s=9, boot_id="one")
    assert reconcile(ANCHOR, reading) == Reconciliation(trust=Trust.UNTRUSTED)


def test_the_hour_that_comes_twice_is_an_hour_like_any_other() -> None:
    """G2-21: labels are UTC, which knows no summer time: each instant is after the one before."""
    labels = [ANCHOR.utc_in(600.0 * n) for n in range(18)]
    assert labels == sorted(set(labels))
    assert all(label.endswith("Z") for label in labels)
