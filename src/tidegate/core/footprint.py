r"""Footprints: the patterns that say which paths a change may touch, and whether two may collide.

The language, in full. A pattern is matched against a whole path from the repository's root;
``/`` separates, and upper and lower case differ everywhere.

    *        any characters within one name            src/*.py   (hidden names included)
    ?        one character within one name
    [ab] [!a-z]   one character of, or not of, a set   src/[ab].py
    **       as a whole name: any number of folders    src/**   **/x.py   a/**/b
    name/    everything below a folder, the same as name/**
    \[ \] \{ \} \! \,   these characters themselves      src/\[ab\].py

Braces are plain characters. ``./`` and ``//`` are dropped. ``..``, absolute paths, back-slashes
as separators, negation, lists in one string and anything in ``.git`` are errors. What stands for a
secret that was masked (``[masked:…]``) is no set: nobody can tell any more what the entry covered,
so it covers nothing but that text. What configures the repository, its CI or Tidegate itself
(`PROTECTED`) is matched only by a pattern that names it:
``**`` does not cover ``.github/workflows/ci.yml``, ``.github/**`` does.

Pure: no file is looked at here. `advice` is given the names of the files there are.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import field
from functools import lru_cache

from tidegate.core.errors import Misused
from tidegate.core.names import fold
from tidegate.core.path_pattern import (
    ANY_NAME,
    BELOW,
    AnyOne,
    Deep,
    Name,
    OneOf,
    Part,
    Star,
    Token,
    compiled,
    folded,
    is_literal,
    meet,
)
from tidegate.core.records import record
from tidegate.core.text import MASKED

PATTERN_CHARACTERS_MAX = 1024
STARS_OF_NAME_MAX = 8
"""A name with more of them says no more than one with fewer, and is slower to compare."""
STARS_MAX = 32
"""Of a whole pattern, `**` among them: nobody's folders are so deep that more would tell apart."""

PROTECTED = (
    ".circleci",
    ".gitattributes",
    ".github",
    ".gitlab",
    ".gitlab-ci.yml",
    ".gitmodules",
    ".tidegate",
    "tidegate.toml",
)

_ESCAPABLE = frozenset("[]{}!,")
_DRIVE = re.compile(r"^[A-Za-z]:")
_WILDCARD = re.compile(r"[*?\[\\]")
_REMEMBERED_MAX = 16_384
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class InvalidPattern(Misused):
    """A footprint's entry is no pattern of this language; `did_you_mean` may hold one that is."""

    code = "invalid_pattern"


@record(kw_only=False)
class Pattern:
    """One parsed entry. `text` is its normal form: two entries that mean the same may differ."""

    text: str
    parts: tuple[Part, ...] = field(repr=False)
    kept_out: tuple[str, ...] = field(default=(), repr=False)
    """Names at the top below which it matches nothing."""

    def matches(self, path: str) -> bool:
        """Tell whether the path, relative to the repository's root, lies within the pattern."""
        return _regex(self).fullmatch(_normal_path(path)) is not None

    @property
    def is_literal(self) -> bool:
        """Tell whether it names exactly one path."""
        return all(map(is_literal, self.parts))

    @property
    def covers_all(self) -> bool:
        """Tell whether it matches every path that is not protected."""
        return Deep() in self.parts and set(self.parts) <= {Deep(), ANY_NAME}


def parse(text: str) -> Pattern:
    """Read one entry. Raises InvalidPattern, with a suggestion where there is one."""
    _refuse_characters(text)
    _refuse_separators(text)
    names = [name for name in text.split("/") if name not in ("", ".")]
    if not names:
        raise InvalidPattern(
            f"{text!r} is the whole repository", hint="name the folders or files that may change"
        )
    for name in names:
        _refuse_name(text, name)
    _refuse_stars(text, names)
    normal = "/".join(names) + ("/" if text.endswith("/") and names[-1] != "**" else "")
    parts = tuple(Deep() if name == "**" else _name(text, name) for name in names)
    if normal.endswith("/") or names[-1] == "**":
        parts = (*(parts[:-1] if names[-1] == "**" else parts), *BELOW)
    return Pattern(normal, parts, _kept_out(parts))


