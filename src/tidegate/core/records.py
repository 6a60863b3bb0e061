"""Records: values with named fields that nothing changes, and copies of them.

A record is what `dataclass(frozen=True, slots=True, kw_only=True)` makes, and is one for all that
asks. Here its methods are not compiled for each class but shared by all: there are some three
hundred classes, and compiling them was half of the time until a command began.

A fold makes a copy of a lane for each event, and a lane has some forty fields. `replace` calls no
constructor, which took two thirds of the time of taking up a run, or of auditing one.
"""

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from functools import cache
from itertools import repeat
from operator import attrgetter, call
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
    plan = _plan(kind)
    made = kind.__new__(kind)
    _put(plan.setters.values(), made, plan.read(given))
    for name, value in changes.items():
        if name not in plan.setters:
            raise TypeError(f"{kind.__name__} has no {name}")
        plan.setters[name](made, value)
    return made


class _Plan(NamedTuple):
    """How a class's records are handled."""

    read: Callable[[Any], tuple[Any, ...]]
    """All fields, in their order."""
    setters: Mapping[str, Callable[..., None]]
    places: Sequence[str]
    """The fields that may be given without their names, in this order."""
    defaults: Mapping[str, Any]
    factories: Mapping[str, Callable[[], Any]]


def _new_plan(kind: type[Any]) -> _Plan:
    known = fields(kind)
    names = [each.name for each in known]
    return _Plan(
        # attrgetter gives no tuple for one name, and wants one at least
        read=attrgetter(*names) if len(names) > 1 else _few(names),
        setters={name: getattr(kind, name).__set__ for name in names},
        places=[each.name for each in known if not each.kw_only],
        defaults={each.name: each.default for each in known if each.default is not MISSING},
        factories={
            each.name: each.default_factory for each in known if each.default_factory is not MISSING
        },
    )


def _few(names: Sequence[str]) -> Callable[[Any], tuple[Any, ...]]:
    return lambda given: tuple(getattr(given, name) for name in names)


_plan: Callable[[type[Any]], _Plan] = cache(_new_plan)  # type: ignore[assignment]  # classes are hashable


def _put(setters: Iterable[Callable[..., None]], made: object, values: Iterable[Any]) -> None:
    """Set the fields. A loop takes half as long again."""
    deque(map(call, setters, repeat(made), values), 0)


# --- what all records share -------------------------------------------------------------------


def _made(kind: type[Any], *, kw_only: bool) -> type[Any]:
    plain = dataclass(init=False, repr=False, eq=False, slots=True, kw_only=kw_only)
    made: type[Any] = plain(kind)
    for name, method in _SHARED.items():
        if name not in vars(kind):
            setattr(made, name, method)
    return made


def _init(self: Any, /, *values: Any, **given: Any) -> None:
    plan = _plan(type(self))
    if values or len(given) != len(plan.setters):
        given = _whole(type(self), values, given)
    try:
        _put(plan.setters.values(), self, map(given.__getitem__, plan.setters))
    except KeyError as missing:
        raise TypeError(f"{type(self).__name__} lacks {missing.args[0]}") from None


def _whole(kind: type[Any], values: Sequence[Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """What was given, by name, and what was not. Raises TypeError for what cannot be."""
    plan = _plan(kind)
    if len(values) > len(plan.places):
        raise TypeError(f"{kind.__name__} takes {len(plan.places)} values without their names")
    placed = dict(zip(plan.places, values, strict=False))
    for name in given:
        if name in placed or name not in plan.setters:
            raise TypeError(f"{kind.__name__} has no {'second ' * (name in placed)}{name}")
    new = {name: make() for name, make in plan.factories.items() if name not in given}
    return {**plan.defaults, **new, **placed, **given}


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
    _put(_plan(kind).setters.values(), made, values)
    return made


_SHARED = {
    "__init__": _init,
    "__repr__": _repr,
    "__eq__": _eq,
    "__hash__": _hash,
    "__setattr__": _set,
    "__delattr__": _delete,
    "__reduce__": _reduce,
}
