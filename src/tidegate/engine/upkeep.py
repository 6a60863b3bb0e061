"""The hub's upkeep: what harvests write as many small files is packed while the run goes on.

Nothing depends on it but speed and room. So it begins only while there is other work, and nobody
waits for it: where all else is done, or nothing may start, it is stopped.
"""

from tidegate.engine.engine import INTERRUPTED, Engine
from tidegate.engine.jobs import look_at_job
from tidegate.ports.git import PackWork, WorkFailed

HARVESTS_A_PACK = 200


def advance_upkeep(engine: Engine) -> None:
    """Pack the hub at a controller's start, and then from time to time."""
    if engine.harvests < HARVESTS_A_PACK * engine.packs:
        return
    name = f"pack-{engine.packs}"
    folder = engine.setup.places.job(name)
    result = look_at_job(engine, name, PackWork(), may_start=lambda: _has_time(engine))
    if result is not None:
        engine.packs += 1
        if isinstance(result, WorkFailed) and result.reason != "lost":
            engine.tidy_after_commit(folder)
    elif not _has_time(engine):
        engine.request_stop(folder, 1, reason=INTERRUPTED)


def _has_time(engine: Engine) -> bool:
    is_busy = any(lane.outcome is None for lane in engine.book.lanes.values())
    return not engine.is_held and (is_busy or engine.has_takeable_issue)
