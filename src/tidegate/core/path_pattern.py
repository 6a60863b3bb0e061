"""Patterns over paths as data: compiled to be matched, and walked side by side to be compared.

A path is a sequence of names, a name a sequence of characters. This module knows nothing of how
patterns are written or of what a footprint may hold; `tidegate.core.footprint` does.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Any, TypeVar, assert_never

from tidegate.core.names import fold
from tidegate.core.records import record


@record(kw_only=False)
class Star:
    """Any number of characters within a name."""


@record(kw_only=False)
class AnyOne:
    """One character."""


@record(kw_only=False)
class OneOf:
    """One character of a set, or not of it. Kept as ranges, both ends included."""

    ranges: tuple[tuple[str, str], ...]
    negated: bool


@record(kw_only=False)
class Deep:
    """Any number of whole names."""


Token = str | Star | AnyOne | OneOf
Name = tuple[Token, ...]
Part = Name | Deep

ANY_NAME: Name = (Star(),)
BELOW: tuple[Part, ...] = (Deep(), ANY_NAME)
"""At least one name: what stands for a folder's contents, never for the folder."""


def compiled(parts: Sequence[Part], *, kept_out: Sequence[str]) -> re.Pattern[str]:
    """Return what matches the paths of the pattern, save those below the names `kept_out`.

    What stands between two wildcards is matched at its first place and not given back: a later
    place leaves less room for the rest, and never more. So no path makes it try all combinations.
    """
    assert not isinstance(parts[-1], Deep), "a pattern ends in a name"
    first, *others = _between(parts, Deep)
    names = "|".join(map(re.escape, kept_out))
    guard = rf"(?!(?:{names})(?:/|\Z))" if names else ""
    if not others:
        return re.compile(guard + "/".join(map(_as_regex, first)), re.DOTALL)
    *between, last = others
    anywhere = (rf"(?>(?:[^/]++/)*?{_as_folders(each)})" for each in between if each)
    found = f"{_as_folders(first)}{''.join(anywhere)}(?:[^/]++/)*{'/'.join(map(_as_regex, last))}"
    return re.compile(guard + found, re.DOTALL)


def _as_folders(names: Sequence[Name]) -> str:
    return "".join(f"{_as_regex(name)}/" for name in names)


def _as_regex(name: Name) -> str:
    first, *others = (_as_text(tokens) for tokens in _between(name, Star))
    if not others:
        return first
    *between, last = others
    anywhere = "".join(f"(?>[^/]*?{text})" for text in between if text)
    return f"(?=[^/]){first}{anywhere}(?>[^/]*{last}(?=/|\\Z))"


def _as_text(tokens: Sequence[Token]) -> str:
    return "".join(map(_token_as_regex, tokens))


def _between(items: Sequence[Any], many: type) -> list[list[Any]]:
    """The items before, between and after those of a type."""
    found: list[list[Any]] = [[]]
    for item in items:
        if isinstance(item, many):
            found.append([])
        else:
            found[-1].append(item)
    return found


def _token_as_regex(token: Token) -> str:
    match token:
        case Star():
            return "[^/]*"
        case AnyOne():
            return "[^/]"
        case OneOf(ranges, negated):
            inner = "".join(f"{re.escape(low)}-{re.escape(high)}" for low, high in ranges)
            return f"(?=[^/])[{'^' if negated else ''}{inner}]"
        case str():
            return re.escape(token)
        case _:
            assert_never(token)


def is_literal(part: Part) -> bool:
    """Tell whether it stands for one name only."""
    return not isinstance(part, Deep) and all(isinstance(token, str) for token in part)


def meet(first: Sequence[Part], second: Sequence[Part]) -> bool:
    """Tell whether some path fits both."""
    return _sequences_meet(first, second, many=Deep, fit=_names_meet)


def _names_meet(first: Part, second: Part) -> bool:
    assert not isinstance(first, Deep)
    assert not isinstance(second, Deep)
    return _sequences_meet(first, second, many=Star, fit=_tokens_meet)


def _tokens_meet(first: Token, second: Token) -> bool:
    """Tell whether some character fits both. Sets are taken to: they are rare and small."""
    if isinstance(first, str) and isinstance(second, str):
        return first == second
    return True


T = TypeVar("T", Part, Token)


def _sequences_meet(
    first: Sequence[T], second: Sequence[T], *, many: type, fit: Callable[[T, T], bool]
) -> bool:
    """Walk both at once, visiting each pair of places once.

    An item of type `many` stands for any number of items: it may end here, or take the other
    side's item and go on.
    """
    seen: set[tuple[int, int]] = set()
    waiting = [(0, 0)]
    while waiting:
        at, beside = waiting.pop()
        if (at, beside) in seen:
            continue
        seen.add((at, beside))
        one = first[at] if at < len(first) else None
        two = second[beside] if beside < len(second) else None
        if one is None and two is None:
            return True
        if isinstance(one, many):
            waiting += [(at + 1, beside)] if two is None else [(at + 1, beside), (at, beside + 1)]
        elif isinstance(two, many):
            waiting += [(at, beside + 1)] if one is None else [(at, beside + 1), (at + 1, beside)]
        elif one is not None and two is not None and fit(one, two):
            waiting.append((at + 1, beside + 1))
    return False


def folded(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Take away case and Unicode form, which some disks do not keep apart."""
    return tuple(part if isinstance(part, Deep) else _folded_name(part) for part in parts)


def _folded_name(name: Name) -> Name:
    tokens: list[Token] = []
    for is_text, run in groupby(name, key=lambda token: isinstance(token, str)):
        group = list(run)
        tokens += fold("".join(map(str, group))) if is_text else group
    return tuple(tokens)
