"""Where the symbolic links of a tree lead, worked out from the tree alone.

The file system is not asked: a link in a checkout may already lead elsewhere. A link that leaves
the repository, or enters git's own folder, lets a change reach what no footprint can name.
"""

from collections.abc import Iterable, Mapping

from tidegate.git import objects
from tidegate.git.command import Git
from tidegate.git.tree_diff import LINK, Change, Entries, Finding, shown, tree_entries

HOPS_MAX = 40
"""How many links one path may lead through: the kernel's own limit."""


def texts(git: Git, entries: Entries) -> dict[str, str]:
    """Map each link of a tree to what it says."""
    oids = {path: oid for path, (mode, oid) in entries.items() if mode == LINK}
    said = objects.contents(git, list(oids.values()))
    return {path: shown(text or b"") for path, text in zip(oids, said, strict=True)}


def resolved(texts_by_link: Mapping[str, str]) -> dict[str, str | None]:
    """Map each link to the path that it leads to, or to None where that is outside."""
    return {link: resolve(link, texts_by_link) for link in texts_by_link}


def resolve(link: str, texts_by_link: Mapping[str, str]) -> str | None:
    """Follow a link through all other links; None when it leaves the tree or goes in a circle."""
    at: list[str] = link.split("/")
    ahead: list[str] = []
    for _ in range(HOPS_MAX):
        text = texts_by_link.get("/".join(at))
        if text is not None:
            if text.startswith("/"):
                return None
            at.pop()
            ahead = text.split("/") + ahead
        walked = _walk(at, ahead, texts_by_link)
        if walked is None:
            return None
        if not ahead and "/".join(at) not in texts_by_link:
            return None if at[:1] == [".git"] else "/".join(at)
    return None


def _walk(at: list[str], ahead: list[str], texts_by_link: Mapping[str, str]) -> bool | None:
    """Go along `ahead` until it is used up or a link is met; None when it leads above the root."""
    while ahead:
        name = ahead.pop(0)
        if name == "..":
            if not at:
                return None
            at.pop()
        elif name not in ("", "."):
            at.append(name)
            if "/".join(at) in texts_by_link:
                break
    return True


def escaping(git: Git, old: str, new: str, changed: Iterable[Change]) -> tuple[Finding, ...]:
    """List the links that lead outside in `new` and did not do so in `old`."""
    if not any(LINK in (change.old_mode, change.new_mode) for change in changed):
        return ()
    before = texts(git, tree_entries(git, old, mode=LINK))
    after = texts(git, tree_entries(git, new, mode=LINK))
    return tuple(
        Finding("symlink_escape", link, f"leads out of the repository: {text}")
        for link, text in after.items()
        if resolve(link, after) is None
        and not (before.get(link) == text and resolve(link, before) is None)
    )
