"""What may be asked of the place that holds the issues."""

from collections.abc import Sequence
from typing import Protocol

from tidegate.core.issue import Issue


class Tracker(Protocol):
    """Where the wanted changes come from. Outcomes are never written into it by the engine."""

    def issues(self) -> Sequence[Issue]:
        """All issues, by id. Raises Misused with file and line where one cannot be read."""
        ...

    def add(
        self, title: str, *, text: str, footprint: Sequence[str], priority: int, above: int
    ) -> Issue:
        """Write a new issue under the next free number, one that is higher than `above`."""
        ...
