"""The facts of an attempt's workspace, and of the jobs that see to it. See `events`."""

from tidegate.core.records import record


@record
class WorkspaceReady:
    """The checkout stands and its set-up ran. Same digest, same environment."""

    attempt: str
    environment_digest: str


@record
class JobFailed:
    """The engine's own work failed (git, set-up, disk): never a round, tried again in bounds."""

    attempt: str
    job: str
    reason: str
    detail: str


@record
class WorkspaceRemoved:
    """The workspace is harvested and gone."""

    attempt: str


@record
class WorkspaceEvicted:
    """The workspace is about to go for want of room; all of it is in the hub.

    It is made again, at the same path and at the attempt's tip, when it is needed.
    """

    attempt: str


@record
class WorkspaceCleared:
    """What was evicted is gone, and its place is free."""

    attempt: str
