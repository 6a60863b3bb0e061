"""What may be asked of the place that holds the issues, and what it may be told of them."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Protocol

from tidegate.core.records import record

if TYPE_CHECKING:  # a queue that is only looked at needs no runners
    from collections.abc import Mapping, Sequence

    from tidegate.core.issue import Issue
    from tidegate.ports.runners import Exit

CLAIM, COMMENT, CLOSE, RELEASE = "claim", "comment", "close", "release"
"""What a tracker is told: that an issue is taken, what became of it, and that it is left."""
DONE, REFUSED, FAILED, UNKNOWN = "done", "refused", "failed", "unknown"
"""What comes of it. Unknown is what may have been done, and nobody knows."""


class Tracker(Protocol):
    """Where the wanted changes come from."""

    def issues(self) -> Sequence[Issue]:
        """All issues, by id. Raises Misused with file and line where one cannot be read."""
        ...

    def add(
        self, title: str, *, text: str, footprint: Sequence[str], priority: int, above: int
    ) -> Issue:
        """Write a new issue under the next free number, one that is higher than `above`."""
        ...


@record
class Request:
    """Something that a tracker is told. Under one `key` it does it once, however often asked."""

    do: str
    issue: str
    run: str
    key: str
    text: str | None = None
    commit: str | None = None
    target: str | None = None


@record
class Call:
    """The process that carries a request. Sizes are bytes, times seconds."""

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(repr=False)
    cwd: str
    stdin_path: str
    deadline_s: float
    output_max_bytes: int


@record
class Answer:
    """What came of a request: done, refused, failed, or unknown where it may have been done."""

    outcome: str
    detail: str = ""


class TrackerJobs(Protocol):
    """A tracker that is told what becomes of its issues. Each request is a process of its own."""

    def call(self, request: Request, folder: str) -> Call:
        """Write the request into `folder` and say which process takes it from there."""
        ...

    def answer(self, folder: str, ending: Exit) -> Answer:
        """What the process that ended so has answered."""
        ...
