"""What should be under way in the world. A plan names effects; the engine brings them about.

An effect is a state to be reached and not a command to be sent: performing it twice is the same as
performing it once, and whether it is done is read from the world.
"""

from tidegate.core.commands import Command
from tidegate.core.records import record


@record(kw_only=False)
class Prepare:
    """The attempt's workspace is checked out and set up."""

    attempt: str


@record(kw_only=False)
class Run:
    """The open turn's runner runs, or has ended and was heard."""

    attempt: str


@record(kw_only=False)
class Stop:
    """The open turn's process is gone: its owner wishes it."""

    attempt: str


@record(kw_only=False)
class Checkpoint:
    """The builder's first commit, once there is one, is in the hub."""

    attempt: str


@record(kw_only=False)
class Harvest:
    """All that the workspace holds is in the hub."""

    attempt: str


@record(kw_only=False)
class Promote:
    """The staged artifact is at its immutable place."""

    attempt: str


@record(kw_only=False)
class Merge:
    """The build's tip is merged onto the target, or known not to merge."""

    attempt: str
    target: str


@record(kw_only=False)
class MergeAhead:
    """The build's tip is merged onto what is about to land, where it can be.

    Nothing is lost where it cannot: it is merged again when it is its turn.
    """

    attempt: str
    target: str
    target_tree: str


@record(kw_only=False)
class Land:
    """The target is moved to the intended commit, or known to be elsewhere."""


@record(kw_only=False)
class Remove:
    """The workspace is gone."""

    attempt: str


@record(kw_only=False)
class Evict:
    """The workspace that makes room is gone."""

    attempt: str


@record(kw_only=False)
class Unprepared:
    """No preparation of its workspace is under way; then `then` is recorded."""

    attempt: str
    then: Command


@record(kw_only=False)
class Halt:
    """Nothing can go on until a person mends what `reason` says; no issue is spent on it."""

    reason: str


Effect = (
    Prepare
    | Run
    | Stop
    | Checkpoint
    | Harvest
    | Promote
    | Merge
    | MergeAhead
    | Land
    | Remove
    | Evict
    | Unprepared
    | Halt
)
