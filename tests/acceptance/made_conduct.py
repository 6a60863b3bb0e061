"""A made-up log of who was at work: 001 and 003 want one file, 002 another and is killed once."""

from typing import Any

from acceptance.claims import Event

COVERED = {
    "a/**": frozenset({"a/one.py", "a/two.py"}),
    "a/one.py": frozenset({"a/one.py"}),
    "b.py": frozenset({"b.py"}),
}
"""What git says that each pattern covers."""
LEFT, KILLED = 101, 201
"""The builder that outlived its controller, and the one that was killed."""


def made_log() -> list[Event]:
    """Everything as it should be: 003 waits for 001, whose builder two controllers see at work."""
    log: list[Event] = []
    _add(log, "", "controller_took_over", holder="first")
    for lane, footprint in (("001", "a/**"), ("002", "b.py")):
        _open(log, lane, footprint)
        _begin(log, lane, number=1, process=int(lane) * 100 + 1)
    _end(log, "002-build-1", signal=9, is_external=True)
    _begin(log, "002", number=2, process=202)
    _add(log, "", "controller_took_over", holder="second")
    _end(log, "001-build-1", code=0)
    _end(log, "002-build-2", code=0)
    for lane in ("001", "002"):
        _add(log, lane, "landed", commit=f"commit-{lane}", tree=f"tree-{lane}")
        _add(log, lane, "lane_ended", outcome="landed")
    _open(log, "003", "a/one.py")
    _begin(log, "003", number=1, process=301)
    _end(log, "003-build-1", code=0)
    _add(log, "003", "lane_ended", outcome="stopped")
    return log


def _open(log: list[Event], lane: str, footprint: str) -> None:
    _add(log, lane, "lane_opened", footprint=[footprint])
    _add(log, lane, "reserved", footprint=[footprint])


def _begin(log: list[Event], lane: str, *, number: int, process: int) -> None:
    attempt, old = f"{lane}-build-{number}", f"{lane}-build-{number - 1}" if number > 1 else None
    _add(log, lane, "requested", attempt=attempt, supersedes=old, cause=old and "external")
    _add(log, lane, "turn_opened", attempt=attempt)
    _add(log, lane, "turn_started", attempt=attempt, agent_pid=process)


def _end(log: list[Event], attempt: str, **end: Any) -> None:
    body = {"attempt": attempt, "code": None, "signal": None, "is_external": False, **end}
    _add(log, attempt[:3], "turn_ended", **body)


def _add(log: list[Event], lane: str, kind: str, **body: Any) -> None:
    log.append(Event(sequence=len(log) + 1, kind=kind, lane=lane, body=body))
