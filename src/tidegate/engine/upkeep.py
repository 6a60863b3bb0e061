"""The hub's upkeep: what harvests write as many small files is packed while the run goes on.

Nothing depends on it but speed and room: a pack that fails is tried again after as many harvests.
"""

from tidegate.engine.engine import Engine
from tidegate.engine.jobs import look_at_job
from tidegate.ports.git import PackWork, WorkFailed

HARVESTS_A_PACK = 200


def advance_upkeep(engine: Engine) -> None:
    """Pack the hub at a controller's start, and then from time to time."""
    if engine.harvests < HARVESTS_A_PACK * engine.packs:
        return
    name = f"pack-{engine.packs}"
    result = look_at_job(engine, name, PackWork(), may_start=lambda: not engine.is_held)
    if result is None:
        return
    engine.packs += 1
    if isinstance(result, WorkFailed):
        engine.tidy_after_commit(engine.setup.places.job(name))
