"""Lay rows out for a width: aligned where there is room, then wrapped, then stacked. Pure.

Nothing is ever cut. Ids stand first and stay whole, since a part of one finds nothing; what gives
way is the last column, which goes on below itself, and where too little is left for that the cells
of a row stand below each other.
"""

import unicodedata
from collections.abc import Iterator, Sequence

LAST_MIN = 24
"""How many columns the last cell must have at least to stand beside the others."""
_INDENT = " " * 6
_NO_WIDTH = frozenset({"Mn", "Me", "Cf"})

Row = Sequence[str]


def cells(text: str) -> int:
    """How many columns of a terminal a text takes: Chinese, Japanese and emoji take two each."""
    return len(text) if text.isascii() else sum(map(_cells_of, text))


def _cells_of(character: str) -> int:
    if unicodedata.category(character) in _NO_WIDTH:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1


def laid_out(rows: Sequence[Row], *, gap: int, width: int | None) -> list[str]:
    """Rows of one length as lines. With no width nothing is wrapped: programs read it."""
    if not rows:
        return []
    widths = [max(map(cells, column)) for column in list(zip(*rows, strict=True))[:-1]]
    before = sum(widths) + gap * len(widths)
    if width is None or before + max(cells(row[-1]) for row in rows) <= width:
        return [_aligned(row, widths, gap) for row in rows]
    lines: list[str] = []
    for row in rows:
        if width - before < max(LAST_MIN, _longest_word(row[-1])):
            lines += _stacked(row, gap, width)
        else:
            lines += _hanging(row, widths, gap, width)
    return lines


def _longest_word(text: str) -> int:
    """The columns of the longest word that is not to be folded."""
    return max((len(word) for word in text.split(" ") if cells(word) <= len(word)), default=0)


def _aligned(row: Row, widths: Sequence[int], gap: int) -> str:
    padded = (cell + " " * (width - cells(cell)) for cell, width in zip(row, widths, strict=False))
    return (" " * gap).join([*padded, row[-1]]).rstrip()


def _hanging(row: Row, widths: Sequence[int], gap: int, width: int) -> Iterator[str]:
    """The last cell goes on below itself."""
    before = sum(widths) + gap * len(widths)
    first, *others = wrapped(row[-1], width - before) or [""]
    yield _aligned([*row[:-1], first], widths, gap)
    yield from ((" " * before + line).rstrip() for line in others)


def _stacked(row: Row, gap: int, width: int) -> Iterator[str]:
    """As many cells on the first line as fit; each of the others on lines of its own."""
    line, *others = row
    while others and cells(line) + gap + cells(others[0]) <= width:
        line += " " * gap + others.pop(0)
    yield line.rstrip()
    for cell in others:
        yield from (_INDENT + part for part in wrapped(cell, max(width - len(_INDENT), 1)))


def wrapped(text: str, width: int) -> list[str]:
    """A text in lines of this width, broken between words.

    A word that fits in no line stands alone and is left to the terminal, so that it can be copied:
    it is an id, a commit or a path. Where nothing but its script has no blanks, it is folded.
    """
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        if line and cells(line) + 1 + cells(word) <= width:
            line += f" {word}"
            continue
        if line:
            lines.append(line)
        *full, line = _folded(word, width)
        lines += full
    return [*lines, line] if line else lines


def _folded(word: str, width: int) -> list[str]:
    """A word in pieces that fit, where it has characters of two columns; else whole."""
    if cells(word) <= len(word):
        return [word]
    pieces, piece, taken = list[str](), "", 0
    for character in word:
        size = _cells_of(character)
        if piece and taken + size > width:
            pieces.append(piece)
            piece, taken = "", 0
        piece, taken = piece + character, taken + size
    return [*pieces, piece]
