"""The defaults of a run's policy are the seeds' numbers, each by the requirement that it meets."""

import dataclasses

from tidegate.core.policy import Deadlines, Limits, Policy

DEADLINES, LIMITS = Deadlines(), Limits()


def test_an_example_report_takes_5_25_and_35_minutes() -> None:
    """C061: checkpoint, attempt and parent have 5, 25 and 35 minutes in the policy."""
    assert DEADLINES.checkpoint_s == 5 * 60
    assert DEADLINES.attempt_s == 25 * 60
    assert DEADLINES.parent_s == 35 * 60


def test_a_heart_beats_once_a_minute() -> None:
    """C115: a heartbeat every 60 seconds."""
    assert DEADLINES.heartbeat_s == 60


def test_two_missed_beats_may_make_an_attempt_stale() -> None:
    """C116: a lease covers two missed beats, and is out before a fourth is due."""
    assert DEADLINES.missed_beats_max == 2
    assert 2 * 60 <= DEADLINES.lease_s <= 3 * 60


def test_a_lease_follows_the_heartbeat() -> None:
    """Who beats twice as often is missed twice as soon."""
    assert Deadlines(heartbeat_s=30).lease_s == DEADLINES.lease_s / 2
    assert Deadlines(missed_beats_max=0).lease_s == DEADLINES.heartbeat_s


def test_what_is_told_to_end_has_30_seconds() -> None:
    """C117: after that a person is asked."""
    assert DEADLINES.stop_ack_s == 30


def test_the_monitor_looks_at_least_every_ten_minutes() -> None:
    """Seed 002, line 358: a look at most ten minutes after the last."""
    assert DEADLINES.monitor_s == 10 * 60


def test_a_lane_stops_at_the_third_fail() -> None:
    """A16: three FAILs, vetoes counted in."""
    assert LIMITS.fails_max == 3


def test_there_is_one_replacement() -> None:
    """C070, C071: one replacement; a second needs the owner's recorded word."""
    assert LIMITS.replacements_max == 1


def test_a_failed_check_is_run_once_more() -> None:
    """A FAIL of a check counts only after one re-run."""
    assert LIMITS.check_reruns_max == 1


def test_a_builder_has_longer_than_an_honest_build_takes() -> None:
    """Seed 003 measured 37.9 minutes at the 75th percentile: a turn may take twice that."""
    assert DEADLINES.build_s >= 2 * 37.9 * 60


def test_every_limit_is_above_nothing_and_finite() -> None:
    """G7: no limit or deadline stands for "for ever"."""
    for part in (DEADLINES, LIMITS):
        for each in dataclasses.fields(part):
            assert 0 < getattr(part, each.name) < float("inf"), each.name


def test_a_policy_cannot_be_changed_under_a_run() -> None:
    """It is frozen, and two policies of the same numbers are the same."""
    assert Policy() == Policy()
    assert hash(Policy()) == hash(Policy())
