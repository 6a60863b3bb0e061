"""What the reading commands show to a person."""

import sys
from collections.abc import Iterator
from dataclasses import asdict

from tidegate.cli.output import clean, clean_text, columns, json_text, show_json, show_lines
from tidegate.core.errors import Misused
from tidegate.core.events import NAMES, Recorded
from tidegate.verbs.explain import explain as explain_verb
from tidegate.verbs.house import House
from tidegate.verbs.look import NO_RUN, LaneLine, Status
from tidegate.verbs.look import log as log_verb
from tidegate.verbs.look import status as status_verb
from tidegate.verbs.story import LaneStory
from tidegate.verbs.story import show as show_verb
from tidegate.verbs.words import QUIET, say


def status(house: House, folder: str, run: str | None, *, as_json: bool) -> None:
    """The newest run at a glance."""
    seen = status_verb(house, folder, run)
    if as_json:
        show_json(seen)
        return
    show_lines(*_status_lines(seen))


def _status_lines(seen: Status) -> Iterator[str]:
    if seen.run is None:
        yield seen.note
        return
    state = f"ended {seen.ended_at}" if seen.ended_at else _controller(seen)
    yield f"run {seen.run} of {seen.target.removeprefix('refs/heads/')}: {state}"
    counted = ", ".join(f"{count} {name}" for name, count in sorted((seen.outcomes or {}).items()))
    if counted or not seen.note:
        yield counted or "nothing has ended yet"
    if seen.note:
        yield clean(seen.note)
    yield from columns([_lane_cells(lane) for lane in seen.lanes])


def _controller(seen: Status) -> str:
    if seen.controller:
        return f"under way ({seen.controller})"
    return "nobody is at its controls: `tidegate run` goes on with it"


def _lane_cells(lane: LaneLine) -> tuple[str, ...]:
    fails = f"{lane.fails} FAIL" if lane.fails else ""
    return (lane.lane, lane.stage, fails, clean(lane.title))


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
    events = log_verb(house, folder, run=run, lane=lane, last=None if not as_json else last)
    if as_json:
        for event in events:
            show_json_line(event)
        return
    lines = [line for event in events if (line := event_line(event, everything=everything))]
    show_lines(*(lines[-last:] if last else lines) if events else (NO_RUN,))


def show_json_line(recorded: Recorded) -> None:
    """One event as one line of JSON."""
    entry = recorded.entry
    fields = {
        "sequence": recorded.sequence,
        "run": recorded.run,
        "kind": NAMES[type(entry.event)],
        **{name: getattr(entry, name) for name in _ENTRY_FIELDS},
        "body": asdict(entry.event),
        "hash": recorded.hash,
    }
    show_lines(json_text(fields))


_ENTRY_FIELDS = (
    "lane", "version", "attempt", "epoch", "actor", "previous", "next", "reason", "utc",
)  # fmt: skip


def event_line(recorded: Recorded, *, everything: bool) -> str | None:
    """One event in words; None where it is too quiet to be shown."""
    level, words = say(recorded.entry.event)
    if level == QUIET and not everything:
        return None
    entry = recorded.entry
    return f"{entry.utc}  {entry.lane or 'run':<6}  {clean(words)}"


def show(house: House, folder: str, lane: str, run: str | None, *, as_json: bool) -> None:
    """One lane's whole story."""
    story = show_verb(house, folder, lane, run=run)
    if as_json:
        show_json(story)
    else:
        show_lines(*_story_lines(story))


def _story_lines(story: LaneStory) -> Iterator[str]:
    lane = story.lane
    yield f"{lane.lane}: {clean(lane.title)}"
    where = f" as {lane.commit}" if lane.commit else ""
    why = f" ({clean(lane.reason)})" if lane.reason else ""
    yield f"run {story.run}: {lane.stage}{where}{why}"
    yield ""
    yield from columns(
        [
            (
                str(a["attempt_id"]),
                str(a["state"]),
                str(a["content_verdict"]),
                clean(str(a["reason"])),
            )
            for a in story.attempts
        ]
    )
    for finding in story.findings:
        counted = "" if finding.counts else ", not counted"
        yield from _part(f"{finding.attempt}: {finding.reason}{counted}", finding.text)
    for trouble in story.troubles:
        yield from _part(f"{trouble.attempt}: {trouble.job} ({trouble.reason})", trouble.text)
    told = {finding.text for finding in story.findings}
    for name, text in story.reports:
        if text not in told:
            yield from _part(f"report of {name}", text)


def _part(title: str, text: str) -> Iterator[str]:
    yield ""
    yield f"--- {clean(title)}"
    yield clean_text(text.rstrip())


def explain(house: House, folder: str, issue: str | None, *, as_json: bool) -> None:
    """The queue, with the reason for each place."""
    lines = explain_verb(house, folder, issue)
    if as_json:
        show_json(list(lines))
        return
    if not lines:
        show_lines("there are no issues: `tidegate add TITLE` writes one")
    show_lines(
        *columns(
            [
                (">" if each.is_next else " ", each.issue, clean(each.reason), clean(each.title))
                for each in lines
            ]
        )
    )


def doctor(house: House, folder: str, *, as_json: bool) -> int:
    """Everything that was looked at; the exit code of a run that would not start."""
    from tidegate.verbs.doctor import doctor as verb  # noqa: PLC0415 - each command loads its own

    symptoms = verb(house, folder)
    if as_json:
        show_json(list(symptoms))
    else:
        for each in symptoms:
            remedy = f"; {each.remedy}" if each.remedy else ""
            show_lines(f"{each.level:<5} {each.name}: {clean(f'{each.message}{remedy}')}")
    return 3 if any(each.level == "fail" for each in symptoms) else 0


def standard_input() -> str:
    """All of standard input as text. Raises Misused where it is none."""
    if sys.stdin is None:
        raise Misused("there is no standard input", hint="give the text itself after --text")
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        message = f"standard input is no UTF-8 text (byte {error.start})"
        raise Misused(message, hint="convert it first, for example with iconv") from None
