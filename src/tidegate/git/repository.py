"""The user's repository: which one it is, and whether it can carry a run.

It is found once, from the current folder, and then only ever named by its paths. Nothing here
changes it. Errors say what is wrong in the user's words and not in git's; git's words decide
nothing, since they come in many languages.
"""

import contextlib
import os
import re
from typing import NamedTuple

from tidegate.git.command import Git
from tidegate.git.errors import (
    BareRepository,
    FolderGone,
    ForeignOwner,
    GitFailed,
    GitTooOld,
    InsideWorkspace,
    MainRepositoryMissing,
    NoCommits,
    NotARepository,
    UnknownFormat,
    UnknownRevision,
)

GIT_MIN = (2, 38)
"""The first git that merges without a checkout (`merge-tree --write-tree`)."""

WORKSPACE_KEY = "tidegate.repository"
"""In a workspace's configuration: the root of the repository that it was made from."""

_KEYS = rf"^(extensions\.partialclone|remote\..*\.promisor|{re.escape(WORKSPACE_KEY)})$"


class Repository(NamedTuple):
    """One repository of the user's, as it was when it was found. All paths are absolute."""

    root: str
    """The working tree that the current folder is in."""
    git_dir: str
    common_dir: str
    """Shared by all worktrees of the repository; ours is the folder `tidegate` in it."""
    head: str | None
    branch: str | None
    """The full name of the branch that is checked out, as ``refs/heads/main``."""
    is_linked_worktree: bool
    is_shallow: bool
    is_partial: bool
    object_format: str

    @property
    def git(self) -> Git:
        """Git on this repository, with the user's own configuration and without its hooks."""
        return Git(trusts_user=True, git_dir=self.git_dir, work_tree=self.root)


def find(cwd: str) -> Repository:
    """Find the repository that `cwd` is in, be it below the root, a linked worktree or a submodule.

    Variables of git's in the environment are ignored: it is always the repository of `cwd`. Raises
    one of the errors of `tidegate.git.errors` that says what is missing.
    """
    if not os.path.isdir(cwd):
        raise FolderGone(f"the folder {cwd} does not exist any more", hint="change to another one")
    here = Git(trusts_user=True, cwd=cwd)
    _check_version(here)
    is_bare, is_inside, is_shallow, object_format, git_dir, common_dir, root = _layout(here, cwd)
    if is_bare == "true":
        raise BareRepository(
            f"the repository at {cwd} is bare: it has no working tree",
            hint="run this in a clone of it",
        )
    if is_inside != "true":
        raise NotARepository(
            f"{cwd} is inside a git folder, not a working tree", hint="change to the working tree"
        )
    settings = _configured(here, _KEYS)
    _refuse_workspace(root, settings.pop(WORKSPACE_KEY, None))
    return Repository(
        root=root,
        git_dir=git_dir,
        common_dir=common_dir,
        head=_resolved(here, "HEAD"),
        branch=here.run("symbolic-ref", "-q", "HEAD", ok_codes=(0, 1)).text or None,
        is_linked_worktree=git_dir != common_dir,
        is_shallow=is_shallow == "true",
        is_partial=bool(settings),
        object_format=object_format,
    )


def require_commit(repository: Repository) -> str:
    """Return the commit that is checked out. Raises NoCommits where there is none yet."""
    if repository.head is None:
        raise NoCommits(
            f"the repository at {repository.root} has no commits",
            hint="make one: git add . && git commit",
        )
    return repository.head


def resolve(repository: Repository, name: str) -> str:
    """Return the commit that a branch, tag, remote branch or oid names here, as an oid.

    A base is resolved once and recorded as an oid. It is never guessed from `origin/HEAD` or from
    a branch's name: those point elsewhere tomorrow.
    """
    require_commit(repository)
    commit = None if name.startswith("-") else _resolved(repository.git, name)
    if commit is None:
        raise UnknownRevision(
            f"{name!r} names no commit in {repository.root}", hint="see git branch --all"
        )
    return commit


def upstream(repository: Repository, branch: str) -> str | None:
    """Return the commit of the remote branch that a branch follows, as it was last fetched."""
    return _resolved(repository.git, f"{branch}@{{upstream}}")


def identity(repository: Repository) -> tuple[str, str] | None:
    """Return the name and address that the user commits with here, or None where none is set.

    Only what is written down counts: git would make one up from the host's name.
    """
    found = _configured(repository.git, r"^(user|author)\.(name|email)$")
    name = found.get("author.name") or found.get("user.name")
    email = found.get("author.email") or found.get("user.email")
    return (name, email) if name and email else None


