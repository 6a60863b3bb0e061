"""Read a repository's configuration as a whole, once, and freeze it.

A run works with what it froze at its start, so `freeze` and `thaw` are exact: the digest of a
configuration is that of its frozen bytes, and a later edit of a file reaches the next run only.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from tidegate.config.document import read_document
from tidegate.config.keys import KEYS, ROLES
from tidegate.config.policy_keys import PLACED
from tidegate.config.problem import Misconfigured, Problem
from tidegate.config.role import FOLDER, read_role, stray_roles
from tidegate.config.sections import QueueRole, Settings
from tidegate.config.validation import validate
from tidegate.core.digest import sha256_hex
from tidegate.core.errors import Misused
from tidegate.core.policy import Policy
from tidegate.core.records import record
from tidegate.ports.agents import RoleSettings

MAIN = "tidegate.toml"
LOCAL = "tidegate.local.toml"

_T = TypeVar("_T")
_Flat = Mapping[str, Any]
_NO_ROLE: tuple[_Flat, str] = ({}, "")


@record
class Configuration:
    """What a run is held to, and how its roles are filled."""

    settings: Settings
    policy: Policy
    roles: Mapping[str, RoleSettings]
    queue: QueueRole = field(default_factory=QueueRole)


@record
class Loaded:
    """A configuration as it was read. `origins` names the file of each key that a file sets."""

    configuration: Configuration
    digest: str
    origins: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class _Reading:
    """Collects what is wrong, so that one look at a repository tells everything."""

    problems: list[Problem] = field(default_factory=list)

    def attempt(self, read: Callable[[], _T], otherwise: _T) -> _T:
        try:
            return read()
        except Misconfigured as error:
            self.problems.extend(error.problems)
            return otherwise


def load(root: Path) -> Loaded:
    """Read `tidegate.toml`, what lies over it, and the roles.

    Raises Misused where there is no `tidegate.toml`, and Misconfigured with everything that is
    wrong in any of the files.
    """
    reading = _Reading()
    layers: list[tuple[str, _Flat]] = [
        (name, reading.attempt(partial(_layer, root, name), {})) for name in (MAIN, LOCAL)
    ]
    prompts: dict[str, str] = {}
    for role in ROLES:
        says, prompts[role] = reading.attempt(partial(read_role, root, role), _NO_ROLE)
        layers.append((f"{FOLDER}/{role}.md", says))
    reading.problems.extend(stray_roles(root))
    if reading.problems:
        raise Misconfigured(reading.problems)
    return _loaded(layers, prompts)


def _layer(root: Path, name: str) -> _Flat:
    try:
        return validate(read_document(root / name, shown=name))
    except FileNotFoundError:
        if name == LOCAL:
            return {}
        message = f"there is no {name} in {root}"
        raise Misused(message, hint="run `tidegate init` in the repository") from None


def _loaded(layers: Iterable[tuple[str, _Flat]], prompts: Mapping[str, str]) -> Loaded:
    """Lay the files over each other, key by key: the last one that sets a key counts."""
    origins = {path: name for name, layer in layers for path in layer}
    flat = {path: value for _, layer in layers for path, value in layer.items()}
    return _sealed(configuration_of(flat, prompts), origins)


def configuration_of(flat: _Flat, prompts: Mapping[str, str]) -> Configuration:
    """Put judged values, by full key name, where the program looks for them."""
    full = {path: flat.get(path, key.default) for path, key in KEYS.items()}
    roles = {role: {**_section(full, f"roles.{role}"), "prompt": prompts[role]} for role in ROLES}
    policy = {
        name: {**_section(full, name), **_placed(full, name)} for name in ("limits", "deadlines")
    }
    settings = {name: _section(full, name) for name in Settings.__dataclass_fields__}
    queue = _section(full, "roles.queue")
    made = {"settings": settings, "policy": policy, "roles": roles, "queue": queue}
    return msgspec.convert(made, Configuration)


def _section(full: _Flat, section: str) -> dict[str, Any]:
    return {key.name: full[path] for path, key in KEYS.items() if key.section == section}


def _placed(full: _Flat, section: str) -> dict[str, Any]:
    """The policy's numbers that have their key in another section."""
    return {
        target.partition(".")[2]: full[path]
        for target, path in PLACED.items()
        if target.startswith(f"{section}.")
    }


def freeze(configuration: Configuration) -> bytes:
    """The configuration as bytes: the same for the same settings, whichever file sets them."""
    return msgspec.json.encode(configuration, order="sorted")


def thaw(frozen: bytes) -> Configuration:
    """The configuration that was frozen. Keys of a newer version are passed over."""
    return msgspec.json.decode(frozen, type=Configuration)


def _sealed(configuration: Configuration, origins: Mapping[str, str]) -> Loaded:
    digest = sha256_hex(freeze(configuration))
    return Loaded(configuration=configuration, digest=digest, origins=origins)
