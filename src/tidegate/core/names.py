"""What names say: whose attempt an id is, and when two names are one on a disk."""

import unicodedata

from tidegate.core.values import Role


def attempt_id(lane: str, role: Role, number: int) -> str:
    """The id of a lane's attempt; the next one of its role has the next number."""
    return f"{lane}-{role}-{number}"


def role_of(attempt: str) -> Role | None:
    """The role that an attempt's id ends in; None where it is no attempt's.

    A lane is named by its issue, which may be called anything: only the end of an id is ours.
    """
    name, _, number = attempt.rpartition("-")
    lane, _, role = name.rpartition("-")
    return Role(role) if lane and number.isdecimal() and role in set(Role) else None


def fold(text: str) -> str:
    """What a disk keeps of a name that ignores case and Unicode form."""
    return unicodedata.normalize("NFC", text.casefold())
