"""A made-up folder of issues."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tidegate.config.problem import Misconfigured
from tidegate.core.issue import Issue
from tidegate.trackers.markdown import MarkdownTracker

FOLDER = ".tidegate/issues"


def tracker(root: Path, **files: str | bytes) -> MarkdownTracker:
    """A tracker over issues `i007` -> `007-x.md`; any other name is the file's own."""
    folder = root / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for key, content in files.items():
        name = f"{key[1:]}-x.md" if key[1:].isdigit() else key
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return MarkdownTracker(root)


def issue(root: Path, content: str | bytes) -> Issue:
    """The one issue of a folder that holds this file."""
    (found,) = tracker(root, i007=content).issues()
    return found


def problems(action: Callable[[], object]) -> list[str]:
    """The problems for which something is refused, as people read them."""
    with pytest.raises(Misconfigured) as caught:
        action()
    lines = [str(problem) for problem in caught.value.problems]
    assert all(line.isprintable() for line in lines)
    return lines