def uncommitted(repository: Repository) -> tuple[str, ...]:
    """List the tracked paths of the user's working tree that differ from its commit."""
    items = repository.git.run(
        "status", "--porcelain=v1", "-z", "--untracked-files=no", "--no-renames"
    ).items
    return tuple(item[3:].decode("utf-8", "backslashreplace") for item in items)


def _check_version(git: Git) -> None:
    said = git.run("version").text
    match = re.search(r"(\d+)\.(\d+)", said)
    if match is None or tuple(map(int, match.groups())) < GIT_MIN:
        wanted = ".".join(map(str, GIT_MIN))
        raise GitTooOld(f"{said} is too old", hint=f"install git {wanted} or newer")


_QUESTIONS = (
    "--is-bare-repository",
    "--is-inside-work-tree",
    "--is-shallow-repository",
    "--show-object-format",
    "--git-dir",
    "--git-common-dir",
    "--show-toplevel",
)


def _layout(git: Git, cwd: str) -> list[str]:
    """Ask git for the repository's shape. What it could answer before it gave up is kept."""
    result = git.run("rev-parse", "--path-format=absolute", *_QUESTIONS, ok_codes=(0, 128))
    answers = os.fsdecode(result.stdout).split("\n")[:-1]
    if not answers:
        raise _unfound(cwd, os.fsdecode(result.stderr))
    if len(answers) > len(_QUESTIONS):
        raise NotARepository(f"the path of the repository at {cwd} holds a line break")
    return answers + [""] * (len(_QUESTIONS) - len(answers))


def _unfound(cwd: str, stderr: str) -> Exception:
    """Work out, without git's words, why git sees no repository."""
    folder = os.path.abspath(cwd)
    while not os.path.lexists(os.path.join(folder, ".git")):
        if folder == os.path.dirname(folder):
            return NotARepository(
                f"{cwd} is in no git repository", hint="change to one, or make one: git init"
            )
        folder = os.path.dirname(folder)
    git_dir = pointed_to(folder)
    if not os.path.exists(git_dir):
        return MainRepositoryMissing(
            f"{folder} is a worktree of a repository that is not there any more: {git_dir}",
            hint="move it back, or repair it: git worktree repair; nothing was changed",
        )
    for path in (folder, os.path.join(folder, ".git"), git_dir):
        if os.stat(path).st_uid != os.geteuid():
            return ForeignOwner(
                f"{path} belongs to another user, so git refuses the repository at {folder}",
                hint=f"if you trust it: git config --global --add safe.directory {folder}",
            )
    if extensions := _extensions(git_dir):
        return UnknownFormat(
            f"git cannot read the repository at {folder}, which uses {', '.join(extensions)}",
            hint="install a git that knows that: a newer one, if the repository was made by one",
        )
    return GitFailed(("git", "rev-parse"), returncode=128, stderr=stderr)


def _extensions(git_dir: str) -> tuple[str, ...]:
    """Name the extensions that a repository says it uses, without asking git to open it."""
    common = git_dir
    with contextlib.suppress(OSError), open(os.path.join(git_dir, "commondir"), "rb") as file:
        common = os.path.normpath(os.path.join(git_dir, os.fsdecode(file.read()).strip()))
    config = os.path.join(common, "config")
    outside = Git(trusts_user=False, cwd=os.sep)
    asked = ("config", "--file", config, "-z", "--name-only", "--get-regexp", r"^extensions\.")
    return tuple(os.fsdecode(item) for item in outside.run(*asked, ok_codes=(0, 1, 128)).items)


def pointed_to(folder: str) -> str:
    """Return a working tree's git folder, where `.git` may be a file that names it."""
    dot_git = os.path.join(folder, ".git")
    if not os.path.isfile(dot_git):
        return dot_git
    with open(dot_git, encoding="utf-8", errors="surrogateescape") as file:
        return os.path.join(folder, file.read().removeprefix("gitdir:").strip())


def _refuse_workspace(root: str, made_from: str | None) -> None:
    if made_from is None:
        return
    if not os.path.isdir(made_from):
        raise MainRepositoryMissing(
            f"{root} is a workspace of {made_from}, which is not there any more",
            hint="move it back; nothing was changed",
        )
    raise InsideWorkspace(
        f"{root} is a workspace that a run made of {made_from}", hint=f"run this in {made_from}"
    )


def _resolved(git: Git, name: str) -> str | None:
    found = git.run("rev-parse", "--verify", "-q", f"{name}^{{commit}}", ok_codes=(0, 1, 128))
    return found.text if found.code == 0 else None


def _configured(git: Git, pattern: str) -> dict[str, str]:
    """Return the settings whose key matches, the last value of each; keys as git writes them."""
    found = git.run("config", "-z", "--get-regexp", pattern, ok_codes=(0, 1))
    pairs = (os.fsdecode(item).partition("\n") for item in found.items)
    return {key: value for key, _, value in pairs}
