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
    now, watch = engine.now, engine.watch
    anchor = watch.anchor or engine.book.run.anchor
    found = Reconciliation(trust=Trust.TRUSTED) if anchor is None else reconcile(anchor, now)
    is_first = watch.anchor is None
    gap_s = 0.0 if watch.anchor is None else now.monotonic_s - watch.anchor.monotonic_s
    watch.anchor = now
    heartbeat_s = engine.setup.policy.deadlines.heartbeat_s
    if found.trust is Trust.UNTRUSTED:
        watch.trusted_from_s = watch.acts_from_s = now.monotonic_s + heartbeat_s
    elif found.trust is Trust.SUSPENDED or gap_s > engine.setup.policy.deadlines.lease_s / 2:
        watch.acts_from_s = now.monotonic_s + heartbeat_s
    if is_first or found.trust is not Trust.TRUSTED:
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
    return now.monotonic_s >= watch.trusted_from_s
