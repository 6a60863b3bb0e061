"""Reconcile the clocks at each tick, before anything is concluded from a time.

Nothing that decides is wall time, so a sleep or a step of the wall clock changes labels only. Two
things it does change: after a gap in which no tick was made the monitor holds back for one
heartbeat, since others may be about to give the sign that was due; and clocks that contradict each
other are believed in nothing for as long.
"""

from tidegate.core.clock import Reconciliation, Trust, reconcile
from tidegate.core.events import ClockReconciled
from tidegate.engine.engine import Engine


def may_conclude(engine: Engine) -> bool:
    """Whether lanes may advance by what is seen now. What lies behind is recorded."""
    watch, now_s = engine.watch, engine.now.monotonic_s
    was_doubted, is_first = watch.doubted is not None, watch.anchor is None
    found = _reconciled(engine)
    heartbeat_s = engine.setup.policy.deadlines.heartbeat_s
    if found.trust is Trust.UNTRUSTED:
        watch.trusted_from_s = watch.acts_from_s = now_s + heartbeat_s
    elif found.trust is Trust.SUSPENDED or _was_away(engine):
        watch.acts_from_s = now_s + heartbeat_s
    watch.last_tick_s = now_s
    is_news = found.trust is not Trust.TRUSTED or is_first
    if is_news or was_doubted != (watch.doubted is not None):
        _record(engine, found)
    return now_s >= watch.trusted_from_s


def _reconciled(engine: Engine) -> Reconciliation:
    """Compare with the last reading that was trusted, or with the one that was doubted.

    Where the clocks go on from the one that contradicted the others, that is how they are now.
    """
    watch, now = engine.watch, engine.now
    anchor = watch.anchor or engine.book.run.anchor
    found = Reconciliation(trust=Trust.TRUSTED) if anchor is None else reconcile(anchor, now)
    if found.trust is Trust.UNTRUSTED and watch.doubted is not None:
        found = reconcile(watch.doubted, now)
    if found.trust is Trust.UNTRUSTED:
        watch.anchor, watch.doubted = anchor, now
    else:
        watch.anchor, watch.doubted = now, None
    return found


def _was_away(engine: Engine) -> bool:
    """No tick was made for so long that others may have waited for this controller."""
    last_s, now_s = engine.watch.last_tick_s, engine.now.monotonic_s
    return last_s is not None and now_s - last_s > engine.setup.policy.deadlines.lease_s / 2


def _record(engine: Engine, found: Reconciliation) -> None:
    now = engine.now
    engine.book.record_run(
        ClockReconciled(
            trust=found.trust,
            suspended_s=found.suspended_s,
            stepped_s=found.stepped_s,
            utc=now.utc,
            monotonic_s=now.monotonic_s,
            boottime_s=now.boottime_s,
            boot_id=now.boot_id,
        )
    )
