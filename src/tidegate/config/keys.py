"""The closed list of what `tidegate.toml` may say, and the judgement of one value.

It is derived from `sections` and `policy_keys`; nothing is registered here by hand but the order
of the sections. A further role is one word in `ROLES`.
"""

import dataclasses
import json
import re
import typing
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from tidegate.config import policy_keys
from tidegate.config.rules import Rule
from tidegate.config.sections import ROLE_TABLES, QueueRole, Settings
from tidegate.core.policy import Policy
from tidegate.core.records import record
from tidegate.core.text import printable

ROLES = ("adjudicate", "build", "verify")

_NUMBER = re.compile(r"[-+]?[0-9]{1,18}(\.[0-9]{1,9})?")

SHOWN_MAX = 60
"""How many characters of a wrong value an error repeats."""


@record
class Key:
    """One key that people may write. `type` carries bounds, meaning and rules with it."""

    section: str
    name: str
    type: Any
    default: Any

    @property
    def path(self) -> str:
        """The key's full name, by which errors and origins speak of it."""
        return f"{self.section}.{self.name}"

    @property
    def meaning(self) -> str:
        """One or two sentences for the reference page and the starter file."""
        return str(next(meta.description for meta in self._metas if meta.description))

    @property
    def example(self) -> Any:
        """A value that somebody might want, or None where the default tells enough."""
        shown = (meta.examples for meta in self._metas if meta.examples)
        return next(shown, [None])[0]

    @property
    def _metas(self) -> Iterator[msgspec.Meta]:
        return (each for each in self.type.__metadata__ if isinstance(each, msgspec.Meta))

    def judge(self, value: Any, *, is_text: bool = False) -> Any:
        """The value as the program wants it. Raises ValueError with a complaint.

        With `is_text`, as in front matter, a number may come as its text.
        """
        good = self._typed(value, is_text=is_text)
        for rule in (each for each in self.type.__metadata__ if isinstance(each, Rule)):
            complaint = None if good is None else rule.complaint(good)
            if complaint is not None:
                raise ValueError(complaint)
        return good

    def _typed(self, value: Any, *, is_text: bool) -> Any:
        try:
            return msgspec.convert(value, self.type)
        except msgspec.ValidationError:
            if is_text and isinstance(self.default, int | float):
                return self._typed(_number(value), is_text=False)
            raise ValueError(f"it must be {wanted(self.type)}") from None


def _number(text: Any) -> Any:
    """The number that a text of front matter writes; what writes none comes back as it is."""
    if not (isinstance(text, str) and _NUMBER.fullmatch(text)):
        return text
    return float(text) if "." in text else int(text)


def wanted(kind: Any) -> str:
    """A type and its bounds in words."""
    import msgspec.inspect as shapes  # noqa: PLC0415 - 10 ms that only errors and pages need

    found = shapes.type_info(kind)
    while isinstance(found, shapes.Metadata):
        found = found.type
    match found:
        case shapes.IntType(ge=low, le=high):
            return f"a whole number from {low:_} to {high:_}"
        case shapes.FloatType(gt=low, le=high):
            return f"a number above {low:_} and at most {high:_}"
        case shapes.LiteralType(values=values):
            return " or ".join(f'"{value}"' for value in values)
        case shapes.BoolType():
            return "true or false"
        case shapes.VarTupleType():
            return "a list of texts"
        case _:
            return "a text"


def choices(kind: Any) -> tuple[str, ...]:
    """The values of a closed list; empty for any other type."""
    inner = typing.get_args(kind)[0]
    return typing.get_args(inner) if typing.get_origin(inner) is typing.Literal else ()


def shown(value: Any) -> str:
    """A value as an error repeats it: on one line, bounded, and harmless to a terminal."""
    text = printable(json.dumps(value, ensure_ascii=False, default=str))
    return text if len(text) <= SHOWN_MAX else f"{text[:SHOWN_MAX]}..."


def _of_class(section: str, declared: type) -> Iterator[Key]:
    types = typing.get_type_hints(declared, include_extras=True)
    for each in dataclasses.fields(declared):
        yield Key(section=section, name=each.name, type=types[each.name], default=each.default)


def _of_policy(section: str, types: Mapping[str, Any]) -> Iterator[Key]:
    defaults = getattr(Policy(), section)
    for name, kind in types.items():
        yield Key(section=section, name=name, type=kind, default=getattr(defaults, name))


def _all() -> Iterator[Key]:
    for section, declared in CLASSES.items():
        yield from _of_class(section, declared)
    yield from _of_policy("limits", policy_keys.LIMITS)
    yield from _of_policy("deadlines", policy_keys.DEADLINES)


_SETTINGS: Mapping[str, type] = {
    each.name: type(each.default_factory())
    for each in dataclasses.fields(Settings)
    if callable(each.default_factory)
}
CLASSES: Mapping[str, type] = {
    **{name: _SETTINGS[name] for name in ("run", "land", "workspace", "check")},
    **{f"roles.{name}": ROLE_TABLES[name] for name in ROLES},
    "roles.queue": QueueRole,
    **{name: _SETTINGS[name] for name in ("ruling", "env", "disk", "tracker")},
}
KEYS: Mapping[str, Key] = {key.path: key for key in _all()}
SECTIONS: tuple[str, ...] = tuple(dict.fromkeys(key.section for key in KEYS.values()))