@lru_cache(maxsize=_REMEMBERED_MAX)
def _regex(pattern: Pattern) -> re.Pattern[str]:
    """What matches its paths. Most patterns are only ever compared, and need none."""
    return compiled(pattern.parts, kept_out=pattern.kept_out)


def exactly(path: str) -> Pattern:
    """Return the pattern for one path of git's, whatever characters it is made of."""
    parts = tuple(tuple(name) for name in path.split("/"))
    return Pattern(path, parts)


def parse_all(texts: Sequence[str], *, allow_all: bool) -> tuple[Pattern, ...]:
    """Read a whole footprint. `allow_all` permits an entry that covers the whole repository."""
    if not texts:
        raise InvalidPattern(
            "the footprint is empty", hint="list the paths that may change, or leave the key out"
        )
    patterns = tuple(parse(text) for text in texts)
    for pattern in patterns:
        if pattern.covers_all and not allow_all:
            raise InvalidPattern(
                f"{pattern.text!r} covers the whole repository, so it separates nothing",
                hint="name the folders that may change",
            )
    return patterns


def matches(patterns: Iterable[Pattern], path: str) -> bool:
    """Tell whether any of the patterns covers the path."""
    return any(pattern.matches(path) for pattern in patterns)


def overlap(first: Iterable[Pattern], second: Iterable[Pattern]) -> bool:
    """Tell whether some path could be changed under both footprints.

    Exact for this language but for three things, where it says yes to be safe: names that differ
    only in case or Unicode form (they collide on some disks), a file on one side that would have
    to be a folder on the other, and protected paths.
    """
    others = tuple(second)
    return any(_meet(one, other) for one in first for other in others)


def texts_overlap(first: Iterable[str], second: Iterable[str]) -> bool:
    """The same of two footprints as texts, each entry valid and in its normal form.

    A queue compares thousands of issues with a few lanes, and nearly all of them differ in what
    stands before the first wildcard: so much is seen without reading the patterns.
    """
    others = tuple(second)
    return any(
        not _are_apart(one, other) and _texts_meet(one, other) for one in first for other in others
    )


def _are_apart(one: str, other: str) -> bool:
    first, second = _literal_start(one), _literal_start(other)
    return not (first.startswith(second) or second.startswith(first))


@lru_cache(maxsize=_REMEMBERED_MAX)
def _literal_start(text: str) -> str:
    """What every path of the pattern begins with, as a disk that folds names has it."""
    return fold(_WILDCARD.split(text, maxsplit=1)[0])


@lru_cache(maxsize=_REMEMBERED_MAX)
def _texts_meet(one: str, other: str) -> bool:
    return _meet(parse(one), parse(other))


def advice(pattern: Pattern, files: Collection[str]) -> str | None:
    """Return what a person should hear about a valid entry, given the files that there are."""
    if pattern.is_literal and any(file.startswith(f"{pattern.text}/") for file in files):
        return f"{pattern.text!r} is a folder: did you mean {pattern.text + '/'!r}?"
    if pattern.parts == (ANY_NAME,):
        return f"{pattern.text!r} is broad: it covers every file at the top of the repository"
    if not any(pattern.matches(file) for file in files):
        return f"{pattern.text!r} matches no file yet"
    return None


def _refuse_characters(text: str) -> None:
    if not text.strip():
        raise InvalidPattern("an entry of the footprint is empty", hint="remove it")
    if text != text.strip():
        raise InvalidPattern(f"{text!r} begins or ends with white space", did_you_mean=text.strip())
    if _CONTROL.search(text):
        raise InvalidPattern(f"{text!r} holds a control character", hint="remove it")
    if len(text) > PATTERN_CHARACTERS_MAX:
        raise InvalidPattern(
            f"{text[:40]!r}… is longer than {PATTERN_CHARACTERS_MAX} characters",
            hint="split it",
        )
    if text.startswith("!"):
        raise InvalidPattern(
            f"{text!r} begins with an exclamation mark, and there is no negation",
            hint="list what may change; write \\! for a name that begins so",
        )


