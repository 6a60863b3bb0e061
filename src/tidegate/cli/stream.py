"""The events of a run as a program reads them: one JSON object a line, and on while it goes on."""

import select
import sys
from collections.abc import Iterable
from contextlib import suppress

from tidegate.cli.history import show_json_line
from tidegate.cli.output import READER_GONE, complain
from tidegate.core.events import Recorded
from tidegate.verbs.events import Choice, Ending
from tidegate.verbs.events import events as verb
from tidegate.verbs.house import House
from tidegate.verbs.look import NO_RUN

_UNATTENDED = "nobody is at its controls: `tidegate run` goes on with it"


def events(house: House, folder: str, choice: Choice, *, follow: bool) -> int:
    """Show them; the exit code, 1 where a run that is followed was left by its controller."""
    ending = verb(house, folder, choice, _show, wait=reader_leaves if follow else None)
    match ending:
        case Ending.NO_RUN:
            complain(NO_RUN)
        case Ending.UNATTENDED:
            complain(_UNATTENDED)
            return 1
        case Ending.READER_LEFT:
            return READER_GONE
        case Ending.SHOWN | Ending.RUN_ENDED:
            pass
    return 0


def _show(found: Iterable[Recorded]) -> None:
    for each in found:
        show_json_line(each)


def reader_leaves(within_s: float) -> bool:
    """Whether nobody reads standard output any more: known at once, without writing to it."""
    poll = select.poll()
    with suppress(OSError, ValueError, AttributeError):
        poll.register(sys.stdout.fileno(), 0)
    return bool(poll.poll(within_s * 1000))
