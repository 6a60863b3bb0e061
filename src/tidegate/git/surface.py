"""Look up in trees what a change does to the tests and the check that judge it.

What counts, and as what, is `tidegate.rules.test_surface`' business; here are the texts that it
asks for. They are read from the target and from the merged tree, never from a workspace.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from tidegate.git import hazards, objects
from tidegate.git.command import Git
from tidegate.git.tree_diff import ABSENT, GITLINK, LINK, Change, Finding
from tidegate.rules import gate_texts, test_surface
from tidegate.rules.finding import ChangedFile
from tidegate.rules.shell_words import joined

CALLS_MAX = 4
"""How far the check's files are followed into those that they run."""
GATE_FILES_MAX = 1000


def changed(
    git: Git, old: str, changes: Sequence[Change], *, named: Iterable[str]
) -> tuple[Finding, ...]:
    """Say what the changes to the tree `old` do to the surface. `named` are the check's files."""
    check = [path.removeprefix("./") for path in named]
    asked = {change.path for change in changes if _is_plain(change) and _is_asked_for(change)}
    oids = [
        oid
        for change in changes
        if change.path in asked
        for oid in (change.old_oid, change.new_oid)
        if int(oid, 16)
    ]
    # Together, for each process that is started takes milliseconds.
    read = objects.small_blobs(git, [*_in_tree(old, [*check, *gate_texts.MANIFESTS]), *oids])
    texts = {name: _text(content) for name, content in read.items()}
    files = (_file(change, texts if change.path in asked else None) for change in changes)
    gates = _with_called(git, old, check, texts)
    found = test_surface.changed_surface(files, gate_files=gates)
    return tuple(Finding(each.code, each.path, each.detail) for each in found)


def _in_tree(tree: str, paths: Iterable[str]) -> Iterator[str]:
    """How git is asked for paths, and for what they lie in: a folder may be a link."""
    return (f"{tree}:{path}" for path in hazards.with_folders(paths))


def _linked(path: str, texts: Mapping[str, str], tree: str) -> Iterator[str]:
    """Where a path leads, if it or a folder of it is a link: the text of one is a path."""
    for place in hazards.with_folders([path]):
        text = texts.get(f"{tree}:{place}", "")
        if text and not text.split()[1:]:
            target = joined(place.rpartition("/")[0], text)
            yield from () if target is None else (f"{target}{path[len(place) :]}",)


def _with_called(
    git: Git, tree: str, check: Sequence[str], texts: Mapping[str, str]
) -> frozenset[str]:
    """The files that a check is made of: its own, and what they run as the tree has them."""
    known = dict.fromkeys(check)
    waiting = [*known, *gate_texts.MANIFESTS]
    for _ in range(CALLS_MAX):
        read_now = [(path, texts[name]) for path in waiting if (name := f"{tree}:{path}") in texts]
        called = dict.fromkeys(
            found for path, text in read_now for found in gate_texts.called(path, text)
        )
        called |= dict.fromkeys(found for path in waiting for found in _linked(path, texts, tree))
        waiting = [path for path in called if path not in known][: GATE_FILES_MAX - len(known)]
        if not waiting:
            break
        known |= dict.fromkeys(waiting)
        read = objects.small_blobs(git, _in_tree(tree, waiting))
        texts = {name: _text(content) for name, content in read.items()}
    return frozenset(known)


def _is_plain(change: Change) -> bool:
    return not {LINK, GITLINK} & {change.old_mode, change.new_mode}


def _is_asked_for(change: Change) -> bool:
    return test_surface.reads_text(change.path)


def _file(change: Change, texts: Mapping[str, str] | None) -> ChangedFile:
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
