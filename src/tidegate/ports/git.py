"""What the engine may ask of git. All of it is slow, so each piece of work is a job of its own.

The adapter turns a piece of work into a command line for a runner and reads back what came of it.
Paths are absolute, commits full ids. A result says what happened; deciding is the core's.
"""

from typing import Protocol

from tidegate.core.records import record


@record
class PrepareWork:
    """Make a workspace: the hub's clone at `commit` on a branch of its own, set up to be used."""

    workspace: str
    commit: str
    branch: str
    setup: str | None
    env_files: tuple[str, ...]
    caches: tuple[str, ...]
    setup_timeout_s: float


@record
class HarvestWork:
    """Take what a workspace holds into the hub. `snapshot` commits what is not committed."""

    workspace: str
    base: str
    attempt: str
    turn: int
    snapshot: bool
    subject: str
    utc: str
    """The date of the commit that is made of what was not committed."""


@record
class MergeWork:
    """Merge `tip` onto `target` without a checkout and make the commit that would land.

    `footprint` holds the patterns of the paths that may change, `gate_files` the paths of what the
    check is made of. Without a footprint every path may change; but the protected ones, and those
    that judge the change, only where `leave` covers them.
    """

    target: str
    tip: str
    subject: str
    trailers: tuple[tuple[str, str], ...]
    utc: str
    footprint: tuple[str, ...] = ()
    leave: tuple[str, ...] = ()
    """The patterns that the issue's owner wrote. What an agent expects to touch is no leave."""
    gate_files: tuple[str, ...] = ()
    since: str | None = None
    """The target that the change was merged onto before: what came since may touch other paths."""
    report: str = ""
    """What its builder says of it: a list of paths in it is held against the change."""


@record
class MoveWork:
    """Move the hub's `ref` from `old` to `new`, by compare-and-swap, and make it durable."""

    ref: str
    old: str
    new: str


@record
class DeliverWork:
    """Give the user's repository what the hub's `ref` is at, and overwrite nothing there.

    `old` is what the user's ref was when it was last seen to be ours, None before the first time.
    """

    ref: str
    old: str | None
    new: str


@record
class PublishWork:
    """Push `new` to a branch of a remote of the user's, as a fast-forward or not at all.

    `old` is what we published there last, None before the first time. With `only_asks` nothing is
    pushed: it is asked what became of a push whose end nobody knows.
    """

    remote: str
    ref: str
    old: str | None
    new: str
    only_asks: bool = False


@record
class RemoveWork:
    """Remove a workspace, without following a link out of it."""

    workspace: str


@record
class PackWork:
    """Gather the hub's loose objects and refs into few files. Nothing is lost by it."""


Work = (
    PrepareWork
    | HarvestWork
    | MergeWork
    | MoveWork
    | DeliverWork
    | PublishWork
    | RemoveWork
    | PackWork
)


@record
class Prepared:
    """The workspace stands."""

    environment_digest: str


@record
class HarvestResult:
    """What is pinned in the hub; `violations` are breaches of the boundary, in words."""

    tip: str
    tree: str
    is_empty: bool
    pins: int
    violations: tuple[str, ...]


@record
class Merged:
    """The exact commit and tree that would land.

    `findings` say what is wrong with the tree whatever the check says: paths outside of the
    footprint, weakened tests, links that lead out of it, names that only case tells apart, commits
    of submodules that exist nowhere. `surface` says which tests, and what else judges the change,
    it changed with leave of its owner.
    """

    commit: str
    tree: str
    findings: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    """What kinds of findings there are, in their order."""
    surface: tuple[str, ...] = ()
    is_disjoint: bool = False
    """What the target has gained since the merge before touches no path of this change."""


@record
class MergeConflict:
    """These paths do not merge. `hints` say of some of them what to do instead of merging."""

    paths: tuple[str, ...]
    hints: tuple[str, ...] = ()


@record
class Moved:
    """The ref is where it was to be, durably."""


@record
class MoveRefused:
    """The ref was somewhere else; nothing moved."""

    actual: str


@record
class Delivered:
    """The user's repository has it."""


@record
class NotDelivered:
    """The user's repository could not take it without overwriting something."""

    reason: str


@record
class Published:
    """The remote's branch has it."""


@record
class Unmoved:
    """The remote's branch is where it was, and nothing was pushed: it was only asked."""


@record
class NotPublished:
    """The remote's branch is elsewhere. Nothing was pushed."""

    reason: str


@record
class Removed:
    """The workspace is gone."""


@record
class Packed:
    """The hub is packed."""


@record
class WorkFailed:
    """Git, the set-up or the disk failed. `message` is for people, the first line by itself too.

    With `is_integrity` something may be lost that was said to be safe: nothing may be tried again
    before a person has looked.
    """

    reason: str
    message: str
    is_integrity: bool = False

    @property
    def headline(self) -> str:
        """The message's first line."""
        return self.message.partition("\n")[0]


WorkResult = (
    Prepared
    | HarvestResult
    | Merged
    | MergeConflict
    | Moved
    | MoveRefused
    | Delivered
    | NotDelivered
    | Published
    | Unmoved
    | NotPublished
    | Removed
    | Packed
    | WorkFailed
)


class Git(Protocol):
    """Git, as far as a run needs it."""

    def command(self, work: Work, folder: str) -> tuple[str, ...]:
        """Write the job's file into `folder` and return the command line that does the work."""
        ...

    def result(self, work: Work, folder: str) -> WorkResult:
        """What the job left in `folder`. A missing or unreadable result is a WorkFailed."""
        ...

    def peek(self, workspace: str) -> str | None:
        """The commit at the workspace's HEAD, read as plain files in a moment; None if unclear."""
        ...
