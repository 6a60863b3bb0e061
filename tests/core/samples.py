"""Made-up events, commands and lanes: every field has a plain value unless a test names another."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from tidegate.core.attempt import State
from tidegate.core.commands import Said
from tidegate.core.lane import Attempt, Candidate, Lane
from tidegate.core.policy import Policy
from tidegate.core.values import Role

Made = TypeVar("Made")

ATTEMPT = "fix-build-1"


def made(cls: type[Made], **given: object) -> Made:
    """An instance of a dataclass; `attempt` is ATTEMPT where nothing else is given."""
    hints = get_type_hints(cls)
    names = [each.name for each in fields(cls)]  # type: ignore[arg-type]  # always a dataclass
    values = {name: _plain(name, hints[name]) for name in names if name not in given}
    return cls(**values, **given)


def _plain(name: str, kind: Any) -> Any:
    if name == "attempt":
        return ATTEMPT
    if isinstance(kind, UnionType):
        return None if type(None) in get_args(kind) else _plain(name, get_args(kind)[0])
    if get_origin(kind) is tuple:
        return ()
    if get_origin(kind) is Mapping:
        return {}
    if isinstance(kind, type) and issubclass(kind, Enum):
        return next(iter(kind))
    if isinstance(kind, type) and is_dataclass(kind):
        return kind() if kind in (Policy, Said) else made(kind)
    return name if kind is str else kind(1)


def attempt_in(state: State, **given: object) -> Attempt:
    """A build in some state."""
    known: dict[str, Any] = {"id": ATTEMPT, "role": Role.BUILD, "agent": "agent", **given}
    return Attempt(state=state, **known)


def lane_with(*attempts: Attempt, **given: object) -> Lane:
    """A lane of these attempts."""
    known: dict[str, Any] = {"attempts": {each.id: each for each in attempts}, **given}
    return made(Lane, **{**_EMPTY, **known})


_EMPTY: dict[str, Any] = {
    "id": "fix", "version": 7,
    "fails": 0, "conflicts": 0, "replacements": 0, "externals": 0, "landings_refused": 0,
    "candidate": None, "correction": None, "queued_utc": None, "ruled_utc": None,
    "landing": None, "commit": None, "outcome": None, "reason": "",
    "adjudication": None, "is_admitted": False, "reserved": None, "question": None,
    "questions": 0, "owner_words": (), "rounds_granted": 0, "unheard": 0, "targets_red": 0,
    "stop_asked": None,
}  # fmt: skip


def candidate(**given: object) -> Candidate:
    """A change that was merged and not judged."""
    known: dict[str, Any] = {"target": "target", "tip": "tip", "commit": "commit", "tree": "tree"}
    return Candidate(**{**known, **given})
