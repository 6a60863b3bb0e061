"""What is configured, for a person and for a program."""

import json
from collections.abc import Sequence
from typing import Any

from tidegate.cli.output import clean, clean_text, columns, show_json, show_lines
from tidegate.core.errors import Misused
from tidegate.verbs.configured import Frozen, Setting, configured, differing, setting
from tidegate.verbs.configured import sources as sources_verb
from tidegate.verbs.house import House

VALUE_MAX = 200
"""How many characters of a value are told where two are told apart: a prompt has thousands."""


def every(house: House, folder: str, *, as_json: bool) -> None:
    """Each key in effect, and whether an open run has it otherwise."""
    found, run = configured(house, folder)
    if as_json:
        show_json(list(found))
        return
    show_lines(*_rows(found), *_note(run))


def one(house: House, folder: str, word: str, *, as_json: bool) -> None:
    """The value of one key, alone; or the keys of a section."""
    found = setting(house, folder, word)
    is_key = found[0].key == word
    if as_json:
        show_json(found[0] if is_key else list(found))
    elif is_key:
        value = found[0].value
        show_lines(clean_text(value) if isinstance(value, str) else _text(value))
    else:
        show_lines(*_rows(found))


def sources(house: House, folder: str, *, as_json: bool) -> None:
    """The files that are read; the first that sets a key wins."""
    found = sources_verb(house, folder)
    if as_json:
        show_json(list(found))
    else:
        rows: list[tuple[str, ...]] = [
            ("read" if each.is_there else "none", each.path, each.says) for each in found
        ]
        show_lines(*columns(rows))


def differences(house: House, folder: str, key: str | None, *, as_json: bool) -> None:
    """Where the open run differs from the files as they are now."""
    if key is not None:
        raise Misused("--run tells of all keys", hint="give it without a key")
    found = differing(house, folder)
    if as_json:
        show_json(found)
        return
    if not found.differences:
        show_lines(f"run {found.run} has what the files say")
        return
    show_lines(f"run {found.run} keeps what it began with; `tidegate run --anew` begins another")
    for each in found.differences:
        show_lines(each.key, f"  run    {_brief(each.run)}", f"  files  {_brief(each.files)}")


def _note(found: Frozen) -> Sequence[str]:
    if not found.differences:
        return ()
    keys = ", ".join(each.key for each in found.differences)
    return (f"run {found.run} has other values of {keys}: `tidegate config --run`",)


def _rows(found: Sequence[Setting]) -> list[str]:
    return columns([(each.key, each.source, _text(each.value)) for each in found])


def _text(value: Any) -> str:
    return clean(json.dumps(value, ensure_ascii=False))


def _brief(value: Any) -> str:
    text = _text(value)
    return text if len(text) <= VALUE_MAX else f"{text[:VALUE_MAX]}… ({len(text)} characters)"
