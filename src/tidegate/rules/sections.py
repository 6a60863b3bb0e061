"""Files that are about many things, and the parts of them that say how tests are run.

A part is named by its keys, with dots between. Files that cannot be read are compared as a whole.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

Sections = Mapping[str, Any]
Compare = Callable[[str, str], frozenset[str]]

_PYPROJECT = re.compile(
    r"tool\.(?:pytest|coverage|tox|nox|hatch\.envs|poe|taskipy|pdm\.scripts|pixi\.tasks|rye\.scripts)"
    r"(?:\..*)?"
    r"|(?:project|tool\.poetry)\.scripts\.(?:pytest|py\.test|coverage|tox|nox|ruff|mypy)"
    r"|project\.entry-points\.pytest11(?:\..*)?|tool\.poetry\.plugins\.pytest11(?:\..*)?"
)
_INI = re.compile(
    r"(?:tool:pytest|pytest|nosetests|unittest|aliases|test|testenv.*|coverage:.*|tool:interrogate)(?:\..*)?"
    r"|options\.entry_points\.pytest11"
)
_PACKAGE = re.compile(
    r"(?:scripts|jest|mocha|ava|nyc|c8|vitest|tap|jasmine|karma|cypress|wireit|nx|husky|xo)(?:\..*)?|workspaces(?:\.packages)?"
)
_CARGO = re.compile(
    r"test(?:\..*)?|(?:lib|bin)\.(?:test|doctest|harness)|package\.(?:autotests|autobins)"
    r"|profile\.(?:test|bench)(?:\..*)?|package\.metadata\.nextest(?:\..*)?"
    r"|workspace\.(?:members|exclude|default-members)"
)
_COMPOSER = re.compile(r"scripts(?:\..*)?")
_NEW_SCRIPT = re.compile(r"scripts\.(?!pre|post|test|check|ci|lint|cover)[^.]*")
"""A script that nothing calls yet: neither a hook around another nor a name that checks have."""
_PARTS = re.compile(r"workspace\.(?:default-)?members|workspaces(?:\.packages)?")
"""What lists the parts of a project whose tests are run, and may grow."""
_TEXT = re.compile(r"'([^']*)'")


def changed_in(path: str) -> Compare | None:
    """How two texts of a file are compared: a function that names the parts that differ."""
    return _COMPARED.get(path.rpartition("/")[2])


def _compare(
    read: Callable[[str], Sections],
    parts: re.Pattern[str],
    harmless_if_new: re.Pattern[str] | None = None,
) -> Compare:
    def compare(old: str, new: str) -> frozenset[str]:
        try:
            before, after = flat(read(old)), flat(read(new))
        except (ValueError, RecursionError):
            return frozenset({"the whole file"}) if old != new else frozenset()
        differing = {key for key in {*before, *after} if before.get(key) != after.get(key)}
        return frozenset(
            key
            for key in differing
            if parts.fullmatch(key)
            and not _has_grown(key, before.get(key, ""), after.get(key, ""))
            and not (harmless_if_new and key not in before and harmless_if_new.fullmatch(key))
        )

    return compare


def _has_grown(key: str, old: str, new: str) -> bool:
    """Whether a list of the parts of a project only became longer; a new one may leave some out."""
    is_new = not old and key == "workspace.default-members"
    return (
        bool(_PARTS.fullmatch(key))
        and not is_new
        and set(_TEXT.findall(old)) <= {*_TEXT.findall(new)}
    )


def flat(sections: Sections, above: str = "") -> dict[str, str]:
    """Every leaf of nested tables, by its keys with dots between."""
    leaves: dict[str, str] = {}
    for key, value in sections.items():
        name = f"{above}{key}"
        if isinstance(value, dict) and value:
            leaves |= flat(value, f"{name}.")
        else:
            leaves[name] = repr(value)
    return leaves


def _toml(text: str) -> Sections:
    import tomllib  # noqa: PLC0415 - few changes hold such a file, and each job pays for imports

    return tomllib.loads(text)


def _ini(text: str) -> Sections:
    import configparser  # noqa: PLC0415 - few changes hold such a file, as above

    parser = configparser.RawConfigParser(strict=False, allow_no_value=True, delimiters=("=", ":"))
    try:
        parser.read_string(text)
    except configparser.Error as error:
        raise ValueError(str(error)) from error
    return {name: dict(parser[name]) for name in parser.sections()}


def _json(text: str) -> Sections:
    found = json.loads(text or "{}")
    if not isinstance(found, dict):
        raise ValueError("not a table")  # noqa: TRY004 - a text is wrong, not a type of ours
    return found


_COMPARED: Mapping[str, Compare] = {
    "pyproject.toml": _compare(_toml, _PYPROJECT),
    "Pipfile": _compare(_toml, _COMPOSER, _NEW_SCRIPT),
    "setup.cfg": _compare(_ini, _INI),
    "package.json": _compare(_json, _PACKAGE, _NEW_SCRIPT),
    "composer.json": _compare(_json, _COMPOSER, _NEW_SCRIPT),
    "Cargo.toml": _compare(_toml, _CARGO),
}
