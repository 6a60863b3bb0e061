"""How the roles are filled: `[roles.NAME]`, and over it the file `.tidegate/roles/NAME.md`.

A role without a file gets the template that comes with the package. A file that is there says all
that is told to the agent: an empty one is an error, and never the default in disguise.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tidegate.config.frontmatter import Entry, Page, read_page
from tidegate.config.keys import KEYS, ROLES, SECTIONS
from tidegate.config.problem import Misconfigured, Problem, closest
from tidegate.config.prompt import template_problems
from tidegate.config.reading import read_text
from tidegate.config.validation import wrong_value

FOLDER = ".tidegate/roles"
_TEMPLATES = Path(__file__).with_name("templates")
SIZE_MAX_BYTES = 1_048_576


def default_prompt(role: str) -> str:
    """The template that comes with the package."""
    return (_TEMPLATES / f"{role}.md").read_text(encoding="utf-8")


def read_role(root: Path, role: str) -> tuple[Mapping[str, Any], str]:
    """What a role's file sets, by full key name, and its template.

    Raises Misconfigured with all problems of the file.
    """
    shown = f"{FOLDER}/{role}.md"
    try:
        text = read_text(root / shown, shown=shown, size_max=SIZE_MAX_BYTES)
    except FileNotFoundError:
        return {}, default_prompt(role)
    page = read_page(text, file=shown)
    good: dict[str, Any] = {}
    problems = [*_keys(page, role, good), *_template_problems(page)]
    if problems:
        raise Misconfigured(problems)
    return good, page.body.lstrip("\n")


def _template_problems(page: Page) -> Iterator[Problem]:
    if not page.body.strip():
        fix = "write the prompt there, or delete the file to use the one that comes with Tidegate"
        what = "the file holds no prompt"
        yield Problem(file=page.file, line=page.body_line, what=what, fix=fix)
    yield from template_problems(page.body, file=page.file, line=page.body_line)


def _keys(page: Page, role: str, good: dict[str, Any]) -> Iterator[Problem]:
    """Judge the keys of the front matter: fill `good`, and yield what is wrong."""
    for entry in (page.entries or {}).values():
        key = KEYS.get(f"roles.{role}.{entry.name}")
        if key is None:
            yield _unknown_key(page.file, role, entry)
            continue
        written = entry.value if isinstance(entry.value, tuple) else entry.value.text
        value = [each.text for each in written] if isinstance(written, tuple) else written
        try:
            good[key.path] = key.judge(value, is_text=True)
        except ValueError as error:
            yield wrong_value(key, value, str(error), file=page.file, line=entry.line)


def _unknown_key(file: str, role: str, entry: Entry) -> Problem:
    known = [key.name for key in KEYS.values() if key.section == f"roles.{role}"]
    guess = closest(entry.name, known)
    what = f"a role has no key `{entry.name}`"
    fix = f"it has {', '.join(known)}"
    return Problem(file=file, line=entry.line, what=what, fix=fix, did_you_mean=guess)


def stray_roles(root: Path) -> Iterator[Problem]:
    """Files that look like roles and fill none: what they say would be silently ignored."""
    for path in sorted((root / FOLDER).glob("[!.]*.md")):
        if path.stem not in ROLES:
            what = f"there is no role `{path.stem}`"
            guess = closest(path.stem, ROLES)
            fix = _where_else(path.stem)
            yield Problem(
                file=f"{FOLDER}/{path.name}", line=1, what=what, fix=fix, did_you_mean=guess
            )


def _where_else(name: str) -> str:
    """What to do about a file that fills no role. One that is no agent is only ever configured."""
    if f"roles.{name}" in SECTIONS:
        return f"it is told nothing, so it has no file: fill it in [roles.{name}] of tidegate.toml"
    return f"rename or remove the file; there is {', '.join(ROLES)}"
