"""What can go wrong with git, as errors that say what to do now.

    Unavailable
    |- GitFailed         git ended with an exit code that was not expected
    |  `- GitTimedOut    git did not end within its limit and was killed
    |- SetupFailed       the user's set-up command failed: no fault of git's or of an agent's
    |- HalfWay           a delivery failed, and the checkout could not be put back as it was
    `- Busy              another process of ours works there
    NotReady             GitMissing GitTooOld NotARepository BareRepository NoCommits FolderGone
                         MainRepositoryMissing ForeignOwner UnknownFormat
    Misused              UnknownRevision InsideWorkspace
    Refused              WorkspaceTaken NoMergeBase
    IntegrityError       HubDamaged

Which of them is raised never depends on the words of git, only on exit codes and on plumbing.
"""

from collections.abc import Sequence

from tidegate.core.errors import IntegrityError, Misused, NotReady, Refused, Unavailable


class GitFailed(Unavailable):
    """Git ended with an exit code that was not expected. Its own words are kept, bounded.

    The message is one line, as every error's is; `stderr` has git's lines as they came.
    """

    code = "git_failed"

    def __init__(
        self, argv: Sequence[str], *, returncode: int, stderr: str, hint: str = ""
    ) -> None:
        said = _on_one_line(stderr) or "it said nothing"
        super().__init__(f"`{' '.join(argv)}` ended with exit code {returncode}: {said}", hint=hint)
        self.argv = tuple(argv)
        self.returncode = returncode
        self.stderr = stderr

    @property
    def was_killed(self) -> bool:
        """A signal ended it: what it had locked it may not have let go of."""
        return self.returncode < 0


def _on_one_line(text: str) -> str:
    return "; ".join(line.strip() for line in text.splitlines() if line.strip())


class GitTimedOut(GitFailed):
    """Git did not end within its limit; it and all that it started were killed."""

    code = "git_timed_out"

    def __init__(self, argv: Sequence[str], *, limit_s: float, stderr: str) -> None:
        super().__init__(argv, returncode=-9, stderr=stderr)
        self.message = f"`{' '.join(argv)}` did not end within {limit_s:g} s and was killed"
        self.limit_s = limit_s


class SetupFailed(Unavailable):
    """The user's set-up command failed or ran out of time in a fresh workspace."""

    code = "setup_failed"


class HalfWay(Unavailable):
    """A delivery stopped between two states of the user's checkout; doing it again finishes it.

    Both failures are told: that of the delivery, and that of putting the checkout back.
    """

    code = "half_way"

    def __init__(self, cause: BaseException, root: str, fallback: str = "") -> None:
        tried = f"; and what was written could not be taken back: {fallback}" if fallback else ""
        super().__init__(
            f"{cause}{tried}; the checkout {root} is half way",
            hint="mend this, then `tidegate land` finishes it",
        )


class Busy(Unavailable):
    """Another process of ours holds what this one needs."""

    code = "busy"


class GitMissing(NotReady):
    """There is no git on the PATH."""

    code = "git_missing"


class GitTooOld(NotReady):
    """Git is older than what merging without a checkout needs."""

    code = "git_too_old"


class NotARepository(NotReady):
    """The folder is in no git repository."""

    code = "not_a_repository"


class BareRepository(NotReady):
    """The repository has no working tree."""

    code = "bare_repository"


class NoCommits(NotReady):
    """The repository has no commit to start from."""

    code = "no_commits"


class FolderGone(NotReady):
    """The current folder was deleted."""

    code = "folder_gone"


class MainRepositoryMissing(NotReady):
    """A linked worktree is left whose repository was moved or deleted."""

    code = "main_repository_missing"


class ForeignOwner(NotReady):
    """The repository belongs to another user, and git refuses it for that."""

    code = "dubious_ownership"


class UnknownFormat(NotReady):
    """The repository is kept in a way that this git does not know."""

    code = "unknown_format"


class HubDamaged(IntegrityError):
    """The hub lacks what was put there for good, or cannot be read at all."""

    code = "hub_damaged"


class UnknownRevision(Misused):
    """A name that is no commit here."""

    code = "unknown_revision"


class InsideWorkspace(Misused):
    """The current folder is a workspace that a run made, not the user's repository."""

    code = "inside_workspace"


class WorkspaceTaken(Refused):
    """The path holds a finished workspace that was made from another order."""

    code = "workspace_taken"


class NoMergeBase(Refused):
    """Two commits have no common ancestor here."""

    code = "no_merge_base"
