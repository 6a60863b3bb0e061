"""What a run would do now, as `run --dry-run` tells it."""

from collections.abc import Iterator

from tidegate.cli.output import clean, columns, complain, show_json, show_lines
from tidegate.core.errors import IntegrityError, NotReady
from tidegate.playbooks.queue import Stand
from tidegate.verbs.house import House
from tidegate.verbs.preview import Planned, Preview
from tidegate.verbs.preview import preview as verb
from tidegate.verbs.start import RunWish


def preview(house: House, folder: str, wish: RunWish, *, as_json: bool) -> int:
    """Show it; the exit code is that of `doctor` where a run would be refused."""
    seen = verb(house, folder, wish, complain)
    if as_json:
        show_json(seen)
    else:
        show_lines(*_lines(seen))
    if seen.refused:
        is_damaged = any(each.code == IntegrityError.code for each in seen.refused)
        return IntegrityError.exit_code if is_damaged else NotReady.exit_code
    return 1 if not seen.starts and seen.needs_somebody else 0


def _lines(seen: Preview) -> Iterator[str]:
    for each in seen.refused:
        remedy = f"; {each.remedy}" if each.remedy else ""
        head = f"refused {each.name}:"
        yield from columns([(head, clean(f"{each.message}{remedy}"))], gap=1)
    if seen.run is not None:
        yield f"run {seen.run} would be taken up again"
    if not seen.starts:
        yield "nothing would start"
    rows = [_cells("start", each) for each in seen.starts]
    yield from columns([*rows, *(_cells(_left(each), each) for each in seen.waits)])
    for first in seen.starts:
        yield from (f"note on {first.issue}: {clean(told)}" for told in first.advice)


def _left(each: Planned) -> str:
    """What was decided waits for nothing."""
    return "over" if each.stand == Stand.DECIDED else "wait"


def _cells(what: str, each: Planned) -> tuple[str, ...]:
    note = f" ({clean(each.note)})" if each.note else ""
    return (what, each.issue, f"{clean(each.reason)}{note}", clean(each.title))
