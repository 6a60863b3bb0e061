"""Look up in trees what a change does to the tests and the check that judge it.

What counts, and as what, is `tidegate.rules.test_surface`' business; here are the texts that it
asks for. They are read from the target and from the merged tree, never from a workspace.
"""

from collections.abc import Iterable, Iterator, Sequence

from tidegate.git import blobs
from tidegate.git.command import Git
from tidegate.git.tree_diff import ABSENT, GITLINK, LINK, Change, Finding
from tidegate.rules import gate_files, test_surface
from tidegate.rules.finding import ChangedFile

CALLS_MAX = 3
"""How far the check's files are followed into those that they run."""
GATE_FILES_MAX = 200


def changed(
    git: Git, old: str, changes: Sequence[Change], *, named: Iterable[str]
) -> tuple[Finding, ...]:
    """Say what the changes to the tree `old` do to the surface. `named` are the check's files."""
    gates = check_files(git, old, named)
    files = tuple(_files(git, changes))
    found = test_surface.changed_surface(files, gate_files=gates)
    return tuple(Finding(each.code, each.path, each.detail) for each in found)


def check_files(git: Git, tree: str, named: Iterable[str]) -> frozenset[str]:
    """The files that a check is made of: the named ones, and what they run as the tree has them."""
    known = dict.fromkeys(path.removeprefix("./") for path in named)
    waiting = list(known)
    for _ in range(CALLS_MAX):
        texts = blobs.small(git, (f"{tree}:{path}" for path in waiting))
        called = (path for text in texts.values() for path in gate_files.called_by(_text(text)))
        waiting = [path for path in dict.fromkeys(called) if path not in known]
        known |= dict.fromkeys(waiting[: GATE_FILES_MAX - len(known)])
        if not waiting:
            break
    return frozenset(known)


def _files(git: Git, changes: Sequence[Change]) -> Iterator[ChangedFile]:
    read = [change for change in changes if _is_plain(change) and _is_asked_for(change)]
    oids = (oid for change in read for oid in (change.old_oid, change.new_oid) if int(oid, 16))
    texts = {oid: _text(content) for oid, content in blobs.small(git, oids).items()}
    looked_at = {change.path for change in read}
    for change in changes:
        yield _file(change, texts if change.path in looked_at else None)


def _is_plain(change: Change) -> bool:
    return not {LINK, GITLINK} & {change.old_mode, change.new_mode}


def _is_asked_for(change: Change) -> bool:
    return test_surface.reads_text(change.path)


def _file(change: Change, texts: dict[str, str] | None) -> ChangedFile:
    """A file with its texts. What is no plain file, or too large, cannot be looked at."""
    old: str | None = ""
    new: str | None = ""
    if texts is not None:
        old, new = texts.get(change.old_oid), texts.get(change.new_oid)
    sides = ((old, change.old_mode), (new, change.new_mode))
    is_unread = not _is_plain(change) or any(
        text is None and mode != ABSENT for text, mode in sides
    )
    old, new = (None if mode == ABSENT else text or "" for text, mode in sides)
    return ChangedFile(change.path, old, new, is_unread=is_unread)


def _text(content: bytes) -> str:
    """A blob as text, so that no two different blobs are the same text."""
    return content.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
