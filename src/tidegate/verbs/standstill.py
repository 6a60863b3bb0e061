"""What a run waits for that does not move, so that a person who looks on knows whom to look at."""

from collections.abc import Sequence

from tidegate.core.lane import Lane
from tidegate.engine.engine import Engine
from tidegate.engine.tick import landing_head
from tidegate.verbs.stage import stage_of

STANDSTILL_S = 30.0
"""How long nothing of it may move before it is told."""


class Standstill:
    """Tells once of each standstill, when it has lasted for a while."""

    def __init__(self) -> None:
        self._reason, self._since_s, self._is_told = "", 0.0, False

    def look(self, engine: Engine) -> str | None:
        """What to tell now, if anything."""
        reason, now_s = waits_for(engine), engine.now.monotonic_s
        if reason != self._reason:
            self._reason, self._since_s, self._is_told = reason, now_s, False
        if not reason or self._is_told or now_s - self._since_s < STANDSTILL_S:
            return None
        self._is_told = True
        return reason


def waits_for(engine: Engine) -> str:
    """What holds up the landing queue, or the whole run; empty where neither is held up."""
    if engine.disk_note is not None:
        return f"waiting: {engine.disk_note}"
    lanes = [lane for lane in engine.book.lanes.values() if lane.outcome is None]
    if not lanes:
        return ""
    return _queue(engine, lanes) if engine.running else _nothing(lanes)


def _queue(engine: Engine, lanes: Sequence[Lane]) -> str:
    """Who is at the head of the landing queue, where others stand behind it."""
    head = landing_head(engine)
    behind = [lane.id for lane in lanes if lane.is_queued and lane.id != head]
    if head is None or not behind:
        return ""
    stage = stage_of(engine.book.lanes[head])
    return f"the landing queue waits for {head} ({stage}); behind it: {', '.join(behind)}"


def _nothing(lanes: Sequence[Lane]) -> str:
    """Nothing is under way: what failed is tried again after a pause, or somebody must answer."""
    stages = ", ".join(f"{lane.id} {stage_of(lane)}" for lane in lanes)
    return f"waiting: nothing is under way ({stages})"
