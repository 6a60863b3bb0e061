"""What `tidegate run --json` promises to print: no key more, no key less, each of its type."""

import msgspec


class Landed(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A change that landed."""

    issue: str
    lane: str
    commit: str


class Refused(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """An issue that was ruled not to be built."""

    issue: str
    kind: str
    reason: str


class Stopped(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A lane that stopped."""

    issue: str
    lane: str
    reason: str


class Waiting(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """An issue that waits."""

    issue: str
    waits_for: str = msgspec.field(name="for")


class Target(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Where the landed work is."""

    ref: str
    commit: str


class Outside(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Something that did not happen outside."""

    kind: str
    about: str
    outcome: str
    detail: str


class Summary(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The whole answer."""

    run: str | None
    landed: list[Landed]
    refused: list[Refused]
    stopped: list[Stopped]
    waiting: list[Waiting]
    target: Target | None
    wakes: int
    effects: list[Outside]
    note: str


class Error(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What is wrong."""

    code: str
    message: str
    hint: str
    did_you_mean: str | None


class Failure(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The answer of any command that could not do its work."""

    error: Error
