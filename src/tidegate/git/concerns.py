"""What a run would trip over in the user's repository, or what they might expect of it in vain.

Each is one question with its words. What would make a run fail for certain is fatal; the rest is
a note: it is said and does not stop anything.
"""

import os
import re
import shlex
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from tidegate.core.names import fold
from tidegate.git import carried, hazards, repository, submodules
from tidegate.git.command import NOWHERE, Git
from tidegate.git.errors import NoCommits
from tidegate.git.repository import Repository
from tidegate.git.submodules import Place
from tidegate.git.tree_diff import shown
from tidegate.ports.repository import Concern

NAMES_SHOWN_MAX = 3
"""How many paths a note names."""
POINTER_BYTES_MAX = 1024
"""What git-lfs keeps in place of a file is shorter."""

_ASKED = (
    r"^(core\.(hookspath|autocrlf|eol|sparsecheckout)|commit\.gpgsign"
    r"|extensions\.partialclone|remote\..*\.promisor)$"
)
_YES = frozenset(("true", "yes", "on", "1"))
_HOOKS = ("pre-commit", "prepare-commit-msg", "commit-msg")
_POINTER = re.compile(rb"^oid sha256:([0-9a-f]{64})$", re.MULTILINE)


class _Seen(NamedTuple):
    """A repository with its commit, and those settings of its user's that are asked about."""

    repository: Repository
    head: str
    settings: Mapping[str, str]

    def is_set(self, key: str) -> bool:
        """Tell whether a setting says yes."""
        return self.settings.get(key, "").lower() in _YES


def of(found: Repository) -> Iterator[Concern]:
    """Name everything that there is to say of a repository."""
    try:
        head = repository.require_commit(found)
    except NoCommits as error:
        yield Concern(code=error.code, is_fatal=True, message=error.message, remedy=error.hint)
        return
    seen = _Seen(found, head, _settings(found))
    for look in (_identity, _history, _checkout, _filters, _submodules, _commits, _files):
        yield from look(seen)


def _settings(found: Repository) -> dict[str, str]:
    """Return the user's own settings, without those that every git of ours is given."""
    items = found.git.run("config", "-z", "--get-regexp", _ASKED, ok_codes=(0, 1)).items
    pairs = [os.fsdecode(item).partition("\n") for item in items]
    ours = {"core.hookspath": NOWHERE, "commit.gpgsign": "false"}
    last = {key: number for number, (key, _, _) in enumerate(pairs)}
    return {
        key: value if is_valued else "true"
        for number, (key, is_valued, value) in enumerate(pairs)
        if not (number == last[key] and ours.get(key) == value)
    }


def _identity(seen: _Seen) -> Iterator[Concern]:
    if repository.identity(seen.repository) is None:
        yield Concern(
            code="identity",
            is_fatal=True,
            message="git knows no name and address to commit with",
            remedy="git config user.name 'You' && git config user.email you@example.org",
        )


def _history(seen: _Seen) -> Iterator[Concern]:
    found = seen.repository
    if found.is_shallow:
        yield _note(
            "shallow",
            "this is a shallow clone: what is older than its border is not known",
            "git fetch --unshallow, if merges onto an old base fail",
        )
    if found.is_partial:
        yield _note(
            "partial",
            "this is a partial clone: the files that it lacks are fetched when a run starts",
            "start runs while its remote can be reached",
        )
    if found.branch is None:
        return
    upstream = repository.upstream(found, found.branch.removeprefix("refs/heads/"))
    ancestor = ("merge-base", "--is-ancestor", upstream or seen.head, seen.head)
    if found.git.run(*ancestor, ok_codes=(0, 1, 128)).code != 0:
        yield _note(
            "behind",
            "the branch lacks commits of the remote branch that it follows",
            "git pull, if builders should see them: a run starts from what is here",
        )


def _differ(count: int) -> str:
    return "1 tracked file differs" if count == 1 else f"{count} tracked files differ"


def _checkout(seen: _Seen) -> Iterator[Concern]:
    if changed := repository.uncommitted(seen.repository):
        yield _note(
            "dirty",
            f"{_differ(len(changed))} from HEAD: runs start from commits",
            "commit what builders should see; `tidegate land` needs a clean checkout",
        )
    if seen.is_set("core.sparsecheckout"):
        yield _note(
            "sparse",
            "this checkout is sparse; workspaces have all folders unless told otherwise",
            "name the folders that builders need in [workspace] sparse",
        )
    if seen.settings.get("core.autocrlf", "").lower() in {*_YES, "input"} or (
        seen.settings.get("core.eol", "").lower() == "crlf"
    ):
        yield _note(
            "line_endings",
            "git changes line endings in this checkout; workspaces have those that are stored",
            "commit a .gitattributes, as `* text=auto`: that holds everywhere",
        )


