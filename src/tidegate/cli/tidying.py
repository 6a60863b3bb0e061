"""What `gc` removes, keeps, and would remove."""

from tidegate.cli.output import clean, columns, complain, show_json, show_lines
from tidegate.verbs.gc import Fate, Tidied, Told
from tidegate.verbs.gc import gc as verb
from tidegate.verbs.house import House
from tidegate.verbs.leftovers import Scope

_WORDS = {
    Fate.REMOVABLE: "would go",
    Fate.REMOVED: "removed",
    Fate.FAILED: "FAILED",
    Fate.KEPT: "kept",
}
_UNIT = 1000
_UNITS = ("kB", "MB", "GB")


def gc(house: House, folder: str, scope: Scope, *, removes: bool, as_json: bool) -> int:
    """Show each as it is dealt with; the exit code, 1 where one could not be removed."""
    done = verb(house, folder, scope, removes=removes, tell=_ignore if as_json else _show)
    if as_json:
        show_json(done)
    else:
        show_lines(_conclusion(done))
    has_failed = any(each.fate is Fate.FAILED for each in done.leftovers)
    if has_failed:
        complain("not all could be removed; mend what is told above, and do the same again")
    return 1 if has_failed else 0


def _ignore(_: Told) -> None:
    """In JSON all is told at the end."""


def _show(each: Told) -> None:
    of_run = f" of run {each.run}" if each.kind == "workspace" else ""
    size = f", {shown_size(each.size_bytes)}" if each.size_bytes else ""
    what = f"{each.kind} {clean(each.name)}{of_run}{size}"
    show_lines(*columns([(f"{_WORDS[each.fate]:<8}", f"{what}: {clean(each.reason)}")]))


def _conclusion(done: Tidied) -> str:
    if done.is_done:
        return f"{shown_size(done.bytes_freed)} freed"
    if any(each.fate is Fate.REMOVABLE for each in done.leftovers):
        freed = shown_size(done.bytes_freed)
        return f"{freed} would be freed; nothing was done: `tidegate gc --yes` does it"
    return "nothing is to be removed"


def shown_size(size_bytes: int) -> str:
    """A size as people read it: 4.1 kB, 12 MB, 1.2 GB."""
    size, unit = size_bytes / _UNIT, 0
    while size >= _UNIT and unit < len(_UNITS) - 1:
        size, unit = size / _UNIT, unit + 1
    return f"{size:.1f} {_UNITS[unit]}" if size < 10 else f"{size:.0f} {_UNITS[unit]}"  # noqa: PLR2004 - two digits are enough