def _refuse_separators(text: str) -> None:
    if _DRIVE.match(text) or text.startswith(("/", "~/", "\\\\")):
        raise InvalidPattern(
            f"{text!r} is absolute", hint="write the path from the root of the repository"
        )
    if any(following not in _ESCAPABLE for following in re.findall(r"\\(.?)", text)):
        raise InvalidPattern(
            f"{text!r} holds a back-slash", hint="separate with /", did_you_mean=_turned(text)
        )
    if re.search(r"(?<!\\),", text):
        raise InvalidPattern(
            f"{text!r} looks like several entries in one",
            hint="write a list, one entry each; write \\, for a comma in a name",
        )


def _turned(text: str) -> str:
    """Return the path with its separators turned; a last name without an ending is a folder."""
    parts = [part for part in text.replace("\\", "/").split("/") if part not in ("", ".")]
    is_file = bool(parts) and re.search(r"[.*?]", parts[-1])
    return "/".join(parts) + ("" if is_file else "/")


def _refuse_name(text: str, name: str) -> None:
    if name == "..":
        raise InvalidPattern(
            f"{text!r} leads out of where it begins", hint="write the path without .."
        )
    if name.casefold() == ".git":
        raise InvalidPattern(f"{text!r} is inside git's own folder, which no change may touch")
    if "**" in name and name != "**":
        raise InvalidPattern(
            f"{text!r} has ** as part of a name",
            hint="** stands between slashes, * within a name",
            did_you_mean=text.replace(name, re.sub(r"\*+", "*", name)),
        )


def _refuse_stars(text: str, names: Sequence[str]) -> None:
    """Agents write patterns too, and two with many wildcards take long to compare."""
    stars = [1 if name == "**" else name.count("*") for name in names]
    if max(stars) > STARS_OF_NAME_MAX or sum(stars) > STARS_MAX:
        raise InvalidPattern(
            f"{text[:40]!r} has more than {STARS_OF_NAME_MAX} * in a name, or {STARS_MAX} in all",
            hint="write fewer: * stands for any number of characters, ** for any number of folders",
        )


def _name(text: str, name: str) -> Name:
    tokens: list[Token] = []
    position = 0
    while position < len(name):
        match name[position]:
            case "[" if not name.startswith(MASKED, position):
                token, position = _one_of(text, name, position)
                tokens.append(token)
            case "\\":
                tokens.append(name[position + 1])
                position += 2
            case character:
                tokens.append(_WILD.get(character, character))
                position += 1
    return tuple(tokens)


_WILD: dict[str, Token] = {"*": Star(), "?": AnyOne()}
_SET = re.compile(r"\[([!^]?)(\]?[^\]]*)\]")


def _one_of(text: str, name: str, position: int) -> tuple[OneOf, int]:
    match = _SET.match(name, position)
    if match is None or not match.group(2):
        raise InvalidPattern(
            f"{text!r} opens a set with [ and does not close it",
            hint="write \\[ for the character itself",
        )
    pairs = re.findall(r"(.)-(.)|(.)", match.group(2))
    ranges = tuple((low, high) if low else (single, single) for low, high, single in pairs)
    if any(low > high for low, high in ranges):
        raise InvalidPattern(f"{text!r} holds a set whose range runs backwards")
    return OneOf(ranges, negated=bool(match.group(1))), match.end()


def _kept_out(parts: Sequence[Part]) -> tuple[str, ...]:
    return () if is_literal(parts[0]) else PROTECTED


def _normal_path(path: str) -> str:
    """Resolve what a path of git's never holds, so that no spelling slips through."""
    kept: list[str] = []
    for name in path.split("/"):
        if name == "..":
            del kept[-1:]
        elif name not in ("", "."):
            kept.append(name)
    return "/".join(kept)


def _meet(one: Pattern, other: Pattern) -> bool:
    """Tell whether some path is in both, or one names a file where the other needs a folder."""
    first, second = folded(one.parts), folded(other.parts)
    return (
        meet(first, second)
        or (one.is_literal and meet((*first, *BELOW), second))
        or (other.is_literal and meet(first, (*second, *BELOW)))
    )
