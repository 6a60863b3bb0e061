"""Tell what is behind a failure while a run goes on: the first words of what failed.

Events hold such texts by their digest; whoever looks on at a run should not have to look them up.
"""

from collections.abc import Callable, Iterator, Sequence

from tidegate.core import events as e
from tidegate.core.errors import TidegateError
from tidegate.ports.ledger import Ledger
from tidegate.verbs.eyes import Eyes

_AGENT_FAILED = "agent_failed"
CAUSE_MAX = 300
"""How many characters of a cause are told."""


def with_causes(eyes: Eyes, ledger: Ledger) -> Callable[[Sequence[e.Entry]], None]:
    """Show what was recorded, and below it the causes of what failed."""

    def recorded(entries: Sequence[e.Entry]) -> None:
        eyes.recorded(entries)
        for entry in entries:
            for cause in _causes(entry.event, ledger):
                eyes.tell(f"  {entry.lane}: {cause}; more: tidegate show {entry.lane}")

    return recorded


def _causes(event: e.Event, ledger: Ledger) -> Iterator[str]:
    match event:
        case e.JobFailed(detail=digest):
            yield from _bounded(_lines(ledger, digest)[:1])
        case e.Judged(finding_digest=str() as digest, reason=reason) if reason == _AGENT_FAILED:
            yield from _bounded(_lines(ledger, digest)[-1:])
        case _:
            return


def _lines(ledger: Ledger, digest: str) -> list[str]:
    """The lines of a stored text that say something; none where it cannot be had."""
    try:
        return [line.strip() for line in ledger.text(digest).splitlines() if line.strip()]
    except (TidegateError, OSError):
        return []


def _bounded(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        yield line if len(line) <= CAUSE_MAX else f"{line[:CAUSE_MAX]}…"
