"""What holds a run, what is unknown of it, and what keeps it going, as a person is told."""

from collections.abc import Iterator

from tidegate.cli.output import clean, columns, complain, show_json, show_lines
from tidegate.ports.inbox import Reply
from tidegate.verbs import drain as holding
from tidegate.verbs.house import House
from tidegate.verbs.receipts import Receipt, settle
from tidegate.verbs.receipts import receipts as receipts_verb

QUIET = "nothing is under way"


def drain(house: House, folder: str, reason: str, *, wait: bool, as_json: bool) -> None:
    """Drain the run; with `wait` on to the end of what is under way, also where it is drained."""
    before = holding.drained(house, folder) if wait else ""
    message = before or holding.drain(house, folder, reason=reason).message
    if not wait:
        _told(Reply(is_done=True, message=message), as_json=as_json)
        return
    complain(clean(message))
    holding.wait_until_quiet(house, folder, lambda text: complain(clean(text)))
    _told(Reply(is_done=True, message=QUIET), as_json=as_json)


def undrain(house: House, folder: str, *, as_json: bool) -> None:
    """Lift the drain."""
    _told(holding.undrain(house, folder), as_json=as_json)


def _told(reply: Reply, *, as_json: bool) -> None:
    if as_json:
        show_json({"done": reply.is_done, "message": reply.message})
    else:
        show_lines(clean(reply.message))


def receipts(house: House, folder: str, *, every: bool, as_json: bool) -> None:
    """A line for each, and what to do about those that are unknown."""
    found = receipts_verb(house, folder, every=every)
    if as_json:
        show_json(list(found))
        return
    if not found:
        show_lines("nothing was done outside")
    show_lines(*columns([_cells(each) for each in found]))
    show_lines(*(line for each in found for line in _todo(each)))


def _cells(each: Receipt) -> tuple[str, ...]:
    by = f"{each.by}: " if each.by else ""
    return (each.outcome, each.receipt, f"{each.kind} {clean(each.about)}", by + clean(each.detail))


def _todo(each: Receipt) -> Iterator[str]:
    if each.todo:
        yield f"{each.receipt}: {each.todo}"


def reconcile(
    house: House, folder: str, receipt: str, outcome: str, reason: str, *, as_json: bool
) -> None:
    """Settle what is unknown."""
    _told(settle(house, folder, receipt, outcome, reason=reason), as_json=as_json)


def service(house: House, folder: str, *, prints: bool, uninstall: bool, as_json: bool) -> int:
    """Write the units, print them, or take them away; the exit code, 1 without systemd."""
    from tidegate.verbs import systemd as verb  # noqa: PLC0415 - one of these commands needs it

    if uninstall:
        done = verb.uninstall(house, folder)
    else:
        done = verb.install(house, folder, writes=not prints)
    if as_json:
        show_json(done)
    elif prints:
        show_lines(*(line for each in done.units for line in (f"# {each.path}", each.text)))
    else:
        show_lines(*(f"{done.did} {each.path}" for each in done.units if done.did), *done.next)
    return 0 if done.is_done else 1
