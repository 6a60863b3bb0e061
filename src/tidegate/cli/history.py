"""The events of a run, one a line: in words for a person, as JSON for a program."""

from dataclasses import asdict

from tidegate.cli.output import clean, columns, json_text, show_lines
from tidegate.core.events import NAMES, Recorded
from tidegate.verbs.house import House
from tidegate.verbs.look import NO_RUN
from tidegate.verbs.look import log as verb
from tidegate.verbs.words import QUIET, say


def log(
    house: House,
    folder: str,
    *,
    lane: str | None,
    run: str | None,
    last: int | None,
    everything: bool,
    as_json: bool,
) -> None:
    """The events, one a line."""
    events = verb(house, folder, run=run, lane=lane, last=None if not as_json else last)
    if as_json:
        for event in events:
            show_json_line(event)
        return
    rows = [row for event in events if (row := event_row(event, everything=everything))]
    show_lines(*columns(rows[-last:] if last else rows) if events else (NO_RUN,))


def show_json_line(recorded: Recorded) -> None:
    """One event as one line of JSON."""
    entry = recorded.entry
    fields = {
        "sequence": recorded.sequence,
        "run": recorded.run,
        "kind": NAMES[type(entry.event)],
        **{name: getattr(entry, name) for name in _ENTRY_FIELDS},
        "body": asdict(entry.event),
        "previous_hash": recorded.previous_hash,
        "hash": recorded.hash,
    }
    show_lines(json_text(fields))


_ENTRY_FIELDS = (
    "lane", "version", "attempt", "epoch", "actor", "previous", "next", "reason", "utc",
)  # fmt: skip


def event_row(recorded: Recorded, *, everything: bool) -> tuple[str, ...] | None:
    """When, where, and the event in words; None where it is too quiet to be shown."""
    level, words = say(recorded.entry.event)
    if level == QUIET and not everything:
        return None
    entry = recorded.entry
    return (entry.utc, f"{entry.lane or 'run':<6}", clean(words))
