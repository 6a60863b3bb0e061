"""The newest run at a glance."""

from collections.abc import Iterator

from tidegate.cli.output import clean, columns, show_json, show_lines
from tidegate.verbs.house import House
from tidegate.verbs.look import LaneLine, Status
from tidegate.verbs.look import status as verb
from tidegate.verbs.stage import FOR_OWNER


def status(house: House, folder: str, run: str | None, *, as_json: bool) -> None:
    """The newest run at a glance."""
    seen = verb(house, folder, run)
    if as_json:
        show_json(seen)
        return
    show_lines(*_status_lines(seen))


def _status_lines(seen: Status) -> Iterator[str]:
    if seen.run is None:
        yield seen.note
        return
    state = f"ended {seen.ended_at}" if seen.ended_at else _controller(seen)
    head = f"run {seen.run} of {seen.target.removeprefix('refs/heads/')}:"
    yield from columns([(head, clean(state))], gap=1)
    counted = ", ".join(f"{count} {name}" for name, count in sorted((seen.outcomes or {}).items()))
    if counted or not seen.note:
        yield counted or "nothing has ended yet"
    for told in filter(None, (seen.drained, seen.note, seen.alarm)):
        yield from columns([(clean(told),)])
    yield from columns([_lane_cells(lane) for lane in seen.lanes])
    if any(lane.stage == FOR_OWNER for lane in seen.lanes):
        yield "what waits for you: `tidegate answer`"
    yield from columns(
        [(each.outcome, f"{each.kind} {each.about}", clean(each.detail)) for each in seen.effects]
    )


def _controller(seen: Status) -> str:
    if seen.controller:
        return f"under way ({seen.controller})"
    if seen.drained:
        return "nobody is at its controls"
    return "nobody is at its controls: `tidegate run` goes on with it"


def _lane_cells(lane: LaneLine) -> tuple[str, ...]:
    fails = f"{lane.fails} FAIL" if lane.fails else ""
    return (lane.lane, lane.stage, fails, clean(lane.title))
