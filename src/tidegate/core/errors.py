"""The tree of errors, drawn once.

    TidegateError
    |- Refused        the rules say no: nothing was changed, asking again as it is will not help
    |  |- IllegalTransition   the table has no such move
    |  |- StaleEpoch          the writer's right to act has ended
    |  `- VersionConflict     somebody else wrote first; read again
    |- Unavailable    the world says not now: retrying later may help
    |  `- NoRoom              a disk or a quota is full: a run waits for room
    |- Misused        wrong use or configuration: the person must change something (exit 2)
    |- NotReady       the environment cannot carry a run (exit 3)
    `- IntegrityError what is recorded contradicts itself or the repository (exit 5)

Anything else is a bug and ends the process loudly; agents live on in their runners.
Each error says what, where and what to do now; `code` is stable and meant for programs.
"""

import errno
from typing import ClassVar

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


class TidegateError(Exception):
    """The root. Never raised by itself."""

    code: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: str = "", did_you_mean: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.did_you_mean = did_you_mean

    def __str__(self) -> str:
        return f"{self.message}: {self.hint}" if self.hint else self.message


class Refused(TidegateError):
    """The rules refuse this in the present state."""

    code = "refused"
    exit_code = 4


class IllegalTransition(Refused):
    """The state table has no such move."""

    code = "illegal_transition"


class StaleEpoch(Refused):
    """The epoch this write carries is not the one that was granted.

    Which is which stands in attributes, so that whoever was refused can have the fact recorded:
    `attempt` (None where it is the controller's own epoch), the `epoch` that was carried, and the
    one that was `granted`. A renewal that comes too late carries the granted one, and is stale all
    the same.
    """

    code = "stale_epoch"

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        attempt: str | None,
        epoch: int,
        granted: int,
    ) -> None:
        super().__init__(message, hint=hint)
        self.attempt = attempt
        self.epoch = epoch
        self.granted = granted


class VersionConflict(Refused):
    """Another writer appended to this lane first."""

    code = "version_conflict"


class Unavailable(TidegateError):
    """Something outside could not be used just now."""

    code = "unavailable"
    exit_code = 3


class NoRoom(Unavailable):
    """What was to be written found no room. Room may come back."""

    code = "no_room"


def refusal_of(number: int | None, message: str, *, hint: str) -> Unavailable:
    """The error for what the system refused with this errno."""
    kind = NoRoom if number in _FULL else Unavailable
    return kind(message, hint=hint)


class Misused(TidegateError):
    """The command line or the configuration is wrong."""

    code = "misused"
    exit_code = 2


class NotReady(TidegateError):
    """This machine or repository cannot carry a run as it is."""

    code = "not_ready"
    exit_code = 3


class IntegrityError(TidegateError):
    """What is recorded contradicts itself or the repository."""

    code = "integrity"
    exit_code = 5
