"""The files that `tidegate init` writes, as text. It decides nothing and writes nothing.

They are made from the same declarations that the reader judges by: the starter shows every key
with its default as a comment, so that a fresh file says all there is to say and changes nothing.
"""

import json
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from tidegate.config.detection import Detected
from tidegate.config.keys import CLASSES, KEYS, ROLES, SECTIONS, Key
from tidegate.config.load import LOCAL, MAIN
from tidegate.config.role import FOLDER, default_prompt

WIDTH = 96

_HEAD = f"""\
What Tidegate does in this repository. A line that begins with `# name =` shows a default: take
the # away to change it. Unknown keys and wrong values are errors and never passed over. A run
keeps what it read when it started. {LOCAL} lies over this file, key by key, for what is
yours alone; keep it out of git. `tidegate config` shows every key and the file that set it."""

_ABOUT: Mapping[str, str] = {
    "limits": "How often things may happen before a lane or the run stops and asks.",
    "deadlines": "How long things may take, in seconds of active time: suspend does not count.",
}

_UNKNOWN_CHECK = "Name one: until then no run can start."


def starter_files(detected: Detected) -> Mapping[str, str]:
    """Path below the root -> whole text, for every file of a fresh set-up.

    A file that exists is to be left alone, but for `.gitignore`: its text here is what `detected`
    says is in it, with a line added where that is needed.
    """
    files = {MAIN: starter_toml(detected), ".tidegate/issues/.gitkeep": ""}
    files.update({f"{FOLDER}/{role}.md": starter_role(role) for role in ROLES})
    if LOCAL not in detected.gitignore.split():
        files[".gitignore"] = _with_line(detected.gitignore, LOCAL)
    return files


def _with_line(text: str, line: str) -> str:
    gap = "" if not text or text.endswith("\n") else "\n"
    return f"{text}{gap}{line}\n"


def starter_toml(detected: Detected) -> str:
    """The commented `tidegate.toml`."""
    parts = [_comment(_HEAD), *(_section(section, detected) for section in SECTIONS)]
    return "\n\n".join(parts) + "\n"


def about(section: str) -> str:
    """What a section is about, in a sentence or two."""
    return _ABOUT.get(section) or str(CLASSES[section].__doc__)


def _section(section: str, detected: Detected) -> str:
    keys = [key for key in KEYS.values() if key.section == section]
    head = f"{_comment(about(section))}\n[{section}]\n"
    return head + "\n\n".join(_key(key, detected) for key in keys)


def _key(key: Key, detected: Detected) -> str:
    set_here = _set_here(key, detected)
    if set_here is None:
        return f"{_comment(key.meaning)}\n{_hidden(key)}"
    value, why = set_here
    return f"{_comment(f'{key.meaning} {why}')}\n{assignment(key.name, value)}"


def _set_here(key: Key, detected: Detected) -> tuple[Any, str] | None:
    """The few values that a starter sets, each with its reason."""
    if key.path == "check.command":
        guessed = f"Guessed, because {detected.why}." if detected.check else _UNKNOWN_CHECK
        return detected.check, guessed
    if key.path == "workspace.setup" and detected.setup:
        return detected.setup, f"Guessed, because {detected.why}."
    return None


def _hidden(key: Key) -> str:
    """A default as a comment; an example where the default is nothing."""
    value = key.example if key.default is None else key.default
    return "\n".join(f"# {line}" for line in assignment(key.name, value).splitlines())


def assignment(name: str, value: Any) -> str:
    """One key in TOML; a long list takes several lines."""
    line = f"{name} = {toml_value(value)}"
    if len(line) <= WIDTH or not isinstance(value, tuple):
        return line
    items = ", ".join(toml_value(each) for each in value)
    lines = textwrap.wrap(items, WIDTH - 4, break_long_words=False, break_on_hyphens=False)
    return "\n".join([f"{name} = [", *(f"    {each}" for each in lines), "]"])


def toml_value(value: Any) -> str:
    """A value as TOML writes it."""
    match value:
        case str():
            return json.dumps(value, ensure_ascii=False)
        case tuple():
            return f"[{', '.join(toml_value(each) for each in value)}]"
        case bool():
            return "true" if value else "false"
        case float() if value.is_integer():
            return str(int(value))
        case int():
            return f"{value:_}"
        case _:
            return repr(value)


def starter_role(role: str) -> str:
    """A role's file: all its keys as comments, and the template as it comes."""
    keys = [key for key in KEYS.values() if key.section == f"roles.{role}"]
    lines = [line for key in keys for line in _role_key(key)]
    return "\n".join(["---", *lines, "---", "", default_prompt(role)])


def _role_key(key: Key) -> Iterator[str]:
    value = key.example if key.default is None else key.default
    yield from _comment(key.meaning).splitlines()
    yield f"# {key.name}: {value if isinstance(value, str) else toml_value(value)}"


def _comment(text: str) -> str:
    return "\n".join(f"# {line}" for line in textwrap.wrap(" ".join(text.split()), WIDTH - 2))
