"""Records: values with named fields that nothing changes, and copies of them.

A record is what `dataclass(frozen=True, slots=True, kw_only=True)` makes, and is one for all that
asks. Here its methods are not compiled for each class: there are some three hundred, and that was
half of the time until a command began. The constructor and the copying are, when the first of a
kind is made or copied: without that a simulated run takes a quarter longer.

A fold makes a copy of a lane for each event, and a lane has some forty fields. `replace` calls no
constructor: that took two thirds of the time of taking up a run, or of auditing one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from functools import cache
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar, dataclass_transform, overload

Record = TypeVar("Record")


@overload
def record(kind: type[Record], /) -> type[Record]: ...
@overload
def record(*, kw_only: bool) -> Callable[[type[Record]], type[Record]]: ...
@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def record(kind: type[Any] | None = None, /, *, kw_only: bool = True) -> Any:
    """Make a class one of records. What it defines itself stays."""
    if kind is None:
        return lambda kind: _made(kind, kw_only=kw_only)
    return _made(kind, kw_only=kw_only)


def replace(given: Record, /, **changes: Any) -> Record:
    """The record with these fields changed. Raises TypeError for a field that it has not."""
    kind = type(given)
    made: Record = _copying(kind)(given)
    setters = _plan(kind).setters
    for name, value in changes.items():
        if name not in setters:
            raise TypeError(f"{kind.__name__} has no {name}")
        setters[name](made, value)
    return made


class _Plan(NamedTuple):
    """How a class's records are handled."""

    read: Callable[[Any], tuple[Any, ...]]
    """All fields, in their order."""
    setters: Mapping[str, Callable[..., None]]


def _new_plan(kind: type[Any]) -> _Plan:
    names = [each.name for each in fields(kind)]
    # attrgetter gives no tuple for one name, and wants one at least
    read = attrgetter(*names) if len(names) > 1 else _few(names)
    return _Plan(read, {name: getattr(kind, name).__set__ for name in names})


def _few(names: Sequence[str]) -> Callable[[Any], tuple[Any, ...]]:
    return lambda given: tuple(getattr(given, name) for name in names)


_plan: Callable[[type[Any]], _Plan] = cache(_new_plan)  # type: ignore[assignment]  # classes are hashable


def _new_copying(kind: type[Any]) -> Callable[[Any], Any]:
    names = _plan(kind).setters
    body = ["    made = new(kind)", *(f"    put_{name}(made, given.{name})" for name in names)]
    known = {"kind": kind, "new": kind.__new__, **_puts(kind)}
    return _compiled("copy(given)", [*body, "    return made"], known)


_copying: Callable[[type[Any]], Callable[[Any], Any]] = cache(_new_copying)  # type: ignore[assignment]  # as above


def _puts(kind: type[Any]) -> dict[str, Any]:
    """What sets each field, by the name that compiled code calls it by."""
    return {f"put_{name}": put for name, put in _plan(kind).setters.items()}


def _compiled(head: str, body: Sequence[str], known: dict[str, Any]) -> Callable[..., Any]:
    exec("\n".join((f"def {head}:", *body)), known)  # noqa: S102 - made of the names of fields alone
    made: Callable[..., Any] = known[head.partition("(")[0]]
    return made


# --- what all records share -------------------------------------------------------------------


def _made(kind: type[Any], *, kw_only: bool) -> type[Any]:
    plain = dataclass(init=False, repr=False, eq=False, slots=True, kw_only=kw_only)
    made: type[Any] = plain(kind)
    for name, method in {"__init__": _first_of(made), **_SHARED}.items():
        if name not in vars(kind):
            setattr(made, name, method)
    return made


def _first_of(kind: type[Any]) -> Callable[..., None]:
    """Stands for the constructor until the first of a kind is made."""

    def __init__(self: Any, *values: Any, **named: Any) -> None:  # noqa: N807 - it is called so
        kind.__init__ = constructor = _constructor(kind)
        constructor(self, *values, **named)

    return __init__


def _constructor(kind: type[Any]) -> Callable[..., None]:
    """Sets each field, as `dataclass` would write it for a class that is not frozen."""
    known = {"unset": object(), **_puts(kind)}
    places, keywords = ["self"], ["*"]
    body = ["    pass"]
    for each in fields(kind):
        head, value = _parameter(each, known)
        (keywords if each.kw_only else places).append(head)
        body.append(f"    put_{each.name}(self, {value})")
    parameters = [*places, *(keywords if len(keywords) > 1 else ())]
    made = _compiled(f"__init__({', '.join(parameters)})", body, known)
    made.__qualname__ = f"{kind.__qualname__}.__init__"
    return made


def _parameter(each: Field[Any], known: dict[str, Any]) -> tuple[str, str]:
    """How a field stands among the parameters, and what it is set to."""
    name = each.name
    if each.default_factory is not MISSING:
        known[f"new_{name}"] = each.default_factory
        return f"{name}=unset", f"new_{name}() if {name} is unset else {name}"
    if each.default is not MISSING:
        known[f"default_{name}"] = each.default
        return f"{name}=default_{name}", name
    return name, name


def _repr(self: Any) -> str:
    shown = (f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _eq(self: Any, other: object) -> Any:
    if type(other) is not type(self):
        return NotImplemented
    read = _plan(type(self)).read
    return read(self) == read(other)


def _hash(self: Any) -> int:
    return hash(_plan(type(self)).read(self))


def _set(_: Any, name: str, __: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _delete(_: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _reduce(self: Any) -> tuple[Any, ...]:
    return _again, (type(self), _plan(type(self)).read(self))


def _again(kind: type[Record], values: tuple[Any, ...]) -> Record:
    """A record out of a copy or another process."""
    made = kind.__new__(kind)
    for put, value in zip(_plan(kind).setters.values(), values, strict=True):
        put(made, value)
    return made


_SHARED = {
    "__repr__": _repr,
    "__eq__": _eq,
    "__hash__": _hash,
    "__setattr__": _set,
    "__delattr__": _delete,
    "__reduce__": _reduce,
}
