"""Edit a `tidegate.toml` as a person does: find the key, take the # away, write a value. Pure.

It changes nothing but the lines of the keys that it is told of, comments included.
"""

import json
import re

Value = str | int


def with_key(text: str, section: str, key: str, value: Value) -> str:
    """The file's text with one key of one section set. Raises KeyError where there is no such key.

    A key that is shown as a comment is what the starter file offers; one that takes several lines
    is not for this.
    """
    lines = text.splitlines()
    start = _index(lines, re.escape(f"[{section}]"), after=-1)
    end = _index([*lines, "[end]"], r"\[.*\]", after=start)
    place = _index(lines[:end], rf"(# ?)?{re.escape(key)} = .*", after=start)
    lines[place] = f"{key} = {json.dumps(value, ensure_ascii=False)}"
    return "\n".join(lines) + "\n"


def _index(lines: list[str], pattern: str, *, after: int) -> int:
    """The first line after that one which is exactly so."""
    for index, line in enumerate(lines):
        if index > after and re.fullmatch(pattern, line):
            return index
    raise KeyError(f"no line is {pattern}")
