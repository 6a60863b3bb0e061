"""Write, or check, the reference page of everything that people configure.

    python -m scripts.docs_configuration [--check]

Run it at the top of the project. The page is made from the declarations that the program judges
by, whole, so nothing of it is edited by hand.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from scripts.reference_page import table, write
from tidegate.config.keys import KEYS, SECTIONS, Key, wanted
from tidegate.config.prompt import PLACEHOLDERS
from tidegate.config.starter import about, toml_value
from tidegate.trackers.issue_file import KEYS as ISSUE_KEYS

PAGE = Path("docs/reference/configuration.md")

_HEAD = """\
# Configuration

This page is written by `scripts/docs_configuration.py` from the code; edit the code.

| file | what it is for | in git |
| --- | --- | --- |
| `tidegate.toml` | what a run does in this repository | yes |
| `tidegate.local.toml` | the same keys, for one person; it lies over the file above | no |
| `.tidegate/roles/NAME.md` | how a role is filled, and its prompt | yes |
| `.tidegate/issues/NNN-slug.md` | what is wanted | yes |

`tidegate init` writes the first, the third and what else is needed. Later files win: a key in
`tidegate.local.toml` replaces the same key of `tidegate.toml`, a whole list included, and the front
matter of a role replaces both. What no file sets has its default.

A run reads all of it when it starts and keeps what it read; an edit reaches the next run.

A file that is there is read in full or not at all. Unknown sections and keys, wrong types, numbers
out of range, a key that is there twice, an empty file, a byte order mark, anything that is not
UTF-8: each is an error with file and line, all errors of all files are reported together, and
nothing runs until they are gone. Tabs and Windows line ends are fine.

## `tidegate.toml`

A number that could have two places has one: the number of lanes is `width` in `[run]` and not a
key of `[limits]`; the time for the check and for a build stand beside their commands.
"""

_ROLES = """\
## Roles

`.tidegate/roles/build.md` holds the prompt of the role `build`. Front matter, where there is any,
sets the keys of `[roles.build]` and wins over them. The rest is a template. Without the file, the
template that comes with Tidegate is used.

A template knows three things, and leaves all other braces alone:

- `{name}` is replaced by one of the placeholders below, and an unknown name is an error;
- `{if name}` … `{end}` shows what is between them only where that placeholder is not empty;
- `{{name}}` stands for a literal `{name}`.

What is filled in is never looked into: braces in an issue reach the agent as they are.
"""

_ISSUES = """\
## Issues

`.tidegate/issues/007-fix-login.md`: the number is the issue's id. Front matter says what Tidegate
needs to know, and the text below it is for the agent. What became of an issue is in the ledger;
nobody writes it into the file. Values are text as they stand: a title `yes` or a need `007` needs
no quotes, but a value with `: ` or ` #` in it, or one that begins with `*` or `!`, does.
"""

_EXAMPLE = """
```markdown
---
title: Fix the date parser for week 53
footprint:
  - src/dates/**
  - "**/test_dates.py"
priority: 5
needs: [003]
---

`parse("2026-W53")` raises ValueError. It should give Monday, 28 December 2026.
```
"""


def page() -> str:
    """The page as the code has it now."""
    sections = (_section(section) for section in SECTIONS)
    roles = table(("placeholder", "what it becomes"), _code_first(PLACEHOLDERS))
    issues = table(("key", "meaning"), _code_first(ISSUE_KEYS))
    return "\n".join([_HEAD, *sections, _ROLES, roles, _ISSUES, issues + _EXAMPLE])


def _section(section: str) -> str:
    keys = (key for key in KEYS.values() if key.section == section)
    rows = table(("key", "value", "default", "meaning"), map(_row, keys))
    return f"### `[{section}]`\n\n{about(section)}\n\n{rows}"


def _row(key: Key) -> Sequence[str]:
    default = "-" if key.default is None else f"`{toml_value(key.default)}`"
    return (f"`{key.name}`", wanted(key.type), default, key.meaning)


def _code_first(rows: Mapping[str, str]) -> Iterator[Sequence[str]]:
    return ((f"`{name}`", meaning) for name, meaning in rows.items())


def main(arguments: Sequence[str]) -> int:
    """Write the page, or with --check only say whether it is current; 1 where it is not."""
    return write(PAGE, page(), arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
