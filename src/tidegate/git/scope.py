"""Hold a change against the footprint of its lane.

It is judged on the merged tree, path by path. What a pattern means is `tidegate.core.footprint`'s
business; what counts as a change is `tidegate.git.tree_diff`'.
"""

from collections.abc import Iterable, Mapping, Sequence

from tidegate.core import footprint
from tidegate.core.footprint import Pattern
from tidegate.git.tree_diff import Change, Finding


def out_of_scope(
    changed: Iterable[Change],
    patterns: Sequence[Pattern],
    *,
    led_by: Mapping[str, str | None],
) -> tuple[Finding, ...]:
    """List the changed paths that no pattern covers.

    `led_by` maps the tree's links to what they resolve to: who edits through a link that is in the
    footprint changes another path, and is told which entry would have said so.
    """
    return tuple(
        Finding("out_of_scope", change.path, f"{change.kind}{_hint(change.path, patterns, led_by)}")
        for change in changed
        if not footprint.matches(patterns, change.path)
    )


def _hint(path: str, patterns: Sequence[Pattern], led_by: Mapping[str, str | None]) -> str:
    for link, target in led_by.items():
        leads_here = target is not None and (path == target or path.startswith(f"{target}/"))
        if leads_here and footprint.matches(patterns, link):
            return f" through the link {link}; declare {path}"
    return ""


def widened(patterns: Sequence[Pattern], links: Mapping[str, str | None]) -> tuple[Pattern, ...]:
    """Add to a footprint what its links lead to, so that two who meet there are seen to overlap."""
    targets = {
        target for link, target in links.items() if target and footprint.matches(patterns, link)
    }
    return (*patterns, *(footprint.exactly(target) for target in sorted(targets)))
