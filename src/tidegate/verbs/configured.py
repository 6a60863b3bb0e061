"""What is configured: every key with its value and who set it, and where an open run differs.

Whatever looks like a secret is masked: these screens are pasted into issues.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tidegate.config.flat import flat, prompts
from tidegate.config.keys import KEYS, ROLES, SECTIONS
from tidegate.config.load import LOCAL, MAIN, Configuration, Loaded, load
from tidegate.config.problem import closest
from tidegate.config.role import FOLDER
from tidegate.core.errors import Misused
from tidegate.core.records import record
from tidegate.ports.ledger import Ledger
from tidegate.verbs.frozen import frozen
from tidegate.verbs.house import House
from tidegate.verbs.open_run import find_open_run
from tidegate.verbs.reading import reading

DEFAULT = "default"
Mask = Callable[[str], str]


@record
class Setting:
    """One key: its value, and the file that set it, or `default`."""

    key: str
    value: Any
    source: str


@record
class Source:
    """A file that is read, where it is there. What stands in the first that sets a key counts."""

    path: str
    is_there: bool
    says: str


@record
class Difference:
    """A key that the files set otherwise now than the open run has it."""

    key: str
    run: Any
    files: Any


@record
class Frozen:
    """The open run, and where it differs from the files. `run` is None where none is open."""

    run: str | None
    differences: tuple[Difference, ...] = ()


def configured(house: House, folder: str) -> tuple[tuple[Setting, ...], Frozen]:
    """Every key as it is in effect, and what the open run has instead."""
    loaded, found = _look(house, folder)
    values = flat(loaded.configuration)
    told = (
        Setting(key=key, value=_shown(house.mask, value), source=_source(loaded, key))
        for key, value in values.items()
    )
    return tuple(told), found


def setting(house: House, folder: str, word: str) -> tuple[Setting, ...]:
    """One key, or the keys of one section. Raises Misused where there is no such key."""
    every, _ = configured(house, folder)
    found = tuple(each for each in every if each.key == word or each.key.startswith(f"{word}."))
    if not found:
        raise Misused(
            f"there is no key {word!r}",
            hint="`tidegate config` lists them, docs/reference/configuration.md explains them",
            did_you_mean=closest(word, (*KEYS, *SECTIONS)) or _of_last_part(word),
        )
    return found


def sources(house: House, folder: str) -> tuple[Source, ...]:
    """The files that are read, in the order in which they win; they need not be right."""
    root = Path(house.repositories.find(folder).root)
    files = (
        *(
            (f"{FOLDER}/{role}.md", f"the prompt of {role}, and keys of roles.{role}")
            for role in ROLES
        ),
        (LOCAL, "keys for this checkout alone"),
        (MAIN, "keys for everybody"),
    )
    return tuple(
        Source(path=path, is_there=(root / path).is_file(), says=says) for path, says in files
    )


def differing(house: House, folder: str) -> Frozen:
    """Where the open run differs. Raises Misused where no run is open."""
    _, found = _look(house, folder)
    if found.run is None:
        raise Misused(
            "no run is open", hint="`tidegate config` shows what the next one begins with"
        )
    return found


def _look(house: House, folder: str) -> tuple[Loaded, Frozen]:
    with reading(house, folder) as (repository, ledger):
        loaded = load(Path(repository.root))
        return loaded, _frozen(house.mask, loaded.configuration, ledger)


def _frozen(mask: Mask, now: Configuration, ledger: Ledger | None) -> Frozen:
    run = find_open_run(ledger) if ledger is not None else None
    if ledger is None or run is None:
        return Frozen(run=None)
    kept = frozen(ledger, run)
    return Frozen(run=run, differences=tuple(_differences(mask, _whole(kept), _whole(now))))


def _whole(configuration: Configuration) -> Mapping[str, Any]:
    return {**flat(configuration), **prompts(configuration)}


def _differences(
    mask: Mask, run: Mapping[str, Any], now: Mapping[str, Any]
) -> Iterator[Difference]:
    for key, value in now.items():
        if run[key] != value:
            yield Difference(key=key, run=_shown(mask, run[key]), files=_shown(mask, value))


def _source(loaded: Loaded, key: str) -> str:
    return loaded.origins.get(key, DEFAULT)


def _shown(mask: Mask, value: Any) -> Any:
    """A value without what looks like a secret."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, tuple):
        return [_shown(mask, each) for each in value]
    return value


def _of_last_part(word: str) -> str | None:
    """The first key that has that name in its section."""
    found = [key.path for key in KEYS.values() if key.name == word.rpartition(".")[2]]
    return found[0] if found else None
