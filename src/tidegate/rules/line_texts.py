"""Lines as a language reads them: a text that goes over several lines is one, and no code."""

import re
from collections.abc import Iterator

QUOTED = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""")
_REMARK = re.compile(r"(?:^|\s)(?://|#\s).*")
_HEREDOC = re.compile(r"<<[~-]?(['\"]?)([A-Z]\w*)\1")
_LAST = "__END__"
_JOINED_MAX = 100_000
"""How long a text over several lines is taken for one; what comes then is code again."""


def whole(text: str, *, ticks: bool, heredocs: bool) -> Iterator[str]:
    """The lines of a text. `ticks`: what stands between two backticks is a text."""
    opened, ending, length = list[str](), "", 0
    for line in text.splitlines():
        if heredocs and line.strip() == _LAST:
            break
        if opened:
            opened.append(line)
            length += len(line)
            closes = line.strip() == ending if ending != "`" else _is_odd(line)
            if closes or length > _JOINED_MAX:
                yield " ".join(opened)
                opened = []
            continue
        ending = _opens(line, ticks=ticks, heredocs=heredocs)
        if ending:
            opened, length = [line], 0
        else:
            yield line
    if opened:
        yield " ".join(opened)


def _opens(line: str, *, ticks: bool, heredocs: bool) -> str:
    """What ends the text that a line leaves open; empty where it leaves none."""
    if ticks and "`" in line and _is_odd(_REMARK.sub("", QUOTED.sub("", line))):
        return "`"
    found = _HEREDOC.search(line) if heredocs and "<<" in line else None
    return found[2] if found else ""


def _is_odd(line: str) -> bool:
    return line.replace("\\`", "").count("`") % 2 == 1


def unquoted(line: str) -> str:
    """A line without what stands in its quotations."""
    return QUOTED.sub("''", line) if "'" in line or '"' in line else line
