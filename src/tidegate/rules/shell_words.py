"""A command line as the simple commands that a shell would run, each with its folder.

It is a reading and no shell: variables, functions and what a command prints are not known. A folder
that only a shell can tell leaves the commands behind it where the ones before it were.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field

from tidegate.core.records import record

_PUNCTUATION = ";&|()`\n<>"
_OPERATOR = re.compile(r"<<<|<<-?|<>|<&|>>|&>>?|>&|>\||[<>]|[()`]|[;&|\n]+")
_KEYWORDS = frozenset({
    "!", "builtin", "command", "do", "elif", "else", "if", "then", "until", "while", "{",
})  # fmt: skip
_QUOTED_OR_COMMENT = re.compile(
    r"""'[^']*'|"(?:[^"\\]|\\.)*+"|\\.|(?<![^\s;&|()])\#[^\n]*""", re.DOTALL
)
_SUBSTITUTION = re.compile(r"\$\(|`")
_PLAIN = re.compile(r"[\w./+-]+")


@record(kw_only=False)
class Command:
    """Its words, its folder from the repository's root, and the files that are its input."""

    words: tuple[str, ...]
    folder: str
    inputs: tuple[str, ...] = ()


@dataclass(slots=True)
class _Reading:
    """How far a line was read: the command that is not over yet, and where it stands."""

    folder: str
    words: list[str] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)
    redirected: str = ""
    """The operator whose file is the next word."""
    left: list[str] = field(default_factory=list)
    """The folders that were left by `cd`, for the way back."""
    opened: list[str] = field(default_factory=list)
    """The folders in which the parentheses that are open began."""


def commands(line: str, folder: str = "") -> Iterator[Command]:
    """The commands of a line that begins in a folder, as far as can be told."""
    text = _QUOTED_OR_COMMENT.sub(_without_comment, line)
    lexer = shlex.shlex(text, posix=True, punctuation_chars=_PUNCTUATION)
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\r", True, ""
    reading = _Reading(folder)
    try:
        for word in lexer:
            if not set(word) <= set(_PUNCTUATION):
                yield from _substituted(word, reading.folder)
                _take(reading, word)
                continue
            for operator in _OPERATOR.findall(word):
                yield from _operate(reading, operator)
    except ValueError:  # a quotation that nothing closes here; what stands before it is run
        pass
    yield from _ended(reading, "")


def _without_comment(match: re.Match[str]) -> str:
    """Nothing in place of a comment: an apostrophe in it begins no quotation."""
    return "" if match[0].startswith("#") else match[0]


def _substituted(word: str, folder: str) -> Iterator[Command]:
    """The commands whose output stands in a quotation; elsewhere they were told apart already."""
    mark = _SUBSTITUTION.search(word)
    if mark is not None:
        yield from commands(word[mark.start() :], folder)


def _take(reading: _Reading, word: str) -> None:
    if not reading.redirected:
        reading.words.append(word)
    elif reading.redirected in ("<", "<>"):
        reading.inputs.append(word)
    reading.redirected = ""


def _operate(reading: _Reading, operator: str) -> Iterator[Command]:
    if "<" in operator or ">" in operator:
        if reading.words and reading.words[-1].isdigit():
            reading.words.pop()  # the number of what is redirected
        reading.redirected = operator
        return
    yield from _ended(reading, operator)
    if operator == "(":
        reading.opened.append(reading.folder)
    elif operator == ")" and reading.opened:
        reading.folder = reading.opened.pop()


def _ended(reading: _Reading, operator: str) -> Iterator[Command]:
    words = tuple(reading.words)
    if words:
        yield Command(words, reading.folder, tuple(reading.inputs))
        _move(reading, words)
    is_fed = operator in ("|", "|&") and words[:1] == ("cat",)
    reading.words, reading.redirected = [], ""
    reading.inputs = [word for word in words[1:] if not word.startswith("-")] if is_fed else []


def _move(reading: _Reading, words: tuple[str, ...]) -> None:
    """Where the next command runs, after one that may have changed the folder."""
    plain = [each for each in (word.lstrip("@-+") for word in words) if each not in _KEYWORDS]
    if plain[:1] == ["popd"] or (plain[:1] == ["cd"] and words[-1] == "-"):
        reading.folder = reading.left.pop() if reading.left else reading.folder
    elif plain[:1] in (["cd"], ["pushd"], ["chdir"]) and len(plain) > 1:
        reading.left.append(reading.folder)
        reading.folder = moved(reading.folder, words[-1])


def moved(folder: str, place: str) -> str:
    """The folder that a word leads to; the same one where only a shell can tell."""
    found = joined(folder, place)
    return folder if found is None or len(found) > FOLDER_CHARACTERS_MAX else found


FOLDER_CHARACTERS_MAX = 256
"""Of a deeper folder nobody speaks, and the time that a line takes grows with it."""


def joined(folder: str, path: str) -> str | None:
    """A path seen from a folder, as git has it; None for what lies elsewhere or is not plain."""
    if path.startswith("/") or not _PLAIN.fullmatch(path):
        return None
    names: list[str] = []
    for name in f"{folder}/{path}".split("/"):
        if name == ".." and not names:
            return None
        if name == "..":
            names.pop()
        elif name not in ("", "."):
            names.append(name)
    return "/".join(names)