def _filters(seen: _Seen) -> Iterator[Concern]:
    found = seen.repository
    settings = dict(carried.filters(found))
    wanted = carried.filters_wanted(found.git, seen.head)
    if missing := [name for name in wanted if not any(f".{name}." in key for key in settings)]:
        yield _note(
            "filters",
            f"a filter is not carried into workspaces ({', '.join(missing)}): they hold "
            "what it stores, and what is added there is committed as it is",
            "let no agent write such files; for lfs: git lfs install",
        )
    if "lfs" not in wanted or "lfs" in missing:
        return
    command = settings.get("filter.lfs.process") or settings.get("filter.lfs.smudge", "")
    if (program := _program_missing(command)) is not None:
        yield Concern(
            code="lfs_program",
            is_fatal=True,
            message=f"large files are kept with {program}, which is not on the PATH",
            remedy="install it: git-lfs.com",
        )
    elif lacking := _large_files_lacking(seen):
        yield _note(
            "large_files",
            f"{len(lacking)} large files are not in your store ({_some(lacking)}): workspaces "
            "may have their pointers instead",
            "git lfs fetch",
        )


def _program_missing(command: str) -> str | None:
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    import shutil  # noqa: PLC0415 - few repositories have filters, and a controller is kept small

    return words[0] if words and shutil.which(words[0]) is None else None


def _large_files_lacking(seen: _Seen) -> list[str]:
    """List the tracked files whose content git-lfs does not have here, as their pointers say."""
    git, store = seen.repository.git, os.path.join(seen.repository.common_dir, "lfs", "objects")
    rows = git.run("ls-files", "-z", "--stage").items
    staged = [(row.split(b" ")[1], row.partition(b"\t")[2]) for row in rows]
    paths = b"".join(path + b"\0" for _, path in staged)
    said = git.run("check-attr", "-z", "--stdin", "filter", stdin=paths).items[2::3]
    large = {
        oid.decode(): path
        for (oid, path), is_at in zip(staged, said, strict=True)
        if is_at == b"lfs"
    }
    lacking = []
    for oid, text in _small_blobs(git, list(large)):
        named = _POINTER.search(text)
        digest = named[1].decode() if named else ""
        if named and not os.path.exists(f"{store}/{digest[:2]}/{digest[2:4]}/{digest}"):
            lacking.append(shown(large[oid]))
    return sorted(lacking)


def _small_blobs(git: Git, oids: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the blobs that are small enough to be pointers, in two processes for all of them."""
    stdin = "".join(f"{oid}\n" for oid in oids).encode()
    sizes = git.run("cat-file", "--batch-check=%(objectname) %(objectsize)", stdin=stdin).text
    rows = [row.split(" ") for row in sizes.splitlines()]
    small = [(oid, int(size)) for oid, size in rows if size.isdecimal()]
    small = [(oid, size) for oid, size in small if size < POINTER_BYTES_MAX]
    stdin = "".join(f"{oid}\n" for oid, _ in small).encode()
    said = git.run("cat-file", "--batch=", stdin=stdin).stdout
    for oid, size in small:
        # Each is an empty line for its head, the content, and a line break.
        yield oid, said[1 : size + 1]
        said = said[size + 2 :]


def _submodules(seen: _Seen) -> Iterator[Concern]:
    found = seen.repository
    place = Place.of(found.root, found.common_dir)
    lacking = [
        link.path
        for link in submodules.links(found.git, seen.head)
        if (store := place.store(link)) is None or not submodules.has_commit(store, link.commit)
    ]
    if lacking:
        yield _note(
            "submodules",
            f"{len(lacking)} submodules are not here ({_some(lacking)}): workspaces have an empty "
            "folder in their place",
            "git submodule update --init --recursive; or let [workspace] setup fetch them",
        )


def _commits(seen: _Seen) -> Iterator[Concern]:
    """Look for what runs, or asks, when the user commits, and does not when Tidegate does."""
    if hooks := _hooks(seen):
        yield _note(
            "hooks",
            f"git hooks do not run for what a run commits ({', '.join(hooks)})",
            "put what they check into [check] command",
        )
    if seen.is_set("commit.gpgsign"):
        yield _note(
            "signing",
            "commits of a run are not signed, since nobody is there to be asked for a passphrase",
            "sign what you take from it: git tag -s, or merge the run's branch by hand",
        )


def _hooks(seen: _Seen) -> list[str]:
    found = seen.repository
    named = seen.settings.get("core.hookspath") or os.path.join(found.common_dir, "hooks")
    folder = os.path.join(found.root, os.path.expanduser(named))
    return [name for name in _HOOKS if os.access(os.path.join(folder, name), os.X_OK)]


def _files(seen: _Seen) -> Iterator[Concern]:
    rows = seen.repository.git.run("ls-tree", "-r", "-z", "--name-only", "--full-tree", seen.head)
    spellings: dict[str, list[str]] = defaultdict(list)
    for name in hazards.with_folders(map(shown, rows.items)):
        spellings[fold(name)].append(name)
    alike = sorted(sorted(names) for names in spellings.values() if len(names) > 1)
    if alike:
        yield _note(
            "names",
            f"names differ only by case or Unicode form ({' and '.join(alike[0])}): a disk that "
            "does not tell them apart always shows changes",
            "rename one of them: git mv",
        )


def _some(paths: list[str]) -> str:
    more = ", …" if len(paths) > NAMES_SHOWN_MAX else ""
    return ", ".join(paths[:NAMES_SHOWN_MAX]) + more


def _note(code: str, message: str, remedy: str) -> Concern:
    return Concern(code=code, is_fatal=False, message=message, remedy=remedy)
