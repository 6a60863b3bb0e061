"""See what became of whatever was started in a folder, and whether that can be acted on yet."""

from typing import assert_never

from tidegate.core.records import record
from tidegate.engine.engine import Engine
from tidegate.ports.runners import Absent, Beat, Exit, Over, Running, Unheld


@record(kw_only=False)
class Lost:
    """Its runner died without a record; it is fenced, and nothing of it lives. `beat` was last."""

    beat: Beat | None


@record(kw_only=False)
class Unsettled:
    """It is about to start, or to be known as lost, or some of it would not die yet: wait."""


Seen = Absent | Running | Exit | Lost | Unsettled


def see(engine: Engine, folder: str, *, fence: int) -> Seen:
    """What there is in a folder now. A runner that is lost is fenced at the epoch `fence`."""
    sighting = engine.ports.runners.look(folder)
    match sighting:
        case Absent():
            return sighting
        case Running():
            engine.saw_running(folder)
            return sighting
        case Over(exit=ending):
            is_settled = not ending.leftovers or engine.is_empty(folder)
            return ending if is_settled else Unsettled()
        case Unheld(beat=beat):
            is_lost = engine.is_lost(folder, epoch=fence, has_begun=beat is not None)
            return Lost(beat) if is_lost else Unsettled()
        case _:
            assert_never(sighting)
