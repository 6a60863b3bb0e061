"""What `fsck`, `audit` and `backup` have found and done, as a person or a program reads it."""

from collections.abc import Iterable

from tidegate.cli.output import clean, columns, show_json, show_lines
from tidegate.core.errors import IntegrityError
from tidegate.verbs.damage import Damage, Level
from tidegate.verbs.house import House


def fsck(house: House, folder: str, *, repairs: bool, as_json: bool) -> int:
    """Each thing that was found; the exit code, 5 where one is wrong and was not mended."""
    from tidegate.verbs.fsck import fsck as verb  # noqa: PLC0415 - each command loads its own

    done = verb(house, folder, repairs=repairs)
    if as_json:
        show_json({"is_clean": done.is_clean, **_fields(done)})
    else:
        _show_damages(done.found)
        counts = ", ".join(f"{count} {name}" for name, count in done.looked_at.items())
        told = f"clean: {counts or 'there is nothing yet'}" if done.is_clean else _wrong(done.found)
        more = (done.note, f"at work: {done.controller}" if done.controller else "")
        show_lines(*filter(None, (told, *more)))
    return 0 if done.is_clean else IntegrityError.exit_code


def audit(house: House, folder: str, run: str | None, *, as_json: bool) -> int:
    """A line for each rule; the exit code, 5 where one is broken."""
    from tidegate.verbs.audit import audit as verb  # noqa: PLC0415 - each command loads its own

    done = verb(house, folder, run)
    if as_json:
        show_json({"is_lawful": done.is_lawful, **_fields(done)})
        return 0 if done.is_lawful else IntegrityError.exit_code
    rows = [(each.invariant, str(each.checked), str(each.violations)) for each in done.lines]
    show_lines(*columns([("invariant", "events checked", "violations"), *rows]))
    for each in done.breaches:
        lane = f", lane {each.lane}" if each.lane else ""
        where = f"event {each.sequence} of run {each.run}{lane}"
        show_lines(clean(f"BROKEN {each.invariant}: {where}: {each.about}"))
    left = f"; {done.not_followed} were not followed" if done.not_followed else ""
    verdict = "every rule holds" if done.is_lawful else "NOT LAWFUL"
    counted = f"{done.events} events of {done.runs} runs, {done.events_a_second} events/s{left}"
    show_lines(f"{verdict}: {counted}")
    return 0 if done.is_lawful else IntegrityError.exit_code


def backup(house: House, folder: str, target: str, *, verifies: bool, as_json: bool) -> int:
    """What was copied, or what the drill has found; the exit code, 5 where it is not whole."""
    if verifies:
        return _drilled(house, target, as_json=as_json)
    from tidegate.cli.tidying import shown_size  # noqa: PLC0415 - each command loads its own
    from tidegate.verbs.backup import backup as verb  # noqa: PLC0415 - as above

    done = verb(house, folder, target)
    if as_json:
        show_json({**_fields(done), "files": len(done.files)})
    else:
        what = f"{len(done.heads)} runs, {len(done.files)} files, {len(done.refs)} refs"
        show_lines(
            f"{clean(done.folder)}: {what}, {shown_size(done.size_bytes)}",
            f"prove it: tidegate backup --verify {clean(target)}",
        )
    return 0


def _drilled(house: House, target: str, *, as_json: bool) -> int:
    from tidegate.verbs.drill import drill  # noqa: PLC0415 - each command loads its own

    done = drill(house, target)
    if as_json:
        told = {**_fields(done.backup), "files": len(done.backup.files)}
        found = [_fields(each) for each in done.found]
        show_json({"is_whole": done.is_whole, "backup": told, "found": found})
    else:
        _show_damages(done.found)
        what = f"{len(done.backup.heads)} runs, made {done.backup.made_at}"
        verdict = f"it can be restored: {what}" if done.is_whole else _wrong(done.found)
        show_lines(verdict)
    return 0 if done.is_whole else IntegrityError.exit_code


def _show_damages(found: Iterable[Damage]) -> None:
    for each in found:
        rest = "; ".join(filter(None, (each.message, each.done, each.remedy)))
        head = f"{each.level.value:<6}  {each.code}:"
        show_lines(*columns([(head, clean(rest))], gap=1))


def _wrong(found: Iterable[Damage]) -> str:
    count = sum(each.level is Level.WRONG for each in found)
    return f"{count} thing{'s are' if count != 1 else ' is'} wrong"


def _fields(value: object) -> dict[str, object]:
    from dataclasses import asdict  # noqa: PLC0415 - a tenth of a look that prints lines

    return asdict(value)  # type: ignore[call-overload,no-any-return]  # it is always a dataclass
