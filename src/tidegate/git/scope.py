"""Hold a change against the footprint of its lane.

It is judged on the merged tree, path by path. What a pattern means is `tidegate.core.footprint`'s
business; what counts as a change is `tidegate.git.tree_diff`'.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile

from tidegate.core import footprint
from tidegate.core.footprint import Pattern
from tidegate.core.names import fold
from tidegate.git.command import Git
from tidegate.git.tree_diff import Change, Finding, Kind

STRAYS_MAX = 100
"""How many paths outside of a footprint are named one by one."""
DELETIONS_MAX = 20
"""A person deletes so many files at once without saying so beforehand. A tree of fewer files may be
half emptied for a good reason; more than half of a larger one goes by accident."""


def out_of_scope(
    changed: Iterable[Change],
    patterns: Sequence[Pattern],
    *,
    leave: Sequence[Pattern],
    led_by: Mapping[str, str | None],
) -> tuple[Finding, ...]:
    """List the changed paths that no pattern covers; without patterns only the protected ones.

    A protected path is covered by `leave`, which is the owner's, and by nothing else.
    `led_by` maps the tree's links to what they resolve to: who edits through a link that is in the
    footprint changes another path, and is told which entry would have said so.
    """
    strays = [change for change in changed if not _may_change(change.path, patterns, leave)]
    found = [
        Finding("out_of_scope", change.path, _detail(change, patterns, led_by))
        for change in strays[:STRAYS_MAX]
    ]
    if len(strays) > STRAYS_MAX:
        rest = f"and {len(strays) - STRAYS_MAX} more paths that the footprint does not cover"
        found.append(Finding("out_of_scope", strays[STRAYS_MAX].path, rest))
    return tuple(found)


def _may_change(path: str, patterns: Sequence[Pattern], leave: Sequence[Pattern]) -> bool:
    if is_protected(path) and not footprint.matches(leave, path):
        return False
    return not patterns or footprint.matches(patterns, path)


def is_protected(path: str) -> bool:
    """Whether a path configures the repository, its CI or Tidegate, however it is spelled."""
    return fold(path.partition("/")[0]) in footprint.PROTECTED


def permitted(
    found: Iterable[Finding], leave: Sequence[Pattern]
) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """Part what judges a change in what its owner gave leave to change, and the rest."""
    covered: list[Finding] = []
    others: list[Finding] = []
    for finding in found:
        if footprint.matches(leave, finding.path):
            covered.append(finding)
        else:
            detail = f"{finding.detail}; {remedy(finding.path)}"
            others.append(finding._replace(detail=detail))
    return tuple(covered), tuple(others)


def remedy(path: str) -> str:
    """What to do about a path that a change has no leave to touch."""
    return f"name {path} in the issue's footprint if that is wanted, or take it out of the change"


def _detail(change: Change, patterns: Sequence[Pattern], led_by: Mapping[str, str | None]) -> str:
    why = " though it is protected" if is_protected(change.path) else ""
    hint = _hint(change.path, patterns, led_by)
    return f"{_HAPPENED[change.kind]}{why}{hint}; {remedy(change.path)}"


_HAPPENED = {
    Kind.ADDED: "is added",
    Kind.MODIFIED: "is modified",
    Kind.DELETED: "is deleted",
    Kind.MODE: "has another mode",
    Kind.TYPE: "is a link now and was a file, or the other way round",
    Kind.GITLINK: "is another commit of a submodule",
}


def _hint(path: str, patterns: Sequence[Pattern], led_by: Mapping[str, str | None]) -> str:
    for link, target in led_by.items():
        leads_here = target is not None and (path == target or path.startswith(f"{target}/"))
        if leads_here and footprint.matches(patterns, link):
            return f" through the link {link}; declare {path}"
    above = next((each.text for each in patterns if path.startswith(f"{each.text}/")), None)
    return f"; the entry {above} is that name alone, {above}/ is all below it" if above else ""


def mass_deletion(
    git: Git, old: str, changed: Sequence[Change], leave: Sequence[Pattern]
) -> tuple[Finding, ...]:
    """Notice a change that empties the tree: so a checkout looks that did not come up.

    What only moved is not gone, and the owner may name what is to go.
    """
    kept = {change.new_oid for change in changed}
    gone = [
        change.path
        for change in changed
        if change.kind is Kind.DELETED
        and change.old_oid not in kept
        and not footprint.matches(leave, change.path)
    ]
    if len(gone) <= DELETIONS_MAX:
        return ()
    total = len(git.run("ls-tree", "-r", "-z", "--name-only", "--full-tree", old).items)
    if len(gone) * 2 <= total:
        return ()
    detail = f"is one of {len(gone)} deleted files, of {total}; name what is to go in the footprint"
    return (Finding("mass_deletion", gone[0], detail),)


def places(patterns: Sequence[Pattern]) -> tuple[str, ...]:
    """The folders and paths that all of the patterns lie below; none where that is the root."""
    found = {"/".join(takewhile(_is_plain, pattern.text.split("/"))) for pattern in patterns}
    return () if "" in found else tuple(sorted(each.rstrip("/") for each in found))


def _is_plain(name: str) -> bool:
    return not set(name) & set("*?[\\")


def widened(patterns: Sequence[Pattern], links: Mapping[str, str | None]) -> tuple[Pattern, ...]:
    """Add to a footprint what its links lead to, so that two who meet there are seen to overlap."""
    targets = {
        target for link, target in links.items() if target and footprint.matches(patterns, link)
    }
    return (*patterns, *(footprint.exactly(target) for target in sorted(targets)))
